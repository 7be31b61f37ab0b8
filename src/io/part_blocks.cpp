// SPDX-License-Identifier: MIT
// Some rows and columns of a source as a source of their own, and all blocks of a source as one matrix.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/error.h"
#include "io/block_sources.h"
#include "io/line_blocks.h"
#include "io/number_array.h"

namespace anmf::io {

namespace {

template <class T>
class PartOfBlocks final : public BlockSource<T> {
 public:
  PartOfBlocks(std::unique_ptr<BlockSource<T>> base, const Part& part)
      : base_(std::move(base)),
        part_(part),
        lines_(layout() == Layout::row_major ? part.rows : part.cols),
        positions_(layout() == Layout::row_major ? part.cols : part.rows) {
    while (base_->first_line(begin_ + 1) <= lines_.begin) ++begin_;
    end_ = begin_ + 1;
    while (base_->first_line(end_) < lines_.begin + lines_.count) ++end_;
  }

  [[nodiscard]] Index rows() const override { return part_.rows.count; }
  [[nodiscard]] Index cols() const override { return part_.cols.count; }
  /// How many of them lie in the part is known only after reading.
  [[nodiscard]] Index nonzeros() const override { return sparse() ? base_->nonzeros() : rows() * cols(); }
  [[nodiscard]] bool sparse() const override { return base_->sparse(); }
  [[nodiscard]] Layout layout() const override { return base_->layout(); }
  [[nodiscard]] Index blocks() const override { return end_ - begin_; }
  [[nodiscard]] Index first_line(Index block) const override {
    return std::clamp<Index>(base_->first_line(begin_ + block) - lines_.begin, 0, lines_.count);
  }
  [[nodiscard]] double bytes(Index block) const override { return base_->bytes(begin_ + block); }
  [[nodiscard]] double bytes_in_memory(Index block) const override {
    return base_->bytes_in_memory(begin_ + block);
  }

  [[nodiscard]] Index clipped() const override { return base_->clipped(); }

  void read(Index block, BlockEntries<T>& entries) override {
    const Index first = base_->first_line(begin_ + block);
    const Index skipped = lines_.begin + first_line(block) - first;
    const Index count = first_line(block + 1) - first_line(block);
    const Index width = layout() == Layout::row_major ? base_->cols() : base_->rows();
    if (positions_.count == width && count == base_->first_line(begin_ + block + 1) - first) {
      base_->read(begin_ + block, entries);
      return;
    }
    base_->read(begin_ + block, whole_);
    std::visit([&](const auto& lines) { cut(lines, skipped, count, entries); }, whole_);
  }

 private:
  template <class S>
  void cut(const Matrix<S>& lines, Index first, Index count, BlockEntries<T>& entries) const {
    Matrix<S>& result = dense_block<S>(entries, count, positions_.count);
    for (Index i = 0; i < count; ++i)
      std::copy_n(lines.view().row(first + i) + positions_.begin, positions_.count, result.view().row(i));
  }

  void cut(const Csr<T>& lines, Index first, Index count, BlockEntries<T>& entries) const {
    Csr<T>& result = sparse_block<T>(entries, positions_.count);
    result.rows = count;
    for (Index i = first; i < first + count; ++i) {
      const auto at = [&](Index offset) { return lines.indices.begin() + offset; };
      const auto line_end = at(lines.offsets[static_cast<std::size_t>(i) + 1]);
      const auto begin =
          std::lower_bound(at(lines.offsets[static_cast<std::size_t>(i)]), line_end, positions_.begin);
      const auto end = std::lower_bound(begin, line_end, positions_.begin + positions_.count);
      for (auto index = begin; index != end; ++index)
        result.indices.push_back(static_cast<std::uint32_t>(*index - positions_.begin));
      const auto values = lines.values.begin() + (begin - lines.indices.begin());
      result.values.insert(result.values.end(), values, values + (end - begin));
      result.offsets.push_back(static_cast<Index>(result.indices.size()));
    }
  }

