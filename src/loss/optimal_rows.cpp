// SPDX-License-Identifier: MIT
// Rounds of a row method and a look at what is left to gain, until that is nothing. Rows that are done leave,
// so that those of a panel that take long are swept over side by side.
#include "loss/optimal_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "core/chunks.h"
#include "loss/entry_pass.h"
#include "loss/row_method.h"

namespace anmf {
namespace {

// A row is done when its coordinates promise no more than this share of its objective, or of the sum of a_j
// y_j^(b-1) where the objective is next to nothing.
constexpr double kOfObjective = 1e-12;
constexpr double kOfMass = 1e-20;
constexpr int kMostFitRounds = 500;
// Nonzeros of the rows that one thread works on together.
constexpr Index kNonzerosAtOnce = Index{1} << 15U;

/// A round: so many half-steps of the method, of at most so many sweeps.
struct Effort {
  Index steps;
  Index sweeps;
  double epsilon;
};
// Coordinate descent leaves coordinates at zero alone after its first sweep, hence rounds of few.
constexpr Effort kDescent = {.steps = 1, .sweeps = 16, .epsilon = 0};
constexpr Effort kNewton = {.steps = 4, .sweeps = 20, .epsilon = 1e-3};

/// The rows that one thread works on: their nonzeros, or one dense row.
struct Working {
  std::vector<Index> rows;  // their places in the block
  Matrix<double> X;
  Csr<double> nonzeros;
  Matrix<double> dense;
  Matrix<double> weights;  // of the dense row, if its entries do not count the same

  [[nodiscard]] EntryBlock<double> block(Index K) const {
    EntryBlock<double> shown{.rows = {0, X.rows()}, .columns = {0, K}};
    if (dense.rows() > 0) {
      shown.lines = dense.view();
      if (weights.rows() > 0) {
        shown.weights.counted = Counted::each;
        shown.weights.own = weights.view();
      }
    } else {
      shown.lines = SparseLines<double>(nonzeros);
    }
    return shown;
  }

