// SPDX-License-Identifier: MIT
// M (m x n) spread over a grid of ranks (process_grid.h; MPI-FAUN, Kannan, Ballard and Park 2018). For C = M
// H' rank (i, j) gathers the rows of H' that belong to its columns from the ranks of its column of the grid,
// multiplies its block with them, and the products are summed over its row of the grid, every rank keeping
// the rows of C that it owns. C = M' W is the same with rows and columns in each other's place.
#pragma once

#include <memory>

#include "anmf/mpi/communicator.h"

namespace anmf::mpi {

template <class T>
class DistributedData final : public Data<T> {
 public:
  /// `block` is this rank's part of an m x n matrix, block_rows() x block_cols(); null if that is empty.
  /// Called by all ranks at once, as are cross(), gather(), squared_residual(), line_norms() and
  /// fingerprint().
  DistributedData(const Communicator& workers, const ProcessGrid& grid, Index rows, Index cols,
                  std::unique_ptr<Data<T>> block);

  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index cols() const override { return cols_; }
  [[nodiscard]] Index nonzeros() const override { return nonzeros_; }
  [[nodiscard]] Storage storage() const override { return sparse_ ? Storage::sparse : Storage::dense; }
  [[nodiscard]] double norm() const override { return norm_; }
  [[nodiscard]] Index empty_rows() const override { return empty_rows_; }
  [[nodiscard]] Index empty_cols() const override { return empty_cols_; }
  [[nodiscard]] RowRange owned(Side side) const override;
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override;
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override;
  [[nodiscard]] bool shows_entries() const override { return shows_entries_; }
  /// For W on a grid of one column, and for H on a grid of one row, if the blocks of all ranks have whole
  /// rows.
  [[nodiscard]] bool whole_rows(Side side) const override {
    return side == Side::W ? whole_rows_ && grid_.cols == 1 : whole_cols_ && grid_.rows == 1;
  }
  /// Shows the entries of this rank's block, whoever owns the rows of the factors that go with them. The call
  /// is not collective.
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override;
  /// A block has rows that other ranks own.
  [[nodiscard]] bool shows_owned_rows() const override { return grid_.ranks() == 1; }
  void gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const override;
  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override;
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override;

  [[nodiscard]] const ProcessGrid& grid() const { return grid_; }

 private:
  /// The ranks that share the rows of one factor which belong to this block.
  struct Group {
    std::unique_ptr<Communicator> ranks;
    std::vector<Index> counts;  ///< rows of each
    Index rows = 0;             ///< of all
    /// Room for their rows of a factor and of a product, kept from one iteration to the next: memory that is
    /// new in each of them costs as much as the messages. All calls are collective, so there is one at a
    /// time.
    mutable Matrix<T> gathered{};
    mutable Matrix<T> products{};
  };

  [[nodiscard]] const Group& group(Side side) const { return side == Side::W ? row_ : column_; }
  [[nodiscard]] ConstMatrixView<T> gathered(Side side, ConstMatrixView<T> factor) const;
  [[nodiscard]] Index count_empty(Side side) const;

  const Communicator& workers_;
  ProcessGrid grid_;
  Index rows_;
  Index cols_;
  std::unique_ptr<Data<T>> block_;
  Group row_;     // of the grid: its ranks share rows of W
  Group column_;  // its ranks share rows of Ht
  bool sparse_ = false;
  bool shows_entries_ = true;
  bool whole_rows_ = true;  // of M, in every rank's block of columns
  bool whole_cols_ = true;
  Index nonzeros_ = 0;
  double norm_ = 0;
  Index empty_rows_ = 0;
  Index empty_cols_ = 0;
};

extern template class DistributedData<float>;
extern template class DistributedData<double>;

}  // namespace anmf::mpi
