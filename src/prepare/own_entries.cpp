// SPDX-License-Identifier: MIT
#include "prepare/own_entries.h"

#include <utility>

namespace anmf {
namespace {

/// Lines of a block, dense or sparse, to their places in a matrix.
template <class T, class Lines>
void place(const EntryBlock<T>& block, const Lines& lines, Matrix<T>& result) {
  const bool by_row = block.layout == Layout::row_major;
  const auto put = [&](Index line, Index position, T value) {
    const Index i = block.rows.begin + (by_row ? line : position);
    const Index j = block.columns.begin + (by_row ? position : line);
    result(i, j) = static_cast<T>(static_cast<double>(value) / block.divisor);
  };
  if constexpr (std::is_same_v<Lines, SparseLines<T>>) {
    for (Index line = 0; line < lines.lines(); ++line) {
      for (Index k = lines.offsets[static_cast<std::size_t>(line)];
           k < lines.offsets[static_cast<std::size_t>(line) + 1]; ++k)
        put(line, lines.indices[static_cast<std::size_t>(k)], lines.values[static_cast<std::size_t>(k)]);
    }
  } else {
    for (Index line = 0; line < lines.rows; ++line) {
      for (Index position = 0; position < lines.cols; ++position)
        put(line, position, static_cast<T>(lines(line, position)));
    }
  }
}

/// Blocks of whole sparse rows, one after another.
template <class T>
void append(const EntryBlock<T>& block, const SparseLines<T>& lines, Csr<T>& result) {
  for (std::size_t line = 0; line + 1 < lines.offsets.size(); ++line) {
    for (auto k = static_cast<std::size_t>(lines.offsets[line]);
         k < static_cast<std::size_t>(lines.offsets[line + 1]); ++k) {
      result.indices.push_back(lines.indices[k]);
      result.values.push_back(static_cast<T>(static_cast<double>(lines.values[k]) / block.divisor));
    }
    result.offsets.push_back(static_cast<Index>(result.values.size()));
  }
}

}  // namespace

template <class T>
OwnEntries<T> copy_entries(const Data<T>& M) {
  if (M.storage() == Storage::sparse) {
    Csr<T> result{.rows = M.rows(), .cols = M.cols(), .offsets = {0}, .indices = {}, .values = {}};
    result.offsets.reserve(static_cast<std::size_t>(M.rows()) + 1);
    result.indices.reserve(static_cast<std::size_t>(M.nonzeros()));
    result.values.reserve(static_cast<std::size_t>(M.nonzeros()));
    M.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
      append(block, std::get<SparseLines<T>>(block.lines), result);
    });
    return result;
  }
  Matrix<T> result(M.rows(), M.cols());
  M.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    std::visit([&](const auto& lines) { place(block, lines, result); }, block.lines);
  });
  return result;
}

template <class T>
void keep_columns(OwnEntries<T>& M, const std::vector<Index>& kept) {
  if (auto* const dense = std::get_if<Matrix<T>>(&M)) {
    Matrix<T> result(dense->rows(), static_cast<Index>(kept.size()));
    for (Index i = 0; i < result.rows(); ++i) {
      for (Index j = 0; j < result.cols(); ++j) result(i, j) = (*dense)(i, kept[static_cast<std::size_t>(j)]);
    }
    *dense = std::move(result);
    return;
  }
  auto& sparse = std::get<Csr<T>>(M);
  constexpr Index kNowhere = -1;
  std::vector<Index> new_column(static_cast<std::size_t>(sparse.cols), kNowhere);
  for (std::size_t j = 0; j < kept.size(); ++j)
    new_column[static_cast<std::size_t>(kept[j])] = static_cast<Index>(j);
  std::size_t end = 0;  // what stays moves to the front
  std::size_t next = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sparse.rows); ++i) {
    for (; next < static_cast<std::size_t>(sparse.offsets[i + 1]); ++next) {
      const Index column = new_column[sparse.indices[next]];
      if (column == kNowhere) continue;
      sparse.indices[end] = static_cast<std::uint32_t>(column);
      sparse.values[end] = sparse.values[next];
      ++end;
    }
    sparse.offsets[i + 1] = static_cast<Index>(end);
  }
  sparse.indices.resize(end);
  sparse.values.resize(end);
  sparse.cols = static_cast<Index>(kept.size());
}

template OwnEntries<float> copy_entries(const Data<float>&);
template OwnEntries<double> copy_entries(const Data<double>&);
template void keep_columns(OwnEntries<float>&, const std::vector<Index>&);
template void keep_columns(OwnEntries<double>&, const std::vector<Index>&);

}  // namespace anmf
