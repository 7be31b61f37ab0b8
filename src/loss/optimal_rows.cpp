// SPDX-License-Identifier: MIT
#include "loss/optimal_rows.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "core/chunks.h"
#include "loss/entry_pass.h"
#include "loss/row_solver.h"
#include "loss/weighted_rows.h"

namespace anmf {
namespace {

// Nonzeros of the rows that one thread works on together.
constexpr Index kNonzerosAtOnce = Index{1} << 15U;

// Coordinate descent leaves coordinates at zero alone after its first sweep, hence rounds of few.
constexpr RowEffort kDescent = {.steps = 1, .sweeps = 16, .epsilon = 0};

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

  [[nodiscard]] RowsAtWork dense(Index i) {
    RowsAtWork working{.rows = {i}, .X = room(1), .dense = Matrix<double>(1, factor_.F.rows())};
    for_each_entry(i, [&](Index place, double value) { working.dense(0, place) = value; });
    return working;
  }

  [[nodiscard]] RowsAtWork nonzeros(std::vector<Index> rows) {
    RowsAtWork working{.X = room(static_cast<Index>(rows.size()))};
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
          largest,
          RowSolver(factor, make_shared_newton<double>(), kNewtonEffort, pool).solve(source.dense(i), X));
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
