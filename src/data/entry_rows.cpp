// SPDX-License-Identifier: MIT
#include "data/entry_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "kernels/widen.h"

namespace anmf {
namespace {

// Columns that are turned into rows together: short runs of every row are written at once.
constexpr Index kColumnsAtOnce = 16;

template <class S, class T>
void load_dense(ConstMatrixView<S> lines, Layout layout, Index begin, Index end, MatrixView<T> tile) {
  if (layout == Layout::row_major) return widen(lines.middle_rows(begin, end), tile);
  for (Index first = 0; first < lines.rows; first += kColumnsAtOnce) {
    const Index last = std::min(lines.rows, first + kColumnsAtOnce);
    for (Index i = begin; i < end; ++i) {
      T* const row = tile.row(i - begin);
      for (Index k = first; k < last; ++k) row[k] = static_cast<T>(lines(k, i));
    }
  }
}

template <class T>
void load_sparse(const SparseLines<T>& lines, Layout layout, Index begin, Index end, MatrixView<T> tile) {
  for (Index i = 0; i < tile.rows; ++i) std::fill_n(tile.row(i), tile.cols, T{0});
  const auto first = layout == Layout::row_major ? begin : Index{0};
  const auto last = layout == Layout::row_major ? end : lines.lines();
  for (Index line = first; line < last; ++line) {
    auto k = static_cast<std::size_t>(lines.offsets[static_cast<std::size_t>(line)]);
    const auto stop = static_cast<std::size_t>(lines.offsets[static_cast<std::size_t>(line) + 1]);
    if (layout == Layout::row_major) {
      for (; k < stop; ++k) tile(line - begin, lines.indices[k]) = lines.values[k];
      continue;
    }
    const auto* const from = lines.indices.data();
    k = static_cast<std::size_t>(std::lower_bound(from + k, from + stop, static_cast<std::uint32_t>(begin)) -
                                 from);
    for (; k < stop && lines.indices[k] < end; ++k) tile(lines.indices[k] - begin, line) = lines.values[k];
  }
}

/// The lines of a column-major block as rows.
template <class T>
Csr<T> turned(const SparseLines<T>& lines) {
  Csr<T> rows{.rows = lines.width, .cols = lines.lines()};
  rows.offsets.assign(static_cast<std::size_t>(lines.width) + 1, 0);
  const auto begin = static_cast<std::size_t>(lines.offsets.front());
  const auto end = static_cast<std::size_t>(lines.offsets.back());
  for (std::size_t k = begin; k < end; ++k) ++rows.offsets[lines.indices[k] + 1];
  for (std::size_t i = 1; i < rows.offsets.size(); ++i) rows.offsets[i] += rows.offsets[i - 1];
  rows.indices.resize(end - begin);
  rows.values.resize(end - begin);
  std::vector<Index> next(rows.offsets.begin(), rows.offsets.end() - 1);
  for (Index line = 0; line < lines.lines(); ++line) {
    const auto stop = static_cast<std::size_t>(lines.offsets[static_cast<std::size_t>(line) + 1]);
    for (auto k = static_cast<std::size_t>(lines.offsets[static_cast<std::size_t>(line)]); k < stop; ++k) {
      const auto place = static_cast<std::size_t>(next[lines.indices[k]]++);
      rows.indices[place] = static_cast<std::uint32_t>(line);
      rows.values[place] = lines.values[k];
    }
  }
  return rows;
}

/// Dense rows without their zeros.
template <class S, class T>
Csr<T> without_zeros(ConstMatrixView<S> lines, Layout layout, T /*type*/) {
  Csr<T> found{.rows = lines.rows, .cols = lines.cols};
  found.offsets.push_back(0);
  for (Index i = 0; i < lines.rows; ++i) {
    for (Index j = 0; j < lines.cols; ++j) {
      if (lines(i, j) == S{0}) continue;
      found.indices.push_back(static_cast<std::uint32_t>(j));
      found.values.push_back(static_cast<T>(lines(i, j)));
    }
    found.offsets.push_back(static_cast<Index>(found.values.size()));
  }
  return layout == Layout::row_major ? found : turned<T>(found);
}

}  // namespace

template <class T>
void load_rows(const EntryBlock<T>& block, Index begin, Index end, MatrixView<T> tile) {
  std::visit(
      [&]<class Lines>(const Lines& lines) {
        if constexpr (std::is_same_v<Lines, SparseLines<T>>) {
          load_sparse(lines, block.layout, begin, end, tile);
        } else {
          load_dense(lines, block.layout, begin, end, tile);
        }
      },
      block.lines);
  if (block.weights.counted == Counted::numbers) {
    for (Index i = 0; i < tile.rows; ++i) {
      for (Index j = 0; j < tile.cols; ++j) tile(i, j) = std::isnan(tile(i, j)) ? T{0} : tile(i, j);
    }
  }
  if (block.divisor == 1) return;
  const auto scale = static_cast<T>(1 / block.divisor);
  for (Index i = 0; i < tile.rows; ++i) {
    for (Index j = 0; j < tile.cols; ++j) tile(i, j) *= scale;
  }
}

template <class T>
void load_weights(const EntryBlock<T>& block, Index begin, Index end, MatrixView<T> tile) {
  const EntryWeights<T>& weights = block.weights;
  const auto fill = [&](T value) {
    for (Index i = 0; i < tile.rows; ++i) std::fill_n(tile.row(i), tile.cols, value);
  };
  switch (weights.counted) {
    case Counted::all:
      fill(T{1});
      break;
    case Counted::each:
      load_dense(weights.own, weights.own_layout, begin, end, tile);
      break;
    case Counted::all_but:
      fill(T{1});
      for (Index i = begin; i < end; ++i) {
        for (const std::uint32_t j : weights.missing.row(i)) tile(i - begin, Index{j}) = T{0};
      }
      break;
    case Counted::numbers:
      std::visit(
          [&]<class Lines>(const Lines& lines) {
            if constexpr (!std::is_same_v<Lines, SparseLines<T>>) {
              load_dense(lines, block.layout, begin, end, tile);
            }
          },
          block.lines);
      for (Index i = 0; i < tile.rows; ++i) {
        for (Index j = 0; j < tile.cols; ++j) tile(i, j) = std::isnan(tile(i, j)) ? T{0} : T{1};
      }
      break;
    case Counted::stored: {
      const auto& lines = std::get<SparseLines<T>>(block.lines);
      if (!weights.of_stored.empty()) {
        SparseLines<T> own = lines;
        own.values = weights.of_stored;
        load_sparse(own, block.layout, begin, end, tile);
        break;
      }
      const std::vector<T> ones(lines.values.size(), T{1});
      SparseLines<T> own = lines;
      own.values = ones;
      load_sparse(own, block.layout, begin, end, tile);
      break;
    }
  }
  if (weights.of_columns.empty()) return;
  for (Index i = 0; i < tile.rows; ++i) {
    for (Index j = 0; j < tile.cols; ++j) tile(i, j) *= weights.of_columns[static_cast<std::size_t>(j)];
  }
}

template <class T>
ConstMatrixView<T> see_rows(const EntryBlock<T>& block, Index begin, Index end, MatrixView<T> tile) {
  const auto* const lines = std::get_if<ConstMatrixView<T>>(&block.lines);
  const bool may_be_nan = block.weights.counted == Counted::numbers;
  if (lines != nullptr && block.layout == Layout::row_major && block.divisor == 1 && !may_be_nan) {
    return lines->middle_rows(begin, end);
  }
  load_rows(block, begin, end, tile);
  return tile;
}

template <class T>
SparseRows<T>::SparseRows(const EntryBlock<T>& block) : scale_(static_cast<T>(1 / block.divisor)) {
  std::visit(
      [&]<class Lines>(const Lines& lines) {
        if constexpr (!std::is_same_v<Lines, SparseLines<T>>) {
          copy_ = without_zeros(lines, block.layout, T{});
          lines_ = copy_;
        } else if (block.layout == Layout::column_major) {
          copy_ = turned(lines);
          lines_ = copy_;
        } else {
          lines_ = lines;
        }
      },
      block.lines);
}

template void load_weights(const EntryBlock<float>&, Index, Index, MatrixView<float>);
template void load_weights(const EntryBlock<double>&, Index, Index, MatrixView<double>);
template void load_rows(const EntryBlock<float>&, Index, Index, MatrixView<float>);
template void load_rows(const EntryBlock<double>&, Index, Index, MatrixView<double>);
template ConstMatrixView<float> see_rows(const EntryBlock<float>&, Index, Index, MatrixView<float>);
template ConstMatrixView<double> see_rows(const EntryBlock<double>&, Index, Index, MatrixView<double>);
template class SparseRows<float>;
template class SparseRows<double>;

}  // namespace anmf
