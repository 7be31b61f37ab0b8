// SPDX-License-Identifier: MIT
// Fingerprints of entries as they are stored, in lines: rows of M, or columns; then it is that of M'.
#pragma once

#include <array>
#include <vector>

#include "anmf/data.h"
#include "anmf/fingerprint.h"

namespace anmf {

class LineFingerprints {
 public:
  __extension__ using Wide = unsigned __int128;

  /// Of lines of so many entries.
  explicit LineFingerprints(Index width);

  /// Of dense lines, which have the numbers from `first` on.
  template <class S>
  [[nodiscard]] Fingerprint of(ConstMatrixView<S> lines, Index first) const;
  /// Of the lines [begin, end) of a sparse matrix, of which line 0 has the number `first`.
  template <class T>
  [[nodiscard]] Fingerprint of(const Csr<T>& lines, Index begin, Index end, Index first) const;

 private:
  static constexpr Index kNear = 4096;
  /// The powers of a number: k = kNear q + s has near[s] far[q].
  struct Powers {
    Powers(std::uint64_t base, Index count);

    std::array<std::uint64_t, kNear> near{};
    std::vector<std::uint64_t> far;
  };

  /// What entries of a block of kNear positions of a line add to it, from their sums with the near powers.
  [[nodiscard]] Fingerprint of_block(Index block, Wide with_x, Wide with_y) const;

  Powers x_;
  Powers y_;
};

template <class S>
[[nodiscard]] Fingerprint dense_fingerprint(ConstMatrixView<S> lines, ThreadPool& pool);

/// `runs` are those of sparse_product.h.
template <class T>
[[nodiscard]] Fingerprint sparse_fingerprint(const Csr<T>& lines, const std::vector<Index>& runs,
                                             ThreadPool& pool);

}  // namespace anmf
