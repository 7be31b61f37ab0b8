// SPDX-License-Identifier: MIT
// A .npy file, or a part of it, in blocks: its rows, or its columns if they lie together. Where these
// are too long, blocks are parts of all of them: columns of a file by rows, or the other way round. Entries
// of a type narrower than T stay in it; those that are neither become T while they are read.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "io/block_sources.h"
#include "io/input_file.h"
#include "io/line_blocks.h"
#include "io/line_checks.h"
#include "io/npy_reader.h"
#include "io/own.h"
#include "io/steady_file.h"
#include "validate/entries.h"

namespace anmf::io {

namespace {

/// Whether blocks are parts of all lines of the file and not whole lines of it: if the fewest whole lines
/// are too many bytes, and the narrowest parts are fewer.
bool cut_across(Index lines, Index width, double entry_bytes, double most_bytes) {
  const auto fewest_bytes = [&](Index of, Index length) {
    return static_cast<double>(lines_per_block(of, static_cast<double>(length) * entry_bytes, 0)) *
           static_cast<double>(length) * entry_bytes;
  };
  const double whole = fewest_bytes(lines, width);
  return whole > most_bytes && fewest_bytes(width, lines) < whole;
}

template <class T, class S>
class NpyBlocks final : public BlockSource<T> {
 public:
  NpyBlocks(std::unique_ptr<SteadyFile> file, NpyHeader header, const BlockOptions& options, const Part& part)
      : file_(std::move(file)),
        header_(std::move(header)),
        reading_(options.reading),
        part_(part),
        stored_(header_.matrix.by_columns ? part.cols : part.rows),
        positions_(header_.matrix.by_columns ? part.rows : part.cols),
        across_(cut_across(stored_.count, positions_.count, sizeof(S), options.most_bytes)),
        step_(lines_per_block(lines().count, static_cast<double>(width()) * sizeof(S), options.most_bytes)),
        checked_(static_cast<std::size_t>(blocks()), false) {}

  [[nodiscard]] Index rows() const override { return part_.rows.count; }
  [[nodiscard]] Index cols() const override { return part_.cols.count; }
  [[nodiscard]] Index nonzeros() const override { return rows() * cols(); }
  [[nodiscard]] bool sparse() const override { return false; }
  [[nodiscard]] Layout layout() const override {
    return header_.matrix.by_columns == across_ ? Layout::row_major : Layout::column_major;
  }
  [[nodiscard]] Index blocks() const override { return (lines().count + step_ - 1) / step_; }
  [[nodiscard]] Index first_line(Index block) const override {
    return std::min(lines().count, block * step_);
  }
  [[nodiscard]] double bytes(Index block) const override {
    return static_cast<double>(entries_of(block) * header_.item_bytes);
  }
  [[nodiscard]] double bytes_in_memory(Index block) const override {
    return static_cast<double>(entries_of(block)) * sizeof(S);
  }

  void read(Index block, BlockEntries<T>& entries) override {
    const Index first = lines().begin + first_line(block);
    const Index count = first_line(block + 1) - first_line(block);
    const std::string name = block_name(*this, block, lines().begin);
    Matrix<S>& matrix = dense_block<S>(entries, count, width());
    try {
      if (across_) {
        read_parts(first, matrix.view());
      } else if (width() == stored_width()) {
        read_run(first, 0, matrix.size(), matrix.data());
      } else {
        for (Index i = 0; i < count; ++i)
          read_run(first + i, positions_.begin, width(), matrix.view().row(i));
      }
    } catch (const IoError&) {
      file_->expect_unchanged(name);  // the better reason, if it is one
      throw;
    }
    file_->expect_unchanged(name);
    if (reading_.negative == Negative::clip) clipped_ += clip_negative<S>(matrix.values());
    if (checked_[static_cast<std::size_t>(block)]) return;
    const Index first_position = (across_ ? stored_ : positions_).begin;
    naming_file(file_->path(), [&] {
      check_lines(std::as_const(matrix).view(), first, layout(), first_position, has_gaps());
    });
    checked_[static_cast<std::size_t>(block)] = true;
  }
  [[nodiscard]] Index clipped() const override { return clipped_; }
  [[nodiscard]] bool has_gaps() const override {
    return std::is_floating_point_v<S> && reading_.missing == Missing::nan;
  }

