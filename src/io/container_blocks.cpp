// SPDX-License-Identifier: MIT
// A container in blocks, each of as many of its own as fit.
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "data/canonical_csr.h"
#include "io/block_sources.h"
#include "io/container.h"
#include "io/line_blocks.h"

namespace anmf::io {

namespace {

template <class T>
class ContainerBlocks final : public BlockSource<T> {
 public:
  ContainerBlocks(const std::filesystem::path& path, const BlockOptions& options) : container_(path) {
    const auto& stored = container_.blocks();
    for (std::size_t begin = 0; begin < stored.size();) {
      firsts_.push_back(begin);
      Index lines = 0;
      Index entries = 0;
      do {
        lines += stored[begin].lines;
        entries += stored[begin].entries;
        ++begin;
      } while (begin < stored.size() &&
               sparse_bytes<T>(lines + stored[begin].lines, entries + stored[begin].entries) <=
                   options.most_bytes);
    }
    firsts_.push_back(stored.size());
  }

  [[nodiscard]] Index rows() const override { return container_.rows(); }
  [[nodiscard]] Index cols() const override { return container_.cols(); }
  [[nodiscard]] Index nonzeros() const override { return container_.nonzeros(); }
  [[nodiscard]] bool sparse() const override { return true; }
  [[nodiscard]] Layout layout() const override { return container_.layout(); }
  [[nodiscard]] Index blocks() const override { return static_cast<Index>(firsts_.size()) - 1; }
  [[nodiscard]] Index first_line(Index block) const override {
    const std::size_t first = firsts_[static_cast<std::size_t>(block)];
    if (first < container_.blocks().size()) return container_.blocks()[first].first_line;
    return layout() == Layout::row_major ? rows() : cols();
  }
  [[nodiscard]] double bytes(Index block) const override {
    double sum = 0;
    for (std::size_t k = begin_of(block); k < begin_of(block + 1); ++k)
      sum += static_cast<double>(container_.blocks()[k].bytes());
    return sum;
  }

  [[nodiscard]] double bytes_in_memory(Index block) const override {
    Index entries = 0;
    for (std::size_t k = begin_of(block); k < begin_of(block + 1); ++k)
      entries += container_.blocks()[k].entries;
    return sparse_bytes<T>(first_line(block + 1) - first_line(block), entries);
  }

  void read(Index block, BlockEntries<T>& entries) override {
    Csr<T>& lines = sparse_block<T>(entries, container_.width());
    for (std::size_t k = begin_of(block); k < begin_of(block + 1); ++k) container_.append(k, lines, room_);
    container_.file().expect_unchanged(block_name(*this, block));
    // Numbers may become zeros in single precision.
    if (std::is_same_v<T, float>) make_canonical(lines, Compressed::rows);
  }

 private:
  [[nodiscard]] std::size_t begin_of(Index block) const { return firsts_[static_cast<std::size_t>(block)]; }

  Container container_;
  std::vector<std::size_t> firsts_;  // the first stored block of each, and the number of them
  std::string room_;
};

}  // namespace

template <class T>
std::unique_ptr<BlockSource<T>> open_container_blocks(const std::filesystem::path& path,
                                                      const BlockOptions& options) {
  return std::make_unique<ContainerBlocks<T>>(path, options);
}

template std::unique_ptr<BlockSource<float>> open_container_blocks(const std::filesystem::path&,
                                                                   const BlockOptions&);
template std::unique_ptr<BlockSource<double>> open_container_blocks(const std::filesystem::path&,
                                                                    const BlockOptions&);

}  // namespace anmf::io
