// SPDX-License-Identifier: MIT
#include "square_map.h"

#include <algorithm>
#include <cmath>

#include "anmf/data.h"

namespace anmf::report {
namespace {

constexpr Index kColumnsAtOnce = 4096;   // of the means, so that they never fill the memory
constexpr double kSmallestScale = 0.01;  // noise of equal spectra is not to look like structure

Index clustered(std::span<const Index> labels, Index i) { return labels[static_cast<std::size_t>(i)]; }

/// Where pixel p of `pixels` begins among `count` things.
Index begin_of(Index p, Index pixels, Index count) { return p * count / pixels; }

/// The reciprocal norms of the rows; 0 for a row of zeros.
std::vector<double> inverse_norms(ConstMatrixView<double> rows) {
  std::vector<double> inverse(static_cast<std::size_t>(rows.rows), 0.0);
  for (Index i = 0; i < rows.rows; ++i) {
    double squares = 0;
    for (Index j = 0; j < rows.cols; ++j) squares += rows(i, j) * rows(i, j);
    if (squares > 0) inverse[static_cast<std::size_t>(i)] = 1 / std::sqrt(squares);
  }
  return inverse;
}

/// Some columns of the means of the unit spectra, a row for each pixel.
Matrix<double> means_of(ConstMatrixView<double> spectra, const std::vector<double>& inverse,
                        std::span<const SpectraGroup> groups, Index size, Index first, Index columns) {
  Matrix<double> means(size, columns);
  Index row = 0;
  for (const SpectraGroup& group : groups) {
    const auto count = static_cast<Index>(group.members.size());
    for (Index p = 0; p < group.pixels; ++p, ++row) {
      const Index begin = begin_of(p, group.pixels, count);
      const Index end = begin_of(p + 1, group.pixels, count);
      for (Index at = begin; at < end; ++at) {
        const Index i = group.members[static_cast<std::size_t>(at)];
        const double factor = inverse[static_cast<std::size_t>(i)] / static_cast<double>(end - begin);
        for (Index j = 0; j < columns; ++j) means(row, j) += factor * spectra(i, first + j);
      }
    }
  }
  return means;
}

/// The lower triangle in 255 steps of `max`.
SquareMap quantized_triangle(const Matrix<double>& values, double max) {
  SquareMap map{.size = values.rows(), .max = max, .triangle = {}};
  map.triangle.reserve(static_cast<std::size_t>(map.size * (map.size + 1) / 2));
  for (Index a = 0; a < map.size; ++a) {
    for (Index b = 0; b <= a; ++b) {
      const double share = values(a, b) / max;
      map.triangle.push_back(share > 0 ? static_cast<std::uint8_t>(std::lround(255 * std::min(share, 1.0)))
                                       : std::uint8_t{0});
    }
  }
  return map;
}

}  // namespace

std::vector<SpectraGroup> spectra_groups(std::span<const Index> labels, std::span<const double> silhouettes,
                                         Index k, Index most) {
  std::vector<SpectraGroup> groups;
  for (Index c = 0; c <= k; ++c) groups.push_back({.cluster = c < k ? c : kNoCluster});
  const auto count = static_cast<Index>(labels.size());
  for (Index i = 0; i < count; ++i) {
    const Index label = clustered(labels, i);
    groups[static_cast<std::size_t>(label >= 0 && label < k ? label : k)].members.push_back(i);
  }
  std::erase_if(groups, [](const SpectraGroup& group) { return group.members.empty(); });
  const auto typical = [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    return at < silhouettes.size() && !std::isnan(silhouettes[at]) ? silhouettes[at] : -2;
  };
  for (SpectraGroup& group : groups) {
    std::stable_sort(group.members.begin(), group.members.end(),
                     [&](Index a, Index b) { return typical(a) > typical(b); });
    const auto members = static_cast<Index>(group.members.size());
    group.pixels = count <= most ? members : std::max<Index>(1, most * members / count);
  }
  return groups;
}

SquareMap distance_map(ConstMatrixView<double> spectra, std::span<const SpectraGroup> groups, int threads) {
  Index size = 0;
  for (const SpectraGroup& group : groups) size += group.pixels;
  const std::vector<double> inverse = inverse_norms(spectra);
  ThreadPool pool(threads);
  Matrix<double> distances(size, size, 1.0);
  Matrix<double> products(size, size);
  for (Index first = 0; first < spectra.cols; first += kColumnsAtOnce) {
    const Index columns = std::min(kColumnsAtOnce, spectra.cols - first);
    const Matrix<double> means = means_of(spectra, inverse, groups, size, first, columns);
    const Matrix<double> turned = transposed(means);
    DenseData<double>(means.view(), Layout::row_major, Sign::any)
        .cross(Side::W, turned.view(), products.view(), pool);
    for (Index at = 0; at < size * size; ++at) distances.data()[at] -= products.data()[at];
  }
  const double largest =
      size > 0 ? *std::max_element(distances.data(), distances.data() + distances.size()) : 0;
  return quantized_triangle(distances, std::max(largest, kSmallestScale));
}

SquareMap share_map(const Matrix<float>& shares, Index most) {
  const Index count = shares.rows();
  const Index size = std::min(count, most);
  Matrix<double> means(size, size);
  for (Index a = 0; a < size; ++a) {
    for (Index b = 0; b <= a; ++b) {
      const Index top = begin_of(a, size, count);
      const Index bottom = begin_of(a + 1, size, count);
      const Index left = begin_of(b, size, count);
      const Index right = begin_of(b + 1, size, count);
      double sum = 0;
      for (Index i = top; i < bottom; ++i) {
        for (Index j = left; j < right; ++j) sum += static_cast<double>(shares(i, j));
      }
      means(a, b) = sum / static_cast<double>((bottom - top) * (right - left));
    }
  }
  return quantized_triangle(means, 1);
}

}  // namespace anmf::report
