// SPDX-License-Identifier: MIT
#include "loss/lone_row.h"

#include <algorithm>
#include <cstddef>

#include "kernels/divergence.h"

namespace anmf {
namespace {

constexpr Index kLoneSweeps = 2;

}  // namespace

template <class T>
double LoneRows<T>::improve(const RowProblem<T>& problem, const EntryBlock<T>& block) {
  if (rows_.empty()) return 0;
  if (problem.beta == 1 && block.weights.alike()) return descend(problem);
  double loss = 0;
  for (const Row& row : rows_)
    loss += problem.beta == 1 ? descend(problem, block, row) : multiply(problem, block, row);
  return loss;
}

template <class T>
double LoneRows<T>::multiply(const RowProblem<T>& problem, const EntryBlock<T>& block, const Row& row) {
  const Index r = problem.F.cols;
  RowLook<T> look(block, nullptr, problem.beta, problem.F, problem.column_sums);
  Matrix<T> above(1, r);
  Matrix<T> below(1, r);
  const MatrixView<T> own_row(row.w, 1, r);
  look.sums(RowSums::ratios, row.row, row.row + 1, own_row, above.view(), below.view());
  multiplicative_step(problem, above.data(), below.data(), r, row.w);
  return problem.wants_loss ? look.loss(row.row, row.row + 1, own_row) : 0;
}

/// Over the nonzeros of the rows (kernels/kl_panel.h).
template <class T>
double LoneRows<T>::descend(const RowProblem<T>& problem) {
  const auto rank = static_cast<std::size_t>(problem.F.cols);
  const auto K = static_cast<std::size_t>(problem.F.rows);
  linear_.resize(rank);
  for (std::size_t p = 0; p < rank; ++p) {
    linear_[p] = static_cast<T>(problem.column_sums[p] + problem.penalty.l1);
  }
  const std::size_t at_once = problem.F.rows <= kSideBySide ? kl_kernels<T>().lanes : 1;
  indices_.resize(at_once * K);
  values_.resize(at_once * K);
  double loss = 0;
  for (std::size_t begin = 0; begin < rows_.size(); begin += at_once) {
    together_.clear();
    for (std::size_t i = begin; i < std::min(begin + at_once, rows_.size()); ++i) {
      std::uint32_t* const indices = indices_.data() + (i - begin) * K;
      T* const values = values_.data() + (i - begin) * K;
      std::size_t count = 0;
      for (std::size_t j = 0; j < K; ++j) {
        indices[count] = static_cast<std::uint32_t>(j);
        values[count] = rows_[i].x[j];
        if (rows_[i].x[j] != T{0}) ++count;
      }
      together_.push_back({.indices = indices, .values = values, .count = count, .w = rows_[i].w});
    }
    loss += descend(problem, together_.data(), together_.size());
  }
  return loss;
}

/// A row whose entries do not count the same: v d(x, y) is d(v x, v y), and the models have v as their slope.
template <class T>
double LoneRows<T>::descend(const RowProblem<T>& problem, const EntryBlock<T>& block, const Row& row) {
  const Index K = problem.F.rows;
  const Index r = problem.F.cols;
  Matrix<T> weights(1, K);
  load_weights(block, row.row, row.row + 1, weights.view());
  std::vector<double> slopes(static_cast<std::size_t>(r), problem.penalty.l1);
  indices_.resize(kl_kernels<T>().lanes * static_cast<std::size_t>(K));
  values_.resize(indices_.size());
  std::size_t count = 0;
  for (Index j = 0; j < K; ++j) {
    const T weight = weights(0, j);
    if (weight == T{0}) continue;
    for (Index p = 0; p < r; ++p)
      slopes[static_cast<std::size_t>(p)] +=
          static_cast<double>(weight) * static_cast<double>(problem.F(j, p));
    if (row.x[j] == T{0}) continue;
    indices_[count] = static_cast<std::uint32_t>(j);
    values_[count++] = weight * row.x[j];
  }
  linear_.assign(slopes.begin(), slopes.end());
  KlRow<T> own{.indices = indices_.data(), .values = values_.data(), .count = count, .w = row.w};
  (void)descend(problem, &own, 1);
  if (!problem.wants_loss) return 0;
  RowLook<T> look(block, nullptr, problem.beta, problem.F, problem.column_sums);
  return look.loss(row.row, row.row + 1, ConstMatrixView<T>(row.w, 1, r));
}

template <class T>
double LoneRows<T>::descend(const RowProblem<T>& problem, KlRow<T>* rows, std::size_t count) {
  const auto rank = static_cast<std::size_t>(problem.F.cols);
  const bool side_by_side = problem.F.rows <= kSideBySide;
  const KlKernels<T>& kernels = kl_kernels<T>();
  std::size_t nonzeros = 0;
  for (std::size_t i = 0; i < count; ++i) nonzeros = std::max(nonzeros, rows[i].count);
  if (!side_by_side) nonzeros = (nonzeros + kernels.lanes - 1) / kernels.lanes;
  const KlScratch<T> scratch = panel_.of(nonzeros, kernels.lanes, rank);
  const KlSweeps<T> sweeps{.F = problem.F,
                           .linear = linear_.data(),
                           .l2 = static_cast<T>(problem.penalty.l2),
                           .budget = kLoneSweeps};
  if (side_by_side) {
    kernels.rows(sweeps, rows, count, scratch);
  } else {
    kernels.row(sweeps, *rows, scratch);
  }
  if (!problem.wants_loss) return 0;
  double sum = loss_of_nonzeros(nonzeros * kernels.lanes, scratch);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t p = 0; p < rank; ++p) sum += problem.column_sums[p] * static_cast<double>(rows[i].w[p]);
  }
  return sum;
}

template class LoneRows<float>;
template class LoneRows<double>;

}  // namespace anmf
