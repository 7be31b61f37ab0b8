// SPDX-License-Identifier: MIT
// Draws against the probabilities they are said to have, and copies of M that are drawn.
#include "survey/resampled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/weights.h"
#include "data/entry_rows.h"
#include "support/files_and_messages.h"
#include "support/shown_entries.h"
#include "survey/draws.h"

namespace anmf::test::resampled_test {

using io_test::expect_phrase;
using io_test::message_of;
using Kind = Resampling::Kind;

namespace {

template <class Draw>
std::vector<double> draws(Index count, std::uint64_t seed, const Draw& draw) {
  std::vector<double> drawn;
  for (Index i = 0; i < count; ++i) {
    PlaceNumbers numbers(seed, static_cast<std::uint64_t>(i));
    drawn.push_back(draw(numbers));
  }
  return drawn;
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

/// About `around`, so that large numbers do not cancel.
Moments moments(const std::vector<double>& drawn, double around) {
  const auto count = static_cast<double>(drawn.size());
  Moments found;
  for (const double x : drawn) found.mean += (x - around) / count;
  for (const double x : drawn) {
    const double difference = x - around - found.mean;
    found.variance += difference * difference / (count - 1);
  }
  return found;
}

/// Pearson's statistic over the degrees of freedom, of numbers below `cells` with these probabilities; what
/// is expected less than five times is put together.
double chi_square_per_degree(const std::vector<double>& drawn, const std::vector<double>& probabilities) {
  std::vector<double> seen(probabilities.size() + 1, 0);
  for (const double x : drawn) ++seen[std::min(static_cast<std::size_t>(x), probabilities.size())];
  const auto count = static_cast<double>(drawn.size());
  double rest_seen = seen.back();
  double rest_expected = count;
  double statistic = 0;
  double cells = 0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const double expected = count * probabilities[k];
    if (expected < 5) {
      rest_seen += seen[k];
      continue;
    }
    rest_expected -= expected;
    statistic += (seen[k] - expected) * (seen[k] - expected) / expected;
    ++cells;
  }
  if (rest_expected > 1)
    statistic += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
  return statistic / cells;
}

double log_factorial(double k) {
  double sum = 0;
  for (double i = 2; i <= k; ++i) sum += std::log(i);
  return sum;
}

TEST(Draws, PoissonHasItsProbabilities) {
  for (const double mean : {0.2, 3.0, 9.9, 10.0, 14.5, 60.0}) {
    std::vector<double> probabilities;
    for (double k = 0; k < 3 * mean + 10; ++k)
      probabilities.push_back(std::exp(k * std::log(mean) - mean - log_factorial(k)));
    const auto drawn = draws(40'000, 3, [=](PlaceNumbers& numbers) { return draw_poisson(mean, numbers); });
    // At least 5 cells or so: 3 would be beyond 1 in 10^4.
    EXPECT_LT(chi_square_per_degree(drawn, probabilities), mean < 1 ? 5 : 1.9) << mean;
  }
}

TEST(Draws, BinomialHasItsProbabilities) {
  for (const auto& [n, p] : {std::pair(7.0, 0.3), std::pair(40.0, 0.1), std::pair(60.0, 0.5),
                             std::pair(60.0, 0.8), std::pair(100.0, 0.15)}) {
    std::vector<double> probabilities;
    for (double k = 0; k <= n; ++k) {
      probabilities.push_back(std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) +
                                       k * std::log(p) + (n - k) * std::log1p(-p)));
    }
    const auto drawn =
        draws(40'000, 4, [n = n, p = p](PlaceNumbers& numbers) { return draw_binomial(n, p, numbers); });
    EXPECT_LT(chi_square_per_degree(drawn, probabilities), n < 10 ? 4 : 1.9) << n << ", " << p;
  }
}

TEST(Draws, LargeMeansHaveTheirMoments) {
  constexpr Index kCount = 20'000;
  const double errors = 4 / std::sqrt(static_cast<double>(kCount));  // four standard errors
  for (const double mean : {1e3, 1e6, 1e10, 1e15}) {
    const Moments found =
        moments(draws(kCount, 5, [=](PlaceNumbers& numbers) { return draw_poisson(mean, numbers); }), mean);
    EXPECT_NEAR(found.mean / std::sqrt(mean), 0, errors) << mean;
    EXPECT_NEAR(found.variance / mean, 1, 1.5 * errors) << mean;
  }
  for (const auto& [n, p] : {std::pair(1e6, 0.3), std::pair(1e12, 1e-6), std::pair(8e15, 0.7)}) {
    const double variance = n * p * (1 - p);
    const Moments found = moments(
        draws(kCount, 6, [n = n, p = p](PlaceNumbers& numbers) { return draw_binomial(n, p, numbers); }),
        std::round(n * p));
    EXPECT_NEAR(found.mean / std::sqrt(variance), 0, errors) << n;
    EXPECT_NEAR(found.variance / variance, 1, 1.5 * errors) << n;
  }
}

Matrix<double> counts(Index rows, Index cols, std::uint64_t seed) {
  Matrix<double> M = random_matrix(rows, cols, seed, 0.6);
  for (double& x : M.values()) x = std::floor(x * 40);
  return M;
}

Matrix<double> entries_of(const Data<double>& data) { return shown_entries(data, Side::W).entries; }

double sum_of_row(const Matrix<double>& M, Index i) {
  return std::accumulate(M.view().row(i), M.view().row(i) + M.cols(), 0.0);
}

double sum_of_column(const Matrix<double>& M, Index j) {
  double sum = 0;
  for (Index i = 0; i < M.rows(); ++i) sum += M(i, j);
  return sum;
}

TEST(Resampled, IsAFunctionOfSeedAndPlaceWhateverTheStorage) {
  const Matrix<double> M = counts(30, 20, 1);
  const Matrix<double> turned = transposed(M);
  const DenseData<double> by_rows(M.view());
  const DenseData<double> by_columns(turned.view(), Layout::column_major);
  const auto sparse = to_sparse(M);
  for (const Kind kind : {Kind::poisson, Kind::multinomial, Kind::uniform}) {
    for (const Side side : {Side::W, Side::H}) {
      const Resampling how{.kind = kind, .width = 0.5};
      const auto dense_copy = resampled<double>(by_rows, how, side, 7);
      const auto sparse_copy = resampled<double>(*sparse, how, side, 7);
      const Matrix<double> drawn = entries_of(*dense_copy);
      EXPECT_EQ(drawn, entries_of(*resampled<double>(by_columns, how, side, 7)));
      EXPECT_EQ(drawn, entries_of(*sparse_copy));
      EXPECT_TRUE(is_dense(dense_copy->storage()));
      EXPECT_TRUE(is_sparse(sparse_copy->storage()));
      EXPECT_NE(drawn, entries_of(*resampled<double>(by_rows, how, side, 8)));
      EXPECT_NE(drawn, M);
      double squares = 0;
      for (Index i = 0; i < M.rows(); ++i) {
        for (Index j = 0; j < M.cols(); ++j) {
          squares += drawn(i, j) * drawn(i, j);
          EXPECT_TRUE(M(i, j) != 0 || drawn(i, j) == 0);
        }
      }
      EXPECT_NEAR(dense_copy->norm(), std::sqrt(squares), 1e-9);
    }
  }
}

TEST(Resampled, PoissonAndUniformDoNotHangOnSamples) {
  const Matrix<double> M = counts(12, 9, 2);
  const DenseData<double> data(M.view());
  for (const Kind kind : {Kind::poisson, Kind::uniform}) {
    const Resampling how{.kind = kind, .width = 0.3};
    EXPECT_EQ(entries_of(*resampled<double>(data, how, Side::W, 1)),
              entries_of(*resampled<double>(data, how, Side::H, 1)));
  }
}

TEST(Resampled, MultinomialKeepsTheTotalsOfSamples) {
  const Matrix<double> M = counts(25, 40, 3);
  const auto data = to_sparse(M);
  const Matrix<double> rows = entries_of(*resampled<double>(*data, {.kind = Kind::multinomial}, Side::H, 5));
  const Matrix<double> columns =
      entries_of(*resampled<double>(*data, {.kind = Kind::multinomial}, Side::W, 5));
  for (Index i = 0; i < M.rows(); ++i) EXPECT_EQ(sum_of_row(rows, i), sum_of_row(M, i));
  for (Index j = 0; j < M.cols(); ++j) EXPECT_EQ(sum_of_column(columns, j), sum_of_column(M, j));
  EXPECT_NE(sum_of_column(rows, 0) + sum_of_column(rows, 1), sum_of_column(M, 0) + sum_of_column(M, 1));
}

TEST(Resampled, EntriesHaveTheirMeansVariancesAndCovariances) {
  Matrix<double> M(1, 4);
  const std::vector<double> row = {3, 0, 50, 12};
  std::ranges::copy(row, M.data());
  const DenseData<double> data(M.view());
  constexpr std::uint64_t kCount = 4000;
  const auto sample = [&](const Resampling& how) {
    std::vector<std::vector<double>> drawn(4);
    for (std::uint64_t seed = 0; seed < kCount; ++seed) {
      const Matrix<double> one = entries_of(*resampled<double>(data, how, Side::H, seed));
      for (std::size_t j = 0; j < 4; ++j) drawn[j].push_back(one(0, static_cast<Index>(j)));
    }
    return drawn;
  };
  const auto expect = [&](const std::vector<double>& drawn, double mean, double variance) {
    const Moments found = moments(drawn, mean);
    EXPECT_NEAR(found.mean, 0, 4 * std::sqrt(variance / kCount) + 1e-12);
    EXPECT_NEAR(found.variance, variance, 0.12 * variance + 1e-12);
  };
  const auto poisson = sample({.kind = Kind::poisson});
  const auto multinomial = sample({.kind = Kind::multinomial});
  const auto uniform = sample({.kind = Kind::uniform, .width = 0.4});
  for (std::size_t j = 0; j < 4; ++j) {
    expect(poisson[j], row[j], row[j]);
    expect(multinomial[j], row[j], row[j] * (1 - row[j] / 65));
    expect(uniform[j], row[j], row[j] * row[j] * 0.16 / 3);
  }
  const auto covariance = [&](const std::vector<std::vector<double>>& drawn) {
    double sum = 0;
    for (std::size_t s = 0; s < kCount; ++s) sum += (drawn[2][s] - 50) * (drawn[3][s] - 12);
    return sum / kCount;
  };
  EXPECT_NEAR(covariance(multinomial), -50.0 * 12 / 65, 1.5);
  EXPECT_NEAR(covariance(poisson), 0, 1.6);
}

TEST(Resampled, WhatNobodyObservedIsNotDrawn) {
  Matrix<double> M = counts(20, 10, 4);
  Matrix<double> weights(20, 10, 2.0);
  for (Index i = 0; i < 20; ++i) weights(i, i % 10) = 0;
  const auto data = weighted<double>(std::make_unique<DenseData<double>>(M.view()),
                                     {.rows = std::vector<double>(20, 3.0), .entries = weights});
  const auto copy = resampled<double>(*data, {.kind = Kind::multinomial}, Side::H, 9);
  EXPECT_EQ(copy->counted(), Counted::each);
  EXPECT_EQ(copy->observed(), data->observed());
  EXPECT_EQ(copy->line_weights(Side::W)[0], 3);
  copy->for_each_block(Side::W, [&](const EntryBlock<double>& block) {
    Matrix<double> entries(20, 10);
    Matrix<double> counted(20, 10);
    load_rows(block, 0, 20, entries.view());
    load_weights(block, 0, 20, counted.view());
    EXPECT_EQ(counted, weights);
    for (Index i = 0; i < 20; ++i) {
      EXPECT_EQ(entries(i, i % 10), 0);
      EXPECT_EQ(sum_of_row(entries, i), sum_of_row(M, i) - M(i, i % 10));
    }
  });
}

TEST(Resampled, ObservedZerosStayObserved) {
  const Matrix<double> M = counts(30, 12, 5);
  const auto ratings = weighted<double>(to_sparse(M), {.entries = OnlyStored{}});
  const auto copy = resampled<double>(*ratings, {.kind = Kind::poisson}, Side::H, 2);
  EXPECT_EQ(copy->counted(), Counted::stored);
  EXPECT_EQ(copy->observed(), ratings->observed());

  Places gone{.rows = 30, .cols = 12, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < 30; ++i) {
    gone.indices.push_back(static_cast<std::uint32_t>(i % 12));
    gone.offsets.push_back(i + 1);
  }
  const auto masked = weighted<double>(to_sparse(M), {.entries = gone});
  for (const Side side : {Side::W, Side::H}) {
    const auto drawn = resampled<double>(*masked, {.kind = Kind::poisson}, side, 2);
    EXPECT_EQ(drawn->counted(), Counted::all_but);
    EXPECT_EQ(drawn->observed(), masked->observed());
  }
}

TEST(Resampled, SaysWhatCannotBeDrawn) {
  Matrix<double> M = counts(5, 4, 6);
  M(2, 3) = 0.5;
  const DenseData<double> half(M.view());
  const auto message = [](const Data<double>& data, const Resampling& how) {
    return message_of<InvalidInput>([&] { check_resampling(data, how); });
  };
  expect_phrase(message(half, {.kind = Kind::multinomial}), "M[2, 3] = 0.5 (row and column counted from 0)");
  check_resampling<double>(half, {.kind = Kind::poisson});
  expect_phrase(message(*to_sparse(M), {.kind = Kind::multinomial}), "whole numbers");
  M(2, 3) = -1;
  const DenseData<double> negative(M.view(), Layout::row_major, Sign::any);
  expect_phrase(message(negative, {.kind = Kind::poisson}), "M[2, 3] = -1");
  EXPECT_FALSE(resampled<double>(negative, {.kind = Kind::uniform, .width = 0.1}, Side::H, 1)->nonnegative());
  M(2, 3) = 1e17;
  const DenseData<double> large(M.view());
  expect_phrase(message(large, {.kind = Kind::poisson}), "at most 2^53");
  expect_phrase(message(half, {.kind = Kind::uniform, .width = 1.5}), "width 1.5; it must be in [0, 1]");
  M(0, 0) = M(1, 0) = M(2, 0) = 0x1.0p52;
  M(2, 3) = 0;
  const DenseData<double> heavy(M.view());
  EXPECT_THROW((void)resampled<double>(heavy, {.kind = Kind::multinomial}, Side::W, 1), InvalidInput);
}

TEST(Resampled, TakesSinglePrecision) {
  const Matrix<double> M = counts(10, 8, 7);
  Matrix<float> single(10, 8);
  std::ranges::copy(M.values(), single.data());
  const DenseData<float> data(single.view());
  const DenseData<double> doubles(M.view());
  const auto copy = resampled<float>(data, {.kind = Kind::poisson}, Side::H, 3);
  const Matrix<double> expected =
      entries_of(*resampled<double>(doubles, {.kind = Kind::poisson}, Side::H, 3));
  EXPECT_EQ(shown_entries(*copy, Side::W).entries, expected);
}

}  // namespace
}  // namespace anmf::test::resampled_test
