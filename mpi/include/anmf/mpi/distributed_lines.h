// SPDX-License-Identifier: MIT
// M (m x n) twice over the ranks, for losses that look at its entries: of P ranks each has the rows of M
// whose rows of W it owns, and the columns of M whose rows of H' it owns. A rank then improves its rows of a
// factor by itself, once it has gathered all of the other one: K = m n entries, or nonzeros, are 2 K / P on
// each rank.
#pragma once

#include <memory>

#include "anmf/mpi/distributed_data.h"

namespace anmf::mpi {

template <class T>
class DistributedLines final : public Data<T> {
 public:
  /// `my_rows` are the rows owned_rows(grid, Side::W, ...) of an m x n matrix on a grid of P x 1 ranks with
  /// all columns, `my_cols` the columns owned_rows(grid, Side::H, ...) with all rows; null if there are none.
  /// Called by all ranks at once, as are cross(), gather(), squared_residual(), line_norms() and
  /// fingerprint().
  DistributedLines(const Communicator& workers, Index rows, Index cols, std::unique_ptr<Data<T>> my_rows,
                   std::unique_ptr<Data<T>> my_cols);

  [[nodiscard]] Index rows() const override { return by_rows_.rows(); }
  [[nodiscard]] Index cols() const override { return by_rows_.cols(); }
  [[nodiscard]] Index nonzeros() const override { return by_rows_.nonzeros(); }
  [[nodiscard]] Storage storage() const override { return by_rows_.storage(); }
  [[nodiscard]] double norm() const override { return by_rows_.norm(); }
  [[nodiscard]] Index empty_rows() const override { return by_rows_.empty_rows(); }
  [[nodiscard]] Index empty_cols() const override { return by_rows_.empty_cols(); }
  [[nodiscard]] RowRange owned(Side side) const override { return lines(side).owned(side); }
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    lines(side).cross(side, factor, result, pool);
  }
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    return by_rows_.squared_residual(W, Ht, pool);
  }
  [[nodiscard]] bool shows_entries() const override {
    return by_rows_.shows_entries() && by_cols_.shows_entries();
  }
  /// If the lines of all ranks are in memory, or come from the disk one after the other.
  [[nodiscard]] bool whole_rows(Side side) const override { return lines(side).whole_rows(side); }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override {
    lines(side).for_each_block(side, visit);
  }
  [[nodiscard]] bool shows_owned_rows() const override { return true; }
  void gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const override {
    lines(other(side)).gather(side, mine, all);
  }
  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override {
    return lines(side).line_norms(side);
  }
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override {
    return by_rows_.fingerprint(pool);
  }

 private:
  [[nodiscard]] const DistributedData<T>& lines(Side side) const {
    return side == Side::W ? by_rows_ : by_cols_;
  }

  DistributedData<T> by_rows_;
  DistributedData<T> by_cols_;
};

extern template class DistributedLines<float>;
extern template class DistributedLines<double>;

}  // namespace anmf::mpi
