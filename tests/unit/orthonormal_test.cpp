// SPDX-License-Identifier: MIT
// Y is N x l; Q (N x k) is an orthonormal basis of its columns.
#include <gtest/gtest.h>

#include "kernels/orthonormal.h"
#include "support/problems.h"

namespace anmf::test::orthonormal_test {
namespace {

struct Shape {
  Index rows, cols;
};

constexpr Shape kShapes[] = {{1, 1}, {3, 1}, {3, 3}, {65, 7}, {513, 40}, {2049, 17}};

/// The largest entry of |Q'Q - I|.
double loss(const Matrix<double>& Q) {
  Matrix<double> G = product(transposed(Q), Q);
  for (Index p = 0; p < G.rows(); ++p) G(p, p) -= 1;
  return max_difference(G, Matrix<double>(G.rows(), G.cols()));
}

/// ||Y - Q Q'Y|| / ||Y||.
double distance_from_span(const Matrix<double>& Y, const Matrix<double>& Q) {
  Matrix<double> rest = product(Q, product(transposed(Q), Y));
  for (Index k = 0; k < rest.size(); ++k) rest.data()[k] -= Y.data()[k];
  return frobenius(rest) / frobenius(Y);
}

/// Columns that nearly agree in direction: the condition number is about 1e5.
Matrix<double> ill_conditioned(Index rows, Index cols) {
  Matrix<double> Y = random_matrix<double>(rows, cols, 71);
  for (Index i = 0; i < rows; ++i) {
    for (Index p = 0; p < cols; ++p) Y(i, p) = 1 + 1e-4 * Y(i, p);
  }
  return Y;
}

TEST(Orthonormal, GivesAnOrthonormalBasisOfTheColumns) {
  ThreadPool pool(2);
  for (const auto& [rows, cols] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const Matrix<double> Y = random_matrix<double>(rows, cols, 72);

    const Matrix<double> Q = orthonormal(Y, {pool});

    ASSERT_EQ(Q.rows(), rows);
    ASSERT_EQ(Q.cols(), cols);
    EXPECT_LT(loss(Q), 1e-14);
    EXPECT_LT(distance_from_span(Y, Q), 1e-13);
  }
}

TEST(Orthonormal, StaysOrthonormalForAlmostParallelColumns) {
  ThreadPool pool(1);
  const Matrix<double> Y = ill_conditioned(700, 20);

  const Matrix<double> Q = orthonormal(Y, {pool});

  EXPECT_EQ(Q.cols(), 20);
  EXPECT_LT(loss(Q), 1e-14);
  EXPECT_LT(distance_from_span(Y, Q), 1e-13);
}

TEST(Orthonormal, LeavesOutColumnsThatDependOnOthers) {
  ThreadPool pool(1);
  for (const Index rank : {1, 3, 5}) {
    Matrix<double> Y = product(random_matrix<double>(300, rank, 73), random_matrix<double>(rank, 12, 74));
    for (Index i = 0; i < Y.rows(); ++i) Y(i, 4) = 0;

    const Matrix<double> Q = orthonormal(Y, {pool});

    ASSERT_EQ(Q.cols(), rank);
    EXPECT_LT(loss(Q), 1e-14);
    EXPECT_LT(distance_from_span(Y, Q), 1e-12);
  }
}

TEST(Orthonormal, OfAWideMatrixHasNoMoreColumnsThanRows) {
  ThreadPool pool(1);

  EXPECT_EQ(orthonormal(random_matrix<double>(3, 9, 75), {pool}).cols(), 3);
}

TEST(Orthonormal, OfZerosHasNoColumns) {
  ThreadPool pool(1);

  const Matrix<double> Q = orthonormal(Matrix<double>(50, 4), {pool});

  EXPECT_EQ(Q.rows(), 50);
  EXPECT_EQ(Q.cols(), 0);
  EXPECT_EQ(orthonormal(Matrix<double>(50, 0), {pool}).cols(), 0);
}

TEST(Orthonormal, DoesNotDependOnTheScale) {
  ThreadPool pool(1);
  const Matrix<double> Y = random_matrix<double>(80, 6, 76);
  for (const double scale : {0x1p-300, 0x1p300}) {
    Matrix<double> scaled = Y;
    for (double& y : scaled.values()) y *= scale;

    EXPECT_EQ(orthonormal(scaled, {pool}), orthonormal(Y, {pool}));
  }
}

TEST(Orthonormal, HasTheSameBitsForAnyNumberOfThreads) {
  ThreadPool alone(1);
  const Matrix<double> Y = random_matrix<double>(2049, 30, 77);
  const Matrix<double> Q = orthonormal(Y, {alone});

  for (const int threads : {2, 3}) {
    ThreadPool pool(threads);
    EXPECT_EQ(orthonormal(Y, {pool}), Q);
  }
}

}  // namespace
}  // namespace anmf::test::orthonormal_test
