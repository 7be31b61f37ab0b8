// SPDX-License-Identifier: MIT
// Any file that can be read in blocks.
#include <memory>
#include <utility>

#include "io/block_sources.h"
#include "io/formats.h"

namespace anmf::io {

namespace {

template <class T>
class TransposedBlocks final : public BlockSource<T> {
 public:
  explicit TransposedBlocks(std::unique_ptr<BlockSource<T>> base) : base_(std::move(base)) {}

  [[nodiscard]] Index rows() const override { return base_->cols(); }
  [[nodiscard]] Index cols() const override { return base_->rows(); }
  [[nodiscard]] Index nonzeros() const override { return base_->nonzeros(); }
  [[nodiscard]] bool sparse() const override { return base_->sparse(); }
  [[nodiscard]] Layout layout() const override {
    return base_->layout() == Layout::row_major ? Layout::column_major : Layout::row_major;
  }
  [[nodiscard]] Index blocks() const override { return base_->blocks(); }
  [[nodiscard]] Index first_line(Index block) const override { return base_->first_line(block); }
  [[nodiscard]] double bytes(Index block) const override { return base_->bytes(block); }
  [[nodiscard]] double bytes_in_memory(Index block) const override { return base_->bytes_in_memory(block); }
  void read(Index block, BlockEntries<T>& entries) override { base_->read(block, entries); }
  [[nodiscard]] Index clipped() const override { return base_->clipped(); }

 private:
  std::unique_ptr<BlockSource<T>> base_;
};

}  // namespace

template <class T>
std::unique_ptr<BlockSource<T>> open_blocks(const MatrixFile& file, double most_bytes,
                                            const Reading& reading) {
  if (!file.comes_in_blocks()) return nullptr;
  const auto& open_format = format_of<T>(file).blocks;
  return open_format(file.location(), {.most_bytes = most_bytes, .reading = reading});
}

template <class T>
std::unique_ptr<BlockSource<T>> open_part(const MatrixFile& file, const Part& part, double most_bytes,
                                          const Reading& reading) {
  const auto& open_format = format_of<T>(file).part;
  if (open_format == nullptr) return part_of(open_blocks<T>(file, most_bytes, reading), part);
  return open_format(file.location(), {.most_bytes = most_bytes, .reading = reading}, part);
}

template <class T>
std::unique_ptr<BlockSource<T>> transposed(std::unique_ptr<BlockSource<T>> source) {
  return std::make_unique<TransposedBlocks<T>>(std::move(source));
}

Annotations read_annotations(const MatrixFile& file) {
  const auto& read = format_of<double>(file).annotations;
  return read == nullptr ? Annotations{} : read(file.location());
}

template std::unique_ptr<BlockSource<float>> open_blocks(const MatrixFile&, double, const Reading&);
template std::unique_ptr<BlockSource<double>> open_blocks(const MatrixFile&, double, const Reading&);
template std::unique_ptr<BlockSource<float>> open_part(const MatrixFile&, const Part&, double,
                                                       const Reading&);
template std::unique_ptr<BlockSource<double>> open_part(const MatrixFile&, const Part&, double,
                                                        const Reading&);
template std::unique_ptr<BlockSource<float>> transposed(std::unique_ptr<BlockSource<float>>);
template std::unique_ptr<BlockSource<double>> transposed(std::unique_ptr<BlockSource<double>>);

}  // namespace anmf::io
