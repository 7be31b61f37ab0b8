// SPDX-License-Identifier: MIT
// What somebody may have meant who typed a word that is none of those that are known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anmf::cli {

/// How many letters have to be put in, left out, replaced or exchanged with their neighbour to get b from a.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word that is nearest to `word`, or that it is the beginning of; nothing if none is near. Capital
/// letters count as small ones and _ as -.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);

/// "; did you mean X?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace anmf::cli
