// SPDX-License-Identifier: MIT
// Norms of the rows of M or M', from the entries.
#pragma once

#include <vector>

#include "anmf/data.h"

namespace anmf {

/// The sums of (x / scale)^2 over the entries x of every row of M (of M' for Side::H) that `data` shows here.
template <class T>
[[nodiscard]] std::vector<double> line_squares(const Data<T>& data, Side side, double scale);

/// The norms of lines from these sums.
[[nodiscard]] std::vector<double> norms_of(std::vector<double> squares, double scale);

}  // namespace anmf
