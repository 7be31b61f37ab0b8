// SPDX-License-Identifier: MIT
// Row i has the entries x_j that count, each p_j times. Least squares has the normal equations
//
//     G_i = sum_j p_j f_j f_j' + l2 I,    c_i = sum_j p_j x_j f_j - l1,
//
// which are solved exactly. For the other losses p d(x | y) = d(p^(1/beta) x | p^(1/beta) y), so the row is
// one without weights beside the components of its own columns, multiplied by p^(1/beta).
#include "fit/weighted_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "anmf/options.h"
#include "core/chunks.h"
#include "core/spares.h"
#include "data/entry_rows.h"
#include "data/range_finder.h"
#include "data/scale.h"
#include "data/scaled_problem.h"
#include "kernels/nnls.h"
#include "kernels/nnls_rows.h"
#include "kernels/panels.h"
#include "loss/optimal_rows.h"

namespace anmf {
namespace {

/// What a row has observed.
struct Observations {
  std::vector<Index> columns;
  std::vector<double> entries;
  std::vector<double> weights;

  void clear() {
    columns.clear();
    entries.clear();
    weights.clear();
  }
  void add(Index column, double entry, double weight) {
    if (!(weight > 0)) return;
    columns.push_back(column);
    entries.push_back(entry);
    weights.push_back(weight);
  }
};

/// The observations of the rows of a block, for one thread.
template <class T>
class ObservedRows {
 public:
  ObservedRows(const EntryBlock<T>& block, const SparseRows<T>* stored) : block_(block), stored_(stored) {
    if (stored == nullptr) entries_ = weights_ = Matrix<T>(1, block.columns.count);
  }

  const Observations& row(Index i) {
    found_.clear();
    if (stored_ == nullptr) {
      load_rows(block_, i, i + 1, entries_.view());
      load_weights(block_, i, i + 1, weights_.view());
      for (Index j = 0; j < entries_.cols(); ++j)
        found_.add(j, static_cast<double>(entries_(0, j)), static_cast<double>(weights_(0, j)));
      return found_;
    }
    const EntryWeights<T>& weights = block_.weights;
    const std::span<const std::uint32_t> indices = stored_->indices(i);
    const std::span<const T> values = stored_->values(i);
    const auto first = static_cast<std::size_t>(stored_->lines().offsets[static_cast<std::size_t>(i)]);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      double weight = weights.of_stored.empty() ? 1.0 : static_cast<double>(weights.of_stored[first + k]);
      if (!weights.of_columns.empty()) weight *= static_cast<double>(weights.of_columns[indices[k]]);
      found_.add(Index{indices[k]}, static_cast<double>(values[k] * stored_->scale()), weight);
    }
    return found_;
  }

 private:
  const EntryBlock<T>& block_;
  const SparseRows<T>* stored_;
  Matrix<T> entries_;
  Matrix<T> weights_;
  Observations found_;
};

/// The problem of every row, in the scale in which it is solved.
struct RowTask {
  double beta = 2;
  Penalty penalty;
  const Matrix<double>& F;  // n x r
};

/// Writes the best x; returns how far it is from optimal.
double solve_squares(const RowTask& task, const Observations& row, double tiny, MatrixView<double> x) {
  const Index r = task.F.cols();
  Matrix<double> G(r, r);
  Matrix<double> c(1, r);
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    const double* const f = task.F.view().row(row.columns[k]);
    for (Index p = 0; p < r; ++p) {
      const double weighted = row.weights[k] * f[p];
      c(0, p) += weighted * row.entries[k];
      double* const line = G.view().row(p);
      for (Index q = 0; q < r; ++q) line[q] += weighted * f[q];
    }
  }
  for (Index p = 0; p < r; ++p) {
    G(p, p) += task.penalty.l2;
    c(0, p) -= task.penalty.l1;
  }
  const NnlsSolver solver(std::as_const(G).view(), tiny);
  static_cast<void>(solver.solve(std::as_const(c).view(), x));
  Matrix<double> gradient(1, r);
  for (Index p = 0; p < r; ++p) {
    double sum = -c(0, p);
    for (Index q = 0; q < r; ++q) sum += x(0, q) * G(q, p);
    gradient(0, p) = sum;
    c(0, p) += task.penalty.l1;  // what the gradient is measured by
  }
  return kkt_residual<double>(std::as_const(G).view(), std::as_const(c).view(),
                              std::as_const(gradient).view(), x);
}

