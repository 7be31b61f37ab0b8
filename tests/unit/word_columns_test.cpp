// SPDX-License-Identifier: MIT
// Words for the rows of a matrix: the columns of obs that are such, and no others.
#include "anmf/word_columns.h"

#include <gtest/gtest.h>

#include <array>

#include "support/files_and_messages.h"
#include "support/hdf5_writer.h"

namespace anmf::test::word_columns_test {
namespace {

using io_test::Hdf5Writer;
using Texts = std::vector<std::string>;
using Codes = std::vector<std::uint8_t>;

/// The words of the rows, one after another.
std::string spelled(const io::WordColumn& column) {
  std::string text = column.name + ":";
  for (const std::uint8_t code : column.codes) text += " " + column.words.at(code);
  return text;
}

void categorical(const Hdf5Writer& file, const std::string& place, const std::vector<double>& codes) {
  file.group(place.c_str());
  file.text_attribute(place.c_str(), "encoding-type", "categorical");
  file.whole((place + "/codes").c_str(), codes);
}

TEST(WordColumn, CountsTheWordsThatOccur) {
  const auto column = io::word_column("kind", {"b", "", "b", "a"});

  ASSERT_TRUE(column);
  EXPECT_EQ(column->words, (Texts{"", "a", "b"}));
  EXPECT_EQ(column->codes, (Codes{2, 0, 2, 1}));
}

TEST(WordColumn, IsNothingOfOneWordOrOfNames) {
  Texts names;
  for (std::size_t k = 0; k < io::kMostWords; ++k) names.push_back("name " + std::to_string(k));

  EXPECT_FALSE(io::word_column("kind", {}));
  EXPECT_FALSE(io::word_column("kind", {"a", "a"}));
  EXPECT_TRUE(io::word_column("kind", names));
  names.emplace_back("one more");
  EXPECT_FALSE(io::word_column("kind", names));
}

TEST(WordColumn, ComesFromTextsCategoriesAndTruthValuesOfAnnData) {
  const io_test::TemporaryFolder folder;
  const auto path = folder.path() / "x.h5ad";
  {
    const Hdf5Writer file(path);
    file.group("obs");
    file.texts("obs/_index", {"x", "y", "z"});
    file.texts("obs/text", {"b", "a", "b"});
    file.whole("obs/number", {1, 2, 1});
    categorical(file, "obs/kind", {1, -1, 0});
    file.texts("obs/kind/categories", {"T", "B", "never"});
    categorical(file, "obs/cluster", {0, 1, 1});
    file.whole("obs/cluster/categories", {10, 20});
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    for (const signed char value : std::array<signed char, 2>{0, 1})
      H5Tenum_insert(truth, value == 0 ? "FALSE" : "TRUE", &value);
    const hsize_t count = 3;
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t dataset =
        H5Dcreate2(file.id(), "obs/truth", truth, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const Codes truths = {1, 0, 1};
    H5Dwrite(dataset, truth, H5S_ALL, H5S_ALL, H5P_DEFAULT, truths.data());
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(truth);
    file.texts_attribute("obs", "column-order", {"text", "number", "kind", "absent", "cluster", "truth"});
  }

  Texts found;
  for (const io::WordColumn& column : io::read_anndata_words(path, 3, 9)) found.push_back(spelled(column));
  EXPECT_EQ(found, (Texts{"text: b a b", "kind: B  T", "cluster: 10 20 20", "truth: True False True"}));
  EXPECT_EQ(io::read_anndata_words(path, 3, 2).size(), 2U);
  EXPECT_TRUE(io::read_anndata_words(path, 4, 9).empty());  // of another number of rows
}

TEST(WordColumn, PassesOverColumnsThatAreDamaged) {
  const io_test::TemporaryFolder folder;
  const auto path = folder.path() / "x.h5ad";
  {
    const Hdf5Writer file(path);
    file.group("obs");
    categorical(file, "obs/beyond", {0, 2});
    file.texts("obs/beyond/categories", {"T", "B"});
    categorical(file, "obs/bare", {0, 1});
    categorical(file, "obs/broken", {0, 1});
    file.numbers("obs/broken/categories", {2}, {0.5, 1.5});
    file.texts("obs/sound", {"b", "a"});
    file.texts_attribute("obs", "column-order", {"beyond", "bare", "broken", "sound"});
  }

  const auto found = io::read_anndata_words(path, 2, 9);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(spelled(found[0]), "sound: b a");
}

TEST(WordColumn, AreNoneWhereThereIsNoFrame) {
  const io_test::TemporaryFolder folder;
  {
    const Hdf5Writer file(folder.path() / "x.h5ad");
  }

  EXPECT_TRUE(io::read_anndata_words(folder.path() / "x.h5ad", 2, 9).empty());
}

}  // namespace
}  // namespace anmf::test::word_columns_test
