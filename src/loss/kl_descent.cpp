// SPDX-License-Identifier: MIT
// Kullback and Leibler's loss by coordinate descent over the nonzeros (kernels/kl_panel.h). Within a chunk of
// consecutive rows those with about as many nonzeros go through a panel side by side, long ones alone over
// all lanes. What is decided is decided for each row, so that results depend neither on threads nor on which
// rows are here.
#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/chunks.h"
#include "core/spares.h"
#include "kernels/kl_panel.h"
#include "loss/kl_memory.h"
#include "loss/row_method.h"
#include "loss/row_weights.h"

namespace anmf {
namespace {

// Rows with more nonzeros have a panel of their own.
constexpr Index kLongRow = 64;
// Rows with no more go through wide panels.
constexpr std::size_t kShortRow = 48;
// Nonzeros in a chunk of rows.
constexpr Index kNonzerosOfChunk = 16384;
// The gathered rows of F cost about three sweeps over them.
constexpr double kRho = 3;

/// How many dense rows are worked on together: their nonzeros are copied.
Index rows_together(Index K) {
  constexpr Index kMostEntries = Index{1} << 20U;
  return std::max<Index>(1, kMostEntries / std::max<Index>(1, K));
}

/// Rows of one panel: order[begin], ..., order[end - 1].
struct PanelOfRows {
  std::size_t begin;
  std::size_t end;
  std::size_t nonzeros;  // of its longest row
};

/// Consecutive rows with about so many nonzeros: first row of each chunk, and behind the last one.
template <class T>
std::vector<Index> chunks_of_rows(const SparseRows<T>& rows, Index count) {
  const std::span<const Index> offsets = rows.lines().offsets;
  std::vector<Index> chunks = {0};
  while (chunks.back() < count) {
    const auto first = offsets.begin() + chunks.back();
    const auto end = std::lower_bound(first + 1, offsets.begin() + count, *first + kNonzerosOfChunk);
    // Rows without nonzeros are work as well.
    chunks.push_back(std::min<Index>(end - offsets.begin(), chunks.back() + kNonzerosOfChunk));
  }
  return chunks;
}

/// What one thread needs, kept from chunk to chunk: the rows of a chunk by the number of their nonzeros, cut
/// into panels.
template <class T>
struct Workplace {
  KlMemory<T> scratch;
  std::vector<KlRow<T>> rows;
  std::vector<PanelOfRows> panels;
  std::vector<double> sums;  // over the columns of X
  std::vector<T> values;     // of rows whose entries do not count the same
  std::vector<T> linear;

  /// Gives the rows of the chunk their own entries and linear terms, as much as they count.
  void weigh(const EntryBlock<T>& block, const SparseRows<T>& all, Index begin, Index end,
             const RowProblem<T>& problem) {
    const auto rank = static_cast<std::size_t>(problem.F.cols);
    const std::span<const Index> offsets = all.lines().offsets;
    const Index first = offsets[static_cast<std::size_t>(begin)];
    values.resize(static_cast<std::size_t>(offsets[static_cast<std::size_t>(end)] - first));
    linear.resize(static_cast<std::size_t>(end - begin) * rank);
    sums.resize(rank);
    for (Index row = begin; row < end; ++row) {
      const std::span<const T> entries = all.values(row);
      const std::span<T> own(values.data() + (offsets[static_cast<std::size_t>(row)] - first),
                             entries.size());
      load_stored_weights(block, all, row, own);
      for (std::size_t k = 0; k < own.size(); ++k) own[k] *= entries[k];
      sum_of_models(block, all, row, problem.F, problem.column_sums, std::span<double>(sums));
      T* const terms = linear.data() + static_cast<std::size_t>(row - begin) * rank;
      for (std::size_t p = 0; p < rank; ++p) terms[p] = static_cast<T>(sums[p] + problem.penalty.l1);
    }
  }

  /// Long rows come last.
  void sort(const SparseRows<T>& all, Index begin, Index end, MatrixView<T> X, bool weighted) {
    const KlKernels<T>& kernels = kl_kernels<T>();
    std::array<std::size_t, kLongRow + 2> places{};  // of the next row with so many nonzeros
    const auto kind = [&](Index row) {
      return std::min<std::size_t>(all.values(row).size(), static_cast<std::size_t>(kLongRow));
    };
    for (Index row = begin; row < end; ++row) ++places[kind(row) + 1];
    const auto count = static_cast<std::size_t>(end - begin);
    const std::size_t shorter = count - places.back();
    std::partial_sum(places.begin(), places.end(), places.begin());
    rows.resize(count);
    for (Index row = begin; row < end; ++row) {
      KlRow<T> one{.indices = all.indices(row).data(),
                   .values = all.values(row).data(),
                   .count = all.values(row).size(),
                   .w = X.row(row)};
      if (weighted) {
        one.values = values.data() + (all.lines().offsets[static_cast<std::size_t>(row)] -
                                      all.lines().offsets[static_cast<std::size_t>(begin)]);
        one.linear = linear.data() + (row - begin) * X.cols;
      }
      rows[places[kind(row)]++] = one;
      // Panels go through the chunk in leaps; here it lies in a row.
      for (std::size_t k = 0; k < one.count; k += kLine) hwy::Prefetch(one.values + k);
      for (std::size_t k = 0; k < one.count; k += 2 * kLine) hwy::Prefetch(one.indices + k);
    }
    panels.clear();
    for (std::size_t at = 0; at < count;) {
      const std::size_t wide = std::min(at + kernels.wide, shorter);
      std::size_t next = at + 1;
      if (at < shorter) {
        next = at + kernels.lanes < wide && rows[wide - 1].count <= kShortRow
                   ? wide
                   : std::min(at + kernels.lanes, shorter);
      }
      panels.push_back({at, next, rows[next - 1].count});
      at = next;
    }
  }

