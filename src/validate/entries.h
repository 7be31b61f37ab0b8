// SPDX-License-Identifier: MIT
// Checks of sizes and entries, one function per rule. All throw InvalidInput.
#pragma once

#include <string_view>

#include "anmf/data.h"

namespace anmf::validate {

/// A matrix must have at least one row and one column, and rows * cols must not overflow.
void shape(std::string_view name, Index rows, Index cols);

/// Throws the message for entry (row, col) = value of `name`, which must be finite and >= 0.
[[noreturn]] void reject_entry(std::string_view name, Index row, Index col, double value);

/// Every entry must be finite and, unless its sign may be any, >= 0; the first one, in the order of memory,
/// that is not is named. With Layout::column_major `matrix` is the transpose of what the caller knows.
template <class T>
void entries(std::string_view name, ConstMatrixView<T> matrix, Layout layout = Layout::row_major,
             Sign sign = Sign::nonnegative);

}  // namespace anmf::validate
