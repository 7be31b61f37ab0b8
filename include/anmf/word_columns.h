// SPDX-License-Identifier: MIT
// A word for each row of a matrix: the class of a document, the type of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::io {

/// The word of row i is words[codes[i]]; it may be empty where nothing is known.
struct WordColumn {
  std::string name;
  std::vector<std::string> words;
  std::vector<std::uint8_t> codes;
};

/// What fewer than two words tell is nothing, and more than so many are names rather than classes.
inline constexpr std::size_t kMostWords = 60;

/// Nothing if there are fewer than two different words, or more than kMostWords.
[[nodiscard]] std::optional<WordColumn> word_column(std::string name,
                                                    const std::vector<std::string>& of_rows);

/// Those columns of obs in an AnnData file that are such words for `rows` observations, the first `most` of
/// them: texts, categories and truth values. Nobody needs them, so a column that is damaged is passed over.
/// Throws InvalidInput if the file cannot be opened.
[[nodiscard]] std::vector<WordColumn> read_anndata_words(const std::filesystem::path& path, Index rows,
                                                         std::size_t most);

}  // namespace anmf::io
