// SPDX-License-Identifier: MIT
// What was not observed of a matrix of low rank, without noise, is predicted from what was.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "anmf/weights.h"
#include "support/problems.h"

namespace anmf::test::recovery_test {
namespace {

constexpr Index kRank = 5;

struct Case {
  Index rows;
  Index cols;
  double missing;
  Index iterations;
};

/// The relative error over the entries that were missing.
template <class T>
double predicted(const Case& c, Counted& counted) {
  const Matrix<T> M = planted<T>(c.rows, c.cols, kRank, 3, 0);
  Matrix<T> observed = M;
  Places missing{.rows = c.rows, .cols = c.cols, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.cols; ++j) {
      if (uniform(9, 1005, i * c.cols + j) >= c.missing) continue;
      missing.indices.push_back(static_cast<std::uint32_t>(j));
      observed(i, j) = 0;
    }
    missing.offsets.push_back(static_cast<Index>(missing.indices.size()));
  }
  const Places places = missing;
  const auto data = weighted<T>(std::make_unique<DenseData<T>>(std::as_const(observed).view()),
                                {.rows = {}, .columns = {}, .entries = std::move(missing)});
  counted = data->counted();
  const Options options{.rank = kRank, .max_iterations = c.iterations, .tolerance = 0, .threads = 1};
  const Result<T> result = factorize<T>(*data, options);
  double square = 0;
  double norm = 0;
  for (Index i = 0; i < c.rows; ++i) {
    for (const std::uint32_t j : places.view().row(i)) {
      double model = 0;
      for (Index p = 0; p < kRank; ++p)
        model += static_cast<double>(result.W(i, p)) * static_cast<double>(result.H(p, Index{j}));
      const auto entry = static_cast<double>(M(i, Index{j}));
      square += (entry - model) * (entry - model);
      norm += entry * entry;
    }
  }
  return std::sqrt(square / norm);
}

TEST(Recovery, OfATenthThatIsMissing) {
  Counted counted{};
  EXPECT_LT(predicted<double>({60, 50, 0.1, 1000}, counted), 1e-6);
  EXPECT_EQ(counted, Counted::all_but);
}

TEST(Recovery, OfHalfThatIsMissing) {
  Counted counted{};
  EXPECT_LT(predicted<double>({100, 80, 0.52, 1000}, counted), 1e-6);
  EXPECT_EQ(counted, Counted::stored);
}

TEST(Recovery, OfAllButATenth) {
  Counted counted{};
  EXPECT_LT(predicted<double>({300, 250, 0.9, 1000}, counted), 1e-6);
  EXPECT_EQ(counted, Counted::stored);
}

TEST(Recovery, InSinglePrecisionToItsDigits) {
  Counted counted{};
  EXPECT_LT(predicted<float>({60, 50, 0.1, 300}, counted), 1e-3);
  EXPECT_LT(predicted<float>({100, 80, 0.52, 300}, counted), 1e-3);
}

}  // namespace
}  // namespace anmf::test::recovery_test
