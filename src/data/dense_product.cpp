// SPDX-License-Identifier: MIT
// Products with a dense M (m x n, row-major), cut into tasks that the sizes alone determine. A task makes
// some rows of C from a range of the inner index; ranges of the same rows are added in order.
//   side W: C (m x r) = M Ht, inner index = columns of M; blocks of M times blocks of Ht.
//   side H: C (n x r) = M' W, inner index = rows of M. Its transpose W' M is what is computed, since M can
//           then be read along its rows; a task turns its small piece of it at the end.
#include "data/dense_product.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "anmf/stream.h"
#include "core/chunks.h"
#include "kernels/dense_cross.h"
#include "kernels/widen.h"

namespace anmf {
namespace {

// Sizes of the blocks, found by measurement: blocks of M, F and C that are used again and again stay in the
// first- and second-level caches.
constexpr Index kLine = 64;
constexpr Index kMostRowsW = 240;
constexpr Index kInnerW = 128;
constexpr Index kCopiedRowsW = 24;
constexpr Index kMostRowsH = 512;
constexpr Index kInnerH = 128;
constexpr Index kStripH = 32;

constexpr Index kFewTasks = 16;     // enough to keep many threads busy
constexpr Index kShortRange = 512;  // of the inner index: adding up shorter ones would be felt
constexpr Index kFewRows = 24;

Index divided_up(Index a, Index b) { return (a + b - 1) / b; }

/// The size of equal blocks, none longer than `most`, that make up `whole`: a short one at the end would be
/// slow.
Index even_block(Index whole, Index most) {
  return std::max<Index>(1, divided_up(whole, std::max<Index>(1, divided_up(whole, most))));
}

/// How the rows of C (`rows` of them) and the inner index (`inner`) are cut.
struct Tasks {
  Chunks chunks;
  Chunks ranges;

  [[nodiscard]] Index count() const { return chunks.count() * ranges.count(); }
};

Tasks tasks(Index rows, Index inner, Index most_rows, SumOrder order) {
  Index chunks = rows <= most_rows
                     ? 1
                     : std::max(divided_up(rows, most_rows), std::min(kFewTasks, rows / (most_rows / 3)));
  const Index most_ranges = order == SumOrder::by_group ? 1 : std::max<Index>(1, inner / kShortRange);
  const Index ranges = std::clamp<Index>(divided_up(kFewTasks, chunks), 1, most_ranges);
  if (chunks * ranges < kFewTasks) {
    chunks = std::max(chunks, std::min(divided_up(kFewTasks, ranges), divided_up(rows, kFewRows)));
  }
  return {.chunks = Chunks(rows, divided_up(rows, chunks), chunks),
          .ranges = Chunks(inner, divided_up(inner, ranges), ranges)};
}

/// A part of M that is read in place if it can be, or as a copy in T.
template <class S, class T>
class Panel {
 public:
  Panel(Index rows, Index cols, bool in_place)
      : in_place_(in_place),
        copy_(in_place ? 0 : rows, in_place ? 0 : divided_up(cols, kAligned) * kAligned) {}

  [[nodiscard]] ConstMatrixView<T> of(ConstMatrixView<S> part) {
    if constexpr (std::is_same_v<S, T>) {
      if (in_place_) return part;
    }
    const MatrixView<T> copy(copy_.data(), part.rows, part.cols, copy_.cols());
    widen<S, T>(part, copy);
    return copy;
  }

