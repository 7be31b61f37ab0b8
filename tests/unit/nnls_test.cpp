// SPDX-License-Identifier: MIT
// Exact nonnegative least squares: optimality conditions, brute force, and problems made to be nasty.
#include "kernels/nnls.h"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "kernels/active_set.h"
#include "support/problems.h"

namespace anmf::test::nnls_test {
namespace {

/// F' F and rows of M F for a fixed factor F and data M: what a half-step hands to the solver.
struct NormalEquations {
  Matrix<double> gram, cross;
};

NormalEquations normal_equations(const Matrix<double>& F, const Matrix<double>& M) {
  return {product(transposed(F), F), product(M, F)};
}

/// The largest violation of x >= 0, y = G x - c >= 0, x y = 0 in any row, with every variable scaled to a
/// unit diagonal and relative to the largest entry of the row's right-hand side.
double kkt_violation(const NormalEquations& eq, const Matrix<double>& X) {
  double worst = 0;
  const Index r = eq.gram.rows();
  for (Index i = 0; i < X.rows(); ++i) {
    double largest = 0;
    double violation = 0;
    for (Index p = 0; p < r; ++p) {
      const double scale = std::sqrt(eq.gram(p, p));
      if (scale == 0) continue;
      double y = -eq.cross(i, p);
      for (Index q = 0; q < r; ++q) y += eq.gram(p, q) * X(i, q);
      largest = std::max(largest, std::abs(eq.cross(i, p)) / scale);
      violation =
          std::max({violation, -X(i, p) * scale, -y / scale, X(i, p) > 0 ? std::abs(y) / scale : 0.0});
    }
    if (largest > 0) worst = std::max(worst, violation / largest);
  }
  return worst;
}

NnlsSolver::Report solve(const NormalEquations& eq, Matrix<double>& X) {
  return NnlsSolver(eq.gram.view(), 1e-30).solve(eq.cross.view(), X.view());
}

TEST(Nnls, EqualsBruteForceOverAllSupports) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index r = 1 + static_cast<Index>(seed % 6);
    const Matrix<double> F = random_matrix(9, r, seed, 0.3);
    Matrix<double> M = random_matrix(12, 9, seed + 500);
    for (double& x : M.values()) x -= 0.4;  // many active constraints
    const NormalEquations eq = normal_equations(F, M);
    Matrix<double> X = random_matrix(12, r, seed + 900, 0.5);

    (void)solve(eq, X);

    for (Index i = 0; i < 12; ++i) {
      std::vector<double> c;
      for (Index p = 0; p < r; ++p) c.push_back(eq.cross(i, p));
      const std::vector<double> expected = naive::nnls_by_enumeration(c, to_naive(eq.gram));
      for (Index p = 0; p < r; ++p) {
        EXPECT_NEAR(X(i, p), expected[static_cast<std::size_t>(p)], 1e-10) << "seed " << seed << " row " << i;
      }
    }
  }
}

// The fit is F X' and column 2 of F is tiny beside column 1, but its entry of X is so large that it counts.
TEST(Nnls, SolvesBesideTheVariablesItLeavesAlone) {
  Matrix<double> F = random_matrix(20, 4, 31);
  for (Index i = 0; i < 20; ++i) {
    F(i, 1) *= 1e10;
    F(i, 2) *= 1e-8;
    F(i, 3) = 0;
  }
  const Matrix<double> M = random_matrix(6, 20, 32);
  Matrix<double> X(6, 4);
  Matrix<double> rest = M;
  for (Index i = 0; i < 6; ++i) {
    X(i, 2) = 3e7;
    X(i, 3) = 5;
    for (Index j = 0; j < 20; ++j) rest(i, j) -= X(i, 2) * F(j, 2);
  }

  (void)solve(normal_equations(F, M), X);

  const NormalEquations others = normal_equations(F, rest);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(X(i, 2), 3e7);
    EXPECT_EQ(X(i, 3), 5);
    naive::Mat gram = naive::zeros(2, 2);
    for (Index p = 0; p < 2; ++p) {
      for (Index q = 0; q < 2; ++q) gram(p, q) = others.gram(p, q);
    }
    const std::vector<double> expected =
        naive::nnls_by_enumeration({others.cross(i, 0), others.cross(i, 1)}, gram);
    for (Index p = 0; p < 2; ++p) {
      EXPECT_NEAR(X(i, p), expected[static_cast<std::size_t>(p)],
                  1e-12 * expected[static_cast<std::size_t>(p)]);
    }
  }
}

TEST(Nnls, SatisfiesOptimalityAtAwkwardSizes) {
  for (const Index rows : {0, 1, 3, 257}) {
    for (const Index r : {1, 2, 17, 64, 65, 70}) {
      const Matrix<double> F = random_matrix(100, r, 1, 0.4);
      Matrix<double> M = random_matrix(rows, 100, 2);
      for (double& x : M.values()) x -= 0.3;
      const NormalEquations eq = normal_equations(F, M);
      Matrix<double> X(rows, r);

      const NnlsSolver::Report report = solve(eq, X);

      EXPECT_LT(kkt_violation(eq, X), 1e-11) << rows << " x " << r;
      EXPECT_EQ(report.fallback_rows, 0);
      if (rows > 0) {
        EXPECT_GT(report.flops, 0);
      }
    }
  }
}

