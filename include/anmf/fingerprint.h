// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "anmf/matrix.h"

namespace anmf {

/// The entries of M in one number: the sum of b(m_ij) x^i y^j over all entries modulo the prime 2^61 - 1,
/// where b() are the bits of an entry as a double, 0 for 0, and x and y are fixed. The number is the same for
/// the same matrix, whether the matrix is stored dense or sparse, by rows or by columns, in which type, in
/// which blocks and by how many workers. Two matrices that were not made to deceive the fingerprint share one
/// by chance, with a probability of about (m + n) / 2^61.
struct Fingerprint {
  std::uint64_t of_matrix = 0;
  std::uint64_t of_transpose = 0;

  bool operator==(const Fingerprint&) const = default;

  [[nodiscard]] Fingerprint transposed() const { return {of_transpose, of_matrix}; }
  /// The fingerprint of the same entries so many rows and columns further on: that of a block, as a part of
  /// the whole matrix.
  [[nodiscard]] Fingerprint moved(Index rows, Index cols) const;
  /// Makes this the fingerprint of two sets of entries together, which are at different places.
  Fingerprint& operator+=(const Fingerprint& further);

  /// The fingerprint as whole numbers below 2^31, whose sums over up to 2^22 workers are exact; from_sums()
  /// makes the fingerprint of all workers from these sums.
  [[nodiscard]] std::array<double, 4> parts() const;
  [[nodiscard]] static Fingerprint from_sums(std::span<const double, 4> parts);
};

}  // namespace anmf
