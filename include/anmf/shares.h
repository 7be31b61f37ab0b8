// SPDX-License-Identifier: MIT
// How workers share the rows of a factor, for a Data of which each worker holds a part (Data::owned).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "anmf/data.h"

namespace anmf {

/// Share number `part` of `parts` of these rows: runs of whole blocks in order, whose lengths differ by one
/// block at most. A block is 48 rows, which stop their inner iterations together, so that iterates do not
/// depend on the number of workers; the first row must begin one. The last block may be shorter, and a share
/// empty.
[[nodiscard]] RowRange row_share(RowRange rows, Index parts, Index part);

/// The norms of the rows of M (of M' for Side::H) where every worker shows a part of the entries: `sum` makes
/// every number its sum over all workers.
template <class T>
[[nodiscard]] std::vector<double> joined_line_norms(const Data<T>& data, Side side,
                                                    const std::function<void(std::span<double>)>& sum);

}  // namespace anmf