  /// Drops all rows but these.
  void keep(const std::vector<Index>& places) {
    Working kept{.X = Matrix<double>(static_cast<Index>(places.size()), X.cols()),
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
};

/// How far a row is from its minimum.
struct Distance {
  double kkt = 0;
  bool done = true;
};

class RowSolver {
 public:
  RowSolver(const FixedFactor& problem, std::unique_ptr<RowMethod<double>> method, const Effort& effort,
            ThreadPool& pool)
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

  /// Writes the rows of X that `working` has; returns the largest violation.
  template <class T>
  double solve(Working working, MatrixView<T> X) {
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

 private:
  [[nodiscard]] static double sum_of_entries(const Working& working, Index i) {
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

  /// All components with the same part of the sum of a row. An empty row is zero, and done.
  void start(Working& working) const {
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

  void improve(Working& working) {
    const EntryBlock<double> block = working.block(problem_.F.rows());
    const Workers alone{alone_};
    RowReport report;
    for (Index step = 0; step < effort_.steps; ++step) {
      method_->begin(half_, std::as_const(working.X).view(), alone);
      method_->improve(half_, block, working.X.view(), alone_, report);
      method_->end(half_, alone);
    }
  }

  [[nodiscard]] std::vector<Distance> look(const Working& working) const {
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
      distances.push_back(
          distance(x.row(0), above.data(), slope.data(), bend.data(), look.loss(i, i + 1, x)));
    }
    return distances;
  }

  [[nodiscard]] Distance distance(const double* x, const double* above, const double* slope,
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

  const FixedFactor& problem_;
  ThreadPool& pool_;
  ThreadPool alone_;  // rows are shared between threads, not the work on one of them
  Effort effort_;
  std::unique_ptr<RowMethod<double>> method_;
  RowProblem<double> half_;
};

/// The rows of a block that one thread works on.
template <class T>
class RowSource {
 public:
  /// `sparse` are all rows of the block, if it has sparse ones.
  RowSource(const FixedFactor& factor, const EntryBlock<T>& block, const SparseRows<T>* sparse)
      : factor_(factor), block_(block), sparse_(sparse), row_(1, sparse == nullptr ? columns() : 0) {}

  /// Whether Newton's method is better for a row than coordinate descent, which knows one loss and looks at
  /// nonzeros alone.
  [[nodiscard]] bool wants_newton(Index i) {
    if (factor_.beta != 1) return true;
    Index count = 0;
    for_each_entry(i, [&](Index, double) { ++count; });
    return sparse_ == nullptr && 2 * count >= columns();
  }

  [[nodiscard]] Working dense(Index i) {
    Working working{.rows = {i}, .X = room(1), .dense = Matrix<double>(1, factor_.F.rows())};
    for_each_entry(i, [&](Index place, double value) { working.dense(0, place) = value; });
    return working;
  }

  [[nodiscard]] Working nonzeros(std::vector<Index> rows) {
    Working working{.X = room(static_cast<Index>(rows.size()))};
    working.nonzeros = {.rows = working.X.rows(), .cols = factor_.F.rows(), .offsets = {0}};
    for (const Index i : rows) {
      for_each_entry(i, [&](Index place, double value) {
        working.nonzeros.indices.push_back(static_cast<std::uint32_t>(place));
        working.nonzeros.values.push_back(value);
      });
      working.nonzeros.offsets.push_back(static_cast<Index>(working.nonzeros.values.size()));
    }
    working.rows = std::move(rows);
    return working;
  }

 private:
  [[nodiscard]] Index columns() const { return static_cast<Index>(factor_.place.size()); }
  [[nodiscard]] Matrix<double> room(Index rows) const { return {rows, factor_.F.cols()}; }

  /// Those above zero for which there are components.
  template <class Take>
  void for_each_entry(Index i, const Take& take) {
    const auto look = [&](Index column, T value) {
      const Index place = factor_.place[static_cast<std::size_t>(column)];
      if (place >= 0 && value != T{0}) take(place, static_cast<double>(value));
    };
    if (sparse_ == nullptr) {
      load_rows(block_, i, i + 1, row_.view());
      for (Index j = 0; j < columns(); ++j) look(j, row_(0, j));
      return;
    }
    for (std::size_t k = 0; k < sparse_->values(i).size(); ++k)
      look(sparse_->indices(i)[k], sparse_->values(i)[k] * sparse_->scale());
  }

  const FixedFactor& factor_;
  const EntryBlock<T>& block_;
  const SparseRows<T>* sparse_;
  Matrix<T> row_;
};

/// The entries of one row that count, with what they count and the rows of F beside them: a problem without
/// any others.
class CountingEntries {
 public:
  explicit CountingEntries(const FixedFactor& factor) : factor_(factor) {}

  template <class T>
  void take(const EntryBlock<T>& block, const SparseRows<T>* sparse, Index i) {
    places_.clear();
    entries_.clear();
    weights_.clear();
    const EntryWeights<T>& weights = block.weights;
    if (sparse == nullptr) {
      Matrix<T> entries(1, block.columns.count);
      Matrix<T> own(1, block.columns.count);
      load_rows(block, i, i + 1, entries.view());
      load_weights(block, i, i + 1, own.view());
      for (Index j = 0; j < entries.cols(); ++j) add(j, entries(0, j), own(0, j));
      return;
    }
    const auto first = static_cast<std::size_t>(sparse->lines().offsets[static_cast<std::size_t>(i)]);
    for (std::size_t k = 0; k < sparse->indices(i).size(); ++k) {
      const std::uint32_t j = sparse->indices(i)[k];
      T weight = weights.of_stored.empty() ? T{1} : weights.of_stored[first + k];
      if (!weights.of_columns.empty()) weight *= weights.of_columns[j];
      add(Index{j}, sparse->values(i)[k] * sparse->scale(), weight);
    }
  }

  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] FixedFactor factor() const {
    Matrix<double> F(static_cast<Index>(places_.size()), factor_.F.cols());
    for (std::size_t k = 0; k < places_.size(); ++k)
      std::copy_n(factor_.F.view().row(places_[k]), F.cols(), F.view().row(static_cast<Index>(k)));
    FixedFactor beside(factor_.beta, factor_.penalty, F);
    beside.column_sums = column_sums<double>(std::as_const(F).view(), std::span<const double>(weights_));
    return beside;
  }
  [[nodiscard]] Working working(Index row) const {
    const auto K = static_cast<Index>(places_.size());
    Working working{.rows = {row},
                    .X = Matrix<double>(1, factor_.F.cols()),
                    .dense = Matrix<double>(1, K),
                    .weights = Matrix<double>(1, K)};
    std::copy(entries_.begin(), entries_.end(), working.dense.data());
    std::copy(weights_.begin(), weights_.end(), working.weights.data());
    return working;
  }

 private:
  template <class T>
  void add(Index j, T entry, T weight) {
    const Index place = factor_.place[static_cast<std::size_t>(j)];
    if (place < 0 || weight == T{0}) return;
    places_.push_back(place);
    entries_.push_back(static_cast<double>(entry));
    weights_.push_back(static_cast<double>(weight));
  }

  const FixedFactor& factor_;
  std::vector<Index> places_;
  std::vector<double> entries_;
  std::vector<double> weights_;
};

/// Row by row, each a problem of its own.
template <class T>
double fit_weighted_rows(const FixedFactor& factor, const EntryBlock<T>& block, MatrixView<T> X,
                         ThreadPool& pool) {
  std::optional<SparseRows<T>> rows;
  if (block.weights.counted == Counted::stored) rows.emplace(block);
  const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
  const Chunks chunks(X.rows, 1, 1024);
  std::vector<double> worst(static_cast<std::size_t>(chunks.count()), 0.0);
  const double flops = 1e3 * entries_looked_at(block, sparse) * static_cast<double>(X.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    CountingEntries entries(factor);
    double& largest = worst[static_cast<std::size_t>(chunk)];
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      std::fill_n(X.row(i), X.cols, T{0});
      entries.take(block, sparse, i);
      if (entries.empty()) continue;
      const FixedFactor own = entries.factor();
      largest = std::max(
          largest, RowSolver(own, make_shared_newton<double>(), kNewton, pool).solve(entries.working(i), X));
    }
  });
  return worst.empty() ? 0 : *std::max_element(worst.begin(), worst.end());
}

}  // namespace

FixedFactor::FixedFactor(double beta_of_loss, const Penalty& penalty_of_rows, const Matrix<double>& all)
    : beta(beta_of_loss),
      penalty(penalty_of_rows),
      place(static_cast<std::size_t>(all.rows()), -1),
      column_sums(static_cast<std::size_t>(all.cols()), 0.0) {
  Index there = 0;
  for (Index j = 0; j < all.rows(); ++j) {
    const double* const row = all.view().row(j);
    if (std::any_of(row, row + all.cols(), [](double x) { return x > 0; }))
      place[static_cast<std::size_t>(j)] = there++;
  }
  F = Matrix<double>(there, all.cols());
  for (Index j = 0; j < all.rows(); ++j) {
    const Index to = place[static_cast<std::size_t>(j)];
    if (to < 0) continue;
    for (Index p = 0; p < all.cols(); ++p) {
      F(to, p) = all(j, p);
      column_sums[static_cast<std::size_t>(p)] += all(j, p);
    }
  }
}

template <class T>
double fit_optimal_rows(const FixedFactor& factor, const EntryBlock<T>& block, MatrixView<T> X,
                        ThreadPool& pool) {
  if (!block.weights.alike_in_rows()) return fit_weighted_rows(factor, block, X, pool);
  std::optional<SparseRows<T>> rows;
  if (skips_zeros(factor.beta, block)) rows.emplace(block);
  const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
  const double entries = entries_looked_at(block, sparse);
  const auto row_entries = static_cast<Index>(entries / static_cast<double>(std::max<Index>(1, X.rows))) + 1;
  const Chunks chunks(X.rows, kNonzerosAtOnce / row_entries, X.rows + 1);
  std::vector<double> worst(static_cast<std::size_t>(chunks.count()), 0.0);
  const double flops = 1e3 * entries * static_cast<double>(X.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    RowSource<T> source(factor, block, sparse);
    std::vector<Index> together;
    double& largest = worst[static_cast<std::size_t>(chunk)];
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      std::fill_n(X.row(i), X.cols, T{0});
      if (!source.wants_newton(i)) {
        together.push_back(i);
        continue;
      }
      // Alone, since the method would share its model with other rows.
      largest = std::max(
          largest, RowSolver(factor, make_shared_newton<double>(), kNewton, pool).solve(source.dense(i), X));
    }
    if (together.empty()) return;
    largest = std::max(largest, RowSolver(factor, make_kl_descent<double>(), kDescent, pool)
                                    .solve(source.nonzeros(std::move(together)), X));
  });
  return worst.empty() ? 0 : *std::max_element(worst.begin(), worst.end());
}

template double fit_optimal_rows(const FixedFactor&, const EntryBlock<float>&, MatrixView<float>,
                                 ThreadPool&);
template double fit_optimal_rows(const FixedFactor&, const EntryBlock<double>&, MatrixView<double>,
                                 ThreadPool&);

}  // namespace anmf
