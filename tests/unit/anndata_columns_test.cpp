// SPDX-License-Identifier: MIT
// Columns of obs and var on their way from one AnnData file to another.
#include "anmf/anndata_columns.h"

#include <gtest/gtest.h>

#include "io/hdf5_texts.h"
#include "io/hdf5_writer.h"
#include "support/files_and_messages.h"

namespace anmf::test::anndata_columns_test {
namespace {

using io::Hdf5File;
using io::Hdf5Writer;
using Texts = std::vector<std::string>;

void write_file(const std::filesystem::path& path, const Texts& cells, const Texts& genes) {
  io::AnnData<double> data;
  data.observations = static_cast<Index>(cells.size());
  data.variables = static_cast<Index>(genes.size());
  data.names = {cells, genes};
  io::write_h5ad<double>(path, data);
}

/// A column of every kind in obs, and one of numbers in var.
void add_columns(const std::filesystem::path& path) {
  Hdf5Writer file(path, path, Hdf5Writer::Open::extend);
  file.write_texts("obs/batch", {"b", "", "grün"});
  const std::vector<std::int16_t> ages = {3, -1, 7};
  file.write_list("obs/age", ages.data(), 3, H5T_NATIVE_INT16, H5T_NATIVE_INT16);
  file.make_group("obs/kind");
  file.attach_text("obs/kind", "encoding-type", "categorical");
  file.attach_text("obs/kind", "encoding-version", "0.2.0");
  file.attach_truth("obs/kind", "ordered", true);
  const std::vector<signed char> codes = {1, 0, -1};
  file.write_list("obs/kind/codes", codes.data(), 3, H5T_NATIVE_INT8, H5T_NATIVE_INT8);
  file.write_texts("obs/kind/categories", {"T", "B"});
  file.make_group("obs/strange");
  file.detach("obs", "column-order");
  file.attach_texts("obs", "column-order", {"kind", "strange", "batch", "age"});
  const std::vector<double> means = {0.5, 1.5};
  file.write_list("var/mean", means.data(), 2, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE);
  file.detach("var", "column-order");
  file.attach_texts("var", "column-order", {"mean"});
  file.close();
}

template <class T>
std::vector<T> numbers(const Hdf5File& file, const std::string& place, hid_t type) {
  const io::Hdf5Array array(file, place);
  std::vector<T> result(static_cast<std::size_t>(array.size()));
  array.read_all(type, result.data());
  return result;
}

TEST(AnnDataColumns, AreCopiedWhereTheNamesAreTheSame) {
  const io_test::TemporaryFolder folder;
  const auto from = folder.path() / "from.h5ad";
  const auto to = folder.path() / "to.h5ad";
  write_file(from, {"x", "y", "z"}, {"g", "h"});
  add_columns(from);
  write_file(to, {"x", "y", "z"}, {"h", "g"});  // variables in another order

  io::copy_anndata_columns(from, to);

  const Hdf5File file(to);
  EXPECT_EQ(io::read_hdf5_texts(file, "obs/batch", 3), (Texts{"b", "", "grün"}));
  EXPECT_EQ(file.text_attribute("obs/batch", "encoding-type"), "string-array");
  EXPECT_EQ(numbers<std::int16_t>(file, "obs/age", H5T_NATIVE_INT16), (std::vector<std::int16_t>{3, -1, 7}));
  EXPECT_EQ(io::Hdf5Array(file, "obs/age").number_bytes(), 2U);
  EXPECT_EQ(file.text_attribute("obs/kind", "encoding-type"), "categorical");
  EXPECT_EQ(io::read_hdf5_texts(file, "obs/kind/categories", 2), (Texts{"T", "B"}));
  EXPECT_EQ(numbers<signed char>(file, "obs/kind/codes", H5T_NATIVE_INT8),
            (std::vector<signed char>{1, 0, -1}));
  EXPECT_EQ(file.kind("obs/strange"), io::Hdf5Kind::kNothing);
  EXPECT_EQ(file.kind("var/mean"), io::Hdf5Kind::kNothing);
}

TEST(AnnDataColumns, OfAFileWithoutAnyLeaveTheOtherAsItIs) {
  const io_test::TemporaryFolder folder;
  write_file(folder.path() / "from.h5ad", {"x"}, {"g"});
  write_file(folder.path() / "to.h5ad", {"x"}, {"g"});

  io::copy_anndata_columns(folder.path() / "from.h5ad", folder.path() / "to.h5ad");

  const Hdf5File file(folder.path() / "to.h5ad");
  EXPECT_EQ(file.children("obs"), Texts{"_index"});
}

}  // namespace
}  // namespace anmf::test::anndata_columns_test
