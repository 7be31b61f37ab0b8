// SPDX-License-Identifier: MIT
// Splits [0, size) into chunks that depend on the problem only. Whoever works on a chunk, partial results
// are stored per chunk and combined in chunk order: the bits never depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "anmf/matrix.h"

namespace anmf {

class Chunks {
 public:
  /// Chunks of at least `grain` items, and at most `max_count` chunks.
  Chunks(Index size, Index grain, Index max_count = 256)
      : size_(size), grain_(std::max({Index{1}, grain, (size + max_count - 1) / max_count})) {}

  [[nodiscard]] Index count() const { return (size_ + grain_ - 1) / grain_; }
  [[nodiscard]] Index begin(Index chunk) const { return chunk * grain_; }
  [[nodiscard]] Index end(Index chunk) const { return std::min(size_, (chunk + 1) * grain_); }
  [[nodiscard]] Index largest() const { return std::min(size_, grain_); }

 private:
  Index size_;
  Index grain_;
};

/// Chunks of factor rows for the sweeps: a chunk of W and of the cross product stays in the L2 cache.
[[nodiscard]] inline Chunks row_chunks(Index rows) { return {rows, 64, 1024}; }

/// One slot per chunk for each of `Width` partial sums.
template <std::size_t Width>
class PartialSums {
 public:
  explicit PartialSums(Index chunks) : slots_(static_cast<std::size_t>(chunks) * Width, 0.0) {}

  [[nodiscard]] std::span<double, Width> at(Index chunk) {
    return std::span<double, Width>(slots_.data() + static_cast<std::size_t>(chunk) * Width, Width);
  }

  /// The sums, added in chunk order.
  [[nodiscard]] std::vector<double> total() const {
    std::vector<double> sums(Width, 0.0);
    for (std::size_t i = 0; i < slots_.size(); ++i) sums[i % Width] += slots_[i];
    return sums;
  }

 private:
  std::vector<double> slots_;
};

}  // namespace anmf
