// SPDX-License-Identifier: MIT
#include "data/first_look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "core/sums.h"
#include "data/scale.h"

namespace anmf {
namespace {

/// The largest of some values >= 0, or 0; lanes that do not wait for each other.
template <class S>
S largest(const S* values, Index count) {
  constexpr Index kLanes = 16;
  std::array<S, kLanes> lanes{};
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) {
      S& max = lanes[static_cast<std::size_t>(lane)];
      max = max < values[k + lane] ? values[k + lane] : max;
    }
  }
  for (; k < count; ++k) lanes[0] = std::max(lanes[0], values[k]);
  return *std::max_element(lanes.begin(), lanes.end());
}

}  // namespace

FirstLook::FirstLook(Index width, Layout layout, bool sparse)
    : layout_(layout),
      column_squares_(layout == Layout::row_major ? static_cast<std::size_t>(width) : 0),
      counts_(sparse ? static_cast<std::size_t>(width) : 0),
      used_(sparse ? 0 : static_cast<std::size_t>(width)) {}

void FirstLook::expect(double max) {
  if (max <= max_) return;
  max_ = max;
  const double scale = safe_scale<double>(max);
  if (scale == scale_) return;
  const double change = scale_ / scale;
  scale_ = scale;
  squares_ = squares_ * change * change;
  for (double& squares : column_squares_) squares = squares * change * change;
}

void FirstLook::add_line(double squares) {
  squares_ += squares;
  if (layout_ == Layout::column_major) column_squares_.push_back(squares);
}

template <class S>
void FirstLook::add(const Matrix<S>& lines) {
  const Index width = lines.cols();
  nonzeros_ += lines.size();
  for (Index i = 0; i < lines.rows(); ++i) {
    const S* line = lines.view().row(i);
    const S max = largest(line, width);
    for (Index j = 0; j < width; ++j) used_[static_cast<std::size_t>(j)] |= static_cast<char>(line[j] > S{0});
    empty_lines_ += static_cast<Index>(max == S{0});
    expect(static_cast<double>(max));
    const double inverse = 1 / scale_;  // of a power of four: exact
    const auto square = [=](Index j) {
      const double x = static_cast<double>(line[j]) * inverse;
      return x * x;
    };
    add_line(sum_terms(width, square));
    if (layout_ == Layout::row_major) {
      for (Index j = 0; j < width; ++j) column_squares_[static_cast<std::size_t>(j)] += square(j);
    }
  }
}

template <class T>
void FirstLook::add(const Csr<T>& lines) {
  nonzeros_ += static_cast<Index>(lines.values.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines.rows); ++i) {
    const Index count = lines.offsets[i + 1] - lines.offsets[i];
    const T* values = lines.values.data() + lines.offsets[i];
    const std::uint32_t* positions = lines.indices.data() + lines.offsets[i];
    empty_lines_ += static_cast<Index>(count == 0);
    expect(static_cast<double>(largest(values, count)));
    const double inverse = 1 / scale_;
    const auto square = [=](Index k) {
      const double x = static_cast<double>(values[k]) * inverse;
      return x * x;
    };
    add_line(sum_terms(count, square));
    for (Index k = 0; k < count; ++k) ++counts_[positions[k]];
    if (layout_ == Layout::row_major) {
      for (Index k = 0; k < count; ++k) column_squares_[positions[k]] += square(k);
    }
  }
}

double FirstLook::norm() const { return scale_ * std::sqrt(squares_); }

std::vector<double> FirstLook::column_norms() const {
  std::vector<double> norms(column_squares_.size());
  std::transform(column_squares_.begin(), column_squares_.end(), norms.begin(),
                 [this](double squares) { return scale_ * std::sqrt(squares); });
  return norms;
}

Index FirstLook::empty_positions() const {
  return std::count(counts_.begin(), counts_.end(), Index{0}) +
         std::count(used_.begin(), used_.end(), char{0});
}

std::vector<Index> FirstLook::offsets() const {
  std::vector<Index> offsets(counts_.size() + 1, 0);
  std::partial_sum(counts_.begin(), counts_.end(), offsets.begin() + 1);
  return offsets;
}

template void FirstLook::add(const Matrix<double>&);
template void FirstLook::add(const Matrix<float>&);
template void FirstLook::add(const Matrix<std::uint16_t>&);
template void FirstLook::add(const Matrix<std::uint8_t>&);
template void FirstLook::add(const Csr<double>&);
template void FirstLook::add(const Csr<float>&);

}  // namespace anmf
