// SPDX-License-Identifier: MIT
// Sparse matrices as scipy.sparse.save_npz writes them: an archive of the arrays `format`, `shape`, `data`
// and
//   csr, csc   `indptr` (rows or columns, plus 1) and `indices` (as many as `data`)
//   coo        `row` and `col` (as many as `data`), or both as `coords` (2 x as many)
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/input_file.h"
#include "io/npy_reader.h"
#include "io/npz.h"
#include "io/number_array.h"

namespace anmf::io {

namespace {

// One array of the archive, its header read.
class NpzArray final : public NumberArray {
 public:
  NpzArray(const ZipArchive& archive, const std::filesystem::path& path, const std::string& key)
      : name_(npz_array_name(path, key)),
        source_(archive.open(key + ".npy")),
        header_(read_npy_array_header(*source_, name_)) {}

  [[nodiscard]] std::string name() const override { return name_.string(); }
  [[nodiscard]] Index size() const override { return header_.count; }
  void read(const Visit<Index>& visit) override { read_npy_entries<Index>(*source_, header_, name_, visit); }
  void read(const Visit<float>& visit) override { read_npy_entries<float>(*source_, header_, name_, visit); }
  void read(const Visit<double>& visit) override {
    read_npy_entries<double>(*source_, header_, name_, visit);
  }

 private:
  std::filesystem::path name_;
  std::unique_ptr<ByteSource> source_;
  NpyHeader header_;
};

template <class T>
void read_coordinates(const ZipArchive& archive, const std::filesystem::path& path, Triplets<T>& result) {
  NpzArray data(archive, path, "data");
  result.values = read_values<T>(data);
  const auto count = static_cast<Index>(result.values.size());
  if (archive.has("row.npy") || !archive.has("coords.npy")) {
    NpzArray row(archive, path, "row");
    NpzArray col(archive, path, "col");
    result.row_indices = read_positions(row, count, result.rows);
    result.col_indices = read_positions(col, count, result.cols);
    return;
  }
  NpzArray coords(archive, path, "coords");
  coords.expect_size(2 * count, "two for every entry of data");
  coords.read(Visit<Index>([&](std::span<const Index> block) {
    const std::size_t missing = result.values.size() - result.row_indices.size();
    const std::size_t rows_here = std::min(missing, block.size());
    append_positions(coords, block.first(rows_here), result.rows, result.row_indices);
    append_positions(coords, block.subspan(rows_here), result.cols, result.col_indices);
  }));
}

}  // namespace

StoredSizes npz_sparse_sizes(const ZipArchive& archive, const std::filesystem::path& path) {
  StoredSizes sizes{.sparse = true};
  NpzArray shape(archive, path, "shape");
  read_sparse_shape(shape, sizes.rows, sizes.cols);
  sizes.entries = NpzArray(archive, path, "data").size();
  return sizes;
}

template <class T>
Triplets<T> read_npz_sparse(const std::filesystem::path& path) {
  const ZipArchive archive(path);
  const std::string format = read_npy_text(*archive.open("format.npy"), npz_array_name(path, "format"));
  if (format != "csr" && format != "csc" && format != "coo") {
    throw InvalidInput(
        fmt::format("{}: sparse format {} found, expected 'csr', 'csc' or 'coo'. In Python, "
                    "matrix.tocsr() converts it.",
                    path.string(), in_quotes(format)));
  }
  Triplets<T> result;
  NpzArray shape(archive, path, "shape");
  read_sparse_shape(shape, result.rows, result.cols);
  if (format == "coo") {
    read_coordinates(archive, path, result);
  } else {
    NpzArray offsets(archive, path, "indptr");
    NpzArray indices(archive, path, "indices");
    NpzArray data(archive, path, "data");
    read_compressed(offsets, indices, data, format == "csr", result);
  }
  const NpyHeader values = read_npy_array_header(*archive.open("data.npy"), npz_array_name(path, "data"));
  result.single_precision = values.kind == 'f' && values.item_bytes <= 4;
  return result;
}

template Triplets<float> read_npz_sparse<float>(const std::filesystem::path&);
template Triplets<double> read_npz_sparse<double>(const std::filesystem::path&);

}  // namespace anmf::io