 private:
  static constexpr Index kAligned = kLine / Index{sizeof(T)};
  bool in_place_;
  Matrix<T> copy_;
};

template <class S>
ConstMatrixView<S> block_of(ConstMatrixView<S> M, Index row, Index rows, Index col, Index cols) {
  return {M.row(row) + col, rows, cols, M.stride};
}

/// One task of side W.
template <class S, class T>
void multiply_rows(ConstMatrixView<S> M, ConstMatrixView<T> Ht, MatrixView<T> C, bool add) {
  constexpr bool kInPlace = std::is_same_v<S, T>;
  const Index step = kInPlace ? M.rows : kCopiedRowsW;
  Panel<S, T> panel(step, kInnerW, kInPlace);
  const Index depth = even_block(M.cols, kInnerW);
  for (Index k = 0; k < M.cols; k += depth) {
    const Index inner = std::min(depth, M.cols - k);
    for (Index i = 0; i < M.rows; i += step) {
      const Index rows = std::min(step, M.rows - i);
      dense_cross<T>(blas::Op::none, panel.of(block_of(M, i, rows, k, inner)), Ht.middle_rows(k, k + inner),
                     C.middle_rows(i, i + rows), add || k > 0);
    }
  }
}

/// C = X', or C += X', in squares, so that neither is walked through far apart.
template <bool kAdd, class T>
void transpose_into(ConstMatrixView<T> X, MatrixView<T> C) {
  constexpr Index kSquare = 8;
  for (Index i = 0; i < C.rows; i += kSquare) {
    for (Index p = 0; p < C.cols; p += kSquare) {
      for (Index row = i; row < std::min(C.rows, i + kSquare); ++row) {
        for (Index col = p; col < std::min(C.cols, p + kSquare); ++col) {
          C(row, col) = kAdd ? C(row, col) + X(col, row) : X(col, row);
        }
      }
    }
  }
}

/// What comes after the strip of M at (row, col): its right neighbour, or the first strip of the next rows.
template <class S>
Upcoming after_strip(ConstMatrixView<S> M, Index row, Index col, Index depth) {
  if (col + kStripH < M.cols) {
    col += kStripH;
  } else {
    col = 0;
    row += depth;
  }
  if (row >= M.rows) return {};
  return {.data = reinterpret_cast<const std::byte*>(M.row(row) + col),
          .rows = std::min(depth, M.rows - row),
          .row_bytes = std::min(kStripH, M.cols - col) * Index{sizeof(S)},
          .stride_bytes = M.stride * Index{sizeof(S)}};
}

/// Rows that do not start at cache lines are copied: most vectors of them would straddle two.
template <class S, class T>
bool reads_in_place(ConstMatrixView<S> M) {
  return std::is_same_v<S, T> && reinterpret_cast<std::uintptr_t>(M.data) % kLine == 0 &&
         M.stride * Index{sizeof(S)} % kLine == 0;
}

/// One task of side H.
template <class S, class T>
void multiply_columns(ConstMatrixView<S> M, ConstMatrixView<T> W, MatrixView<T> C, bool add, SumOrder order) {
  const Index r = W.cols;
  // A little wider than needed: rows of a power of two would fall on the same places in the cache.
  Matrix<T> turned(r, M.cols + kLine / Index{sizeof(T)});
  Panel<S, T> panel(kInnerH, kStripH, reads_in_place<S, T>(M));
  const Index depth = order == SumOrder::by_group ? kLinesPerGroup : even_block(M.rows, kInnerH);
  for (Index k = 0; k < M.rows; k += depth) {
    const Index inner = std::min(depth, M.rows - k);
    for (Index j = 0; j < M.cols; j += kStripH) {
      const Index width = std::min(kStripH, M.cols - j);
      dense_cross<T>(
          blas::Op::transpose, W.middle_rows(k, k + inner), panel.of(block_of(M, k, inner, j, width)),
          MatrixView<T>(turned.data() + j, r, width, turned.cols()), k > 0, after_strip(M, k, j, depth));
    }
  }
  const ConstMatrixView<T> product(turned.data(), r, M.cols, turned.cols());
  if (add) {
    transpose_into<true>(product, C);
  } else {
    transpose_into<false>(product, C);
  }
}

/// C += every one of the partial sums, in their order.
template <class T>
void add_partial_sums(const std::vector<Matrix<T>>& partial, MatrixView<T> C, ThreadPool& pool) {
  const Chunks rows(C.rows, 256);
  const double flops = static_cast<double>(C.rows * C.cols) * static_cast<double>(partial.size());
  pool.for_each_chunk(rows.count(), flops, [&](Index chunk) {
    for (Index i = rows.begin(chunk); i < rows.end(chunk); ++i) {
      for (const Matrix<T>& sums : partial) {
        const T* from = sums.view().row(i);
        for (Index p = 0; p < C.cols; ++p) C(i, p) += from[p];
      }
    }
  });
}

}  // namespace

template <class S, class T>
void dense_product(Side side, ConstMatrixView<S> M, ConstMatrixView<T> F, MatrixView<T> C, ThreadPool& pool,
                   bool add, SumOrder order) {
  const bool by_rows = side == Side::W;
  const Tasks cut = tasks(C.rows, F.rows, by_rows ? kMostRowsW : kMostRowsH, order);
  const Index chunks = cut.chunks.count();
  // The first range writes to C, every other one to a matrix of its own.
  std::vector<Matrix<T>> partial;
  for (Index range = 1; range < cut.ranges.count(); ++range) partial.emplace_back(C.rows, C.cols);
  const double flops =
      2.0 * static_cast<double>(M.rows) * static_cast<double>(M.cols) * static_cast<double>(F.cols);
  pool.for_each_chunk(cut.count(), flops, [&](Index task) {
    const Index chunk = task % chunks;
    const Index range = task / chunks;
    const Index row = cut.chunks.begin(chunk);
    const Index row_end = cut.chunks.end(chunk);
    const Index k = cut.ranges.begin(range);
    const Index k_end = cut.ranges.end(range);
    const MatrixView<T> target = range == 0 ? C : partial[static_cast<std::size_t>(range - 1)].view();
    const MatrixView<T> out = target.middle_rows(row, row_end);
    const ConstMatrixView<T> factor = F.middle_rows(k, k_end);
    if (by_rows) {
      multiply_rows<S, T>(block_of(M, row, row_end - row, k, k_end - k), factor, out, add && range == 0);
    } else {
      multiply_columns<S, T>(block_of(M, k, k_end - k, row, row_end - row), factor, out, add && range == 0,
                             order);
    }
  });
  if (!partial.empty()) add_partial_sums(partial, C, pool);
}

template void dense_product(Side, ConstMatrixView<float>, ConstMatrixView<float>, MatrixView<float>,
                            ThreadPool&, bool, SumOrder);
template void dense_product(Side, ConstMatrixView<std::uint8_t>, ConstMatrixView<float>, MatrixView<float>,
                            ThreadPool&, bool, SumOrder);
template void dense_product(Side, ConstMatrixView<std::uint16_t>, ConstMatrixView<float>, MatrixView<float>,
                            ThreadPool&, bool, SumOrder);
template void dense_product(Side, ConstMatrixView<double>, ConstMatrixView<double>, MatrixView<double>,
                            ThreadPool&, bool, SumOrder);
template void dense_product(Side, ConstMatrixView<float>, ConstMatrixView<double>, MatrixView<double>,
                            ThreadPool&, bool, SumOrder);
template void dense_product(Side, ConstMatrixView<std::uint8_t>, ConstMatrixView<double>, MatrixView<double>,
                            ThreadPool&, bool, SumOrder);
template void dense_product(Side, ConstMatrixView<std::uint16_t>, ConstMatrixView<double>, MatrixView<double>,
                            ThreadPool&, bool, SumOrder);

}  // namespace anmf
