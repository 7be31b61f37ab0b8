// SPDX-License-Identifier: MIT
// The bound against naive decompositions, and residuals of rows and columns against loops over the entries.
#include "anmf/fit_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "anmf/factorize.h"
#include "support/naive_svd.h"
#include "support/problems.h"

namespace anmf::test::fit_quality_test {
namespace {

double naive_best_error(const Matrix<double>& M, Index rank) {
  const NaiveSvd svd = naive_svd(to_eigen(M));
  const double left = svd.s.tail(svd.s.size() - rank).squaredNorm();
  return std::sqrt(left / svd.s.squaredNorm());
}

TEST(BestRankError, IsThatOfAFullDecomposition) {
  struct Case {
    Index rows, cols, rank;
  };
  for (const auto& [m, n, r] : {Case{9, 7, 2}, Case{60, 300, 4}, Case{300, 61, 12}, Case{150, 140, 10}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << ", rank " << r);
    const Matrix<double> M = planted(m, n, 3 * r, 41, 0.2);
    const double best = naive_best_error(M, r);
    const DenseData<double> data(M.view());

    EXPECT_NEAR(best_rank_error(data, r), best, 1e-4 * best);
    EXPECT_GE(best_rank_error(data, r), best * (1 - 1e-12));
    EXPECT_EQ(best_rank_error(data, r, 1), best_rank_error(data, r, 3));
  }
}

TEST(BestRankError, OfFloatsAndOfOddScalesIsTheSame) {
  Matrix<double> M = planted(80, 60, 12, 42, 0.2);
  const double best = naive_best_error(M, 4);
  Matrix<float> single(80, 60);
  for (Index k = 0; k < M.size(); ++k) single.data()[k] = static_cast<float>(M.data()[k]);
  for (double& x : M.values()) x *= 1e-180;

  EXPECT_NEAR(best_rank_error(DenseData<float>(single.view()), 4), best, 1e-5);
  EXPECT_NEAR(best_rank_error(DenseData<double>(M.view()), 4), best, 1e-5 * best);
}

TEST(BestRankError, IsNothingWhereTheRankSuffices) {
  const Matrix<double> exact = planted(50, 40, 3, 43, 0);
  const Matrix<double> zero(5, 4);

  EXPECT_LT(best_rank_error(DenseData<double>(exact.view()), 3), 1e-7);
  EXPECT_LT(best_rank_error(DenseData<double>(exact.view()), 5), 1e-7);
  EXPECT_EQ(best_rank_error(DenseData<double>(exact.view()), 40), 0);
  EXPECT_EQ(best_rank_error(DenseData<double>(zero.view()), 1), 0);
  EXPECT_THROW((void)best_rank_error(DenseData<double>(exact.view()), 0), InvalidInput);
}

TEST(BestRankError, FromFactorsIsTheSame) {
  const Index r = 5;
  for (const auto& [m, n] : {std::pair<Index, Index>{90, 130}, {130, 90}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n);
    const Matrix<double> M = planted(m, n, 15, 47, 0.2);
    const double best = naive_best_error(M, r);
    const DenseData<double> data(M.view());
    Result<double> result = factorize<double>(data, {.rank = r, .max_iterations = 20});

    EXPECT_NEAR(best_rank_error(data, result), best, 1e-4 * best);
    EXPECT_GE(best_rank_error(data, result), best * (1 - 1e-12));
    EXPECT_EQ(best_rank_error(data, result, 1), best_rank_error(data, result, 3));
    for (Index i = 0; i < m; ++i) result.W(i, 1) = 0;
    for (Index j = 0; j < n; ++j) result.H(1, j) = 0;
    EXPECT_NEAR(best_rank_error(data, result), best, 1e-4 * best);
    result.H = Matrix<double>(r, n + 1);
    EXPECT_THROW((void)best_rank_error(data, result), InvalidInput);
  }
}

TEST(BestRankError, FromFactorsFindsWhatTheyMiss) {
  // Three blocks of equal weight on the diagonal; the factors know nothing of the last one.
  const Index size = 40;
  Matrix<double> M(3 * size, 3 * size);
  const Matrix<double> block = planted(size, size, 1, 48, 0);
  for (Index b = 0; b < 3; ++b) {
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) M(b * size + i, b * size + j) = block(i, j) + (i == j ? 0.1 : 0);
    }
  }
  Result<double> result{
      .W = Matrix<double>(3 * size, 3), .H = Matrix<double>(3, 3 * size), .scale = {1, 1, 1}};
  for (Index i = 0; i < 2 * size; ++i) {
    for (Index p = 0; p < 3; ++p) result.W(i, p) = result.H(p, i) = static_cast<double>(1 + (i % (p + 2)));
  }
  const double best = naive_best_error(M, 3);

  EXPECT_NEAR(best_rank_error(DenseData<double>(M.view()), result), best, 1e-4 * best);
}

TEST(FitByLine, IsTheNormOfEveryRowAndColumnOfTheResidual) {
  const Index m = 30;
  const Index n = 20;
  const Index r = 3;
  const Matrix<double> M = planted(m, n, 5, 44, 0.1);
  Result<double> result{.W = random_matrix(m, r, 45), .H = random_matrix(r, n, 46), .scale = {1, 0.5, 2}};
  std::vector<double> rows(m, 0.0);
  std::vector<double> cols(n, 0.0);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      double rest = M(i, j);
      for (Index p = 0; p < r; ++p)
        rest -= result.W(i, p) * result.scale[static_cast<std::size_t>(p)] * result.H(p, j);
      rows[static_cast<std::size_t>(i)] += rest * rest;
      cols[static_cast<std::size_t>(j)] += rest * rest;
    }
  }

  const auto fit = fit_by_line(DenseData<double>(M.view()), result);

  ASSERT_TRUE(fit);
  ASSERT_EQ(fit->rows.residuals.size(), rows.size());
  ASSERT_EQ(fit->columns.residuals.size(), cols.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_NEAR(fit->rows.residuals[i], std::sqrt(rows[i]), 1e-12 * std::sqrt(rows[i]));
  for (std::size_t j = 0; j < cols.size(); ++j)
    EXPECT_NEAR(fit->columns.residuals[j], std::sqrt(cols[j]), 1e-12 * std::sqrt(cols[j]));
}

}  // namespace
}  // namespace anmf::test::fit_quality_test
