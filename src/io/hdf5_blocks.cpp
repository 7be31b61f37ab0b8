// SPDX-License-Identifier: MIT
// A matrix of an HDF5 file in blocks: the lines of a dataset, the rows of CSR, or the columns of CSC. The
// library bears one thread at a time, so that everything that calls it holds hdf5_mutex(), closing included.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/canonical_csr.h"
#include "io/block_sources.h"
#include "io/hdf5_file.h"
#include "io/hdf5_places.h"
#include "io/line_blocks.h"
#include "io/line_checks.h"
#include "io/own.h"
#include "io/steady_file.h"
#include "validate/entries.h"

namespace anmf::io {

namespace {

struct OpenMatrix {
  std::unique_ptr<SteadyFile> steady;  ///< opened before the library opens it
  std::unique_ptr<Hdf5File> file;
  Hdf5Matrix matrix;

  [[nodiscard]] std::string name() const { return file->where(matrix.place); }
};

// Reads with the library, and sees to it that the file is the one that was opened: also before, since the
// library does not bear damaged files.
template <class Read>
void read_steadily(const SteadyFile& file, const std::string& place, const Read& read) {
  file.expect_unchanged(place);
  {
    const std::lock_guard lock(hdf5_mutex());
    read();
  }
  file.expect_unchanged(place);
}

/// The lines of a dataset, whose entries are kept as S.
template <class T, class S>
class DatasetBlocks final : public BlockSource<T> {
 public:
  DatasetBlocks(OpenMatrix open, std::unique_ptr<Hdf5Array> array, const BlockOptions& options)
      : open_(std::move(open)),
        array_(std::move(array)),
        reading_(options.reading),
        step_(
            lines_per_block(as().lines(), static_cast<double>(as().width()) * sizeof(S), options.most_bytes)),
        checked_(static_cast<std::size_t>(blocks()), false) {}
  DatasetBlocks(const DatasetBlocks&) = delete;
  DatasetBlocks& operator=(const DatasetBlocks&) = delete;
  ~DatasetBlocks() override {
    const std::lock_guard lock(hdf5_mutex());
    array_.reset();
    open_.file.reset();
  }

  [[nodiscard]] Index rows() const override { return open_.matrix.rows; }
  [[nodiscard]] Index cols() const override { return open_.matrix.cols; }
  [[nodiscard]] Index nonzeros() const override { return rows() * cols(); }
  [[nodiscard]] bool sparse() const override { return false; }
  [[nodiscard]] Layout layout() const override {
    return as().by_columns ? Layout::column_major : Layout::row_major;
  }
  [[nodiscard]] Index blocks() const override { return (as().lines() + step_ - 1) / step_; }
  [[nodiscard]] Index first_line(Index block) const override { return std::min(as().lines(), block * step_); }
  [[nodiscard]] double bytes(Index block) const override {
    return static_cast<double>(entries_of(block)) * static_cast<double>(array_->number_bytes());
  }
  [[nodiscard]] double bytes_in_memory(Index block) const override {
    return static_cast<double>(entries_of(block)) * sizeof(S);
  }

  void read(Index block, BlockEntries<T>& entries) override {
    const Index first = first_line(block);
    const Index count = first_line(block + 1) - first;
    Matrix<S>& matrix = dense_block<S>(entries, count, as().width());
    read_steadily(*open_.steady, block_name(*this, block),
                  [&] { array_->read_lines(as(), native_hdf5_type<S>(), first, count, matrix.data()); });
    if (reading_.negative == Negative::clip) clipped_ += clip_negative<S>(matrix.values());
    if (checked_[static_cast<std::size_t>(block)]) return;
    naming_file(array_->name(),
                [&] { check_lines(std::as_const(matrix).view(), first, layout(), 0, has_gaps()); });
    checked_[static_cast<std::size_t>(block)] = true;
  }
  [[nodiscard]] Index clipped() const override { return clipped_; }
  [[nodiscard]] bool has_gaps() const override {
    return std::is_floating_point_v<S> && reading_.missing == Missing::nan;
  }

 private:
  [[nodiscard]] const Unfolded& as() const { return open_.matrix.unfolded; }
  [[nodiscard]] Index entries_of(Index block) const {
    return (first_line(block + 1) - first_line(block)) * as().width();
  }

  OpenMatrix open_;
  std::unique_ptr<Hdf5Array> array_;
  Reading reading_;
  Index clipped_ = 0;
  Index step_;
  std::vector<bool> checked_;  // as in a .npy file
};

struct SparseArrays {
  Hdf5Array indices;
  Hdf5Array values;
};

/// The rows of CSR, or the columns of CSC.
template <class T>
class CompressedBlocks final : public BlockSource<T> {
 public:
  CompressedBlocks(OpenMatrix open, std::unique_ptr<SparseArrays> arrays, std::vector<Index> offsets,
                   const BlockOptions& options)
      : open_(std::move(open)),
        arrays_(std::move(arrays)),
        offsets_(std::move(offsets)),
        reading_(options.reading) {
    const auto lines = static_cast<Index>(offsets_.size()) - 1;
    firsts_ = cut_lines(lines, options.most_bytes, [&](Index begin, Index end) {
      return sparse_bytes<T>(end - begin, offset(end) - offset(begin));
    });
  }
  CompressedBlocks(const CompressedBlocks&) = delete;
  CompressedBlocks& operator=(const CompressedBlocks&) = delete;
  ~CompressedBlocks() override {
    const std::lock_guard lock(hdf5_mutex());
    arrays_.reset();
    open_.file.reset();
  }

