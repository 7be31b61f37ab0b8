// SPDX-License-Identifier: MIT
// AnnData files of 2 cells and 3 genes, dense, CSR or CSC, which hdf5_maker.h makes odd.
#include "anmf/word_columns.h"
#include "fuzz_checks.h"
#include "hdf5_maker.h"

using namespace anmf;
using namespace anmf::io_fuzz;

namespace {

void add_matrix(Hdf5Maker& file, Choices& choices, const std::string& place) {
  const int kind = choices.ConsumeIntegralInRange<int>(0, 2);
  if (kind == 2) return file.doubles(place, {2, 3}, {1, 2, 3, 4, 5, 6});
  const bool by_rows = kind == 0;
  const bool old = oddly(choices);
  file.group(place);
  file.text_attribute(place, old ? "h5sparse_format" : "encoding-type",
                      by_rows ? "csr_matrix" : "csc_matrix");
  file.whole_attribute(place, old ? "h5sparse_shape" : "shape", {2, 3});
  file.doubles(place + "/data", {3}, {1, 2, 3});
  file.wholes(place + "/indices",
              by_rows ? std::vector<std::int64_t>{0, 2, 1} : std::vector<std::int64_t>{0, 1, 0});
  file.wholes(place + "/indptr",
              by_rows ? std::vector<std::int64_t>{0, 2, 3} : std::vector<std::int64_t>{0, 1, 2, 3});
}

void add_names(Hdf5Maker& file, const std::string& frame, std::size_t count) {
  file.group(frame);
  file.text_attribute(frame, "_index", "_index");
  file.texts(frame + "/_index", count);
}

void add_columns(Hdf5Maker& file) {
  file.texts("obs/a", 2);
  file.group("obs/b");
  file.text_attribute("obs/b", "encoding-type", "categorical");
  file.wholes("obs/b/codes", {1, 0});
  file.texts("obs/b/categories", 2);
  file.texts_attribute("obs", "column-order", {"a", "b"});
}

}  // namespace

ANMF_FUZZ_TARGET(h5ad) {
  const std::filesystem::path path = folder() / "x.h5ad";
  Choices choices(data, size);
  {
    Hdf5Maker file(path, choices);
    add_matrix(file, choices, "X");
    add_names(file, "obs", 2);
    add_columns(file);
    add_names(file, "var", 3);
    file.group("layers");
    add_matrix(file, choices, "layers/a");
  }
  check_load(path);
  may_refuse([&] {
    for (const io::WordColumn& column : io::read_anndata_words(path, 2, 8)) {
      require(column.codes.size() == 2, "a wrong number of codes");
      for (const std::uint8_t code : column.codes)
        require(code < column.words.size(), "a code without a word");
    }
  });
  may_refuse([&] { check(io::load<double>(path.string() + "::layers/a")); });
  may_refuse([&] { check(io::load<double>(path.string() + "::raw/X")); });
  return 0;
}
