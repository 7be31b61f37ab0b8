// SPDX-License-Identifier: MIT
// A .npy file in blocks: its rows, or its columns if it is in Fortran order. Entries of a type narrower than
// T stay in it; those that are neither become T while they are read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

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
  NpyBlocks(std::unique_ptr<SteadyFile> file, NpyHeader header, const BlockOptions& options)
      : file_(std::move(file)),
        header_(std::move(header)),
        negative_(options.negative),
        step_(lines_per_block(lines(), static_cast<double>(width()) * sizeof(S), options.most_bytes)) {}

  [[nodiscard]] Index rows() const override { return header_.rows; }
  [[nodiscard]] Index cols() const override { return header_.cols; }
  [[nodiscard]] Index nonzeros() const override { return header_.count; }
  [[nodiscard]] bool sparse() const override { return false; }
  [[nodiscard]] Layout layout() const override {
    return header_.fortran_order ? Layout::column_major : Layout::row_major;
  }
  [[nodiscard]] Index blocks() const override { return (lines() + step_ - 1) / step_; }
  [[nodiscard]] Index first_line(Index block) const override { return std::min(lines(), block * step_); }
  [[nodiscard]] double bytes(Index block) const override {
    return static_cast<double>((first_line(block + 1) - first_line(block)) * line_bytes());
  }

  void read(Index block, BlockEntries<T>& entries) override {
    const Index first = first_line(block);
    const Index count = first_line(block + 1) - first;
    Matrix<S>& matrix = dense_block<S>(entries, count, width());
    const auto offset = header_.offset + static_cast<std::uint64_t>(first * line_bytes());
    try {
      FileStretch stretch(*file_, offset, static_cast<std::uint64_t>(count * line_bytes()));
      read_npy_run(stretch, header_, file_->path(), first * width(), count * width(), matrix.data());
    } catch (const IoError&) {
      file_->expect_unchanged(block_name(*this, block));  // the better reason, if it is one
      throw;
    }
    file_->expect_unchanged(block_name(*this, block));
    if (negative_ == Negative::clip) clipped_ += clip_negative<S>(matrix.values());
    naming_file(file_->path(), [&] { check_lines(std::as_const(matrix).view(), first, layout()); });
  }
  [[nodiscard]] Index clipped() const override { return clipped_; }

 private:
  [[nodiscard]] Index lines() const { return header_.fortran_order ? header_.cols : header_.rows; }
  [[nodiscard]] Index width() const { return header_.fortran_order ? header_.rows : header_.cols; }
  [[nodiscard]] Index line_bytes() const { return width() * header_.item_bytes; }

  std::unique_ptr<SteadyFile> file_;
  NpyHeader header_;
  Negative negative_;
  Index clipped_ = 0;
  Index step_;
};

}  // namespace

template <class T>
std::unique_ptr<BlockSource<T>> open_npy_blocks(const std::filesystem::path& path,
                                                const BlockOptions& options) {
  auto file = std::make_unique<SteadyFile>(path);
  NpyHeader header = read_npy_header(file->from_start(), path);
  naming_file(path, [&] { validate::shape("M", header.rows, header.cols); });
  const auto as = [&]<class S>() -> std::unique_ptr<BlockSource<T>> {
    return std::make_unique<NpyBlocks<T, S>>(std::move(file), std::move(header), options);
  };
  if (header.kind == 'u' && header.item_bytes == 1) return as.template operator()<std::uint8_t>();
  if (header.kind == 'u' && header.item_bytes == 2) return as.template operator()<std::uint16_t>();
  if (header.kind == 'f' && header.item_bytes == 4) return as.template operator()<float>();
  return as.template operator()<T>();
}

template std::unique_ptr<BlockSource<float>> open_npy_blocks(const std::filesystem::path&,
                                                             const BlockOptions&);
template std::unique_ptr<BlockSource<double>> open_npy_blocks(const std::filesystem::path&,
                                                              const BlockOptions&);

}  // namespace anmf::io
