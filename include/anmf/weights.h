// SPDX-License-Identifier: MIT
// Which entries of M (m x n) count, and how much. With a_i for the rows, b_j for the columns and p_ij for the
// entries of M, all >= 0 and 1 unless something else is said, a factorization minimises
//
//     sum_ij a_i b_j p_ij d(m_ij, (W H)_ij) + sum_i a_i penalty(row i of W) + sum_j b_j penalty(column j of
//     H)
//
// An entry with p_ij = 0 is missing: nobody has observed it. A row with a_i = 2 counts as two equal rows,
// with everything that hangs on their number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "anmf/data.h"

namespace anmf {

/// Places of a matrix, row by row: row i has offsets[i] .. offsets[i+1] of `indices`, its columns in
/// ascending order.
struct Places {
  Index rows = 0;
  Index cols = 0;
  std::vector<Index> offsets;
  std::vector<std::uint32_t> indices;

  [[nodiscard]] PlacesView view() const { return {offsets, indices}; }
};

/// Nothing but the stored entries of a sparse M counts, zeros that are stored included; of a dense M its
/// entries above zero.
struct OnlyStored {};

template <class T>
struct Weights {
  std::vector<double> rows;     ///< a, m numbers; empty: 1
  std::vector<double> columns;  ///< b, n numbers; empty: 1
  /// p: 1 everywhere; 1 where something is stored; 0 at these places, m x n, and 1 elsewhere; the stored
  /// numbers, and 0 elsewhere; or a number for every entry.
  std::variant<std::monostate, OnlyStored, Places, Csr<T>, Matrix<T>> entries;
};

/// M with weights. What M has where nothing counts does not matter, as long as it is finite and >= 0. Throws
/// InvalidInput, with the place, for weights that are negative or not finite or have another size than M, and
/// if no entry counts. Where few entries count, M is kept as those alone. Workers who share M all call it,
/// with their reducer and weights of rows and columns, all of them on each; single entries cannot be weighted
/// there. Workers who share M all call it at once, with their reducer, and each with all weights of rows and
/// columns; single entries cannot be weighted there.
template <class T>
[[nodiscard]] std::unique_ptr<Data<T>> weighted(std::unique_ptr<Data<T>> data, Weights<T> weights,
                                                Reducer* reducer = nullptr);

/// Sets entries that are NaN to zero, and says where they were. (For Weights.)
template <class T>
[[nodiscard]] Places take_missing(MatrixView<T> M);

/// Nothing at these places counts either. Throws InvalidInput if the weights are of another size, or are
/// "what is stored", of which this cannot be said without M: say keep_stored() last.
template <class T>
void leave_out(Weights<T>& weights, const Places& places);

/// Nothing but what M stores (what is above zero, if M is dense) counts either: weights of single entries
/// are kept there alone. M must be in memory.
template <class T>
void keep_stored(Weights<T>& weights, const Data<T>& M);

/// The weights of these rows and columns of M, in this order; nothing stands for all of them.
template <class T>
[[nodiscard]] Weights<T> select(const Weights<T>& weights, const std::optional<std::vector<Index>>& rows,
                                const std::optional<std::vector<Index>>& cols);

}  // namespace anmf
