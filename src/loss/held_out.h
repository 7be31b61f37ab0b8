// SPDX-License-Identifier: MIT
// Entries of M (m x n) that a run does not see, by which it is judged. Of g columns that follow each other
// one is held out in every row: entry (i, j) is, where j mod g is a random number below g that hangs on i and
// the whole part of j / g, and on the seed. So every rank and every method leaves out the same entries.
//
// Where a zero of the model is infinitely bad for an entry above zero (beta <= 1), models count as what they
// are, but at least as a twentieth of what independent rows and columns would be, with means m_i and m_j of
// the entries that are left: y_ij >= m_i m_j / (20 m). Fits of counts have zeros, and one of them that meets
// a count which nobody showed it would otherwise cost more than all that the model explains. No model counts
// as more than the largest entry that is left: where few entries of a row are, it may be anything.
#pragma once

#include <memory>

#include "anmf/weights.h"
#include "core/workers.h"

namespace anmf {

/// The entries that count and are held out, with what they count.
template <class T>
struct HeldOut {
  std::unique_ptr<Data<T>> training;  ///< M without them
  Csr<T> entries;
  std::vector<T> weights;  ///< beside `entries`, those of rows and columns included
  double beta = 2;
  /// Models are at least the product of both; empty if nothing is infinitely bad.
  std::vector<double> least_of_rows, least_of_columns;
  double greatest = 0;  ///< they are no more
  /// sqrt(2 D) of a model that is the mean of these entries everywhere, the best of all constants.
  double error_of_mean = 0;

  /// sqrt(2 D) of the model (W Ht') * scale. Sums are made in an order that hangs on the entries alone.
  [[nodiscard]] double error(ConstMatrixView<T> W, ConstMatrixView<T> Ht, double scale,
                             ThreadPool& pool) const;
};

/// Holds out about this share of the entries of M, which must outlive the result. Of sparse M whose zeros
/// count no more than it has nonzeros. Throws InvalidInput if M is not in the memory of this process, or if
/// nothing would be held out or nothing left.
template <class T>
[[nodiscard]] HeldOut<T> hold_out(const Data<T>& data, double share, std::uint64_t seed, double beta);

/// The bytes that these entries and their places take, of a matrix with all entries.
template <class T>
[[nodiscard]] double heldout_bytes(Index rows, Index cols, Index nonzeros, double share);

}  // namespace anmf
