// SPDX-License-Identifier: MIT
// Matrices that stay on disk: M (m x n) comes in blocks of whole rows, or of whole columns, and is read anew
// in every pass.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "anmf/data.h"
#include "anmf/matrix.h"

namespace anmf {

/// The entries of one block in memory, lines x width: a line is a row of M, or a column of it if the source
/// is column-major. Dense entries stay in the type in which they are stored, as those of DenseData do.
template <class T>
using BlockEntries = std::conditional_t<
    std::is_same_v<T, float>,
    std::variant<Matrix<float>, Matrix<std::uint16_t>, Matrix<std::uint8_t>, Csr<float>>,
    std::variant<Matrix<double>, Matrix<float>, Matrix<std::uint16_t>, Matrix<std::uint8_t>, Csr<double>>>;

/// Where the blocks come from: a file, or whatever the caller has.
template <class T>
class BlockSource {
 public:
  BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;
  virtual ~BlockSource() = default;

  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;
  /// Stored nonzeros, or m * n for a dense matrix.
  [[nodiscard]] virtual Index nonzeros() const = 0;
  [[nodiscard]] virtual bool sparse() const = 0;
  /// Whether the lines of a block are rows or columns of M.
  [[nodiscard]] virtual Layout layout() const = 0;

  [[nodiscard]] virtual Index blocks() const = 0;
  /// The first line of a block; that of blocks() is the number of lines.
  [[nodiscard]] virtual Index first_line(Index block) const = 0;
  /// How much is read from the disk for a block.
  [[nodiscard]] virtual double bytes(Index block) const = 0;
  /// Reads a block into `entries`, whose memory may be used again. Called by one thread at a time, which need
  /// not be the one that made the source. Throws IoError or InvalidInput, with the file and the place, also
  /// if the file has changed since it was opened. Entries are checked: finite and >= 0; indices are ascending
  /// within a line, and there are no explicit zeros.
  virtual void read(Index block, BlockEntries<T>& entries) = 0;
};

}  // namespace anmf