 private:
  /// The lines that blocks consist of.
  [[nodiscard]] const RowRange& lines() const { return across_ ? positions_ : stored_; }
  [[nodiscard]] Index width() const { return (across_ ? stored_ : positions_).count; }
  [[nodiscard]] Index entries_of(Index block) const {
    return (first_line(block + 1) - first_line(block)) * width();
  }
  /// Entries of a line of the file.
  [[nodiscard]] Index stored_width() const { return header_.matrix.width(); }

  /// Entries that follow each other in the file, from this one of a line on.
  void read_run(Index line, Index position, Index count, S* target) const {
    const auto bytes = [&](Index entries) {
      return static_cast<std::uint64_t>(entries * header_.item_bytes);
    };
    const Index first = line * stored_width() + position;
    FileStretch stretch(*file_, header_.offset + bytes(first), bytes(count));
    read_npy_run(stretch, header_, file_->path(), first, count, target);
  }

  /// The part of all lines of the file that begins at this position of each, turned. Some lines at a time, so
  /// that neither side is walked through far apart.
  void read_parts(Index position, MatrixView<S> target) {
    constexpr Index kTogether = 16;
    Matrix<S> parts(kTogether, target.rows);
    for (Index begin = 0; begin < stored_.count; begin += kTogether) {
      const Index count = std::min(kTogether, stored_.count - begin);
      for (Index i = 0; i < count; ++i)
        read_run(stored_.begin + begin + i, position, target.rows, parts.view().row(i));
      for (Index j = 0; j < target.rows; ++j) {
        for (Index i = 0; i < count; ++i) target(j, begin + i) = parts(i, j);
      }
    }
  }

  std::unique_ptr<SteadyFile> file_;
  NpyHeader header_;
  Reading reading_;
  Index clipped_ = 0;
  Part part_;
  RowRange stored_;     // lines of the file
  RowRange positions_;  // in each of them
  bool across_;
  Index step_;
  std::vector<bool> checked_;  // once is enough for a file that stays as it is, and takes as long as reading
};

}  // namespace

bool npy_comes_whole(const Location& at) {
  InputFile file(at.file);
  return read_npy_header(file, at.file, at.cube).matrix.turned;
}

template <class T>
std::unique_ptr<BlockSource<T>> open_npy_blocks(const Location& at, const BlockOptions& options,
                                                const std::optional<Part>& part) {
  auto file = std::make_unique<SteadyFile>(at.file);
  NpyHeader header = read_npy_header(file->from_start(), at.file, at.cube);
  const Unfolded& matrix = header.matrix;
  if (matrix.turned) throw InvalidInput(fmt::format("{}: has become another file.", at.file.string()));
  naming_file(at.file, [&] { validate::shape("M", matrix.rows, matrix.cols); });
  const Part all = {.rows = {0, matrix.rows}, .cols = {0, matrix.cols}};
  const auto as = [&]<class S>() -> std::unique_ptr<BlockSource<T>> {
    return std::make_unique<NpyBlocks<T, S>>(std::move(file), std::move(header), options, part.value_or(all));
  };
  if (header.kind == 'u' && header.item_bytes == 1) return as.template operator()<std::uint8_t>();
  if (header.kind == 'u' && header.item_bytes == 2) return as.template operator()<std::uint16_t>();
  if (header.kind == 'f' && header.item_bytes == 4) return as.template operator()<float>();
  return as.template operator()<T>();
}

template std::unique_ptr<BlockSource<float>> open_npy_blocks(const Location&, const BlockOptions&,
                                                             const std::optional<Part>&);
template std::unique_ptr<BlockSource<double>> open_npy_blocks(const Location&, const BlockOptions&,
                                                              const std::optional<Part>&);

}  // namespace anmf::io
