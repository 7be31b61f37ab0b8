// SPDX-License-Identifier: MIT
// Kullback and Leibler's loss by coordinate descent over the nonzeros (kernels/kl_panel.h). Rows with about
// as many nonzeros go through a panel side by side, long ones alone over all lanes. What is decided is
// decided for each row, so that results depend neither on threads nor on which rows are here.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/chunks.h"
#include "kernels/divergence.h"
#include "kernels/kl_panel.h"
#include "loss/kl_memory.h"
#include "loss/row_method.h"

namespace anmf {
namespace {

// Rows with more nonzeros have a panel of their own.
constexpr Index kLongRow = 256;
// Nonzeros in a chunk of panels.
constexpr Index kNonzerosOfChunk = 8192;
// The gathered rows of F cost about three sweeps over them.
constexpr double kRho = 3;

/// Rows of one panel: order[begin], ..., order[end - 1].
struct PanelOfRows {
  Index begin;
  Index end;
  Index nonzeros;  // of its longest row
};

/// The rows of a block by the number of their nonzeros, cut into panels, and the panels into chunks.
template <class T>
struct Schedule {
  std::vector<Index> order;
  std::vector<PanelOfRows> panels;
  std::vector<std::size_t> chunks;  // first panel of each, and behind the last one

  Schedule(const SparseRows<T>& rows, Index count, Index lanes) {
    const auto size = [&](Index row) { return static_cast<Index>(rows.values(row).size()); };
    order.resize(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size(a) < size(b); });
    Index work = 0;
    chunks.push_back(0);
    for (Index at = 0; at < count;) {
      const auto row_at = [&](Index place) { return order[static_cast<std::size_t>(place)]; };
      Index end = at + 1;
      while (end < count && end < at + lanes && size(row_at(end)) < kLongRow) ++end;
      panels.push_back({at, end, size(row_at(end - 1))});
      work += panels.back().nonzeros * (size(row_at(at)) < kLongRow ? lanes : 1);
      at = end;
      if (work < kNonzerosOfChunk) continue;
      chunks.push_back(panels.size());
      work = 0;
    }
    if (chunks.back() != panels.size()) chunks.push_back(panels.size());
  }
};

template <class T>
class KlDescent final : public RowMethod<T> {
 public:
  void improve(const RowProblem<T>& problem, const EntryBlock<T>& block, MatrixView<T> X, ThreadPool& pool,
               RowReport& report) override {
    const SparseRows<T> rows(block);
    const KlKernels<T>& kernels = kl_kernels<T>();
    const auto lanes = static_cast<Index>(kernels.lanes);
    const Schedule<T> schedule(rows, X.rows, lanes);
    std::vector<T> linear(static_cast<std::size_t>(X.cols));
    for (std::size_t p = 0; p < linear.size(); ++p) {
      linear[p] = static_cast<T>(problem.column_sums[p] + problem.penalty.l1);
    }
    const KlSweeps<T> sweeps{.F = problem.F,
                             .linear = linear.data(),
                             .l2 = static_cast<T>(problem.penalty.l2),
                             .scale = rows.scale(),
                             .budget = problem.budget,
                             .share = static_cast<T>(problem.epsilon)};
    const auto count = static_cast<Index>(schedule.chunks.size()) - 1;
    const Index nonzeros = rows.lines().offsets.back() - rows.lines().offsets.front();
    const double sweep_flops = 10.0 * static_cast<double>(nonzeros) * static_cast<double>(X.cols);
    PartialSums<2> sums(count);
    pool.for_each_chunk(count, sweep_flops, [&](Index chunk) {
      KlMemory<T> scratch;
      std::vector<KlRow<T>> members(static_cast<std::size_t>(lanes));
      const auto at = static_cast<std::size_t>(chunk);
      for (std::size_t number = schedule.chunks[at]; number < schedule.chunks[at + 1]; ++number) {
        const PanelOfRows& panel = schedule.panels[number];
        const auto height = static_cast<std::size_t>(panel.end - panel.begin);
        for (std::size_t k = 0; k < height; ++k) {
          const Index row = schedule.order[static_cast<std::size_t>(panel.begin) + k];
          members[k] = {.indices = rows.indices(row).data(),
                        .values = rows.values(row).data(),
                        .count = rows.values(row).size(),
                        .w = X.row(row)};
        }
        const bool alone = panel.nonzeros >= kLongRow;
        const auto longest = static_cast<std::size_t>(panel.nonzeros);
        const std::size_t vectors = alone ? (longest + kernels.lanes - 1) / kernels.lanes : longest;
        const KlScratch<T> memory = scratch.of(vectors, kernels.lanes, linear.size());
        if (alone) {
          kernels.row(sweeps, members[0], memory);
        } else {
          kernels.rows(sweeps, members.data(), height, memory);
        }
        for (std::size_t k = 0; k < height; ++k) {
          sums.at(chunk)[0] += static_cast<double>(members[k].sweeps) * static_cast<double>(members[k].count);
        }
        if (problem.wants_loss) {
          sums.at(chunk)[1] += loss_of_nonzeros(vectors * kernels.lanes, memory);
          for (std::size_t k = 0; k < height; ++k) {
            for (std::size_t p = 0; p < linear.size(); ++p) {
              sums.at(chunk)[1] += problem.column_sums[p] * static_cast<double>(members[k].w[p]);
            }
          }
        }
      }
    });
    const std::vector<double> total = sums.total();
    report.sweeps += total[0];
    report.weight += static_cast<double>(nonzeros);
    report.flops += 10.0 * total[0] * static_cast<double>(X.cols);
    report.loss += total[1];
  }

  [[nodiscard]] double rho(Index /*K*/, Index /*r*/) const override { return kRho; }

 private:
  /// Without their models, which are among those of all columns. Places without an entry cancel.
  static double loss_of_nonzeros(std::size_t places, const KlScratch<T>& memory) {
    double sum = divergence_kernels<T>().value(1, places, memory.x, memory.y, nullptr, T{0});
    for (std::size_t k = 0; k < places; ++k) sum -= static_cast<double>(memory.y[k]);
    return sum;
  }
};

}  // namespace

template <class T>
std::unique_ptr<RowMethod<T>> make_kl_descent() {
  return std::make_unique<KlDescent<T>>();
}

template std::unique_ptr<RowMethod<float>> make_kl_descent();
template std::unique_ptr<RowMethod<double>> make_kl_descent();

}  // namespace anmf
