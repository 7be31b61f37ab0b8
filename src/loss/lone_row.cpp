// SPDX-License-Identifier: MIT
#include "loss/lone_row.h"

#include <cstddef>

#include "kernels/divergence.h"

namespace anmf {
namespace {

constexpr Index kSweeps = 2;

}  // namespace

template <class T>
double LoneRow<T>::improve(const RowProblem<T>& problem, const EntryBlock<T>& block, Index row, T* w,
                           const T* x, const T* weights) {
  const Index r = problem.F.cols;
  if (problem.beta == 1) {
    const double loss = descend(problem, w, x, weights);
    if (weights == nullptr || !problem.wants_loss) return weight_of_row(block, row) * loss;
    RowLook<T> look(block, nullptr, problem.beta, problem.F, problem.column_sums);
    return look.loss(row, row + 1, {w, 1, r});
  }
  RowLook<T> look(block, nullptr, problem.beta, problem.F, problem.column_sums);
  Matrix<T> above(1, r);
  Matrix<T> below(1, r);
  const MatrixView<T> own_row(w, 1, r);
  look.sums(RowSums::ratios, row, row + 1, own_row, above.view(), below.view());
  multiplicative_step(problem, above.data(), below.data(), r, w);
  return problem.wants_loss ? look.loss(row, row + 1, own_row) : 0;
}

/// Over the nonzeros of the row (kernels/kl_panel.h).
template <class T>
double LoneRow<T>::descend(const RowProblem<T>& problem, T* w, const T* x, const T* weights) {
  const auto rank = static_cast<std::size_t>(problem.F.cols);
  const auto K = static_cast<std::size_t>(problem.F.rows);
  const KlKernels<T>& kernels = kl_kernels<T>();
  indices_.clear();
  values_.clear();
  for (std::size_t j = 0; j < K; ++j) {
    if (x[j] == T{0} || (weights != nullptr && weights[j] == T{0})) continue;
    indices_.push_back(static_cast<std::uint32_t>(j));
    values_.push_back(weights == nullptr ? x[j] : x[j] * weights[j]);
  }
  linear_.resize(rank);
  for (std::size_t p = 0; p < rank; ++p) {
    double sum = weights == nullptr ? problem.column_sums[p] : 0;
    for (std::size_t j = 0; weights != nullptr && j < K; ++j) {
      sum += static_cast<double>(weights[j]) *
             static_cast<double>(problem.F(static_cast<Index>(j), static_cast<Index>(p)));
    }
    linear_[p] = static_cast<T>(sum + problem.penalty.l1);
  }
  const std::size_t vectors = (values_.size() + kernels.lanes - 1) / kernels.lanes;
  const KlScratch<T> scratch = panel_.of(vectors, kernels.lanes, rank);
  KlRow<T> row{.indices = indices_.data(), .values = values_.data(), .count = values_.size(), .w = w};
  kernels.row(
      {.F = problem.F, .linear = linear_.data(), .l2 = static_cast<T>(problem.penalty.l2), .budget = kSweeps},
      row, scratch);
  if (!problem.wants_loss || weights != nullptr) return 0;
  double sum = loss_of_nonzeros(vectors * kernels.lanes, scratch);
  for (std::size_t p = 0; p < rank; ++p) sum += problem.column_sums[p] * static_cast<double>(w[p]);
  return sum;
}

template class LoneRow<float>;
template class LoneRow<double>;

}  // namespace anmf
