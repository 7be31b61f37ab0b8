// SPDX-License-Identifier: MIT
// Where a matrix on disk is cut: a block has whole lines (rows, or columns), in multiples of what a sweep
// takes at a time, and at most so many bytes in memory unless that is too little for one multiple.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "anmf/data.h"
#include "anmf/stream.h"
#include "kernels/panels.h"

namespace anmf::io {

/// Lines of a block if all lines have the same size.
[[nodiscard]] inline Index lines_per_block(Index lines, double line_bytes, double most_bytes) {
  const double fitting = most_bytes / std::max(1.0, line_bytes);
  if (fitting >= static_cast<double>(lines)) return lines;
  const Index groups = static_cast<Index>(fitting) / kBlockRows;
  return std::min(lines, std::max<Index>(1, groups) * kBlockRows);
}

/// What a sparse block takes in memory.
template <class T>
[[nodiscard]] double sparse_bytes(Index lines, Index entries) {
  return static_cast<double>(lines) * sizeof(Index) +
         static_cast<double>(entries) * (sizeof(T) + sizeof(std::uint32_t));
}

/// The first line of every block, and the number of lines at the end. `bytes(begin, end)` is what those lines
/// take.
template <class Bytes>
[[nodiscard]] std::vector<Index> cut_lines(Index lines, double most_bytes, const Bytes& bytes) {
  std::vector<Index> firsts = {0};
  while (firsts.back() < lines) {
    const auto next = [&](Index line) { return std::min(lines, line + kBlockRows); };
    Index end = next(firsts.back());
    while (end < lines && bytes(firsts.back(), next(end)) <= most_bytes) end = next(end);
    firsts.push_back(end);
  }
  return firsts;
}

/// How messages name a block: "block 3 (rows 96 to 143)". The source begins at line `first` of the file.
template <class T>
[[nodiscard]] std::string block_name(const BlockSource<T>& source, Index block, Index first = 0) {
  return fmt::format("block {} ({}s {} to {}, counted from 0)", block,
                     source.layout() == Layout::row_major ? "row" : "column",
                     first + source.first_line(block), first + source.first_line(block + 1) - 1);
}

/// A matrix of this type and size in `entries`, whose memory is used again if it has them already. The old
/// one goes first, so that there are never both.
template <class S, class Entries>
[[nodiscard]] Matrix<S>& dense_block(Entries& entries, Index lines, Index width) {
  if (auto* const matrix = std::get_if<Matrix<S>>(&entries)) {
    if (matrix->rows() == lines && matrix->cols() == width) return *matrix;
  }
  entries = Matrix<S>();
  return entries.template emplace<Matrix<S>>(lines, width);
}

/// The same for an empty sparse block without lines yet.
template <class T, class Entries>
[[nodiscard]] Csr<T>& sparse_block(Entries& entries, Index width) {
  if (!std::holds_alternative<Csr<T>>(entries)) entries = Csr<T>();
  auto& block = std::get<Csr<T>>(entries);
  block.rows = 0;
  block.cols = width;
  block.offsets.assign(1, 0);
  block.indices.clear();
  block.values.clear();
  return block;
}

}  // namespace anmf::io
