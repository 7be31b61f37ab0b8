// SPDX-License-Identifier: MIT
#include "anmf/mpi/distributed_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "anmf/shares.h"

namespace anmf::mpi {
namespace {

std::vector<Index> shares(RowRange rows, Index parts) {
  std::vector<Index> counts;
  counts.reserve(static_cast<std::size_t>(parts));
  for (Index part = 0; part < parts; ++part) counts.push_back(row_share(rows, parts, part).count);
  return counts;
}

/// A matrix of this size in `room`, whose entries are whatever they were.
template <class T>
MatrixView<T> within(Matrix<T>& room, Index rows, Index cols) {
  if (room.size() < rows * cols) room = Matrix<T>(rows, cols);
  return {room.data(), rows, cols};
}

/// sqrt(sum of squares) over all ranks, whatever the size of the numbers.
double joint_norm(const Communicator& workers, double mine) {
  double largest = mine;
  workers.max({&largest, 1});
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double sum = mine / largest * (mine / largest);
  workers.sum({&sum, 1});
  return largest * std::sqrt(sum);
}

}  // namespace

template <class T>
DistributedData<T>::DistributedData(const Communicator& workers, const ProcessGrid& grid, Index rows,
                                    Index cols, std::unique_ptr<Data<T>> block)
    : workers_(workers), grid_(grid), rows_(rows), cols_(cols), block_(std::move(block)) {
  const Index rank = workers.rank();
  const RowRange my_rows = block_rows(grid, rows, rank);
  const RowRange my_cols = block_cols(grid, cols, rank);
  row_ = {workers.split(grid.row_of(rank)), shares(my_rows, grid.cols), my_rows.count};
  column_ = {workers.split(grid.col_of(rank)), shares(my_cols, grid.rows), my_cols.count};
  // Whole numbers below 2^53 each; the sum of as many as there can be is exact, too.
  std::array<double, 5> counts{};
  if (block_) {
    counts = {static_cast<double>(block_->nonzeros()), is_sparse(block_->storage()) ? 1.0 : 0.0,
              block_->shows_entries() ? 0.0 : 1.0, block_->whole_rows(Side::W) ? 0.0 : 1.0,
              block_->whole_rows(Side::H) ? 0.0 : 1.0};
  }
  workers.sum(counts);
  nonzeros_ = static_cast<Index>(counts[0]);
  sparse_ = counts[1] > 0;
  shows_entries_ = counts[2] == 0;
  whole_rows_ = counts[3] == 0;
  whole_cols_ = counts[4] == 0;
  norm_ = joint_norm(workers, block_ ? block_->norm() : 0);
  empty_rows_ = count_empty(Side::W);
  empty_cols_ = count_empty(Side::H);
}

template <class T>
RowRange DistributedData<T>::owned(Side side) const {
  return owned_rows(grid_, side, rows_, cols_, workers_.rank());
}

/// Those rows of M (columns for Side::H) whose sum is zero: no entry is negative.
template <class T>
Index DistributedData<T>::count_empty(Side side) const {
  ThreadPool pool(1);
  const Matrix<T> ones(owned(other(side)).count, 1, T{1});
  Matrix<T> sums(owned(side).count, 1);
  cross(side, ones.view(), sums.view(), pool);
  auto count = static_cast<double>(std::count(sums.values().begin(), sums.values().end(), T{0}));
  workers_.sum({&count, 1});
  return static_cast<Index>(count);
}

/// The rows of a factor that belong to this block.
template <class T>
ConstMatrixView<T> DistributedData<T>::gathered(Side side, ConstMatrixView<T> factor) const {
  const Group& group = this->group(side);
  if (group.ranks->size() == 1) return factor;
  const MatrixView<T> all = within(group.gathered, group.rows, factor.cols);
  group.ranks->all_gather_rows(factor, group.counts, all);
  return all;
}

template <class T>
void DistributedData<T>::cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result,
                               ThreadPool& pool) const {
  const Group& target = group(side);
  const bool alone = target.ranks->size() == 1;
  const MatrixView<T> products = alone ? result : within(target.products, target.rows, factor.cols);
  const ConstMatrixView<T> all = gathered(other(side), factor);
  if (block_) {
    block_->cross(side, all, products, pool);
  } else {
    std::fill_n(products.data, products.rows * products.cols, T{0});
  }
  if (!alone) target.ranks->reduce_scatter_rows(ConstMatrixView<T>(products), target.counts, result);
}

template <class T>
std::optional<double> DistributedData<T>::squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                           ThreadPool& pool) const {
  const ConstMatrixView<T> my_W = gathered(Side::W, W);
  const ConstMatrixView<T> my_Ht = gathered(Side::H, Ht);
  const std::optional<double> mine = block_ ? block_->squared_residual(my_W, my_Ht, pool) : 0.0;
  std::array<double, 2> sums = {mine.value_or(0), mine ? 0.0 : 1.0};
  workers_.sum(sums);
  if (sums[1] > 0) return std::nullopt;  // some block cannot tell
  return sums[0];
}

template <class T>
void DistributedData<T>::for_each_block(Side side, const EntryVisitor<T>& visit) const {
  if (!shows_entries_) Data<T>::for_each_block(side, visit);  // refuses, on every rank
  if (!block_) return;
  RowRange rows = block_rows(grid_, rows_, workers_.rank());
  RowRange columns = block_cols(grid_, cols_, workers_.rank());
  if (side == Side::H) std::swap(rows, columns);
  block_->for_each_block(side, [&](EntryBlock<T> block) {
    block.rows.begin += rows.begin;
    block.columns.begin += columns.begin;
    visit(block);
  });
}

template <class T>
void DistributedData<T>::gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const {
  const Group& near = group(side);        // its ranks have the rows that belong to this block,
  const Group& far = group(other(side));  // and these the blocks of all rows
  if (far.ranks->size() == 1) return near.ranks->all_gather_rows(mine, near.counts, all);
  far.ranks->all_gather_rows(gathered(side, mine), shares({0, all.rows}, far.ranks->size()), all);
}

template <class T>
std::optional<std::vector<double>> DistributedData<T>::line_norms(Side side) const {
  if (!shows_entries_) return std::nullopt;
  return joined_line_norms<T>(*this, side, [this](std::span<double> squares) { workers_.sum(squares); });
}

template <class T>
std::optional<Fingerprint> DistributedData<T>::fingerprint(ThreadPool& pool) const {
  const std::optional<Fingerprint> block = block_ ? block_->fingerprint(pool) : Fingerprint{};
  const Index rank = workers_.rank();
  const Fingerprint mine =
      block.value_or(Fingerprint{})
          .moved(block_rows(grid_, rows_, rank).begin, block_cols(grid_, cols_, rank).begin);
  const std::array<double, 4> parts = mine.parts();
  std::array<double, 5> sums = {parts[0], parts[1], parts[2], parts[3], block ? 0.0 : 1.0};
  workers_.sum(sums);
  if (sums[4] > 0) return std::nullopt;  // some block cannot tell
  return Fingerprint::from_sums(std::span<const double, 5>(sums).first<4>());
}

template class DistributedData<float>;
template class DistributedData<double>;

}  // namespace anmf::mpi
