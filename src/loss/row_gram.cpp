// SPDX-License-Identifier: MIT
// Least squares with weights: row i of A (N x K), beside F (K x r), has a problem of its own, over which HALS
// sweeps as often as the inner stop says:
//
//     x_p <- max(0, x_p + (sum_j p_ij (a_ij - y_ij) f_jp - l1 - l2 x_p) / (sum_j p_ij f_jp^2 + l2)).
//
// The sums go over the entries that count. A row with many of them is made into normal equations, r^2 / 2
// multiply-adds for each entry and r^2 for a sweep (kernels/normal_equations.h); of a row with few the
// residuals are kept, 2 r for each entry and sweep (kernels/residual_descent.h). What is decided is decided
// for each row, so that results depend neither on threads nor on which rows are here.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/spares.h"
#include "kernels/normal_equations.h"
#include "kernels/residual_descent.h"
#include "loss/row_method.h"

namespace anmf {
namespace {

// Entries of the rows in a chunk, whose number is a multiple of all numbers of lanes.
constexpr Index kChunkEntries = Index{1} << 14U;
constexpr Index kRowsTogether = 16;
// More sweeps bring nothing: measured on ratings, where 5 are too few and 10 to 40 tie.
constexpr Index kMostSweeps = 20;
// The residual is a difference of sums as large as that of the squares: where no more than this share is left
// of them it is summed from the entries. In single precision that costs too many digits anywhere.
template <class T>
constexpr double kTrusted = sizeof(T) == 4 ? 2 : 0.01;

/// Rows with more entries than this have normal equations: measured with 6 sweeps for ranks from 8 to 128.
/// The panel of rows with fewer of them must fit the caches.
std::size_t few_entries(Index r) {
  constexpr Index kMostVectors = Index{1} << 15U;
  return static_cast<std::size_t>(std::min(5 * r / 2, kMostVectors / r));
}

/// Of some rows with about so many entries each.
Chunks equation_chunks(Index rows, double entries) {
  const double of_row = std::max(1.0, entries / static_cast<double>(std::max<Index>(1, rows)));
  const Index grain = static_cast<Index>(static_cast<double>(kChunkEntries) / of_row) / kRowsTogether;
  return {rows, std::max<Index>(1, grain) * kRowsTogether, rows + 1};
}

/// The block whose rows are improved.
template <class T>
struct RowsOfBlock {
  const EntryBlock<T>& block;
  const SparseRows<T>* sparse;  // null: the entries are taken dense

  [[nodiscard]] std::size_t stored(Index i) const { return sparse->indices(i).size(); }
};

/// What one thread needs, kept from chunk to chunk.
template <class T>
class EquationsPlace {
 public:
  EquationsPlace(const RowsOfBlock<T>& all, Index r)
      : swept(normal_kernels<T>().lanes),
        all_(all),
        rank_(static_cast<std::size_t>(r)),
        few_(few_entries(r)),
        entries_(swept.size()),
        sizes_(normal_kernels<T>().sizes(rank_)) {}

  [[nodiscard]] static double bytes(const RowSizes& sizes) {
    const auto r = static_cast<std::size_t>(sizes.rank);
    const auto lanes = normal_kernels<T>().lanes;
    const NormalSizes normal = normal_kernels<T>().sizes(r);
    std::size_t numbers = normal.panel + normal.own + normal.triangles + normal.factor;
    const auto K = static_cast<std::size_t>(sizes.columns);
    double bytes = 0;
    if (sizes.skips_zeros) {  // roots of weights, and the panel of rows with few entries
      const std::size_t few = std::min(few_entries(sizes.rank), K);
      numbers += std::max(K, few * lanes) + (few * (r + 2) + 2 * r) * lanes;
    } else {  // a row, what its entries count, and their places
      numbers += 2 * K;
      bytes += static_cast<double>(K * sizeof(std::uint32_t));
    }
    // Their order, and what sorting it takes.
    const double order = 2 * std::min<double>(kChunkEntries, static_cast<double>(sizes.rows)) * sizeof(Index);
    return bytes + order + static_cast<double>(numbers * sizeof(T));
  }

