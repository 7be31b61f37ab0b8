// SPDX-License-Identifier: MIT
#include "loss/weighted_rows.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/chunks.h"
#include "loss/entry_pass.h"
#include "loss/row_solver.h"
#include "loss/row_weights.h"

namespace anmf {
namespace {

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
    if (sparse == nullptr) {
      Matrix<T> entries(1, block.columns.count);
      Matrix<T> own(1, block.columns.count);
      load_rows(block, i, i + 1, entries.view());
      load_weights(block, i, i + 1, own.view());
      for (Index j = 0; j < entries.cols(); ++j) add(j, entries(0, j), own(0, j));
      return;
    }
    const std::span<const std::uint32_t> indices = sparse->indices(i);
    std::vector<T> own(indices.size());
    load_stored_weights<T>(block, *sparse, i, own);
    for (std::size_t k = 0; k < indices.size(); ++k)
      add(Index{indices[k]}, sparse->values(i)[k] * sparse->scale(), own[k]);
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
  [[nodiscard]] RowsAtWork working(Index row) const {
    const auto K = static_cast<Index>(places_.size());
    RowsAtWork working{.rows = {row},
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

}  // namespace

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
          largest,
          RowSolver(own, make_shared_newton<double>(), kNewtonEffort, pool).solve(entries.working(i), X));
    }
  });
  return worst.empty() ? 0 : *std::max_element(worst.begin(), worst.end());
}

template double fit_weighted_rows(const FixedFactor&, const EntryBlock<float>&, MatrixView<float>,
                                  ThreadPool&);
template double fit_weighted_rows(const FixedFactor&, const EntryBlock<double>&, MatrixView<double>,
                                  ThreadPool&);

}  // namespace anmf
