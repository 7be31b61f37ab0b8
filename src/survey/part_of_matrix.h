// SPDX-License-Identifier: MIT
// Some rows and columns of M as a matrix of their own, with what their entries count.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "anmf/data.h"

namespace anmf {

/// May give the entries of a row of M that count other values. They stand at these columns of M, or at all of
/// them where there are none named.
template <class T>
using ChangeRow = std::function<void(Index row, std::span<const std::uint32_t> columns, std::span<T> values)>;

/// The entries of every row of M, which is in the memory of this process; zeros where nothing counts.
template <class T>
void look_at_rows(const Data<T>& M, const ChangeRow<T>& look);

/// Rows and columns ascend. M is in the memory of this process, and stays sparse if it is.
template <class T>
[[nodiscard]] std::unique_ptr<Data<T>> part_of_matrix(const Data<T>& M, std::span<const Index> rows,
                                                      std::span<const Index> columns,
                                                      const ChangeRow<T>& change = {});

}  // namespace anmf
