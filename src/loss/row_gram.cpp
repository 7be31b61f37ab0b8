// SPDX-License-Identifier: MIT
// Least squares with weights: row i of A (N x K), beside F (K x r), has normal equations of its own,
//
//     G_i = sum_j p_ij f_j f_j' + l2 I,    c_i = sum_j p_ij a_ij f_j - l1,
//
// where the sums go over the entries that count. They are made once per half-step, (r + 1) (r + 2) / 2
// multiply-adds for each of these entries, and HALS sweeps over the row as often as the inner stop says
// (kernels/normal_equations.h):
//
//     x_p <- max(0, x_p + (c_p - <x, G_:p>) / G_pp).
//
// What is decided is decided for each row, so that results depend neither on threads nor on which rows are
// here.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "core/spares.h"
#include "kernels/normal_equations.h"
#include "loss/row_method.h"

namespace anmf {
namespace {

// Entries of the rows in a chunk, whose number is a multiple of all numbers of lanes.
constexpr Index kChunkEntries = Index{1} << 14U;
constexpr Index kRowsTogether = 16;
// The residual is a difference of sums as large as that of the squares: where no more than this share is left
// of them it is summed from the entries. In single precision that costs too many digits anywhere.
template <class T>
constexpr double kTrusted = sizeof(T) == 4 ? 2 : 0.01;

/// Of some rows with about so many entries each.
Chunks equation_chunks(Index rows, double entries) {
  const double of_row = std::max(1.0, entries / static_cast<double>(std::max<Index>(1, rows)));
  const Index grain = static_cast<Index>(static_cast<double>(kChunkEntries) / of_row) / kRowsTogether;
  return {rows, std::max<Index>(1, grain) * kRowsTogether, rows + 1};
}

/// What one thread needs, kept from chunk to chunk.
template <class T>
class EquationsPlace {
 public:
  explicit EquationsPlace(Index r)
      : sizes_(normal_kernels<T>().sizes(static_cast<std::size_t>(r))),
        memory_(sizes_.panel + sizes_.own + sizes_.triangles + sizes_.factor),
        rows(normal_kernels<T>().lanes) {}

  [[nodiscard]] static double bytes(Index r) {
    const NormalSizes sizes = normal_kernels<T>().sizes(static_cast<std::size_t>(r));
    return static_cast<double>((sizes.panel + sizes.own + sizes.triangles + sizes.factor) * sizeof(T));
  }
  [[nodiscard]] NormalMemory<T> memory() {
    T* const panel = memory_.data();
    T* const own = panel + sizes_.panel;
    T* const triangles = own + sizes_.own;
    return {.panel = panel, .own = own, .triangles = triangles, .factor = triangles + sizes_.triangles};
  }

  /// The entries of row i that count.
  [[nodiscard]] CountedEntries<T> entries(const EntryBlock<T>& block, const SparseRows<T>* sparse, Index i) {
    return sparse == nullptr ? of_dense(block, i) : of_sparse(block.weights, *sparse, i);
  }

 private:
  CountedEntries<T> of_sparse(const EntryWeights<T>& weights, const SparseRows<T>& sparse, Index i) {
    const std::span<const std::uint32_t> indices = sparse.indices(i);
    CountedEntries<T> entries{.indices = indices.data(),
                              .values = sparse.values(i).data(),
                              .count = indices.size(),
                              .scale = sparse.scale()};
    if (weights.of_stored.empty() && weights.of_columns.empty()) return entries;
    const auto first = static_cast<std::size_t>(sparse.lines().offsets[static_cast<std::size_t>(i)]);
    if (roots_.size() < indices.size()) roots_.resize(indices.size());
    for (std::size_t k = 0; k < indices.size(); ++k) {
      T weight = weights.of_stored.empty() ? T{1} : weights.of_stored[first + k];
      if (!weights.of_columns.empty()) weight *= weights.of_columns[indices[k]];
      roots_[k] = std::sqrt(weight);
    }
    entries.roots = roots_.data();
    return entries;
  }

  CountedEntries<T> of_dense(const EntryBlock<T>& block, Index i) {
    const Index K = block.columns.count;
    const auto size = static_cast<std::size_t>(K);
    if (values_.size() < size) {
      values_.resize(size);
      roots_.resize(size);
      indices_.resize(size);
    }
    load_rows(block, i, i + 1, MatrixView<T>(values_.data(), 1, K));
    load_weights(block, i, i + 1, MatrixView<T>(roots_.data(), 1, K));
    std::size_t count = 0;
    for (std::size_t j = 0; j < size; ++j) {
      if (!(roots_[j] > T{0})) continue;
      indices_[count] = static_cast<std::uint32_t>(j);
      values_[count] = values_[j];
      roots_[count++] = std::sqrt(roots_[j]);
    }
    return {.indices = indices_.data(), .values = values_.data(), .roots = roots_.data(), .count = count};
  }

