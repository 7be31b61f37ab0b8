// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "anmf/matrix.h"

namespace anmf {

/// What the entries of M are, in one number: the sum over all of them of b(m_ij) x^i y^j modulo the prime
/// 2^61 - 1, where b() are the bits of an entry as a double, 0 for 0, and x and y are fixed. It is the same
/// for the same matrix, whether that is stored dense or sparse, by rows or by columns, in which type, in
/// which blocks and by how many workers; two matrices that were not made to deceive it share one by chance,
/// with a probability of about (m + n) / 2^61.
struct Fingerprint {
  std::uint64_t of_matrix = 0;
  std::uint64_t of_transpose = 0;

  bool operator==(const Fingerprint&) const = default;

  [[nodiscard]] Fingerprint transposed() const { return {of_transpose, of_matrix}; }
  /// Of the same entries so many rows and columns further on: of a block, as a part of the whole.
  [[nodiscard]] Fingerprint moved(Index rows, Index cols) const;
  /// Of entries of both, at different places.
  Fingerprint& operator+=(const Fingerprint& further);

  /// Whole numbers below 2^31, whose sums over up to 2^22 workers are exact; from them comes the sum of all.
  [[nodiscard]] std::array<double, 4> parts() const;
  [[nodiscard]] static Fingerprint from_sums(std::span<const double, 4> parts);
};

}  // namespace anmf