  /// Rows [begin, end) in the order in which they are worked on: those with many entries, and then those with
  /// few by their number.
  void sort(Index begin, Index end) {
    order_.clear();
    for (Index i = begin; i < end; ++i) order_.push_back(i);
    many_ = order_.size();
    if (all_.sparse == nullptr) return;
    const auto middle =
        std::stable_partition(order_.begin(), order_.end(), [&](Index i) { return all_.stored(i) > few_; });
    std::stable_sort(middle, order_.end(), [&](Index i, Index k) { return all_.stored(i) < all_.stored(k); });
    many_ = static_cast<std::size_t>(middle - order_.begin());
  }
  /// As many of those from `at` on as fit side by side.
  [[nodiscard]] std::span<const Index> rows(std::size_t at) const {
    const std::size_t end = at < many_ ? many_ : order_.size();
    return std::span(order_).subspan(at, std::min(swept.size(), end - at));
  }
  [[nodiscard]] std::size_t count() const { return order_.size(); }

  /// What a row has cost.
  [[nodiscard]] double flops(Index i, Index sweeps) const {
    const auto r = static_cast<double>(rank_);
    const double count = all_.sparse == nullptr ? static_cast<double>(all_.block.columns.count)
                                                : static_cast<double>(all_.stored(i));
    if (all_.sparse != nullptr && all_.stored(i) <= few_)
      return 4 * count * r * static_cast<double>(1 + sweeps);
    return count * (r + 1) * (r + 2) + 2 * r * r * static_cast<double>(sweeps);
  }

  /// Improves these rows of X.
  void improve(const RowProblem<T>& problem, std::span<const Index> rows, MatrixView<T> X) {
    const RowSweeps<T> sweeps{.rank = rank_,
                              .l1 = static_cast<T>(problem.penalty.l1),
                              .l2 = static_cast<T>(problem.penalty.l2),
                              .share = static_cast<T>(problem.epsilon * problem.epsilon),
                              .wants_residual = problem.wants_loss};
    for (std::size_t k = 0; k < rows.size(); ++k)
      swept[k] = {.x = X.row(rows[k]), .budget = std::min(problem.budget, kMostSweeps)};
    if (rows.data() < order_.data() + many_) {
      by_equations(problem.F, sweeps, rows);
    } else {
      by_residuals(problem.F, sweeps, rows);
    }
  }

  std::vector<SweptRow<T>> swept;  // side by side

 private:
  using Array = std::vector<T, detail::Allocator<T>>;

  void by_equations(ConstMatrixView<T> F, const RowSweeps<T>& sweeps, std::span<const Index> rows) {
    const NormalKernels<T>& kernels = normal_kernels<T>();
    make_room(equations_, sizes_.panel + sizes_.own + sizes_.triangles + sizes_.factor);
    T* const own = equations_.data() + sizes_.panel;
    T* const triangles = own + sizes_.own;
    const NormalMemory<T> memory{.panel = equations_.data(),
                                 .own = own,
                                 .triangles = triangles,
                                 .factor = triangles + sizes_.triangles};
    for (std::size_t lane = 0; lane < rows.size(); ++lane) {
      kernels.add_up(F, all_.sparse == nullptr ? dense(rows[lane]) : stored(rows[lane], 0), lane, memory);
    }
    kernels.sweep(sweeps, swept.data(), rows.size(), memory);
  }

  void by_residuals(ConstMatrixView<T> F, const RowSweeps<T>& sweeps, std::span<const Index> rows) {
    const ResidualKernels<T>& kernels = residual_kernels<T>();
    const std::size_t longest = all_.stored(rows.back());
    make_room(roots_, kernels.lanes * longest);
    for (std::size_t lane = 0; lane < rows.size(); ++lane)
      entries_[lane] = stored(rows[lane], lane * longest);
    make_room(panel_, (longest * (rank_ + 2) + 2 * rank_) * kernels.lanes);
    T* const e = panel_.data() + longest * rank_ * kernels.lanes;
    const ResidualMemory<T> memory{.panel = panel_.data(), .e = e, .factor = e + 2 * longest * kernels.lanes};
    kernels.sweep(F, sweeps, entries_.data(), swept.data(), rows.size(), memory);
  }