  using Array = std::vector<T, detail::Allocator<T>>;
  NormalSizes sizes_;
  Array memory_;
  std::vector<std::uint32_t> indices_;  // of a dense row
  std::vector<T> values_;
  std::vector<T> roots_;

 public:
  std::vector<SweptRow<T>> rows;  // side by side
};

template <class T>
class RowGram final : public RowMethod<T> {
 public:
  void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool,
               RowReport& report) override {
    std::optional<SparseRows<T>> rows;
    if (skips_zeros(problem.beta, block)) rows.emplace(block);
    const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
    const double entries = entries_looked_at(block, sparse);
    const Chunks chunks = equation_chunks(X.rows, entries);
    const auto r = static_cast<double>(X.cols);
    const double flops = entries * (r + 1) * (r + 2);
    PartialSums<2> sums(chunks.count());
    Spares<EquationsPlace<T>> places;
    pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      const auto place = places.lend([&] { return std::make_unique<EquationsPlace<T>>(X.cols); });
      RowLook<T> look(block, sparse, problem.beta, problem.F, problem.column_sums);
      const auto together = static_cast<Index>(place->rows.size());
      for (Index begin = chunks.begin(chunk); begin < chunks.end(chunk); begin += together) {
        const Index end = std::min(chunks.end(chunk), begin + together);
        improve_rows(problem, block, sparse, begin, X.middle_rows(begin, end), *place);
        for (Index i = begin; i < end; ++i) {
          const SweptRow<T>& row = place->rows[static_cast<std::size_t>(i - begin)];
          sums.at(chunk)[0] += static_cast<double>(row.sweeps);
          if (!problem.wants_loss) continue;
          const auto residual = static_cast<double>(row.residual);
          sums.at(chunk)[1] += residual > kTrusted<T> * static_cast<double>(row.squares)
                                   ? 0.5 * weight_of_row(block, i) * residual
                                   : look.loss(i, i + 1, X.middle_rows(i, i + 1));
        }
      }
    });
    const std::vector<double> total = sums.total();
    report.sweeps += total[0];
    report.weight += static_cast<double>(X.rows);
    report.flops += flops + 2 * r * r * total[0];
    report.loss += total[1];
  }

  /// Normal equations and a sweep, beside one more sweep.
  [[nodiscard]] double rho(Index K, Index r) const override {
    return 1 + static_cast<double>(K) * (0.5 + 1 / static_cast<double>(r));
  }
  [[nodiscard]] double bytes(const RowSizes& sizes) const override {
    // Entries of a dense row, their weights and places.
    const double row = sizes.skips_zeros ? sizeof(T) : 2 * sizeof(T) + sizeof(std::uint32_t);
    const double own = EquationsPlace<T>::bytes(sizes.rank) + row * static_cast<double>(sizes.columns);
    return static_cast<double>(sizes.threads) * own + look_bytes<T>(sizes);
  }

 private:
  /// Rows of the block from `begin` on, no more than there are lanes.
  static void improve_rows(const RowProblem<T>& problem, const EntryBlock<T>& block,
                           const SparseRows<T>* sparse, Index begin, MatrixView<T> X, EquationsPlace<T>& place) {
    const NormalKernels<T>& kernels = normal_kernels<T>();
    const NormalMemory<T> memory = place.memory();
    for (Index i = 0; i < X.rows; ++i) {
      const CountedEntries<T> entries = place.entries(block, sparse, begin + i);
      kernels.add_up(problem.F, entries, static_cast<std::size_t>(i), memory);
      place.rows[static_cast<std::size_t>(i)] = {.x = X.row(i), .budget = budget(problem, entries.count)};
    }
    const RowSweeps<T> sweeps{.rank = static_cast<std::size_t>(X.cols),
                              .l1 = static_cast<T>(problem.penalty.l1),
                              .l2 = static_cast<T>(problem.penalty.l2),
                              .share = static_cast<T>(problem.epsilon * problem.epsilon),
                              .wants_residual = problem.wants_loss};
    kernels.sweep(sweeps, place.rows.data(), static_cast<std::size_t>(X.rows), memory);
  }

  static Index budget(const RowProblem<T>& problem, std::size_t entries) {
    static const Index most = std::getenv("ANMF_MOST") ? std::atol(std::getenv("ANMF_MOST")) : 20;
    (void)entries;
    return std::min(problem.budget, most);
  }
};

}  // namespace

template <class T>
std::unique_ptr<RowMethod<T>> make_row_gram() {
  return std::make_unique<RowGram<T>>();
}

template std::unique_ptr<RowMethod<float>> make_row_gram();
template std::unique_ptr<RowMethod<double>> make_row_gram();

}  // namespace anmf
