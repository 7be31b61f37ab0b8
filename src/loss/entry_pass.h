// SPDX-License-Identifier: MIT
// One look at a block of rows of A, which is M or M', beside the factor X of that side (N x r) and the other
// one F (K x r): its loss D(A | X F'), and the sums over a row that updates and gradients are made of, with b
// for beta and y = <x_i, f_j>:
//
//     above = sum_j a_ij y^(b-2) f_j        below = sum_j y^(b-1) f_j                    multiplicative
//     updates slope = below - above                 bend  = sum_j v_ij f_j^2                     gradient and
//     curvature
//
// Terms of entries are multiplied by what these count in their row (anmf/entries.h), and losses of rows by
// what the rows count. A block may have some of the columns; sums over its blocks are those of the row. Where
// b = 1 nothing but the nonzeros of sparse rows is looked at: what all entries share is the sum of the rows
// of F.
#pragma once

#include <span>
#include <vector>

#include "anmf/entries.h"
#include "anmf/parallel.h"
#include "core/chunks.h"
#include "data/entry_rows.h"

namespace anmf {

/// The factors beside a block.
template <class T>
struct BlockFactors {
  double beta = 2;
  ConstMatrixView<T> X;             ///< the rows of the block
  ConstMatrixView<T> F;             ///< its columns
  std::vector<double> column_sums;  ///< of F, with the weights of columns
  double floor = 0;                 ///< under models in ratios
};

/// The sum of every column of F.
template <class T>
[[nodiscard]] std::vector<double> column_sums(ConstMatrixView<T> F);

/// The same with a weight for every row of F; empty: 1.
template <class T>
[[nodiscard]] std::vector<double> column_sums(ConstMatrixView<T> F, std::span<const T> weights);

/// Those of a block whose rows are X, taken from all of F with the sums of its columns.
template <class T>
[[nodiscard]] BlockFactors<T> factors_beside(const EntryBlock<T>& block, double beta, ConstMatrixView<T> X,
                                             ConstMatrixView<T> F, std::span<const double> sums);

/// scikit-learn's floor under models in the ratios of multiplicative updates, for entries about 1. It matters
/// where a model dies out beside zeros.
inline constexpr double kRatioFloor = 1.1920928955078125e-07;

/// Whether the zeros of this block cost nothing: its rows are looked at as sparse ones.
template <class T>
[[nodiscard]] bool skips_zeros(double beta, const EntryBlock<T>& block);

/// What a row of the block counts beside the others.
template <class T>
[[nodiscard]] double weight_of_row(const EntryBlock<T>& block, Index row) {
  const std::span<const T> weights = block.weights.of_rows;
  return weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(row)]);
}

/// A model this small is one of a row without anything: its ratios are multiplied by zeros.
template <class T>
inline constexpr T kLeastModel = sizeof(T) == 4 ? T{1e-12F} : T{1e-30};

/// The entries that a look at the block costs; `sparse` is null where all of them count.
template <class T>
[[nodiscard]] double entries_looked_at(const EntryBlock<T>& block, const SparseRows<T>* sparse);

/// Chunks of rows that depend on the block alone.
template <class T>
[[nodiscard]] Chunks look_chunks(const EntryBlock<T>& block, const SparseRows<T>* sparse);

/// How many rows of K entries are worked on at a time where all of them are. They stop together, and no share
/// of a worker or block of a stream cuts them.
[[nodiscard]] Index rows_at_once(Index K);

/// What is known of a half-step before it is made, for the memory that it will take.
struct RowSizes {
  Index rows = 0;
  Index columns = 0;
  Index rank = 0;
  bool skips_zeros = false;  ///< of sparse rows, of which nothing but nonzeros is looked at
  int threads = 1;
};

/// What looks at rows have in memory beside M and their results, all threads together.
template <class T>
[[nodiscard]] double look_bytes(const RowSizes& sizes);

/// The sum of the loss over the block.
template <class T>
[[nodiscard]] double block_loss(const EntryBlock<T>& block, const BlockFactors<T>& factors, ThreadPool& pool);

enum class RowSums { ratios, gradient, slopes };

/// Adds above and below, or slope and bend, or slope alone, to the rows of both results, or puts them there
/// if the block is said to have whole rows; and adds the loss of the block where that is wanted.
template <class T>
void add_row_sums(RowSums kind, const EntryBlock<T>& block, const BlockFactors<T>& factors,
                  MatrixView<T> first, MatrixView<T> second, ThreadPool& pool, double* loss = nullptr,
                  bool whole_rows = false);

/// The same for one thread and some rows of a block with all columns, whose sums take the place of what was
/// there.
template <class T>
class RowLook {
 public:
  /// Memory for rows of a block; `sparse` is null where the entries are taken dense.
  RowLook(const EntryBlock<T>& block, const SparseRows<T>* sparse, double beta, ConstMatrixView<T> F,
          std::span<const double> column_sums, double floor = 0);

  /// Rows [begin, end) of the block, with X being those rows; at most rows_at_once() of them if dense.
  void sums(RowSums kind, Index begin, Index end, ConstMatrixView<T> X, MatrixView<T> first,
            MatrixView<T> second, double* loss = nullptr);
  [[nodiscard]] double loss(Index begin, Index end, ConstMatrixView<T> X);

 private:
  void model(Index begin, Index end, ConstMatrixView<T> X);
  void load_weights_of(Index begin, Index end);
  void weigh(std::vector<T>& terms) const;
  void sparse_sums(RowSums kind, Index row, const T* x, T* first, T* second, double* loss);
  void stored_sums(RowSums kind, std::span<const std::uint32_t> indices, const T* weights, T* first,
                   T* second);
  [[nodiscard]] double loss_of_model(Index begin, Index end, ConstMatrixView<T> X) const;

  const EntryBlock<T>& block_;
  const SparseRows<T>* sparse_;
  double beta_;
  T floor_;
  ConstMatrixView<T> F_;
  std::span<const double> column_sums_;
  Matrix<T> squares_;      // of the entries of F, once they are wanted
  std::size_t count_ = 0;  // entries of a tile of rows, or of one sparse row
  std::vector<T> entries_;
  std::vector<T> model_;
  std::vector<T> more_;
  bool weighted_;  // entries of a row do not count the same
  std::vector<T> weights_;
  std::vector<double> shared_;
};

}  // namespace anmf
