// SPDX-License-Identifier: MIT
// Of a spectrum i in cluster A, with the mean distances
//   a = to the others of A,  b = the least of those to the other clusters:  (b - a) / max(a, b).
// The sums of distances from a chunk of spectra to every cluster (rows x k) are all that is kept of X X'.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "consensus/unit_spectra.h"

namespace anmf {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Which distances are wanted of a pair, from its squared distance and product.
double distance_of(Distance distance, double square, double product) {
  if (distance == Distance::euclidean) return std::sqrt(square);
  // Of rows of norm 1, and more precise where they are close.
  return square < kCloseRows ? square / 2 : std::max(0.0, 1 - product);
}

double silhouette_of(std::span<const double> sums, std::span<const Index> sizes, Index own) {
  const auto at = static_cast<std::size_t>(own);
  if (sizes[at] == 1) return 0;
  const double inside = sums[at] / static_cast<double>(sizes[at] - 1);
  double outside = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (c != at && sizes[c] > 0) outside = std::min(outside, sums[c] / static_cast<double>(sizes[c]));
  }
  const double larger = std::max(inside, outside);
  return larger == 0 ? 0 : (outside - inside) / larger;
}

std::vector<Index> cluster_sizes(std::span<const Index> labels, Index k) {
  std::vector<Index> sizes(static_cast<std::size_t>(k), 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoCluster) continue;
    if (labels[i] < 0 || labels[i] >= k) {
      throw InvalidInput(
          fmt::format("labels[{}] = {}; labels are 0 to k - 1 = {}, or {} for spectra that are left out.", i,
                      labels[i], k - 1, kNoCluster));
    }
    ++sizes[static_cast<std::size_t>(labels[i])];
  }
  return sizes;
}

/// There are two clusters or more, and one of them has two spectra.
bool comparable(std::span<const Index> sizes) {
  const auto clusters = std::ranges::count_if(sizes, [](Index size) { return size > 0; });
  return clusters > 1 && std::ranges::any_of(sizes, [](Index size) { return size > 1; });
}

void take_means(Silhouettes& result, std::span<const Index> labels, std::span<const Index> sizes) {
  result.of_clusters.assign(sizes.size(), 0.0);
  double sum = 0;
  Index count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoCluster) continue;
    result.of_clusters[static_cast<std::size_t>(labels[i])] += result.of_spectra[i];
    sum += result.of_spectra[i];
    ++count;
  }
  for (std::size_t c = 0; c < sizes.size(); ++c) result.of_clusters[c] /= static_cast<double>(sizes[c]);
  result.mean = sum / static_cast<double>(count);
}

}  // namespace

std::vector<Silhouettes> silhouettes(ConstMatrixView<double> unit, std::span<const Index> labels, Index k,
                                     std::span<const Distance> distances, ThreadPool& pool) {
  if (k < 0) throw InvalidInput(fmt::format("k = {}; a number of clusters is not negative.", k));
  if (std::ssize(labels) != unit.rows) {
    throw InvalidInput(
        fmt::format("There are {} labels for {} spectra; each needs one.", labels.size(), unit.rows));
  }
  check_spectra("unit", unit);
  const std::vector<Index> sizes = cluster_sizes(labels, k);
  Silhouettes nothing;
  nothing.of_spectra.assign(labels.size(), kNothing);
  nothing.of_clusters.assign(sizes.size(), kNothing);
  std::vector<Silhouettes> results(distances.size(), nothing);
  if (!comparable(sizes)) return results;

  const std::vector<double> squares = squared_norms(unit);
  const Chunks chunks = product_rows(unit.rows);
  pool.for_each_chunk(chunks.count(), product_flops(unit), [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Matrix<double> products = rows_of_products(unit, begin, chunks.end(chunk));
    Matrix<double> sums(std::ssize(distances), k);
    for (Index i = begin; i < chunks.end(chunk); ++i) {
      const auto own = static_cast<std::size_t>(i);
      if (labels[own] == kNoCluster) continue;
      std::ranges::fill(sums.values(), 0.0);
      for (std::size_t j = 0; j < labels.size(); ++j) {
        if (j == own || labels[j] == kNoCluster) continue;
        const auto other = static_cast<Index>(j);
        const double product = products(i - begin, other);
        const double square =
            squared_distance(unit.row(i), unit.row(other), unit.cols, squares[own], squares[j], product);
        for (std::size_t d = 0; d < distances.size(); ++d) {
          sums(static_cast<Index>(d), labels[j]) += distance_of(distances[d], square, product);
        }
      }
      for (std::size_t d = 0; d < distances.size(); ++d) {
        const std::span<const double> row(sums.view().row(static_cast<Index>(d)), sizes.size());
        results[d].of_spectra[own] = silhouette_of(row, sizes, labels[own]);
      }
    }
  });
  for (Silhouettes& result : results) take_means(result, labels, sizes);
  return results;
}

}  // namespace anmf
