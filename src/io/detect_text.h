// SPDX-License-Identifier: MIT
// Formats of plain text that say nowhere what they are, told apart by the shape of their first lines. No text
// has the shape of two of them.
#pragma once

#include <string_view>

namespace anmf::io {

/// "1 3:0.5 7:2", and at least one line among the first has an INDEX:VALUE.
[[nodiscard]] bool looks_like_svmlight(std::string_view start);

/// Three whole numbers, then a line of an even number of tokens.
[[nodiscard]] bool looks_like_cluto(std::string_view start);

/// Three lines of one whole number each, then one of three.
[[nodiscard]] bool looks_like_bag_of_words(std::string_view start);

/// Fields with "::" between them, or two whole numbers, a number and the seconds of a time since 1973.
[[nodiscard]] bool looks_like_triplets(std::string_view start);

/// One of the first lines ends in a number, and none of the others above is meant: as a table, their lines of
/// different numbers of fields would be an error.
[[nodiscard]] bool looks_like_table(std::string_view start);

}  // namespace anmf::io
