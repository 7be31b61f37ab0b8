// SPDX-License-Identifier: MIT
// What data shows of its entries, put together again one by one.
#pragma once

#include <gtest/gtest.h>

#include <type_traits>
#include <variant>
#include <vector>

#include "support/problems.h"

namespace anmf::test {

struct Shown {
  Matrix<double> entries;      ///< of M, or of M' for Side::H; 0 where nothing was shown
  std::vector<RowRange> rows;  ///< of every block
  std::vector<RowRange> columns;
  std::vector<Layout> layouts;
  std::vector<const void*> memory;  ///< of the first stored entry of every block
  Index count = 0;                  ///< of the entries that were shown
};

/// Calls add(line, position, value) for the entries of a block, and returns where they lie.
template <class T, class Add>
const void* for_each_entry(const EntryBlock<T>& block, const Add& add) {
  const bool by_rows = block.layout == Layout::row_major;
  const Index count = by_rows ? block.rows.count : block.columns.count;
  const Index width = by_rows ? block.columns.count : block.rows.count;
  return std::visit(
      [&]<class Lines>(const Lines& lines) -> const void* {
        if constexpr (std::is_same_v<Lines, SparseLines<T>>) {
          EXPECT_EQ(lines.lines(), count);
          EXPECT_EQ(lines.width, width);
          for (Index i = 0; i < lines.lines(); ++i) {
            for (auto k = static_cast<std::size_t>(lines.offsets[static_cast<std::size_t>(i)]);
                 k < static_cast<std::size_t>(lines.offsets[static_cast<std::size_t>(i) + 1]); ++k)
              add(i, Index{lines.indices[k]}, static_cast<double>(lines.values[k]));
          }
          return lines.values.data();
        } else {
          EXPECT_EQ(lines.rows, count);
          EXPECT_EQ(lines.cols, width);
          for (Index i = 0; i < lines.rows; ++i) {
            for (Index j = 0; j < lines.cols; ++j) add(i, j, static_cast<double>(lines(i, j)));
          }
          return lines.data;
        }
      },
      block.lines);
}

/// No entry is shown twice, blocks of whole rows come in their order and have all columns.
template <class T>
Shown shown_entries(const Data<T>& data, Side side) {
  Shown shown;
  shown.entries =
      side == Side::W ? Matrix<double>(data.rows(), data.cols()) : Matrix<double>(data.cols(), data.rows());
  Index twice = 0;
  Matrix<int> times(shown.entries.rows(), shown.entries.cols());
  data.for_each_block(side, [&](const EntryBlock<T>& block) {
    if (data.whole_rows(side)) {
      EXPECT_EQ(block.columns, (RowRange{0, shown.entries.cols()}));
      if (!shown.rows.empty()) {
        const RowRange& last = shown.rows.back();
        EXPECT_EQ(block.rows.begin, last.begin + last.count);
      }
    }
    const void* const memory = for_each_entry(block, [&](Index line, Index position, double value) {
      if (block.layout == Layout::column_major) std::swap(line, position);
      const Index i = block.rows.begin + line;
      const Index j = block.columns.begin + position;
      shown.entries(i, j) = value / block.divisor;
      twice += static_cast<Index>(times(i, j)++ > 0);
      ++shown.count;
    });
    shown.rows.push_back(block.rows);
    shown.columns.push_back(block.columns);
    shown.layouts.push_back(block.layout);
    shown.memory.push_back(memory);
  });
  EXPECT_EQ(twice, 0);
  return shown;
}

/// All of M and nothing else; explicit zeros are not shown by sparse data.
template <class T, class S>
void expect_shows(const Data<T>& data, const Matrix<S>& M, double divisor = 1) {
  EXPECT_TRUE(data.shows_entries());
  Matrix<double> expected(M.rows(), M.cols());
  Index nonzeros = 0;
  for (Index k = 0; k < M.size(); ++k) {
    expected.data()[k] = static_cast<double>(M.data()[k]) / divisor;
    nonzeros += static_cast<Index>(M.data()[k] != S{0});
  }
  for (const Side side : {Side::W, Side::H}) {
    SCOPED_TRACE(side == Side::W ? "for W" : "for H");
    const Shown shown = shown_entries(data, side);
    EXPECT_EQ(shown.entries, side == Side::W ? expected : transposed(expected));
    EXPECT_EQ(shown.count, is_sparse(data.storage()) ? nonzeros : M.size());
  }
}

}  // namespace anmf::test
