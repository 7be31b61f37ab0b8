// SPDX-License-Identifier: MIT
// Any file that can be read in blocks.
#include <memory>
#include <mutex>
#include <utility>

#include "io/block_sources.h"
#include "io/container.h"
#include "io/detect.h"
#include "io/hdf5_file.h"
#include "io/hdf5_places.h"

namespace anmf::io {

namespace {

/// What HDF5 takes for itself: measured with a tiny file.
constexpr double kHdf5LibraryBytes = 7e6;

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
std::unique_ptr<BlockSource<T>> open_blocks(const std::filesystem::path& path, double most_bytes,
                                            Negative negative) {
  const Location at = split_location(path);
  const BlockOptions options{.most_bytes = most_bytes, .negative = negative};
  switch (detect(at.file)) {
    case Format::kNpy:
      return at.inside.empty() ? open_npy_blocks<T>(at.file, options) : nullptr;
    case Format::kContainer:
      return at.inside.empty() ? open_container_blocks<T>(at.file, options) : nullptr;
    case Format::kHdf5:
      return open_hdf5_blocks<T>(at, options);
    default:
      return nullptr;
  }
}

template <class T>
std::unique_ptr<BlockSource<T>> open_part(const std::filesystem::path& path, const Part& part,
                                          double most_bytes, Negative negative) {
  const Location at = split_location(path);
  if (at.inside.empty() && detect(at.file) == Format::kNpy)
    return open_npy_blocks<T>(at.file, {.most_bytes = most_bytes, .negative = negative}, part);
  return part_of(open_blocks<T>(path, most_bytes, negative), part);
}

template <class T>
std::unique_ptr<BlockSource<T>> transposed(std::unique_ptr<BlockSource<T>> source) {
  return std::make_unique<TransposedBlocks<T>>(std::move(source));
}

Annotations read_annotations(const std::filesystem::path& path) {
  const Location at = split_location(path);
  Annotations result;
  const Format format = detect(at.file);
  if (format == Format::kContainer) result.names = Container(at.file).read_names();
  if (format == Format::kHdf5) {
    const std::lock_guard lock(hdf5_mutex());
    const Hdf5File file(at.file);
    const Hdf5Matrix found = find_hdf5_matrix(file, at.inside);
    result.names = hdf5_names(file, found);
    result.anndata = found.anndata;
    result.library_bytes = kHdf5LibraryBytes;
  }
  return result;
}

template std::unique_ptr<BlockSource<float>> open_blocks(const std::filesystem::path&, double, Negative);
template std::unique_ptr<BlockSource<double>> open_blocks(const std::filesystem::path&, double, Negative);
template std::unique_ptr<BlockSource<float>> open_part(const std::filesystem::path&, const Part&, double,
                                                       Negative);
template std::unique_ptr<BlockSource<double>> open_part(const std::filesystem::path&, const Part&, double,
                                                        Negative);
template std::unique_ptr<BlockSource<float>> transposed(std::unique_ptr<BlockSource<float>>);
template std::unique_ptr<BlockSource<double>> transposed(std::unique_ptr<BlockSource<double>>);

}  // namespace anmf::io
