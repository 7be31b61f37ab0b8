// SPDX-License-Identifier: MIT
#include "rules/panel_rule.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/chunks.h"
#include "core/inner_stop.h"

namespace anmf {
namespace {

Index blocks_of(Index rows) { return (rows + kBlockRows - 1) / kBlockRows; }

/// Chunks of blocks: one block each until there are enough for any team, then longer ones, in which the next
/// block can be fetched ahead.
Chunks block_chunks(Index rows) { return {blocks_of(rows), 1, 96}; }

/// Calls body(first row, last row) for the blocks of one chunk.
template <class Body>
void for_each_block(const Chunks& chunks, Index chunk, Index rows, const Body& body) {
  for (Index block = chunks.begin(chunk); block < chunks.end(chunk); ++block) {
    body(block * kBlockRows, std::min(rows, (block + 1) * kBlockRows));
  }
}

/// Calls body(panel number, first row, last row) for the panels that hold rows [begin, end).
template <class T, class Body>
void for_each_panel(Index begin, Index end, const Body& body) {
  const Index P = panel_kernels<T>().rows;
  for (Index row = begin; row < end; row += P) body(row / P, row, std::min(end, row + P));
}

/// Rows [begin, end) of both matrices, as far as they are there, for the kernel to fetch.
template <class T>
NextPanel next_rows(ConstMatrixView<T> X, ConstMatrixView<T> C, Index begin, Index end) {
  end = std::min(end, X.rows);
  if (begin >= end) return {};
  // Both are stored without gaps, or with the same ones; a line too few or too many does no harm.
  return {.X = X.row(begin),
          .C = C.row(begin),
          .bytes = static_cast<std::size_t>((end - begin) * X.stride) * sizeof(T)};
}

}  // namespace

template <class T>
void PanelRule<T>::make_room(Index rows, Index rank) {
  const Index panels = blocks_of(rows) * (kBlockRows / panel_kernels<T>().rows);
  for (PanelBuffer<T>* buffer : {&X_, &C_}) {
    if (buffer->count() >= panels && buffer->panel_size() == panel_kernels<T>().rows * rank) continue;
    *buffer = PanelBuffer<T>();  // before its successor is allocated
    *buffer = PanelBuffer<T>(panels, rank);
  }
}

/// X and C, packed: all of them, or a block by every thread.
template <class T>
double PanelRule<T>::bytes(const SweepSizes& sizes) const {
  const Index blocks = sizes.by_blocks ? sizes.threads : blocks_of(sizes.rows);
  const auto rows = static_cast<double>(2 * blocks * kBlockRows + sizes.threads * panel_kernels<T>().rows);
  return rows * static_cast<double>(sizes.rank) * sizeof(T);
}

template <class T>
NextPanel PanelRule<T>::next_panel(Index panel) const {
  if (panel + 1 >= X_.count()) return {};
  return {.X = X_.panel(panel + 1),
          .C = C_.panel(panel + 1),
          .bytes = static_cast<std::size_t>(X_.panel_size()) * sizeof(T)};
}

template <class T>
SweepReport PanelRule<T>::sweep(const HalfStep<T>& half, MatrixView<T> X) {
  if (!packed_) make_room(X.rows, X.cols);
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const SweepGram<T> gram(half.gram);
  const T filler = static_cast<T>(this->lower_bound());  // stays as it is beside a cross product of zero
  const Chunks chunks = block_chunks(X.rows);
  PartialSums<1> sums(chunks.count());
  const double work = flops(X.rows, X.cols);
  half.workers.pool.for_each_chunk(chunks.count(), work, [&](Index chunk) {
    PanelBuffer<T> scratch(1, X.cols);
    double squared_step = 0;
    for_each_block(chunks, chunk, X.rows, [&](Index begin, Index end) {
      for_each_panel<T>(begin, end, [&](Index panel, Index first, Index last) {
        if (!packed_) {
          kernels.pack(X.middle_rows(first, last), filler, X_.panel(panel));
          kernels.pack(half.cross.middle_rows(first, last), T{0}, C_.panel(panel));
        }
        const NextPanel next =
            packed_ ? next_panel(panel) : next_rows<T>(X, half.cross, last, last + kernels.rows);
        squared_step +=
            sweep_panel(gram, C_.panel(panel), half.linear.data(), X_.panel(panel), scratch.panel(0), next);
      });
    });
    sums.at(chunk)[0] = squared_step;
  });
  packed_ = true;
  std::vector<double> total = sums.total();
  total.push_back(work);
  half.workers.sum(total);
  return {.squared_step = total[0], .flops = total[1]};
}

template <class T>
void PanelRule<T>::end_half(const HalfStep<T>& half, MatrixView<T> X) {
  if (!std::exchange(packed_, false)) return;
  const Chunks chunks = block_chunks(X.rows);
  half.workers.pool.for_each_chunk(chunks.count(), static_cast<double>(X.rows * X.cols), [&](Index chunk) {
    for_each_block(chunks, chunk, X.rows, [&](Index begin, Index end) {
      for_each_panel<T>(begin, end, [&](Index panel, Index first, Index last) {
        panel_kernels<T>().unpack(X_.panel(panel), X.middle_rows(first, last));
      });
    });
  });
}

template <class T>
void PanelRule<T>::sweep_blocks(const HalfStep<T>& half, MatrixView<T> X, const BlockStop& stop,
                                BlockReport& report) {
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const SweepGram<T> gram(half.gram);
  const T filler = static_cast<T>(this->lower_bound());  // stays as it is beside a cross product of zero
  const Chunks chunks = block_chunks(X.rows);
  std::vector<BlockReport> reports(static_cast<std::size_t>(blocks_of(X.rows)));
  const double at_most = flops(X.rows, X.cols) * static_cast<double>(stop.budget);
  half.workers.pool.for_each_chunk(chunks.count(), at_most, [&](Index chunk) {
    const Index panels = kBlockRows / kernels.rows;
    PanelBuffer<T> x(panels, X.cols);
    PanelBuffer<T> c(panels, X.cols);
    PanelBuffer<T> scratch(1, X.cols);
    for_each_block(chunks, chunk, X.rows, [&](Index begin, Index end) {
      const auto rows = static_cast<double>(end - begin);
      for_each_panel<T>(0, end - begin, [&](Index panel, Index first, Index last) {
        kernels.pack(X.middle_rows(begin + first, begin + last), filler, x.panel(panel));
        kernels.pack(half.cross.middle_rows(begin + first, begin + last), T{0}, c.panel(panel));
      });
      double first_step = 0;
      Index done = 0;
      while (true) {
        double squared_step = 0;
        for_each_panel<T>(0, end - begin, [&](Index panel, Index first, Index last) {
          // The first sweep fetches the block that comes next.
          const NextPanel next =
              done == 0 ? next_rows<T>(X, half.cross, end + first, end + last) : NextPanel{};
          squared_step +=
              sweep_panel(gram, c.panel(panel), half.linear.data(), x.panel(panel), scratch.panel(0), next);
        });
        if (++done == 1) first_step = squared_step;
        const double reference = std::max(first_step, rows * stop.usual_squared_step_per_row);
        if (done >= stop.budget || step_is_small(stop.epsilon, squared_step, reference)) break;
      }
      for_each_panel<T>(0, end - begin, [&](Index panel, Index first, Index last) {
        kernels.unpack(x.panel(panel), X.middle_rows(begin + first, begin + last));
      });
      reports[static_cast<std::size_t>(begin / kBlockRows)] = {
          .first_squared_step = first_step, .row_sweeps = rows * static_cast<double>(done)};
    });
  });
  for (const BlockReport& block : reports) {
    report.first_squared_step += block.first_squared_step;
    report.row_sweeps += block.row_sweeps;
    report.flops += flops(1, X.cols) * block.row_sweeps;
  }
}

template class PanelRule<float>;
template class PanelRule<double>;

}  // namespace anmf
