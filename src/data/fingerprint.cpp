// SPDX-License-Identifier: MIT
#include "data/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/chunks.h"

namespace anmf {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;
// Two numbers below it, at random.
constexpr std::uint64_t kX = 0x0f3a5c8e71d2946bU;
constexpr std::uint64_t kY = 0x1b6e29d7c4805f13U;

using Wide = LineFingerprints::Wide;

/// The same number modulo the prime, below 2^68.
constexpr Wide folded(Wide a) { return (a & kPrime) + (a >> 61U); }

constexpr std::uint64_t reduced(Wide a) {
  const auto below = static_cast<std::uint64_t>(folded(folded(a)));
  return below >= kPrime ? below - kPrime : below;
}

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) { return reduced(Wide{a} * b); }

constexpr std::uint64_t power(std::uint64_t base, Index exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

/// Below 2^63, since no entry is negative; adding 0 makes 0 of -0.
template <class S>
std::uint64_t bits_of(S entry) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(entry) + 0.0);
}

/// So many products of bits and powers, which are below 2^124, fit a sum.
constexpr Index kAtOnce = 8;

constexpr unsigned kHalf = 31;

}  // namespace

Fingerprint Fingerprint::moved(Index rows, Index cols) const {
  return {.of_matrix = times(of_matrix, times(power(kX, rows), power(kY, cols))),
          .of_transpose = times(of_transpose, times(power(kX, cols), power(kY, rows)))};
}

Fingerprint& Fingerprint::operator+=(const Fingerprint& further) {
  of_matrix = reduced(Wide{of_matrix} + further.of_matrix);
  of_transpose = reduced(Wide{of_transpose} + further.of_transpose);
  return *this;
}

std::array<double, 4> Fingerprint::parts() const {
  constexpr std::uint64_t kLow = (std::uint64_t{1} << kHalf) - 1;
  return {static_cast<double>(of_matrix & kLow), static_cast<double>(of_matrix >> kHalf),
          static_cast<double>(of_transpose & kLow), static_cast<double>(of_transpose >> kHalf)};
}

Fingerprint Fingerprint::from_sums(std::span<const double, 4> parts) {
  const auto joined = [&](std::size_t k) {
    return reduced(static_cast<std::uint64_t>(parts[k]) +
                   (Wide{static_cast<std::uint64_t>(parts[k + 1])} << kHalf));
  };
  return {.of_matrix = joined(0), .of_transpose = joined(2)};
}

LineFingerprints::Powers::Powers(std::uint64_t base, Index count) {
  near[0] = 1;
  for (std::size_t k = 1; k < near.size(); ++k) near[k] = times(near[k - 1], base);
  const std::uint64_t step = times(near.back(), base);
  far.push_back(1);
  for (Index k = kNear; k < count; k += kNear) far.push_back(times(far.back(), step));
}

LineFingerprints::LineFingerprints(Index width) : x_(kX, width), y_(kY, width) {}

Fingerprint LineFingerprints::of_block(Index block, Wide with_x, Wide with_y) const {
  const auto k = static_cast<std::size_t>(block);
  return {.of_matrix = times(reduced(with_y), y_.far[k]), .of_transpose = times(reduced(with_x), x_.far[k])};
}

template <class S>
Fingerprint LineFingerprints::of(ConstMatrixView<S> lines, Index first) const {
  Fingerprint result;
  std::uint64_t x = power(kX, first);
  std::uint64_t y = power(kY, first);
  for (Index i = 0; i < lines.rows; ++i, x = times(x, kX), y = times(y, kY)) {
    const S* line = lines.row(i);
    Fingerprint of_line;
    for (Index begin = 0; begin < lines.cols; begin += kNear) {
      const Index count = std::min(kNear, lines.cols - begin);
      Wide with_x = 0;
      Wide with_y = 0;
      for (Index k = 0; k < count;) {
        const Index end = std::min(count, k + kAtOnce);
        for (; k < end; ++k) {
          const std::uint64_t bits = bits_of(line[begin + k]);
          with_x += Wide{bits} * x_.near[static_cast<std::size_t>(k)];
          with_y += Wide{bits} * y_.near[static_cast<std::size_t>(k)];
        }
        with_x = folded(with_x);
        with_y = folded(with_y);
      }
      of_line += of_block(begin / kNear, with_x, with_y);
    }
    result += {times(of_line.of_matrix, x), times(of_line.of_transpose, y)};
  }
  return result;
}

