// SPDX-License-Identifier: MIT
// Blocks of a matrix in memory, as if they came from a file.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "anmf/stream.h"
#include "support/problems.h"

namespace anmf::test {

/// How a matrix comes in blocks.
struct Blocks {
  Layout layout = Layout::row_major;
  bool sparse = false;
  Index lines = 48;  ///< of every block but the last one
};

/// The entries are stored as S. `before_read` is called with the block that is about to be read.
template <class T, class S = T>
class MemorySource final : public BlockSource<T> {
 public:
  MemorySource(const Matrix<S>& M, Blocks how, std::function<void(Index)> before_read = {})
      : rows_(M.rows()),
        cols_(M.cols()),
        how_(how),
        lines_(how.layout == Layout::row_major ? M : transposed(M)),
        before_read_(std::move(before_read)) {
    for (Index block = 0; block < blocks(); ++block) blocks_.push_back(entries_of(block));
  }

  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index cols() const override { return cols_; }
  [[nodiscard]] bool sparse() const override { return how_.sparse; }
  [[nodiscard]] Layout layout() const override { return how_.layout; }
  [[nodiscard]] Index nonzeros() const override {
    Index count = 0;
    for (const S x : lines_.values()) count += static_cast<Index>(x > S{0});
    return how_.sparse ? count : lines_.size();
  }
  [[nodiscard]] Index blocks() const final { return (lines_.rows() + how_.lines - 1) / how_.lines; }
  [[nodiscard]] Index first_line(Index block) const final {
    return std::min(lines_.rows(), block * how_.lines);
  }
  [[nodiscard]] double bytes(Index block) const override {
    return static_cast<double>((first_line(block + 1) - first_line(block)) * lines_.cols()) * sizeof(S);
  }
  void read(Index block, BlockEntries<T>& entries) override {
    if (before_read_) before_read_(block);
    entries = blocks_[static_cast<std::size_t>(block)];
  }

 private:
  BlockEntries<T> entries_of(Index block) const {
    const auto part = lines_.view().middle_rows(first_line(block), first_line(block + 1));
    Matrix<S> copy(part.rows, part.cols);
    std::copy_n(part.data, copy.size(), copy.data());
    if constexpr (std::is_same_v<S, T>) {
      if (how_.sparse) return to_sparse(copy)->by_row();
    }
    return copy;
  }

  Index rows_;
  Index cols_;
  Blocks how_;
  Matrix<S> lines_;
  std::vector<BlockEntries<T>> blocks_;
  std::function<void(Index)> before_read_;
};

template <class T, class S = T>
std::unique_ptr<StreamedData<T>> to_stream(const Matrix<S>& M, Blocks how,
                                           std::function<void(Index)> before_read = {}) {
  return std::make_unique<StreamedData<T>>(
      std::make_unique<MemorySource<T, S>>(M, how, std::move(before_read)));
}

/// Blocks of so many rows or columns, dense and sparse.
inline std::vector<Blocks> all_kinds(Index lines) {
  std::vector<Blocks> kinds;
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    for (const bool sparse : {false, true}) kinds.push_back({layout, sparse, lines});
  }
  return kinds;
}

}  // namespace anmf::test
