// SPDX-License-Identifier: MIT
#include "anmf/word_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "anmf/error.h"
#include "io/anndata_frame.h"
#include "io/hdf5_file.h"
#include "io/hdf5_texts.h"

namespace anmf::io {

namespace {

using Words = std::optional<WordColumn>;

bool is_list(const Hdf5File& file, const std::string& place, Index length) {
  return file.has_dataset(place) && file.shape(place) == std::vector<Index>{length};
}

/// Words by a function of the row. The codes count those that occur, in alphabetical order.
template <class WordOf>
Words made_of(std::string name, std::size_t rows, const WordOf& word_of) {
  std::map<std::string_view, std::uint8_t> codes;
  for (std::size_t i = 0; i < rows; ++i) {
    codes.emplace(word_of(i), 0);
    if (codes.size() > kMostWords) return std::nullopt;
  }
  if (codes.size() < 2) return std::nullopt;
  WordColumn column{.name = std::move(name), .words = {}, .codes = {}};
  for (auto& [word, code] : codes) {
    code = static_cast<std::uint8_t>(column.words.size());
    column.words.emplace_back(word);
  }
  column.codes.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) column.codes.push_back(codes.at(word_of(i)));
  return column;
}

/// Codes below 0 are missing words.
template <class Code>
Words from_codes(std::string name, const std::vector<Code>& codes, const std::vector<std::string>& words) {
  const auto too_large = [&](Code code) { return static_cast<Index>(code) >= std::ssize(words); };
  if (std::any_of(codes.begin(), codes.end(), too_large)) return std::nullopt;
  return made_of(std::move(name), codes.size(), [&](std::size_t i) {
    const auto code = static_cast<Index>(codes[i]);
    return code < 0 ? std::string_view() : std::string_view(words[static_cast<std::size_t>(code)]);
  });
}

/// Categories are texts, or whole numbers, as those of clusters are.
std::vector<std::string> read_categories(const Hdf5File& file, const std::string& place) {
  const std::vector<Index> shape = file.has_dataset(place) ? file.shape(place) : std::vector<Index>();
  if (shape.size() != 1) return {};
  if (!file.holds_numbers(place)) return read_hdf5_texts(file, place, shape[0]);
  Hdf5Array numbers(file, place);
  if (numbers.number_kind() == 'f') return {};
  std::vector<std::string> words;
  numbers.read(Visit<Index>([&](std::span<const Index> stretch) {
    for (const Index number : stretch) words.push_back(std::to_string(number));
  }));
  return words;
}

Words read_categorical(const Hdf5File& file, const std::string& place, const std::string& name, Index rows) {
  if (file.text_attribute(place, "encoding-type") != "categorical") return std::nullopt;
  if (!is_list(file, place + "/codes", rows)) return std::nullopt;
  const std::vector<std::string> words = read_categories(file, place + "/categories");
  const Hdf5Array array(file, place + "/codes");
  if (words.empty() || array.number_kind() == 'f') return std::nullopt;
  std::vector<Index> codes(static_cast<std::size_t>(rows));
  array.read_all(H5T_NATIVE_INT64, codes.data());
  return from_codes(name, codes, words);
}

Words read_list(const Hdf5File& file, const std::string& place, const std::string& name, Index rows) {
  if (!is_list(file, place, rows)) return std::nullopt;
  const Hdf5Handle dataset = file.open_dataset(place);
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
  if (H5Tget_class(type.get()) == H5T_STRING) return word_column(name, read_hdf5_texts(file, place, rows));
  return from_codes(name, read_truth_values(file, place, dataset.get(), type.get(), rows), {"False", "True"});
}

/// What `read` gives, or nothing.
template <class Read>
auto unless_damaged(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const InvalidInput&) {
    return {};
  }
}

}  // namespace

Words word_column(std::string name, const std::vector<std::string>& of_rows) {
  return made_of(std::move(name), of_rows.size(),
                 [&](std::size_t i) { return std::string_view(of_rows[i]); });
}

std::vector<WordColumn> read_anndata_words(const std::filesystem::path& path, Index rows, std::size_t most) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File file(path);
  std::vector<WordColumn> columns;
  for (const std::string& name : unless_damaged(
           [&] { return file.has_group("obs") ? frame_columns(file, "obs") : std::vector<std::string>(); })) {
    if (columns.size() == most) break;
    const std::string place = fmt::format("obs/{}", name);
    Words column = unless_damaged([&] {
      return file.has_group(place) ? read_categorical(file, place, name, rows)
                                   : read_list(file, place, name, rows);
    });
    if (column) columns.push_back(*std::move(column));
  }
  return columns;
}

}  // namespace anmf::io
