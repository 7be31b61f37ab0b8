// SPDX-License-Identifier: MIT
#include "loss/row_solver.h"

#include <cmath>
#include <cstddef>
#include <optional>

namespace anmf {
namespace {

// A row is done when its coordinates promise no more than this share of its objective, or of the sum of a_j
// y_j^(b-1) where the objective is next to nothing.
constexpr double kOfObjective = 1e-12;
constexpr double kOfMass = 1e-20;
constexpr int kMostFitRounds = 500;

double sum_of_entries(const RowsAtWork& working, Index i) {
  double sum = 0;
  if (working.dense.rows() > 0) {
    for (Index j = 0; j < working.dense.cols(); ++j)
      sum += working.dense(i, j) * (working.weights.rows() > 0 ? working.weights(i, j) : 1);
    return sum;
  }
  const auto at = static_cast<std::size_t>(i);
  for (Index k = working.nonzeros.offsets[at]; k < working.nonzeros.offsets[at + 1]; ++k)
    sum += working.nonzeros.values[static_cast<std::size_t>(k)];
  return sum;
}

}  // namespace

void RowsAtWork::keep(const std::vector<Index>& places) {
  RowsAtWork kept{.X = Matrix<double>(static_cast<Index>(places.size()), X.cols()),
                  .dense = std::move(dense),
                  .weights = std::move(weights)};
  kept.nonzeros.cols = nonzeros.cols;
  kept.nonzeros.offsets = {0};
  for (const Index place : places) {
    std::copy_n(X.view().row(place), X.cols(), kept.X.view().row(static_cast<Index>(kept.rows.size())));
    kept.rows.push_back(rows[static_cast<std::size_t>(place)]);
    if (nonzeros.offsets.empty()) continue;
    const auto begin = nonzeros.offsets[static_cast<std::size_t>(place)];
    const auto end = nonzeros.offsets[static_cast<std::size_t>(place) + 1];
    kept.nonzeros.indices.insert(kept.nonzeros.indices.end(), nonzeros.indices.begin() + begin,
                                 nonzeros.indices.begin() + end);
    kept.nonzeros.values.insert(kept.nonzeros.values.end(), nonzeros.values.begin() + begin,
                                nonzeros.values.begin() + end);
    kept.nonzeros.offsets.push_back(static_cast<Index>(kept.nonzeros.values.size()));
  }
  kept.nonzeros.rows = kept.X.rows();
  *this = std::move(kept);
}

RowSolver::RowSolver(const FixedFactor& problem, std::unique_ptr<RowMethod<double>> method,
                     const RowEffort& effort, ThreadPool& pool)
    : problem_(problem),
      pool_(pool),
      effort_(effort),
      method_(std::move(method)),
      half_{.beta = problem.beta,
            .F = problem.F.view(),
            .column_sums = problem.column_sums,
            .penalty = problem.penalty,
            .budget = effort_.sweeps,
            .epsilon = effort_.epsilon} {}

template <class T>
double RowSolver::solve(RowsAtWork working, MatrixView<T> X) {
  start(working);
  double worst = 0;
  for (int round = 0; !working.rows.empty(); ++round) {
    pool_.look();
    const Matrix<double> before = working.X;
    improve(working);
    const std::vector<Distance> distances = look(working);
    std::vector<Index> rest;
    for (Index i = 0; i < working.X.rows(); ++i) {
      const Distance& distance = distances[static_cast<std::size_t>(i)];
      const double* const x = working.X.view().row(i);
      const bool moved = !std::equal(x, x + X.cols, before.view().row(i));
      if (!distance.done && moved && round + 1 < kMostFitRounds) {
        rest.push_back(i);
        continue;
      }
      worst = std::max(worst, distance.kkt);
      T* const row = X.row(working.rows[static_cast<std::size_t>(i)]);
      for (Index p = 0; p < X.cols; ++p) row[p] = static_cast<T>(working.X(i, p));
    }
    if (rest.size() < working.rows.size()) working.keep(rest);
  }
  return worst;
}

/// All components with the same part of the sum of a row. An empty row is zero, and done.
void RowSolver::start(RowsAtWork& working) const {
  const std::vector<double>& sums = problem_.column_sums;
  const auto there = std::count_if(sums.begin(), sums.end(), [](double sum) { return sum > 0; });
  std::vector<Index> filled;
  for (Index i = 0; i < working.X.rows(); ++i) {
    const double sum = sum_of_entries(working, i);
    if (sum > 0 && there > 0) filled.push_back(i);
    for (Index p = 0; p < working.X.cols(); ++p) {
      const double below = sums[static_cast<std::size_t>(p)];
      working.X(i, p) = below > 0 ? sum / below / static_cast<double>(there) : 0;
    }
  }
  if (filled.size() < working.rows.size()) working.keep(filled);
}

void RowSolver::improve(RowsAtWork& working) {
  const EntryBlock<double> block = working.block(problem_.F.rows());
  const Workers alone{alone_};
  RowReport report;
  for (Index step = 0; step < effort_.steps; ++step) {
    method_->begin(half_, std::as_const(working.X).view(), alone);
    method_->improve(half_, block, working.X.view(), alone_, report);
    method_->end(half_, alone);
  }
}

std::vector<RowSolver::Distance> RowSolver::look(const RowsAtWork& working) const {
  const EntryBlock<double> block = working.block(problem_.F.rows());
  std::optional<SparseRows<double>> sparse;
  if (skips_zeros(problem_.beta, block)) sparse.emplace(block);
  RowLook<double> look(block, sparse ? &*sparse : nullptr, problem_.beta, problem_.F.view(),
                       problem_.column_sums);
  const Index r = problem_.F.cols();
  Matrix<double> above(1, r);
  Matrix<double> below(1, r);
  Matrix<double> slope(1, r);
  Matrix<double> bend(1, r);
  std::vector<Distance> distances;
  for (Index i = 0; i < working.X.rows(); ++i) {
    const ConstMatrixView<double> x = working.X.view().middle_rows(i, i + 1);
    look.sums(RowSums::ratios, i, i + 1, x, above.view(), below.view());
    look.sums(RowSums::gradient, i, i + 1, x, slope.view(), bend.view());
    distances.push_back(distance(x.row(0), above.data(), slope.data(), bend.data(), look.loss(i, i + 1, x)));
  }
  return distances;
}

RowSolver::Distance RowSolver::distance(const double* x, const double* above, const double* slope,
                                        const double* bend, double loss) const {
  const Penalty& penalty = problem_.penalty;
  double promised = 0;
  double objective = loss;
  double mass = 0;
  double violation = 0;
  double largest = 0;
  for (Index p = 0; p < problem_.F.cols(); ++p) {
    const double w = x[p];
    const double g = slope[p] + penalty.l1 + penalty.l2 * w;
    const double q = bend[p] + penalty.l2;
    objective += (penalty.l1 + 0.5 * penalty.l2 * w) * w;
    mass += above[p] * w;
    if (!(q > 0)) continue;
    const double step = std::max(-w, -g / q);
    promised -= step * (g + 0.5 * q * step);
    const double s = std::sqrt(q);
    violation = std::max(violation, std::abs(std::min(s * w, g / s)));
    largest = std::max(largest, above[p] / s);
  }
  return {.kkt = largest > 0 ? violation / largest : 0,
          .done = promised <= kOfObjective * objective || promised <= kOfMass * mass};
}

template double RowSolver::solve(RowsAtWork, MatrixView<float>);
template double RowSolver::solve(RowsAtWork, MatrixView<double>);

}  // namespace anmf