double solve_loss(const RowTask& task, const Observations& row, MatrixView<double> x, ThreadPool& alone) {
  const Index r = task.F.cols();
  const auto K = static_cast<Index>(row.columns.size());
  Matrix<double> F(K, r);
  Csr<double> nonzeros{.rows = 1, .cols = K, .offsets = {0}, .indices = {}, .values = {}};
  Matrix<double> dense(1, K);
  for (Index k = 0; k < K; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double power = row.weights[at] == 1 ? 1.0 : std::pow(row.weights[at], 1 / task.beta);
    const double* const f = task.F.view().row(row.columns[at]);
    for (Index p = 0; p < r; ++p) F(k, p) = power * f[p];
    dense(0, k) = power * row.entries[at];
    if (row.entries[at] == 0) continue;
    nonzeros.indices.push_back(static_cast<std::uint32_t>(k));
    nonzeros.values.push_back(dense(0, k));
  }
  nonzeros.offsets.push_back(static_cast<Index>(nonzeros.values.size()));
  const FixedFactor factor(task.beta, task.penalty, F);
  EntryBlock<double> block{.rows = {0, 1}, .columns = {0, K}};
  const bool many_zeros = 2 * static_cast<Index>(nonzeros.values.size()) < K;
  if (task.beta == 1 && many_zeros) {
    block.lines = SparseLines<double>(nonzeros);
  } else {
    block.lines = std::as_const(dense).view();
  }
  return fit_optimal_rows(factor, block, x, alone);
}

/// d(px | py) is d(x | y) for beta = 0, whatever p is.
void refuse_fractions(const Observations& row, Index i) {
  const auto fraction = std::ranges::find_if(row.weights, [](double weight) { return weight != 1; });
  if (fraction == row.weights.end()) return;
  throw InvalidInput(fmt::format(
      "loss = {} fits new rows whose entries are observed or missing, and row {} (counted from 0) has "
      "an entry with weight {}; leave the weights out, or choose another loss.",
      loss_name(0), i, *fraction));
}

}  // namespace

template <class T>
NnlsResult<T> fit_weighted_rows(const Data<T>& data, ConstMatrixView<T> H, const FitOptions& options,
                                ThreadPool& pool) {
  const double beta = beta_of(options.loss);
  if (!data.whole_rows(Side::W)) {
    throw InvalidInput(
        "Rows with missing or weighted entries need whole rows of M, and this matrix is read by columns: "
        "read it "
        "into memory, or write it by rows.");
  }
  const ScaledProblem<T> problem(data, beta);
  const double a = problem.scale();
  Matrix<double> F = converted<double>(transposed(H));
  const double largest = F.size() > 0 ? *std::max_element(F.data(), F.data() + F.size()) : 0;
  const double b = largest > 0 ? power_of_four_below(largest) : 1;
  multiply(F, 1 / b);
  const std::span<const T> columns = data.line_weights(Side::H);
  const double total = columns.empty() ? static_cast<double>(data.cols())
                                       : std::accumulate(columns.begin(), columns.end(), 0.0);
  const double weight = options.alpha_W * total * std::pow(a, 1 - beta) / b;
  const RowTask task = {
      beta, {.l1 = weight * options.l1_ratio, .l2 = weight * (1 - options.l1_ratio) * (a / b)}, F};

  NnlsResult<T> result{.X = Matrix<T>(data.rows(), H.rows)};
  problem.data().for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    std::optional<SparseRows<T>> stored;
    if (block.weights.counted == Counted::stored) stored.emplace(block);
    constexpr Index kRowsAtOnce = 16;
    const Chunks chunks(block.rows.count, kRowsAtOnce, block.rows.count + 1);
    std::vector<double> worst(static_cast<std::size_t>(chunks.count()), 0.0);
    const double flops = data.observed() * static_cast<double>(H.rows * H.rows);
    pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      ObservedRows<T> rows(block, stored ? &*stored : nullptr);
      ThreadPool alone;
      Matrix<double> x(1, H.rows);
      double& largest_violation = worst[static_cast<std::size_t>(chunk)];
      for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
        pool.look();
        const Observations& row = rows.row(i);
        if (beta == 0) refuse_fractions(row, block.rows.begin + i);
        std::fill_n(x.data(), x.size(), 0.0);
        const bool something = std::ranges::any_of(row.entries, [](double entry) { return entry > 0; });
        if (something) {
          const double kkt = beta == 2 ? solve_squares(task, row, kTinyDiagonal<T>, x.view())
                                       : solve_loss(task, row, x.view(), alone);
          largest_violation = std::max(largest_violation, kkt);
        }
        T* const target = result.X.view().row(block.rows.begin + i);
        for (Index p = 0; p < H.rows; ++p) target[p] = static_cast<T>(x(0, p));
      }
    });
    for (const double kkt : worst) result.kkt = std::max(result.kkt, kkt);
  });
  multiply(result.X, a / b);
  return result;
}

template NnlsResult<float> fit_weighted_rows(const Data<float>&, ConstMatrixView<float>, const FitOptions&,
                                             ThreadPool&);
template NnlsResult<double> fit_weighted_rows(const Data<double>&, ConstMatrixView<double>, const FitOptions&,
                                              ThreadPool&);

}  // namespace anmf