  /// Asks for the rows of X and for the rows of F that the panel after this one begins with.
  void ask_ahead(std::size_t panel, ConstMatrixView<T> F) const {
    if (panel + 1 == panels.size()) return;
    const auto ask = [&](const T* row) {
      for (std::size_t p = 0; p < static_cast<std::size_t>(F.cols); p += kLine) hwy::Prefetch(row + p);
    };
    for (std::size_t k = panels[panel + 1].begin; k < panels[panel + 1].end; ++k) {
      ask(rows[k].w);
      const std::size_t places = std::min(rows[k].count, kKlPlacesAhead);
      for (std::size_t j = 0; j < places; ++j) ask(F.row(rows[k].indices[j]));
    }
  }

 private:
  static constexpr std::size_t kLine = 64 / sizeof(T);  // of the caches
};

template <class T>
class KlDescent final : public RowMethod<T> {
 public:
  void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool,
               RowReport& report) override {
    if (skips_zeros(1, block)) return improve_rows(problem, block, SparseRows<T>(block), X, pool, report);
    const Index K = problem.F.rows;
    const Index together = std::min(X.rows, rows_together(K));
    Matrix<T> copy(together, K);
    for (Index begin = 0; begin < X.rows; begin += together) {
      const Index end = std::min(X.rows, begin + together);
      const MatrixView<T> tile = copy.view().middle_rows(0, end - begin);
      if (!block.weights.alike()) {
        improve_counted(problem, block, begin, end, X.middle_rows(begin, end), pool, report);
        continue;
      }
      load_rows(block, begin, end, tile);
      const EntryBlock<T> part{
          .rows = {0, end - begin}, .columns = {0, K}, .lines = ConstMatrixView<T>(tile)};
      improve_rows(problem, part, SparseRows<T>(part), X.middle_rows(begin, end), pool, report);
    }
  }

  /// Dense rows whose entries do not count the same, as those that count.
  void improve_counted(const RowProblem<T>& problem, const EntryBlock<T>& block, Index begin, Index end,
                       MatrixView<T> X, ThreadPool& pool, RowReport& report) {
    Csr<T> counted{.rows = end - begin, .cols = problem.F.rows, .offsets = {0}, .indices = {}, .values = {}};
    std::vector<T> counts;
    Matrix<T> entries(1, counted.cols);
    Matrix<T> weights(1, counted.cols);
    for (Index i = begin; i < end; ++i) {
      load_rows(block, i, i + 1, entries.view());
      load_weights(block, i, i + 1, weights.view());
      for (Index j = 0; j < counted.cols; ++j) {
        if (weights(0, j) == T{0}) continue;
        counted.indices.push_back(static_cast<std::uint32_t>(j));
        counted.values.push_back(entries(0, j));
        counts.push_back(weights(0, j));
      }
      counted.offsets.push_back(static_cast<Index>(counts.size()));
    }
    EntryBlock<T> part{
        .rows = {0, end - begin}, .columns = {0, counted.cols}, .lines = SparseLines<T>(counted)};
    part.weights.counted = Counted::stored;
    part.weights.of_stored = counts;
    if (!block.weights.of_rows.empty()) {
      part.weights.of_rows = block.weights.of_rows.subspan(static_cast<std::size_t>(begin),
                                                           static_cast<std::size_t>(end - begin));
    }
    improve_rows(problem, part, SparseRows<T>(part), X, pool, report);
  }

  [[nodiscard]] double rho(Index /*K*/, Index /*r*/) const override { return kRho; }
  [[nodiscard]] double bytes(const RowSizes& sizes) const override {
    const auto lanes = kl_kernels<T>().lanes;
    const double rows_of_chunk = std::min<double>(kNonzerosOfChunk, static_cast<double>(sizes.rows));
    // Rows of fewer nonzeros than kLongRow fill all lanes.
    const Index places =
        std::max(sizes.columns, std::min(sizes.columns, kLongRow) * static_cast<Index>(lanes));
    const double own = KlMemory<T>::bytes(places, lanes, sizes.rank) +
                       rows_of_chunk * static_cast<double>(sizeof(KlRow<T>) + sizeof(PanelOfRows));
    // Of dense rows, those that are worked on together, twice: as they are, and without their zeros.
    const double copied =
        sizes.skips_zeros ? 0
                          : static_cast<double>(std::min(sizes.rows, rows_together(sizes.columns))) *
                                static_cast<double>(sizes.columns) * (2 * sizeof(T) + sizeof(std::uint32_t));
    const double chunks = static_cast<double>(sizes.rows) * sizeof(Index);
    return static_cast<double>(sizes.threads) * own + copied + chunks;
  }

