// SPDX-License-Identifier: MIT
// The public nonnegative least squares functions: against an active-set oracle, the optimality conditions
// computed by naive loops, and the converged factorization.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "anmf/anmf.h"
#include "support/files_and_messages.h"
#include "support/problems.h"

namespace anmf::test::least_squares_test {
namespace {

using io_test::message_of;

Matrix<double> signed_matrix(Index rows, Index cols, std::uint64_t seed) {
  Matrix<double> A = random_matrix(rows, cols, seed);
  for (double& x : A.values()) x -= 0.45;
  return A;
}

/// The least squared error of one right-hand side over x >= 0, by coordinate descent until nothing moves.
double best_squared_error(const Matrix<double>& A, const Matrix<double>& B, Index column) {
  const Matrix<double> G = product(transposed(A), A);
  const Matrix<double> C = product(transposed(A), B);
  std::vector<double> x(static_cast<std::size_t>(A.cols()), 0.0);
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  for (int sweep = 0; sweep < 20000; ++sweep) {
    for (Index p = 0; p < A.cols(); ++p) {
      double g = -C(p, column);
      for (Index q = 0; q < A.cols(); ++q) g += G(p, q) * x[at(q)];
      if (G(p, p) > 0) x[at(p)] = std::max(0.0, x[at(p)] - g / G(p, p));
    }
  }
  double sum = 0;
  for (Index i = 0; i < A.rows(); ++i) {
    double residual = -B(i, column);
    for (Index p = 0; p < A.cols(); ++p) residual += A(i, p) * x[at(p)];
    sum += residual * residual;
  }
  return sum;
}

double squared_error(const Matrix<double>& A, const Matrix<double>& X, const Matrix<double>& B,
                     Index column) {
  const Matrix<double> AX = product(A, X);
  double sum = 0;
  for (Index i = 0; i < A.rows(); ++i) sum += std::pow(AX(i, column) - B(i, column), 2);
  return sum;
}

TEST(LeastSquares, ReachTheErrorOfLongCoordinateDescent) {
  for (const auto& [p, r, k] : {std::tuple<Index, Index, Index>{7, 3, 5}, {20, 8, 9}, {1, 1, 1}, {5, 1, 4}}) {
    SCOPED_TRACE(testing::Message() << p << " x " << r << ", " << k << " right-hand sides");
    const Matrix<double> A = signed_matrix(p, r, 71);
    const Matrix<double> B = signed_matrix(p, k, 72);

    const NnlsResult<double> result = nnls(A.view(), B.view(), 2);

    ASSERT_EQ(result.X.rows(), r);
    ASSERT_EQ(result.X.cols(), k);
    for (const double x : result.X.values()) EXPECT_GE(x, 0);
    EXPECT_LE(result.kkt, 1e-12);
    for (Index j = 0; j < k; ++j) {
      const double best = best_squared_error(A, B, j);
      EXPECT_NEAR(squared_error(A, result.X, B, j), best, 1e-10 * (best + 1e-3));
    }
  }
}

TEST(LeastSquares, FindANonnegativeSolutionThatIsThere) {
  const Matrix<double> A = signed_matrix(40, 10, 73);
  const Matrix<double> truth = random_matrix(10, 300, 74, 0.5);  // more than one chunk of right-hand sides
  const Matrix<double> B = product(A, truth);

  const NnlsResult<double> result = nnls(A.view(), B.view(), 2);

  EXPECT_LE(max_difference(result.X, truth), 1e-10);
}

TEST(LeastSquares, LeaveUnknownsWithoutEffectAtZero) {
  Matrix<double> A = signed_matrix(6, 3, 75);
  for (Index i = 0; i < 6; ++i) A(i, 1) = 0;
  const Matrix<double> B = signed_matrix(6, 2, 76);
  const NnlsResult<double> result = nnls(A.view(), B.view(), 1);
  EXPECT_EQ(result.X(1, 0), 0);
  EXPECT_EQ(result.X(1, 1), 0);
  EXPECT_LE(result.kkt, 1e-12);
}

TEST(LeastSquares, CertifyTheZeroSolution) {
  Matrix<double> A = random_matrix(5, 3, 77);
  Matrix<double> B(5, 2, -1.0);
  const NnlsResult<double> result = nnls(A.view(), B.view(), 1);
  EXPECT_EQ(max_entry(result.X), 0);
  EXPECT_EQ(result.kkt, 0);
}

TEST(LeastSquares, RefuseWhatDoesNotFit) {
  const Matrix<double> A = random_matrix(4, 2, 78);
  Matrix<double> B = random_matrix(5, 3, 79);
  EXPECT_NE(message_of<InvalidInput>([&] { (void)nnls(A.view(), B.view()); }).find("as many rows"),
            std::string::npos);
  B = random_matrix(4, 3, 79);
  B(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of<InvalidInput>([&] { (void)nnls(A.view(), B.view()); }).find("B[2, 1] = nan"),
            std::string::npos);
}

template <class T>
class RowFit : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(RowFit, Floats);

/// The largest violation of the optimality conditions of row i with penalty l1, l2, by naive loops.
template <class T>
double violation(const Matrix<T>& M, const Matrix<T>& H, const Matrix<T>& W, double l1, double l2) {
  double worst = 0;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index p = 0; p < H.rows(); ++p) {
      double g = l1 + l2 * static_cast<double>(W(i, p));
      for (Index j = 0; j < M.cols(); ++j) {
        double residual = -static_cast<double>(M(i, j));
        for (Index q = 0; q < H.rows(); ++q)
          residual += static_cast<double>(W(i, q)) * static_cast<double>(H(q, j));
        g += residual * static_cast<double>(H(p, j));
      }
      worst = std::max({worst, -g, W(i, p) > 0 ? std::abs(g) : 0.0});
    }
  }
  return worst;
}

