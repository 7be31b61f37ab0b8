// SPDX-License-Identifier: MIT
// A matrix from a file, beyond what the solver asks of it: what its entries are like, and its transpose.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "anmf/io.h"

namespace anmf::cli {

struct EntrySummary {
  double min = 0;  ///< of the stored entries
  double max = 0;
  Index nonzeros = 0;  ///< entries that are not 0, also where M is stored dense
};

/// Nothing if no entry is stored.
template <class T>
[[nodiscard]] std::optional<EntrySummary> summarize_entries(const io::LoadedMatrix<T>& matrix);

/// The type of the stored entries in NumPy's words: "float64", "float32", "uint16" or "uint8".
template <class T>
[[nodiscard]] std::string_view entry_type(const io::LoadedMatrix<T>& matrix);

/// False for a dense matrix that is spread over processes or stays in its file.
template <class T>
[[nodiscard]] bool knows_entry_type(const io::LoadedMatrix<T>& matrix) {
  return is_sparse(matrix.data->storage()) || matrix.dense.index() > 0;
}

/// Whether a dense M of three or four columns may be a list of positions and values: two columns of whole
/// numbers, of which no pair comes twice.
template <class T>
[[nodiscard]] bool looks_like_positions(const io::LoadedMatrix<T>& matrix);

/// Bytes of M in memory. A sparse one is there twice, by rows and by columns, each with a 32-bit position
/// beside every entry and a 64-bit offset for every row or column.
template <class T>
[[nodiscard]] double matrix_bytes(const io::LoadedMatrix<T>& matrix);

/// The same of a sparse matrix of this size.
template <class T>
[[nodiscard]] double sparse_matrix_bytes(Index rows, Index cols, double nonzeros) {
  const auto offsets = static_cast<double>(rows + cols + 2);
  return 2 * nonzeros * (sizeof(T) + sizeof(std::uint32_t)) + offsets * sizeof(Index);
}

/// Replaces M by M', over the same memory; the names change sides.
template <class T>
void transpose(io::LoadedMatrix<T>& matrix);

}  // namespace anmf::cli
