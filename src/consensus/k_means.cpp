// SPDX-License-Identifier: MIT
// k-means of the rows x of X (N x n): labels and centres c of the least inertia, sum_i ||x_i - c_(l_i)||^2,
// in ten starts by
//   k-means++ (Arthur and Vassilvitskii 2007): centres drawn from the rows with probabilities as their
//   squared
//     distances to the nearest centre so far, each the best of 2 + log k such rows;
//   Lloyd's rounds: every row to its nearest centre, every centre to the mean of its rows.
// A cluster that loses all its rows takes the row that is farthest from its own centre.
#include "consensus/k_means.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "consensus/cluster_sums.h"
#include "consensus/unit_spectra.h"
#include "core/random.h"
#include "kernels/tall_products.h"

namespace anmf {
namespace {

constexpr Index kKMeansStarts = 10;
constexpr Index kMostLloydRounds = 300;

/// One start.
class KMeans {
 public:
  KMeans(ConstMatrixView<double> X, std::span<const double> squares, Index k, ThreadPool& pool)
      : X_(X), squares_(squares), k_(k), pool_(pool), nearest_(squares.size()) {}

  Clusters run(std::uint64_t seed, Index start) {
    choose_centres(seed, start);
    Clusters clusters;
    while (clusters.rounds < kMostLloydRounds) {
      std::vector<Index> labels = assign();
      fill_empty_clusters(labels);
      if (labels == clusters.labels) break;
      clusters.labels = std::move(labels);
      take_means(clusters.labels);
      ++clusters.rounds;
    }
    clusters.centres = std::move(centres_);
    return clusters;
  }

  /// Of the last labels, each to its centre.
  [[nodiscard]] double inertia() const { return std::accumulate(nearest_.begin(), nearest_.end(), 0.0); }

 private:
  /// Squared distances of all rows to these: N x rows.
  [[nodiscard]] Matrix<double> distances_to(ConstMatrixView<double> rows) const {
    Matrix<double> result(X_.rows, rows.rows);
    multiply_small<double>(X_, transposed(rows).view(), result.view(), pool_);
    const std::vector<double> squares = squared_norms(rows);
    const Chunks chunks = row_chunks(X_.rows);
    pool_.for_each_chunk(chunks.count(), 10 * static_cast<double>(result.size()), [&](Index chunk) {
      for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
        for (Index c = 0; c < rows.rows; ++c) {
          result(i, c) =
              squared_distance(X_.row(i), rows.row(c), X_.cols, squares_[static_cast<std::size_t>(i)],
                               squares[static_cast<std::size_t>(c)], result(i, c));
        }
      }
    });
    return result;
  }

  /// Where no more rows differ from these, the last one again and again, which nothing is nearest to.
  void choose_centres(std::uint64_t seed, Index start) {
    const Index trials = 2 + static_cast<Index>(std::log(static_cast<double>(k_)));
    Index position = start * k_ * trials;
    const auto next = [&] { return uniform(seed, streams::kClusters, position++); };
    std::ranges::fill(nearest_, std::numeric_limits<double>::infinity());
    std::vector<Index> chosen;
    std::vector<Index> candidates = {
        std::min(X_.rows - 1, static_cast<Index>(next() * static_cast<double>(X_.rows)))};
    while (true) {
      chosen.push_back(best_of(candidates));
      if (std::ssize(chosen) == k_) break;
      std::vector<double> sums(nearest_.size());
      std::partial_sum(nearest_.begin(), nearest_.end(), sums.begin());
      candidates.clear();
      for (Index trial = 0; trial < trials; ++trial) {
        // The first sum above a number below the last sum ends with a row at a distance.
        const auto place = std::ranges::upper_bound(sums, next() * sums.back());
        candidates.push_back(std::min<Index>(place - sums.begin(), X_.rows - 1));
      }
    }
    centres_ = rows_of(chosen);
  }

  [[nodiscard]] Matrix<double> rows_of(std::span<const Index> rows) const {
    Matrix<double> result(std::ssize(rows), X_.cols);
    for (Index c = 0; c < result.rows(); ++c) {
      std::copy_n(X_.row(rows[static_cast<std::size_t>(c)]), X_.cols, result.view().row(c));
    }
    return result;
  }

  /// The candidate that leaves the least sum of distances to the nearest centre, which become `nearest_`.
  Index best_of(std::span<const Index> candidates) {
    const Matrix<double> distances = distances_to(rows_of(candidates).view());
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < distances.cols(); ++c) {
      double sum = 0;
      for (Index i = 0; i < distances.rows(); ++i)
        sum += std::min(nearest_[static_cast<std::size_t>(i)], distances(i, c));
      if (sum >= least) continue;
      least = sum;
      best = c;
    }
    for (Index i = 0; i < distances.rows(); ++i) {
      double& nearest = nearest_[static_cast<std::size_t>(i)];
      nearest = std::min(nearest, distances(i, best));
    }
    return candidates[static_cast<std::size_t>(best)];
  }

  std::vector<Index> assign() {
    const Matrix<double> distances = distances_to(centres_.view());
    std::vector<Index> labels(nearest_.size());
    for (Index i = 0; i < distances.rows(); ++i) {
      const double* const row = distances.view().row(i);
      const double* const least = std::min_element(row, row + distances.cols());
      labels[static_cast<std::size_t>(i)] = least - row;
      nearest_[static_cast<std::size_t>(i)] = *least;
    }
    return labels;
  }

  void fill_empty_clusters(std::vector<Index>& labels) {
    std::vector<Index> sizes(static_cast<std::size_t>(centres_.rows()), 0);
    for (const Index label : labels) ++sizes[static_cast<std::size_t>(label)];
    for (std::size_t empty = 0; empty < sizes.size(); ++empty) {
      if (sizes[empty] > 0) continue;
      std::size_t farthest = 0;
      for (std::size_t i = 1; i < labels.size(); ++i) {
        if (nearest_[i] > nearest_[farthest]) farthest = i;
      }
      if (nearest_[farthest] == 0) return;
      --sizes[static_cast<std::size_t>(labels[farthest])];
      ++sizes[empty];
      labels[farthest] = static_cast<Index>(empty);
      nearest_[farthest] = 0;
    }
  }

  void take_means(std::span<const Index> labels) {
    centres_ = cluster_sums(X_, labels, centres_.rows(), pool_);
    std::vector<double> sizes(static_cast<std::size_t>(centres_.rows()), 0.0);
    for (const Index label : labels) ++sizes[static_cast<std::size_t>(label)];
    for (Index c = 0; c < centres_.rows(); ++c) {
      const double size = std::max(1.0, sizes[static_cast<std::size_t>(c)]);
      for (Index j = 0; j < centres_.cols(); ++j) centres_(c, j) /= size;
    }
  }

  ConstMatrixView<double> X_;
  std::span<const double> squares_;
  Index k_;
  ThreadPool& pool_;
  Matrix<double> centres_;
  std::vector<double> nearest_;  // squared distances to the nearest centre
};

}  // namespace

Clusters k_means(ConstMatrixView<double> X, Index k, std::uint64_t seed, ThreadPool& pool) {
  const std::vector<double> squares = squared_norms(X);
  Clusters best;
  double least = std::numeric_limits<double>::infinity();
  for (Index start = 0; start < kKMeansStarts; ++start) {
    KMeans attempt(X, squares, k, pool);
    Clusters clusters = attempt.run(seed, start);
    if (attempt.inertia() >= least) continue;
    least = attempt.inertia();
    best = std::move(clusters);
  }
  return best;
}

}  // namespace anmf
