// SPDX-License-Identifier: MIT
// Sparse input of any form becomes canonical CSR: columns ascending in every row, repeated positions
// added, zeros dropped unless they are asked for. Malformed arrays and bad entries throw InvalidInput.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anmf/data.h"

namespace anmf {

/// Which lines of M the caller's arrays hold one after another; their errors are told in these words.
enum class Compressed { rows, columns };

/// Brings every row into canonical form within the arrays of M, whose offsets and indices must be sound. Rows
/// are counted from `first_row` in messages, if M is a part of something larger.
template <class T>
void make_canonical(Csr<T>& M, Compressed compressed, Index first_row = 0, Zeros zeros = Zeros::drop,
                    Sign sign = Sign::nonnegative);

/// With Compressed::columns the arrays are those of M' by rows: `rows` is the number of columns of M.
template <class T, class I>
[[nodiscard]] Csr<T> canonical_csr(Index rows, Index cols, std::span<const Index> offsets,
                                   std::span<const I> indices, std::span<const T> values,
                                   Compressed compressed = Compressed::rows);

template <class T>
[[nodiscard]] Csr<T> csr_from_triplets(Index rows, Index cols, std::span<const Index> row_indices,
                                       std::span<const Index> col_indices, std::span<const T> values);

/// The same within the arrays that are handed over: besides them it needs memory for a few rows only.
template <class T>
[[nodiscard]] Csr<T> csr_from_triplets(Index rows, Index cols, std::vector<std::uint32_t>&& row_indices,
                                       std::vector<std::uint32_t>&& col_indices, std::vector<T>&& values,
                                       Zeros zeros = Zeros::drop, Sign sign = Sign::nonnegative);

template <class T>
[[nodiscard]] Csr<T> transpose_csr(const Csr<T>& M);

}  // namespace anmf
