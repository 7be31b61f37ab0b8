// SPDX-License-Identifier: MIT
// The leading singular triplets against a naive full decomposition of the stored matrix, or known ones.
#include "init/truncated_svd.h"

#include <gtest/gtest.h>

#include "support/bare_operator.h"
#include "support/naive_svd.h"

namespace anmf::test::truncated_svd_test {
namespace {

TruncatedSvd svd_of(const Data<double>& data, Index rank, int threads = 1) {
  ThreadPool pool(threads);
  return truncated_svd(data, rank, 5, pool);
}

double off_orthonormal(const Eigen::MatrixXd& U) {
  return (U.transpose() * U - Eigen::MatrixXd::Identity(U.cols(), U.cols())).cwiseAbs().maxCoeff();
}

/// The largest difference of the rank-one terms u v', which do not know the sign of u and v.
double worst_term(const TruncatedSvd& svd, const Eigen::MatrixXd& U, const Eigen::MatrixXd& V, Index rank) {
  double worst = 0;
  for (Index p = 0; p < rank; ++p) {
    const Eigen::MatrixXd difference =
        svd.U.col(p) * svd.V.col(p).transpose() - U.col(p) * V.col(p).transpose();
    worst = std::max(worst, difference.norm());
  }
  return worst;
}

TEST(TruncatedSvd, OfASmallMatrixIsExactToRounding) {
  struct Case {
    Index rows, cols, rank;
  };
  for (const auto& [m, n, r] : {Case{1, 1, 1}, Case{1, 9, 1}, Case{9, 1, 1}, Case{7, 5, 5}, Case{5, 7, 3},
                                Case{60, 300, 20}, Case{300, 61, 61}, Case{2000, 12, 4}, Case{9, 3000, 9}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << ", rank " << r);
    const Matrix<double> M = random_matrix(m, n, 31);
    const NaiveSvd full = naive_svd(to_eigen(M));

    const TruncatedSvd svd = svd_of(DenseData<double>(M.view()), r);

    ASSERT_EQ(svd.U.rows(), m);
    ASSERT_EQ(svd.V.rows(), n);
    ASSERT_EQ(svd.s.size(), r);
    EXPECT_LT((svd.s - full.s.head(r)).cwiseAbs().maxCoeff(), 1e-13 * frobenius(M));
    EXPECT_LT(off_orthonormal(svd.U), 1e-13);
    EXPECT_LT(off_orthonormal(svd.V), 1e-13);
    EXPECT_LT((to_eigen(M) * svd.V - svd.U * svd.s.asDiagonal()).norm(), 1e-13 * frobenius(M));
    EXPECT_LT((to_eigen(M).transpose() * svd.U - svd.V * svd.s.asDiagonal()).norm(), 1e-13 * frobenius(M));
  }
}

TEST(TruncatedSvd, OfARankDeficientMatrixIsExactToRounding) {
  const Matrix<double> M = planted(50, 40, 3, 32, 0);
  const NaiveSvd full = naive_svd(to_eigen(M));

  const TruncatedSvd svd = svd_of(DenseData<double>(M.view()), 6);

  EXPECT_LT(worst_term(svd, full.U, full.V, 3), 1e-11);
  EXPECT_LT(svd.s[3], 1e-13 * svd.s[0]);
  EXPECT_TRUE(svd.U.allFinite());
  EXPECT_TRUE(svd.V.allFinite());
}

/// A matrix with the given singular values, not nonnegative: products do not ask. Its singular vectors come
/// with it.
struct KnownSvd {
  Matrix<double> M;
  Eigen::MatrixXd U;
  Eigen::MatrixXd V;
};

KnownSvd with_spectrum(Index m, Index n, const Eigen::VectorXd& s) {
  const Index k = s.size();
  const auto basis = [k](Index rows, std::uint64_t seed) {
    Eigen::MatrixXd X(rows, k);
    for (Index i = 0; i < X.size(); ++i) X.data()[i] = uniform(seed, 1, i) - 0.5;
    for (Index p = 0; p < k; ++p) {  // Gram-Schmidt, twice
      for (int time = 0; time < 2; ++time) X.col(p) -= X.leftCols(p) * (X.leftCols(p).transpose() * X.col(p));
      X.col(p).normalize();
    }
    return X;
  };
  KnownSvd known{.M = Matrix<double>(m, n), .U = basis(m, 33), .V = basis(n, 34)};
  for (Index i = 0; i < m; ++i) {  // U diag(s) V', over the bare numbers as in naive_svd
    double* const row = known.M.view().row(i);
    for (Index p = 0; p < k; ++p) {
      const double weight = known.U(i, p) * s[p];
      const double* const v = known.V.col(p).data();
      for (Index j = 0; j < n; ++j) row[j] += weight * v[j];
    }
  }
  return known;
}

TEST(TruncatedSvd, OfALargerMatrixIsCloseWhereTheSpectrumFalls) {
  constexpr Index kRank = 8;
  Eigen::VectorXd s(60);
  for (Index p = 0; p < s.size(); ++p) s[p] = 10 * std::pow(0.9, static_cast<double>(p));
  KnownSvd known = with_spectrum(401, 2600, s);
  for (const bool tall : {false, true}) {
    SCOPED_TRACE(tall);
    if (tall) known = {.M = transposed(known.M), .U = known.V, .V = known.U};
    const BareOperator<double> data(known.M);

    const TruncatedSvd svd = svd_of(data, kRank);

    EXPECT_LT((svd.s - s.head(kRank)).cwiseAbs().maxCoeff(), 1e-6 * s[0]);
    EXPECT_LT(worst_term(svd, known.U, known.V, kRank), 1e-4);
    EXPECT_GT(worst_term(svd, known.U, known.V, kRank), 1e-12) << "this was the exact way";
    EXPECT_LT(off_orthonormal(svd.U), 1e-12);
    EXPECT_LT(off_orthonormal(svd.V), 1e-12);
  }
}

TEST(TruncatedSvd, LeavesOutWhatALargerMatrixDoesNotHave) {
  const Matrix<double> M = planted(450, 2500, 3, 35, 0);

  const TruncatedSvd svd = svd_of(DenseData<double>(M.view()), 6);

  ASSERT_EQ(svd.s.size(), 3);
  EXPECT_LT((to_eigen(M) - svd.U * svd.s.asDiagonal() * svd.V.transpose()).norm(), 1e-12 * frobenius(M));
}

TEST(TruncatedSvd, OfZeroHasNoTriplets) {
  const Matrix<double> M(6, 4);
  EXPECT_EQ(svd_of(DenseData<double>(M.view()), 2).s.size(), 0);
}

}  // namespace
}  // namespace anmf::test::truncated_svd_test
