// SPDX-License-Identifier: MIT
// Rows beside a given H where entries are missing or weighted, against normal equations and gradients by
// definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "anmf/nnls.h"
#include "anmf/weights.h"
#include "support/naive_weights.h"
#include "support/problems.h"

namespace anmf::test::observed_rows_test {
namespace {

using by_definition::AllWeights;

constexpr Index kRank = 4;

enum class Kind { missing, stored, each, columns };

struct Case {
  Kind kind;
  bool sparse;
  double share;  // of the entries, that is missing
  Index rows;
  Index cols;
};

struct Problem {
  Matrix<double> M;
  AllWeights weights;
  std::unique_ptr<Data<double>> data;
};

Problem problem_of(const Case& c, double least) {
  Problem problem{.M = planted(c.rows, c.cols, kRank, 3, 0.2)};
  Matrix<double>& M = problem.M;
  for (double& x : M.values()) x += least;
  problem.weights.p = Matrix<double>(c.rows, c.cols, 1);
  Weights<double> given;
  Places places{.rows = c.rows, .cols = c.cols, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.cols; ++j) {
      const double u = uniform(8, 1004, i * c.cols + j);
      double& p = problem.weights.p(i, j);
      if (c.kind == Kind::columns) continue;
      p = u < c.share || i == 1 ? 0 : c.kind == Kind::each ? 3 * u : 1;
      if (p > 0) continue;
      if (c.kind != Kind::each) M(i, j) = 0;  // but `each` may have anything there
      places.indices.push_back(static_cast<std::uint32_t>(j));
    }
    places.offsets.push_back(static_cast<Index>(places.indices.size()));
  }
  if (c.kind == Kind::missing) given.entries = std::move(places);
  if (c.kind == Kind::stored) given.entries = OnlyStored{};
  if (c.kind == Kind::each) given.entries = problem.weights.p;
  if (c.kind == Kind::columns) {
    for (Index j = 0; j < c.cols; ++j) problem.weights.b.push_back(0.5 * static_cast<double>(j % 3));
    given.columns = problem.weights.b;
  }
  std::unique_ptr<Data<double>> base;
  if (c.sparse) {
    base = to_sparse(M);
  } else {
    base = std::make_unique<DenseData<double>>(std::as_const(M).view());
  }
  problem.data = weighted(std::move(base), std::move(given));
  return problem;
}

std::vector<Case> cases() {
  return {{Kind::missing, false, 0.2, 9, 14},  {Kind::missing, false, 0.7, 9, 14},
          {Kind::missing, true, 0.2, 9, 14},   {Kind::missing, true, 0.7, 9, 300},
          {Kind::stored, true, 0.5, 9, 600},   {Kind::each, false, 0.3, 9, 14},
          {Kind::columns, false, 0, 9, 14},    {Kind::columns, true, 0, 9, 14},
          {Kind::missing, false, 0.95, 9, 14}, {Kind::each, true, 0.3, 3, 1}};
}

class ObservedRows : public testing::TestWithParam<Case> {
 protected:
  /// The largest |min(s x, g / s)| relative to the largest slope at 0, by definition.
  static double violation(const Problem& problem, const Matrix<double>& W, const Matrix<double>& H,
                          double beta, double l1, double l2) {
    double worst = 0;
    for (Index i = 0; i < W.rows(); ++i) {
      double found = 0;
      double scale = 0;
      for (Index p = 0; p < kRank; ++p) {
        double g = l1 + l2 * W(i, p);
        double bend = l2;
        double above = 0;
        for (Index j = 0; j < H.cols(); ++j) {
          const double p_ij = problem.weights.p(i, j) * problem.weights.column(j);
          if (p_ij == 0) continue;
          const double y = std::max(by_definition::model(W, H, i, j), 1e-300);
          g += p_ij * (std::pow(y, beta - 1) - problem.M(i, j) * std::pow(y, beta - 2)) * H(p, j);
          above += p_ij * problem.M(i, j) * std::pow(y, beta - 2) * H(p, j);
          bend += p_ij * (beta == 2 ? 1 : problem.M(i, j) * std::pow(y, beta - 3)) * H(p, j) * H(p, j);
        }
        if (bend == 0) continue;
        const double s = std::sqrt(bend);
        found = std::max(found, std::abs(std::min(s * W(i, p), g / s)));
        scale = std::max(scale, above / s);
      }
      if (scale > 0) worst = std::max(worst, found / scale);
    }
    return worst;
  }
};

TEST_P(ObservedRows, AreOptimal) {
  const Problem problem = problem_of(GetParam(), 0);
  const Matrix<double> H = random_matrix(kRank, GetParam().cols, 12);
  for (const double alpha : {0.0, 0.01}) {
    const NnlsResult<double> fit =
        fit_rows<double>(*problem.data, H.view(), {.alpha_W = alpha, .l1_ratio = 0.5, .threads = 2});
    double columns = static_cast<double>(GetParam().cols);
    if (!problem.weights.b.empty()) {
      columns = 0;
      for (const double b : problem.weights.b) columns += b;
    }
    const double penalty = 0.5 * alpha * columns;
    EXPECT_LT(violation(problem, fit.X, H, 2, penalty, penalty), 1e-10) << alpha;
    EXPECT_LT(fit.kkt, 1e-10);
    for (const double x : fit.X.values()) EXPECT_GE(x, 0);
    if (!problem.weights.b.empty()) continue;
    for (Index p = 0; p < kRank; ++p) EXPECT_EQ(fit.X(1, p), 0) << "a row that nobody has observed";
  }
}

TEST_P(ObservedRows, AreOptimalInOtherLosses) {
  const Problem problem = problem_of(GetParam(), 0.1);
  const Matrix<double> H = random_matrix(kRank, GetParam().cols, 12);
  for (const std::string loss : {"kl", "0.5", "is"}) {
    const NnlsResult<double> fit = fit_rows<double>(*problem.data, H.view(), {.loss = loss});
    const double beta = loss == "kl" ? 1 : loss == "is" ? 0 : 0.5;
    EXPECT_LT(violation(problem, fit.X, H, beta, 0, 0), 1e-4) << loss;
  }
}

TEST_P(ObservedRows, ErrorIsThatOfTheEntriesThatCount) {
  const Problem problem = problem_of(GetParam(), 0.1);
  const Matrix<double> H = random_matrix(kRank, GetParam().cols, 12);
  const Matrix<double> W = random_matrix(GetParam().rows, kRank, 13);
  for (const std::string loss : {"frobenius", "kl", "is"}) {
    const double beta = loss == "frobenius" ? 2 : loss == "kl" ? 1 : 0;
    const double expected = by_definition::weighted_loss(problem.M, problem.weights, W, H, beta);
    EXPECT_NEAR(fit_error<double>(*problem.data, W, H.view(), {.loss = loss}), std::sqrt(2 * expected),
                1e-10 * std::sqrt(2 * expected))
        << loss;
  }
}

TEST(ObservedRows, FloatAndLargeScales) {
  Problem problem = problem_of({Kind::missing, false, 0.3, 9, 14}, 0);
  const Matrix<double> H = random_matrix(kRank, 14, 12);
  const NnlsResult<double> exact = fit_rows<double>(*problem.data, H.view());
  Matrix<float> M(9, 14);
  Places places{.rows = 9, .cols = 14, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < 14; ++j) {
      M(i, j) = static_cast<float>(problem.M(i, j) * 1e25);
      if (problem.weights.p(i, j) == 0) places.indices.push_back(static_cast<std::uint32_t>(j));
    }
    places.offsets.push_back(static_cast<Index>(places.indices.size()));
  }
  const auto data = weighted<float>(std::make_unique<DenseData<float>>(std::as_const(M).view()),
                                    {.entries = std::move(places)});
  Matrix<float> components(kRank, 14);
  std::transform(H.data(), H.data() + H.size(), components.data(),
                 [](double h) { return static_cast<float>(h); });
  const NnlsResult<float> fit = fit_rows<float>(*data, components.view());
  for (Index k = 0; k < fit.X.size(); ++k)
    EXPECT_NEAR(fit.X.data()[k] / 1e25, exact.X.data()[k], 1e-4 * std::max(1.0, exact.X.data()[k]));
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  const std::array<std::string, 4> kinds = {"Missing", "Stored", "Each", "Columns"};
  return kinds.at(static_cast<std::size_t>(c.kind)) + (c.sparse ? "Sparse" : "Dense") +
         std::to_string(static_cast<int>(100 * c.share)) + "of" + std::to_string(c.cols);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ObservedRows, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace anmf::test::observed_rows_test
