// SPDX-License-Identifier: MIT
#include "data/fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <variant>
#include <vector>

#include "core/chunks.h"
#include "data/sparse_product.h"

namespace anmf {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;
// Two numbers below it, at random.
constexpr std::uint64_t kX = 0x0f3a5c8e71d2946bU;
constexpr std::uint64_t kY = 0x1b6e29d7c4805f13U;

__extension__ using Wide = unsigned __int128;

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
std::uint64_t bits_of(S entry, double divisor) {
  const auto x = static_cast<double>(entry);
  return std::bit_cast<std::uint64_t>((divisor == 1 ? x : x / divisor) + 0.0);
}

/// So many products of bits and powers, which are below 2^124, fit a sum.
constexpr Index kAtOnce = 8;

constexpr unsigned kHalf = 31;

/// Fingerprints of lines of entries, taken for the rows of a matrix.
class LineFingerprints {
 public:
  /// Lines have `width` positions; their entries are divided by `divisor`.
  LineFingerprints(Index width, double divisor) : x_(kX, width), y_(kY, width), divisor_(divisor) {}

  /// Of the lines [begin, end), at these places.
  template <class S>
  [[nodiscard]] Fingerprint of(ConstMatrixView<S> lines, Index begin, Index end) const;
  template <class T>
  [[nodiscard]] Fingerprint of(const SparseLines<T>& lines, Index begin, Index end) const;

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
  double divisor_;
};

LineFingerprints::Powers::Powers(std::uint64_t base, Index count) {
  near[0] = 1;
  const auto used = static_cast<std::size_t>(std::min(count, kNear));
  for (std::size_t k = 1; k < used; ++k) near[k] = times(near[k - 1], base);
  const std::uint64_t step = times(near.back(), base);
  far.push_back(1);
  for (Index k = kNear; k < count; k += kNear) far.push_back(times(far.back(), step));
}

Fingerprint LineFingerprints::of_block(Index block, Wide with_x, Wide with_y) const {
  const auto k = static_cast<std::size_t>(block);
  return {.of_matrix = times(reduced(with_y), y_.far[k]), .of_transpose = times(reduced(with_x), x_.far[k])};
}

template <class S>
Fingerprint LineFingerprints::of(ConstMatrixView<S> lines, Index begin, Index end) const {
  Fingerprint result;
  std::uint64_t x = power(kX, begin);
  std::uint64_t y = power(kY, begin);
  for (Index i = begin; i < end; ++i, x = times(x, kX), y = times(y, kY)) {
    const S* line = lines.row(i);
    Fingerprint of_line;
    for (Index first = 0; first < lines.cols; first += kNear) {
      const Index count = std::min(kNear, lines.cols - first);
      Wide with_x = 0;
      Wide with_y = 0;
      for (Index k = 0; k < count;) {
        const Index stop = std::min(count, k + kAtOnce);
        for (; k < stop; ++k) {
          const std::uint64_t bits = bits_of(line[first + k], divisor_);
          with_x += Wide{bits} * x_.near[static_cast<std::size_t>(k)];
          with_y += Wide{bits} * y_.near[static_cast<std::size_t>(k)];
        }
        with_x = folded(with_x);
        with_y = folded(with_y);
      }
      of_line += of_block(first / kNear, with_x, with_y);
    }
    result += {times(of_line.of_matrix, x), times(of_line.of_transpose, y)};
  }
  return result;
}

template <class T>
Fingerprint LineFingerprints::of(const SparseLines<T>& lines, Index begin, Index end) const {
  Fingerprint result;
  std::uint64_t x = power(kX, begin);
  std::uint64_t y = power(kY, begin);
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
          const std::uint64_t bits = bits_of(lines.values[static_cast<std::size_t>(k)], divisor_);
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

/// The sum over runs of lines, run b being [bounds[b], bounds[b + 1]).
template <class Lines>
Fingerprint summed_fingerprint(const LineFingerprints& fingerprints, const Lines& lines,
                               const std::vector<Index>& bounds, double work, ThreadPool& pool) {
  std::vector<Fingerprint> parts(bounds.size() - 1);
  pool.for_each_chunk(static_cast<Index>(parts.size()), work, [&](Index run) {
    const auto k = static_cast<std::size_t>(run);
    parts[k] = fingerprints.of(lines, bounds[k], bounds[k + 1]);
  });
  Fingerprint result;
  for (const Fingerprint& part : parts) result += part;
  return result;
}

template <class S>
Fingerprint lines_fingerprint(ConstMatrixView<S> lines, double divisor, ThreadPool& pool) {
  const Chunks chunks(lines.rows, 1);
  std::vector<Index> bounds = {0};
  for (Index chunk = 0; chunk < chunks.count(); ++chunk) bounds.push_back(chunks.end(chunk));
  return summed_fingerprint(LineFingerprints(lines.cols, divisor), lines, bounds,
                            4 * static_cast<double>(lines.rows) * static_cast<double>(lines.cols), pool);
}

template <class T>
Fingerprint lines_fingerprint(const SparseLines<T>& lines, double divisor, ThreadPool& pool) {
  const auto stored = static_cast<double>(lines.offsets.back() - lines.offsets.front());
  return summed_fingerprint(LineFingerprints(lines.width, divisor), lines, balanced_rows(lines.offsets),
                            8 * stored, pool);
}

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

template <class T>
Fingerprint block_fingerprint(const EntryBlock<T>& block, ThreadPool& pool) {
  const Fingerprint stored = std::visit(
      [&](const auto& lines) { return lines_fingerprint(lines, block.divisor, pool); }, block.lines);
  const bool by_rows = block.layout == Layout::row_major;
  return (by_rows ? stored : stored.transposed()).moved(block.rows.begin, block.columns.begin);
}

template Fingerprint block_fingerprint(const EntryBlock<float>&, ThreadPool&);
template Fingerprint block_fingerprint(const EntryBlock<double>&, ThreadPool&);

}  // namespace anmf