TEST(Nnls, SatisfiesOptimalityForNearlyCollinearFactors) {
  // Columns that differ by a relative 1e-3 ... 1e-16 of their size, and exact copies.
  for (const double distance : {1e-3, 1e-6, 1e-7, 1e-8, 1e-10, 1e-13, 1e-16, 0.0}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Index r = 8;
      Matrix<double> F = random_matrix(40, r, seed);
      for (Index i = 0; i < 40; ++i) {
        F(i, 1) = F(i, 0) * (1 + distance * uniform(seed, 5, i));
        F(i, 3) = F(i, 2) + distance * uniform(seed, 6, i);
        F(i, 7) = 0.5 * F(i, 5) + 0.5 * F(i, 6) + distance * uniform(seed, 7, i);
      }
      Matrix<double> M = product(random_matrix(30, r, seed + 50, 0.5), transposed(F));
      for (Index k = 0; k < M.size(); ++k) M.data()[k] += 0.1 * (uniform(seed, 8, k) - 0.5);
      const NormalEquations eq = normal_equations(F, M);
      Matrix<double> X = random_matrix(30, r, seed + 90, 0.5);

      (void)solve(eq, X);

      EXPECT_LT(kkt_violation(eq, X), 1e-10) << "distance " << distance << " seed " << seed;
      EXPECT_TRUE(finite_and_nonnegative(X));
    }
  }
}

TEST(Nnls, TheActiveSetMethodSolvesTheSameProblems) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Index r = 6;
    Matrix<double> F = random_matrix(20, r, seed);
    if (seed % 3 == 0) {
      for (Index i = 0; i < 20; ++i) F(i, 4) = F(i, 1);
    }
    for (Index p = 0; p < r; ++p) {  // unit columns, as the method expects
      double norm = 0;
      for (Index i = 0; i < 20; ++i) norm += F(i, p) * F(i, p);
      for (Index i = 0; i < 20; ++i) F(i, p) /= std::sqrt(norm);
    }
    Matrix<double> M = random_matrix(1, 20, seed + 70);
    for (double& x : M.values()) x -= 0.4;
    const NormalEquations eq = normal_equations(F, M);
    const Eigen::Map<const Eigen::MatrixXd> gram(eq.gram.data(), r, r);
    const Eigen::Map<const Eigen::VectorXd> c(eq.cross.data(), r);

    const Eigen::VectorXd x = active_set_nnls(gram, {0, 1, 2, 3, 4, 5}, c, 1e-13);

    Matrix<double> X(1, r);
    for (Index p = 0; p < r; ++p) X(0, p) = x[p];
    EXPECT_LT(kkt_violation(eq, X), 1e-10) << seed;
  }
}

TEST(Nnls, ScalingTheProblemScalesTheSolution) {
  const Matrix<double> F = random_matrix(30, 5, 1);
  Matrix<double> M = random_matrix(10, 30, 2);
  for (double& x : M.values()) x -= 0.3;
  const NormalEquations eq = normal_equations(F, M);
  Matrix<double> base(10, 5);
  (void)solve(eq, base);
  for (const double c : {1e-15, 1e6, 1e20}) {
    NormalEquations scaled = eq;
    for (double& x : scaled.cross.values()) x *= c;
    Matrix<double> X(10, 5);
    (void)solve(scaled, X);
    for (Index k = 0; k < X.size(); ++k) EXPECT_NEAR(X.data()[k] / c, base.data()[k], 1e-13);
  }
}

TEST(Nnls, BadlyScaledComponentsAreSolvedAsAccurately) {
  Matrix<double> F = random_matrix(30, 4, 3);
  for (Index i = 0; i < 30; ++i) {
    F(i, 0) *= 1e-6;
    F(i, 2) *= 1e5;
  }
  const NormalEquations eq = normal_equations(F, random_matrix(20, 30, 4));
  Matrix<double> X(20, 4);

  (void)solve(eq, X);

  EXPECT_LT(kkt_violation(eq, X), 1e-11);
}

TEST(Nnls, AZeroColumnLeavesItsVariableAlone) {
  Matrix<double> F = random_matrix(30, 3, 5);
  for (Index i = 0; i < 30; ++i) F(i, 1) = 0;
  const NormalEquations eq = normal_equations(F, random_matrix(4, 30, 6));
  Matrix<double> X(4, 3, 7.0);

  (void)solve(eq, X);

  for (Index i = 0; i < 4; ++i) EXPECT_EQ(X(i, 1), 7.0);
  EXPECT_LT(kkt_violation(eq, X), 1e-11);
}

TEST(Nnls, AZeroOrNegativeRightHandSideGivesZero) {
  const Matrix<double> F = random_matrix(30, 3, 7);
  NormalEquations eq = normal_equations(F, random_matrix(2, 30, 8));
  for (Index p = 0; p < 3; ++p) {
    eq.cross(0, p) = 0;
    eq.cross(1, p) = -1;
  }
  Matrix<double> X(2, 3, 1.0);

  (void)solve(eq, X);

  EXPECT_EQ(X, Matrix<double>(2, 3));
}

}  // namespace
}  // namespace anmf::test::nnls_test
