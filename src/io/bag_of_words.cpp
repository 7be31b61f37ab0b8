// SPDX-License-Identifier: MIT
// Bags of words as the UCI repository has them: three lines with the numbers of documents, words and entries,
// then a line "DOCUMENT WORD COUNT" for every entry, both counted from 1.
#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "anmf/io.h"
#include "io/gzip_stream.h"
#include "io/input_file.h"
#include "io/name_list.h"
#include "io/names_beside.h"
#include "io/own.h"
#include "io/sparse_text.h"
#include "io/text_formats.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

Index read_count(LineReader& reader, std::string_view name, Index most) {
  if (!reader.next()) reader.fail(fmt::format("the file ends before the {}.", name));
  const int found = count_tokens(reader.line());
  if (found != 1) reader.fail(fmt::format("{} found, expected 1: the {}.", counted(found, "token"), name));
  return read_whole(reader, Tokens(reader.line()).next(), name, 0, most);
}

StoredSizes read_bag_sizes(LineReader& reader) {
  StoredSizes sizes{.sparse = true};
  sizes.rows = read_count(reader, "number of documents", kMostSparseRows);
  sizes.cols = read_count(reader, "number of words", kMostSparseRows);
  sizes.entries = read_count(reader, "number of entries", std::numeric_limits<Index>::max());
  return sizes;
}

}  // namespace

template <class T>
Triplets<T> read_bag_of_words(const std::filesystem::path& path) {
  LineReader reader(path);
  const StoredSizes sizes = read_bag_sizes(reader);
  Triplets<T> result;
  result.rows = sizes.rows;
  result.cols = sizes.cols;
  Index count = 0;
  while (reader.next()) {
    const int found = count_tokens(reader.line());
    if (found == 0) continue;
    if (found != 3)
      reader.fail(fmt::format("{} found, expected 3: DOCUMENT WORD COUNT.", counted(found, "token")));
    if (++count > sizes.entries)
      reader.fail(fmt::format("an entry beyond the {} that line 3 promises.", sizes.entries));
    Tokens tokens(reader.line());
    const Index document = read_whole(reader, tokens.next(), "document", 1, result.rows);
    const Index word = read_whole(reader, tokens.next(), "word", 1, result.cols);
    append_entry(result, document - 1, word - 1, read_entry_value<T>(reader, tokens.next()));
  }
  if (count != sizes.entries) {
    reader.fail(fmt::format("the file ends after {}, but line 3 promises {}.", counted(count, "entry"),
                            sizes.entries));
  }
  return result;
}

StoredSizes bag_of_words_sizes(const std::filesystem::path& path) {
  LineReader reader(path);
  return read_bag_sizes(reader);
}

template <class T>
LoadedMatrix<T> load_bag_of_words(const std::filesystem::path& path, const Reading& reading) {
  LoadedMatrix<T> result = own_sparse(path, read_bag_of_words<T>(path), reading);
  result.col_names = read_names_if_there(vocabulary_beside(path), result.data->cols());
  return result;
}

template Triplets<float> read_bag_of_words<float>(const std::filesystem::path&);
template Triplets<double> read_bag_of_words<double>(const std::filesystem::path&);
template LoadedMatrix<float> load_bag_of_words(const std::filesystem::path&, const Reading&);
template LoadedMatrix<double> load_bag_of_words(const std::filesystem::path&, const Reading&);

}  // namespace anmf::io
