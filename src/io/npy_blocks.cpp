// SPDX-License-Identifier: MIT
// A .npy file, or a part of it, in blocks: its rows, or its columns if it is in Fortran order. Entries of a
// type narrower than T stay in it; those that are neither become T while they are read.
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
#include "io/line_blocks.h"
#include "io/line_checks.h"
#include "io/npy_reader.h"
#include "io/own.h"
#include "io/steady_file.h"
#include "validate/entries.h"

namespace anmf::io {

namespace {

template <class T, class S>
class NpyBlocks final : public BlockSource<T> {
 public:
  NpyBlocks(std::unique_ptr<SteadyFile> file, NpyHeader header, const BlockOptions& options, const Part& part)
      : file_(std::move(file)),
        header_(std::move(header)),
        negative_(options.negative),
        part_(part),
        lines_(header_.fortran_order ? part.cols : part.rows),
        positions_(header_.fortran_order ? part.rows : part.cols),
        step_(lines_per_block(lines_.count, static_cast<double>(positions_.count) * sizeof(S),
                              options.most_bytes)),
        checked_(static_cast<std::size_t>(blocks()), false) {}

  [[nodiscard]] Index rows() const override { return part_.rows.count; }
  [[nodiscard]] Index cols() const override { return part_.cols.count; }
  [[nodiscard]] Index nonzeros() const override { return rows() * cols(); }
  [[nodiscard]] bool sparse() const override { return false; }
  [[nodiscard]] Layout layout() const override {
    return header_.fortran_order ? Layout::column_major : Layout::row_major;
  }
  [[nodiscard]] Index blocks() const override { return (lines_.count + step_ - 1) / step_; }
  [[nodiscard]] Index first_line(Index block) const override { return std::min(lines_.count, block * step_); }
  [[nodiscard]] double bytes(Index block) const override {
    const Index entries = (first_line(block + 1) - first_line(block)) * positions_.count;
    return static_cast<double>(entries * header_.item_bytes);
  }

  void read(Index block, BlockEntries<T>& entries) override {
    const Index first = lines_.begin + first_line(block);
    const Index count = first_line(block + 1) - first_line(block);
    const std::string name = block_name(*this, block, lines_.begin);
    Matrix<S>& matrix = dense_block<S>(entries, count, positions_.count);
    try {
      if (positions_.count == width()) {
        read_run(first * width(), matrix.size(), matrix.data());
      } else {
        for (Index i = 0; i < count; ++i)
          read_run((first + i) * width() + positions_.begin, positions_.count, matrix.view().row(i));
      }
    } catch (const IoError&) {
      file_->expect_unchanged(name);  // the better reason, if it is one
      throw;
    }
    file_->expect_unchanged(name);
    if (negative_ == Negative::clip) clipped_ += clip_negative<S>(matrix.values());
    if (checked_[static_cast<std::size_t>(block)]) return;
    naming_file(file_->path(),
                [&] { check_lines(std::as_const(matrix).view(), first, layout(), positions_.begin); });
    checked_[static_cast<std::size_t>(block)] = true;
  }
  [[nodiscard]] Index clipped() const override { return clipped_; }

 private:
  /// Entries of a line of the file.
  [[nodiscard]] Index width() const { return header_.fortran_order ? header_.rows : header_.cols; }

  /// Entries that follow each other in the file, from this one on.
  void read_run(Index first, Index count, S* target) const {
    const auto bytes = [&](Index entries) {
      return static_cast<std::uint64_t>(entries * header_.item_bytes);
    };
    FileStretch stretch(*file_, header_.offset + bytes(first), bytes(count));
    read_npy_run(stretch, header_, file_->path(), first, count, target);
  }

  std::unique_ptr<SteadyFile> file_;
  NpyHeader header_;
  Negative negative_;
  Index clipped_ = 0;
  Part part_;
  RowRange lines_;      // of the file
  RowRange positions_;  // in each of them
  Index step_;
  std::vector<bool> checked_;  // once is enough for a file that stays as it is, and takes as long as reading
};

}  // namespace

template <class T>
std::unique_ptr<BlockSource<T>> open_npy_blocks(const std::filesystem::path& path,
                                                const BlockOptions& options,
                                                const std::optional<Part>& part) {
  auto file = std::make_unique<SteadyFile>(path);
  NpyHeader header = read_npy_header(file->from_start(), path);
  naming_file(path, [&] { validate::shape("M", header.rows, header.cols); });
  const Part all = {.rows = {0, header.rows}, .cols = {0, header.cols}};
  const auto as = [&]<class S>() -> std::unique_ptr<BlockSource<T>> {
    return std::make_unique<NpyBlocks<T, S>>(std::move(file), std::move(header), options, part.value_or(all));
  };
  if (header.kind == 'u' && header.item_bytes == 1) return as.template operator()<std::uint8_t>();
  if (header.kind == 'u' && header.item_bytes == 2) return as.template operator()<std::uint16_t>();
  if (header.kind == 'f' && header.item_bytes == 4) return as.template operator()<float>();
  return as.template operator()<T>();
}

template std::unique_ptr<BlockSource<float>> open_npy_blocks(const std::filesystem::path&,
                                                             const BlockOptions&, const std::optional<Part>&);
template std::unique_ptr<BlockSource<double>> open_npy_blocks(const std::filesystem::path&,
                                                              const BlockOptions&,
                                                              const std::optional<Part>&);

}  // namespace anmf::io