  std::unique_ptr<BlockSource<T>> base_;
  Part part_;
  RowRange lines_;      // of the base
  RowRange positions_;  // in each of them
  Index begin_ = 0;     // the first block of the base that has some of the lines
  Index end_ = 0;       // behind the last
  BlockEntries<T> whole_;
};

/// Appends `more` to `lines`.
template <class T>
void append(Csr<T>& lines, const Csr<T>& more) {
  const auto stored = static_cast<Index>(lines.indices.size());
  for (Index i = 1; i <= more.rows; ++i)
    lines.offsets.push_back(stored + more.offsets[static_cast<std::size_t>(i)]);
  lines.indices.insert(lines.indices.end(), more.indices.begin(), more.indices.end());
  lines.values.insert(lines.values.end(), more.values.begin(), more.values.end());
  lines.rows += more.rows;
}

template <class T>
LoadedMatrix<T> collect_sparse(BlockSource<T>& source, Index expected) {
  const bool by_rows = source.layout() == Layout::row_major;
  Csr<T> lines{.offsets = {0}};
  lines.indices.reserve(static_cast<std::size_t>(expected));
  lines.values.reserve(static_cast<std::size_t>(expected));
  BlockEntries<T> block;
  for (Index k = 0; k < source.blocks(); ++k) {
    source.read(k, block);
    append(lines, std::get<Csr<T>>(block));
  }
  block = {};
  std::vector<std::uint32_t> line_indices = expand_offsets(lines.offsets);
  if (!by_rows) std::swap(line_indices, lines.indices);
  LoadedMatrix<T> result;
  result.data = SparseData<T>::from_triplets(source.rows(), source.cols(), std::move(line_indices),
                                             std::move(lines.indices), std::move(lines.values));
  return result;
}

/// `block` is the first one, which tells the type of the entries.
template <class T, class S>
LoadedMatrix<T> collect_dense(BlockSource<T>& source, BlockEntries<T>& block, const Matrix<S>& /*lines*/) {
  const bool by_rows = source.layout() == Layout::row_major;
  const auto all = std::make_shared<Matrix<S>>(source.first_line(source.blocks()),
                                               by_rows ? source.cols() : source.rows());
  for (Index k = 0; k < source.blocks(); ++k) {
    if (k > 0) source.read(k, block);
    const auto& lines = std::get<Matrix<S>>(block);
    std::copy_n(lines.data(), lines.size(), all->view().row(source.first_line(k)));
  }
  LoadedMatrix<T> result;
  result.entries = all;
  if (by_rows) result.dense = std::as_const(*all).view();
  result.data = std::make_unique<DenseData<T>>(std::as_const(*all).view(), source.layout());
  return result;
}

template <class T>
LoadedMatrix<T> collect_dense(BlockSource<T>& /*source*/, BlockEntries<T>& /*block*/,
                              const Csr<T>& /*lines*/) {
  throw InvalidInput("A source of dense blocks gave a sparse one.");
}

}  // namespace

template <class T>
std::unique_ptr<BlockSource<T>> part_of(std::unique_ptr<BlockSource<T>> source, const Part& part) {
  return std::make_unique<PartOfBlocks<T>>(std::move(source), part);
}

template <class T>
LoadedMatrix<T> collect(BlockSource<T>& source, Index expected) {
  LoadedMatrix<T> result;
  if (source.sparse()) {
    result = collect_sparse(source, expected);
  } else {
    BlockEntries<T> block;
    source.read(0, block);
    result = std::visit([&](const auto& lines) { return collect_dense(source, block, lines); }, block);
  }
  result.clipped = source.clipped();
  return result;
}

template std::unique_ptr<BlockSource<float>> part_of(std::unique_ptr<BlockSource<float>>, const Part&);
template std::unique_ptr<BlockSource<double>> part_of(std::unique_ptr<BlockSource<double>>, const Part&);
template LoadedMatrix<float> collect(BlockSource<float>&, Index);
template LoadedMatrix<double> collect(BlockSource<double>&, Index);

}  // namespace anmf::io
