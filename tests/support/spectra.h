// SPDX-License-Identifier: MIT
// Spectra of starts, in whole numbers so that other programs can have the very same, and plain loops over
// them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "anmf/consensus.h"
#include "support/problems.h"

namespace anmf::test {

/// Every start finds the same k components, in an order of its own and a little different.
inline Matrix<double> spectra_of_starts(Index starts, Index k, Index n) {
  Matrix<double> X(starts * k, n);
  for (Index s = 0; s < starts; ++s) {
    for (Index p = 0; p < k; ++p) {
      for (Index j = 0; j < n; ++j) {
        const Index strong = j % k == (p + s) % k ? 10 : 0;
        X(s * k + p, j) = static_cast<double>(strong + (5 * s + 3 * j + 7 * p + s * j * j) % 6);
      }
    }
  }
  return X;
}

/// 0 to count - 1.
inline std::vector<Index> counted(Index count) {
  std::vector<Index> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

/// Which of the components every one of them is.
inline std::vector<Index> components_of_starts(Index starts, Index k) {
  std::vector<Index> labels;
  for (Index s = 0; s < starts; ++s) {
    for (Index p = 0; p < k; ++p) labels.push_back((p + s) % k);
  }
  return labels;
}

inline std::vector<double> row_of(const Matrix<double>& X, Index i) {
  return {X.view().row(i), X.view().row(i) + X.cols()};
}

inline double norm_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

inline double inner_product(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

inline double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return std::sqrt(sum);
}

/// Rows in another order: row i of the result is row order[i].
inline Matrix<double> rows_in_order(const Matrix<double>& X, const std::vector<Index>& order) {
  Matrix<double> result(std::ssize(order), X.cols());
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < X.cols(); ++j) result(i, j) = X(order[static_cast<std::size_t>(i)], j);
  }
  return result;
}

inline void clear_row(Matrix<double>& X, Index i) {
  for (Index j = 0; j < X.cols(); ++j) X(i, j) = 0;
}

/// The same numbers, NaN in the same places.
inline void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                        double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << "at " << i << ": " << actual[i];
    } else {
      EXPECT_NEAR(actual[i], expected[i], tolerance) << "at " << i;
    }
  }
}

/// compute(pool) is the same for any number of threads, NaN in the same places.
template <class Compute>
void expect_same_for_all_threads(const Compute& compute) {
  ThreadPool one(1);
  const std::vector<double> alone = compute(one);
  for (const int threads : {2, 8}) {
    ThreadPool pool(threads);
    const std::vector<double> together = compute(pool);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const bool same = together[i] == alone[i] || (std::isnan(together[i]) && std::isnan(alone[i]));
      ASSERT_TRUE(same) << threads << " threads, at " << i << ": " << together[i] << " and " << alone[i];
    }
  }
}

/// Labels, rounds and centres as one list.
inline std::vector<double> numbers_of(const Clusters& clusters) {
  std::vector<double> numbers(clusters.labels.begin(), clusters.labels.end());
  numbers.push_back(static_cast<double>(clusters.rounds));
  numbers.insert(numbers.end(), clusters.centres.values().begin(), clusters.centres.values().end());
  return numbers;
}

/// Labels of four starts that agree on something.
inline SampleLabels eleven_samples() {
  SampleLabels labels(4, 11);
  for (Index s = 0; s < 4; ++s) {
    for (Index i = 0; i < 11; ++i)
      labels(s, i) = static_cast<std::uint16_t>(1 + (i * i + s * i * 3 + s * s * i / 2) % 3);
  }
  return labels;
}

}  // namespace anmf::test
