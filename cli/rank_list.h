// SPDX-License-Identifier: MIT
// Ranks as they are typed: 2-15, 5-50:5 (in steps of five), 4,8,16, or several of these with commas.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::cli {

/// In ascending order. Throws CLI::ValidationError with a sentence about the option `name`.
[[nodiscard]] std::vector<Index> parse_ranks(const std::string& name, const std::string& text);

/// A text that parse_ranks() reads, of ranks in ascending order: 2-15,20.
[[nodiscard]] std::string format_ranks(std::span<const Index> ranks);

}  // namespace anmf::cli