TYPED_TEST(RowFit, IsOptimalWithAndWithoutPenaltiesDenseAndSparse) {
  using T = TypeParam;
  const double tolerance = std::is_same_v<T, float> ? 3e-5 : 1e-11;
  const Matrix<T> M = random_matrix<T>(31, 12, 81, 0.4);
  const Matrix<T> H = random_matrix<T>(5, 12, 82, 0.3);
  const DenseData<T> dense(M.view());
  const auto sparse = to_sparse(M);
  for (const double alpha : {0.0, 0.05}) {
    for (const double l1_ratio : {0.0, 0.3, 1.0}) {
      const FitOptions options{.alpha_W = alpha, .l1_ratio = l1_ratio, .threads = 2};
      const double l1 = 12 * alpha * l1_ratio;
      const double l2 = 12 * alpha * (1 - l1_ratio);
      for (const Data<T>* data :
           {static_cast<const Data<T>*>(&dense), static_cast<const Data<T>*>(sparse.get())}) {
        const NnlsResult<T> result = fit_rows<T>(*data, H.view(), options);
        EXPECT_LE(violation(M, H, result.X, l1, l2), tolerance * 12);
        EXPECT_LE(result.kkt, tolerance);
      }
    }
  }
}

TYPED_TEST(RowFit, OfTheFittedMatrixIsItsConvergedFactor) {
  using T = TypeParam;
  const Matrix<T> M = planted<T>(40, 30, 4, 83, 0.05);
  const DenseData<T> data(M.view());
  const Result<T> fitted = factorize(data, {.rank = 4,
                                            .method = "anls",
                                            .max_iterations = 3000,
                                            .tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-6,
                                            .stop_rule = StopRule::gradient});
  ASSERT_EQ(fitted.status, Status::converged);
  const NnlsResult<T> again = fit_rows<T>(data, fitted.H.view());
  EXPECT_LE(max_difference(again.X, fitted.W),
            (std::is_same_v<T, float> ? 1e-2 : 1e-4) * max_entry(fitted.W));
}

TYPED_TEST(RowFit, FollowsTheScaleOfTheData) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(9, 7, 84);
  const Matrix<T> H = random_matrix<T>(3, 7, 85);
  Matrix<T> huge = M;
  const double factor = std::is_same_v<T, float> ? 0x1p80 : 0x1p600;  // squares leave the range
  for (T& x : huge.values()) x = static_cast<T>(static_cast<double>(x) * factor);
  const Matrix<T> W = fit_rows<T>(DenseData<T>(M.view()), H.view()).X;
  const Matrix<T> W_huge = fit_rows<T>(DenseData<T>(huge.view()), H.view()).X;
  for (Index k = 0; k < W.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(W_huge.data()[k]) / factor, static_cast<double>(W.data()[k]), 1e-5);
  }
}

TYPED_TEST(RowFit, FollowsTheScaleOfTheComponents) {
  using T = TypeParam;
  constexpr bool kSingle = std::is_same_v<T, float>;
  const Matrix<T> M = random_matrix<T>(9, 7, 84);
  const Matrix<T> H = random_matrix<T>(3, 7, 85);
  const NnlsResult<T> plain = fit_rows<T>(DenseData<T>(M.view()), H.view());
  for (const double factor : {kSingle ? 0x1p100 : 0x1p900, kSingle ? 0x1p-100 : 0x1p-900}) {
    SCOPED_TRACE(testing::Message() << "H times " << factor);
    Matrix<T> extreme = H;
    for (T& x : extreme.values()) x = static_cast<T>(static_cast<double>(x) * factor);
    const NnlsResult<T> result = fit_rows<T>(DenseData<T>(M.view()), extreme.view());
    EXPECT_LE(result.kkt, kSingle ? 1e-5 : 1e-11);
    for (Index k = 0; k < plain.X.size(); ++k) {
      const auto expected = static_cast<double>(plain.X.data()[k]);
      EXPECT_NEAR(static_cast<double>(result.X.data()[k]) * factor, expected, 1e-5);
    }
  }
}

TYPED_TEST(RowFit, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(1500, 20, 86, 0.3);
  const Matrix<T> H = random_matrix<T>(6, 20, 87, 0.3);
  const DenseData<T> data(M.view());
  const Matrix<T> one = fit_rows<T>(data, H.view(), {.threads = 1}).X;
  EXPECT_EQ(fit_rows<T>(data, H.view(), {.threads = 3}).X, one);
}

TEST(RowFitOptions, AreChecked) {
  const Matrix<double> M = random_matrix(4, 5, 88);
  const DenseData<double> data(M.view());
  Matrix<double> H = random_matrix(2, 4, 89);
  const auto message = [&](const FitOptions& options) {
    return message_of<InvalidInput>([&] { (void)fit_rows<double>(data, H.view(), options); });
  };
  EXPECT_NE(message({}).find("H is 2 x 4 and M is 4 x 5"), std::string::npos);
  H = random_matrix(2, 5, 89);
  EXPECT_NE(message({.alpha_W = -1}).find("alpha_W = -1"), std::string::npos);
  EXPECT_NE(message({.l1_ratio = 1.5}).find("l1_ratio = 1.5"), std::string::npos);
  H(1, 3) = -1;
  EXPECT_NE(message({}).find("H[1, 3] = -1 is negative"), std::string::npos);
}

}  // namespace
}  // namespace anmf::test::least_squares_test