  /// The stored entries of row i; roots of what they count are put `at` this place.
  CountedEntries<T> stored(Index i, std::size_t at) {
    const SparseRows<T>& sparse = *all_.sparse;
    const EntryWeights<T>& weights = all_.block.weights;
    const std::span<const std::uint32_t> indices = sparse.indices(i);
    CountedEntries<T> entries{.indices = indices.data(),
                              .values = sparse.values(i).data(),
                              .count = indices.size(),
                              .scale = sparse.scale()};
    if (weights.of_stored.empty() && weights.of_columns.empty()) return entries;
    const auto first = static_cast<std::size_t>(sparse.lines().offsets[static_cast<std::size_t>(i)]);
    make_room(roots_, at + indices.size());
    for (std::size_t k = 0; k < indices.size(); ++k) {
      T weight = weights.of_stored.empty() ? T{1} : weights.of_stored[first + k];
      if (!weights.of_columns.empty()) weight *= weights.of_columns[indices[k]];
      roots_[at + k] = std::sqrt(weight);
    }
    entries.roots = roots_.data() + at;
    return entries;
  }

  /// The entries of row i that count, of all columns.
  CountedEntries<T> dense(Index i) {
    const Index K = all_.block.columns.count;
    const auto size = static_cast<std::size_t>(K);
    make_room(values_, size);
    make_room(roots_, size);
    indices_.resize(size);
    load_rows(all_.block, i, i + 1, MatrixView<T>(values_.data(), 1, K));
    load_weights(all_.block, i, i + 1, MatrixView<T>(roots_.data(), 1, K));
    std::size_t count = 0;
    for (std::size_t j = 0; j < size; ++j) {
      if (!(roots_[j] > T{0})) continue;
      indices_[count] = static_cast<std::uint32_t>(j);
      values_[count] = values_[j];
      roots_[count++] = std::sqrt(roots_[j]);
    }
    return {.indices = indices_.data(), .values = values_.data(), .roots = roots_.data(), .count = count};
  }

  static void make_room(Array& array, std::size_t size) {
    if (array.size() < size) array.resize(size);
  }

  RowsOfBlock<T> all_;
  std::size_t rank_;
  std::size_t few_;
  std::vector<CountedEntries<T>> entries_;
  NormalSizes sizes_;
  std::vector<Index> order_;
  std::size_t many_ = 0;
  Array equations_;
  Array panel_;
  Array roots_;
  Array values_;  // of a dense row
  std::vector<std::uint32_t> indices_;
};

template <class T>
class RowGram final : public RowMethod<T> {
 public:
  void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool,
               RowReport& report) override {
    std::optional<SparseRows<T>> rows;
    if (skips_zeros(problem.beta, block)) rows.emplace(block);
    const RowsOfBlock<T> all{.block = block, .sparse = rows ? &*rows : nullptr};
    const double entries = entries_looked_at(block, all.sparse);
    const Chunks chunks = equation_chunks(X.rows, entries);
    const auto r = static_cast<double>(X.cols);
    PartialSums<3> sums(chunks.count());
    Spares<EquationsPlace<T>> places;
    pool.for_each_chunk(chunks.count(), entries * r * r, [&](Index chunk) {
      const auto place = places.lend([&] { return std::make_unique<EquationsPlace<T>>(all, X.cols); });
      RowLook<T> look(block, all.sparse, problem.beta, problem.F, problem.column_sums);
      place->sort(chunks.begin(chunk), chunks.end(chunk));
      for (std::size_t at = 0; at < place->count();) {
        const std::span<const Index> together = place->rows(at);
        place->improve(problem, together, X);
        for (std::size_t k = 0; k < together.size(); ++k) {
          const SweptRow<T>& row = place->swept[k];
          const Index i = together[k];
          sums.at(chunk)[0] += static_cast<double>(row.sweeps);
          sums.at(chunk)[2] += place->flops(i, row.sweeps);
          if (!problem.wants_loss) continue;
          const auto residual = static_cast<double>(row.residual);
          sums.at(chunk)[1] += residual > kTrusted<T> * static_cast<double>(row.squares)
                                   ? 0.5 * weight_of_row(block, i) * residual
                                   : look.loss(i, i + 1, X.middle_rows(i, i + 1));
        }
        at += together.size();
      }
    });
    const std::vector<double> total = sums.total();
    report.sweeps += total[0];
    report.weight += static_cast<double>(X.rows);
    report.flops += total[2];
    report.loss += total[1];
  }

  /// Normal equations and a sweep, beside one more sweep, of a row in which all entries count.
  [[nodiscard]] double rho(Index K, Index r) const override {
    return 1 + static_cast<double>(K) * (0.5 + 1 / static_cast<double>(r));
  }
  [[nodiscard]] double bytes(const RowSizes& sizes) const override {
    return static_cast<double>(sizes.threads) * EquationsPlace<T>::bytes(sizes) + look_bytes<T>(sizes);
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
