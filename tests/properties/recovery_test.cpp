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
double predicted(const Case& c, Counted& counted) {
  const Matrix<double> M = planted(c.rows, c.cols, kRank, 3, 0);
  Matrix<double> observed = M;
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
  const auto data = weighted<double>(std::make_unique<DenseData<double>>(std::as_const(observed).view()),
                                     {.rows = {}, .columns = {}, .entries = std::move(missing)});
  counted = data->counted();
  const Options options{.rank = kRank, .max_iterations = c.iterations, .tolerance = 0, .threads = 1};
  const Result<double> result = factorize<double>(*data, options);
  double square = 0;
  double norm = 0;
  for (Index i = 0; i < c.rows; ++i) {
    for (const std::uint32_t j : places.view().row(i)) {
      double model = 0;
      for (Index p = 0; p < kRank; ++p) model += result.W(i, p) * result.H(p, Index{j});
      square += (M(i, Index{j}) - model) * (M(i, Index{j}) - model);
      norm += M(i, Index{j}) * M(i, Index{j});
    }
  }
  return std::sqrt(square / norm);
}

TEST(Recovery, OfATenthThatIsMissing) {
  Counted counted{};
  EXPECT_LT(predicted({60, 50, 0.1, 1000}, counted), 1e-6);
  EXPECT_EQ(counted, Counted::all_but);
}

TEST(Recovery, OfHalfThatIsMissing) {
  Counted counted{};
  EXPECT_LT(predicted({100, 80, 0.52, 1000}, counted), 1e-6);
  EXPECT_EQ(counted, Counted::stored);
}

TEST(Recovery, OfAllButATenth) {
  Counted counted{};
  EXPECT_LT(predicted({300, 250, 0.9, 1000}, counted), 1e-6);
  EXPECT_EQ(counted, Counted::stored);
}

}  // namespace
}  // namespace anmf::test::recovery_test