template <class T>
Fingerprint LineFingerprints::of(const Csr<T>& lines, Index begin, Index end, Index first) const {
  Fingerprint result;
  std::uint64_t x = power(kX, first + begin);
  std::uint64_t y = power(kY, first + begin);
  for (Index i = begin; i < end; ++i, x = times(x, kX), y = times(y, kY)) {
    Fingerprint of_line;
    Index k = lines.offsets[static_cast<std::size_t>(i)];
    const Index behind = lines.offsets[static_cast<std::size_t>(i) + 1];
    const auto position = [&] { return Index{lines.indices[static_cast<std::size_t>(k)]}; };
    while (k < behind) {  // positions ascend, so those of one block follow each other
      const Index block = position() / kNear;
      Wide with_x = 0;
      Wide with_y = 0;
      while (k < behind && position() / kNear == block) {
        const Index stop = std::min(behind, k + kAtOnce);
        for (; k < stop && position() / kNear == block; ++k) {
          const std::uint64_t bits = bits_of(lines.values[static_cast<std::size_t>(k)]);
          const auto near = static_cast<std::size_t>(position() % kNear);
          with_x += Wide{bits} * x_.near[near];
          with_y += Wide{bits} * y_.near[near];
        }
        with_x = folded(with_x);
        with_y = folded(with_y);
      }
      of_line += of_block(block, with_x, with_y);
    }
    result += {times(of_line.of_matrix, x), times(of_line.of_transpose, y)};
  }
  return result;
}

template <class S>
Fingerprint dense_fingerprint(ConstMatrixView<S> lines, ThreadPool& pool) {
  const LineFingerprints fingerprints(lines.cols);
  const Chunks chunks(lines.rows, 1);
  std::vector<Fingerprint> parts(static_cast<std::size_t>(chunks.count()));
  const double work = 4 * static_cast<double>(lines.rows) * static_cast<double>(lines.cols);
  pool.for_each_chunk(chunks.count(), work, [&](Index chunk) {
    parts[static_cast<std::size_t>(chunk)] =
        fingerprints.of(lines.middle_rows(chunks.begin(chunk), chunks.end(chunk)), chunks.begin(chunk));
  });
  Fingerprint result;
  for (const Fingerprint& part : parts) result += part;
  return result;
}

template <class T>
Fingerprint sparse_fingerprint(const Csr<T>& lines, const std::vector<Index>& runs, ThreadPool& pool) {
  const LineFingerprints fingerprints(lines.cols);
  std::vector<Fingerprint> parts(runs.size() - 1);
  pool.for_each_chunk(static_cast<Index>(parts.size()), 8 * static_cast<double>(lines.values.size()),
                      [&](Index run) {
                        const auto k = static_cast<std::size_t>(run);
                        parts[k] = fingerprints.of(lines, runs[k], runs[k + 1], 0);
                      });
  Fingerprint result;
  for (const Fingerprint& part : parts) result += part;
  return result;
}

// NOLINTBEGIN(bugprone-macro-parentheses): types cannot have them.
#define ANMF_INSTANTIATE(S)                                                    \
  template Fingerprint LineFingerprints::of(MatrixView<const S>, Index) const; \
  template Fingerprint dense_fingerprint(MatrixView<const S>, ThreadPool&)
ANMF_INSTANTIATE(double);
ANMF_INSTANTIATE(float);
ANMF_INSTANTIATE(std::uint16_t);
ANMF_INSTANTIATE(std::uint8_t);
#undef ANMF_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)
template Fingerprint LineFingerprints::of(const Csr<double>&, Index, Index, Index) const;
template Fingerprint LineFingerprints::of(const Csr<float>&, Index, Index, Index) const;
template Fingerprint sparse_fingerprint(const Csr<double>&, const std::vector<Index>&, ThreadPool&);
template Fingerprint sparse_fingerprint(const Csr<float>&, const std::vector<Index>&, ThreadPool&);

}  // namespace anmf