 private:
  void improve_rows(const RowProblem<T>& problem, const EntryBlock<T>& block, const SparseRows<T>& rows,
                    MatrixView<T> X, ThreadPool& pool, RowReport& report) {
    const bool weighted = !block.weights.alike();
    std::vector<T> linear(static_cast<std::size_t>(X.cols));
    for (std::size_t p = 0; p < linear.size(); ++p) {
      linear[p] = static_cast<T>(problem.column_sums[p] + problem.penalty.l1);
    }
    const KlSweeps<T> sweeps{.F = problem.F,
                             .linear = weighted ? nullptr : linear.data(),
                             .l2 = static_cast<T>(problem.penalty.l2),
                             .scale = rows.scale(),
                             .budget = problem.budget,
                             .share = static_cast<T>(problem.epsilon)};
    const std::vector<Index> chunks = chunks_of_rows(rows, X.rows);
    const auto count = static_cast<Index>(chunks.size()) - 1;
    const Index nonzeros = rows.lines().offsets.back() - rows.lines().offsets.front();
    const double sweep_flops = 10.0 * static_cast<double>(nonzeros) * static_cast<double>(X.cols);
    PartialSums<2> sums(count);
    pool.for_each_chunk(count, sweep_flops, [&](Index chunk) {
      const typename Spares<Workplace<T>>::Loan place = places_.lend();
      const auto at = static_cast<std::size_t>(chunk);
      if (weighted) place->weigh(block, rows, chunks[at], chunks[at + 1], problem);
      place->sort(rows, chunks[at], chunks[at + 1], X, weighted);
      place->sums.assign(linear.size(), 0.0);
      for (std::size_t panel = 0; panel < place->panels.size(); ++panel) {
        place->ask_ahead(panel, problem.F);
        improve_panel(sweeps, place->panels[panel], *place, problem.wants_loss && !weighted, sums.at(chunk));
      }
      if (weighted) {
        if (!problem.wants_loss) return;
        RowLook<T> look(block, &rows, 1, problem.F, problem.column_sums);
        sums.at(chunk)[1] = look.loss(chunks[at], chunks[at + 1], X.middle_rows(chunks[at], chunks[at + 1]));
        return;
      }
      for (std::size_t p = 0; p < linear.size(); ++p) {
        sums.at(chunk)[1] += problem.column_sums[p] * place->sums[p];
      }
    });
    const std::vector<double> total = sums.total();
    report.sweeps += total[0];
    report.weight += static_cast<double>(nonzeros);
    report.flops += 10.0 * total[0] * static_cast<double>(X.cols);
    report.loss += total[1];
  }

  /// Adds the sweeps times the nonzeros, and what the loss has of the nonzeros if it is wanted.
  static void improve_panel(const KlSweeps<T>& sweeps, const PanelOfRows& panel, Workplace<T>& place,
                            bool wants_loss, std::span<double> sums) {
    const KlKernels<T>& kernels = kl_kernels<T>();
    const bool alone = panel.nonzeros >= static_cast<std::size_t>(kLongRow);
    const std::size_t count = panel.end - panel.begin;
    const std::size_t lanes = count > kernels.lanes ? kernels.wide : kernels.lanes;
    const std::size_t nonzeros = alone ? (panel.nonzeros + lanes - 1) / lanes : panel.nonzeros;
    const auto rank = static_cast<std::size_t>(sweeps.F.cols);
    const KlScratch<T> memory = place.scratch.of(nonzeros, lanes, rank);
    KlRow<T>* const rows = place.rows.data() + panel.begin;
    if (alone) {
      kernels.row(sweeps, *rows, memory);
    } else {
      kernels.rows(sweeps, rows, count, memory);
    }
    for (const KlRow<T>* row = rows; row != place.rows.data() + panel.end; ++row) {
      sums[0] += static_cast<double>(row->sweeps) * static_cast<double>(row->count);
      if (!wants_loss) continue;
      double* const of_columns = place.sums.data();
      for (std::size_t p = 0; p < rank; ++p) of_columns[p] += static_cast<double>(row->w[p]);
    }
    if (wants_loss) sums[1] += loss_of_nonzeros(nonzeros * lanes, memory);
  }

  Spares<Workplace<T>> places_;
};

}  // namespace

template <class T>
std::unique_ptr<RowMethod<T>> make_kl_descent() {
  return std::make_unique<KlDescent<T>>();
}

template std::unique_ptr<RowMethod<float>> make_kl_descent();
template std::unique_ptr<RowMethod<double>> make_kl_descent();

}  // namespace anmf