  [[nodiscard]] Index rows() const override { return open_.matrix.rows; }
  [[nodiscard]] Index cols() const override { return open_.matrix.cols; }
  [[nodiscard]] Index nonzeros() const override { return offsets_.back(); }
  [[nodiscard]] bool sparse() const override { return true; }
  [[nodiscard]] Layout layout() const override {
    return open_.matrix.by_rows ? Layout::row_major : Layout::column_major;
  }
  [[nodiscard]] Index blocks() const override { return static_cast<Index>(firsts_.size()) - 1; }
  [[nodiscard]] Index first_line(Index block) const override {
    return firsts_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] double bytes(Index block) const override {
    const Index entries = offset(first_line(block + 1)) - offset(first_line(block));
    return static_cast<double>(entries) *
           static_cast<double>(arrays_->indices.number_bytes() + arrays_->values.number_bytes());
  }
  [[nodiscard]] double bytes_in_memory(Index block) const override {
    const Index begin = first_line(block);
    const Index end = first_line(block + 1);
    return sparse_bytes<T>(end - begin, offset(end) - offset(begin));
  }

  void read(Index block, BlockEntries<T>& entries) override {
    const Index first = first_line(block);
    Csr<T>& lines = sparse_block<T>(entries, open_.matrix.by_rows ? cols() : rows());
    lines.rows = first_line(block + 1) - first;
    for (Index i = 1; i <= lines.rows; ++i) lines.offsets.push_back(offset(first + i) - offset(first));
    read_steadily(*open_.steady, block_name(*this, block), [&] { read_entries(offset(first), lines); });
    if (reading_.negative == Negative::clip) clipped_ += clip_negative<T>(lines.values);
    naming_file(open_.name(), [&] {
      make_canonical(lines, open_.matrix.by_rows ? Compressed::rows : Compressed::columns, first,
                     reading_.missing == Missing::zeros ? Zeros::keep : Zeros::drop);
    });
  }
  [[nodiscard]] Index clipped() const override { return clipped_; }

 private:
  [[nodiscard]] Index offset(Index line) const { return offsets_[static_cast<std::size_t>(line)]; }

  void read_entries(Index first, Csr<T>& lines) {
    const Index count = lines.offsets.back();
    lines.values.resize(static_cast<std::size_t>(count));
    arrays_->values.read_stretch(native_hdf5_type<T>(), first, count, lines.values.data());
    lines.indices.reserve(static_cast<std::size_t>(count));
    constexpr Index kPiece = Index{1} << 16;
    for (Index done = 0; done < count; done += kPiece) {
      const Index now = std::min(kPiece, count - done);
      piece_.resize(static_cast<std::size_t>(now));
      arrays_->indices.read_stretch(H5T_NATIVE_INT64, first + done, now, piece_.data());
      append_positions(arrays_->indices, piece_, lines.cols, lines.indices, first);
    }
  }

  OpenMatrix open_;
  std::unique_ptr<SparseArrays> arrays_;
  std::vector<Index> offsets_;
  std::vector<Index> firsts_;
  std::vector<Index> piece_;
  Reading reading_;
  Index clipped_ = 0;
};

template <class T>
std::unique_ptr<BlockSource<T>> open_compressed(OpenMatrix open, const BlockOptions& options) {
  const Hdf5Matrix& matrix = open.matrix;
  Hdf5Array offsets(*open.file, matrix.place + "/indptr");
  std::unique_ptr<SparseArrays> arrays(new SparseArrays{.indices = {*open.file, matrix.place + "/indices"},
                                                        .values = {*open.file, matrix.place + "/data"}});
  arrays->indices.expect_size(arrays->values.size(), "as many as in data");
  arrays->indices.expect_whole_numbers();
  check_sparse_sizes(open.name(), matrix.rows, matrix.cols, arrays->values.size());
  std::vector<Index> starts =
      read_offsets(offsets, arrays->values.size(), matrix.by_rows ? matrix.rows : matrix.cols);
  return std::make_unique<CompressedBlocks<T>>(std::move(open), std::move(arrays), std::move(starts),
                                               options);
}

}  // namespace

template <class T>
std::unique_ptr<BlockSource<T>> open_hdf5_blocks(const Location& at, const BlockOptions& options) {
  auto steady = std::make_unique<SteadyFile>(at.file);
  const std::lock_guard lock(hdf5_mutex());
  OpenMatrix open{.steady = std::move(steady), .file = std::make_unique<Hdf5File>(at.file), .matrix = {}};
  open.matrix = find_hdf5_matrix(*open.file, at);
  naming_file(open.name(), [&] { validate::shape("M", open.matrix.rows, open.matrix.cols); });
  if (open.matrix.sparse) return open_compressed<T>(std::move(open), options);
  auto array = std::make_unique<Hdf5Array>(*open.file, open.matrix.place);
  return visit_stored_type<T>(*array, [&]<class S>() -> std::unique_ptr<BlockSource<T>> {
    return std::make_unique<DatasetBlocks<T, S>>(std::move(open), std::move(array), options);
  });
}

template std::unique_ptr<BlockSource<float>> open_hdf5_blocks(const Location&, const BlockOptions&);
template std::unique_ptr<BlockSource<double>> open_hdf5_blocks(const Location&, const BlockOptions&);

}  // namespace anmf::io
