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
  /// Of lines of so many entries.
  explicit LineFingerprints(Index width);

  /// Of dense lines, which have the numbers from `first` on.
  template <class S>
  [[nodiscard]] Fingerprint of(ConstMatrixView<S> lines, Index first) const;
  /// Of the lines [begin, end) of a sparse matrix, of which line 0 has the number `first`.
  template <class T>
  [[nodiscard]] Fingerprint of(const Csr<T>& lines, Index begin, Index end, Index first) const;

 private:
  static constexpr Index kNear = 1024;
  /// The powers of a number: k = kNear q + s has near[s] far[q].
  struct Powers {
    Powers(std::uint64_t base, Index count);
    [[nodiscard]] std::uint64_t at(Index k) const;

    std::array<std::uint64_t, kNear> near;
    std::vector<std::uint64_t> far;
  };

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
