// SPDX-License-Identifier: MIT
// Checks of sizes and entries, one function per rule. All throw InvalidInput.
#pragma once

#include <string_view>

#include "anmf/matrix.h"

namespace anmf::validate {

/// A matrix must have at least one row and one column, and rows * cols must not overflow.
void shape(std::string_view name, Index rows, Index cols);

/// Throws the message for entry (row, col) = value of `name`, which must be finite and >= 0.
[[noreturn]] void reject_entry(std::string_view name, Index row, Index col, double value);

/// Every entry must be finite and >= 0; the first one, in row order, that is not is named.
template <class T>
void entries(std::string_view name, ConstMatrixView<T> matrix);

}  // namespace anmf::validate
