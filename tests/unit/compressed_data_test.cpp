// SPDX-License-Identifier: MIT
// M is m x n, M^ = L R' with L m x l and R n x l; the one on the short side of M is orthonormal.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "data/compressed_data.h"
#include "support/files_and_messages.h"
#include "support/problems.h"

namespace anmf::test::compressed_data_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

struct Shape {
  Index rows, cols;
};

// Long and short, below and above the sizes at which the products are split (64 and 512 rows).
constexpr Shape kShapes[] = {{1, 1}, {1, 9}, {9, 1}, {3, 40}, {40, 3}, {65, 513}, {600, 66}, {130, 130}};

template <class T>
Matrix<T> explicit_product(const CompressedData<T>& data) {
  return product(data.L(), transposed(data.R()));
}

/// ||A - B||_F.
template <class T>
double distance(const Matrix<T>& A, const Matrix<T>& B) {
  Matrix<double> difference(A.rows(), A.cols());
  for (Index k = 0; k < A.size(); ++k) {
    difference.data()[k] = static_cast<double>(A.data()[k]) - static_cast<double>(B.data()[k]);
  }
  return frobenius(difference);
}

template <class T>
std::unique_ptr<CompressedData<T>> compress_dense(const Matrix<T>& M, const Compression& how,
                                                  int threads = 1) {
  ThreadPool pool(threads);
  return compress<T>(DenseData<T>(M.view()), how, Workers{pool});
}

template <class T>
class Compressed : public testing::Test {
 protected:
  static constexpr double kEpsilon = std::numeric_limits<T>::epsilon();
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Compressed, Floats);

TYPED_TEST(Compressed, HasAnOrthonormalFactorOnTheShortSide) {
  using T = TypeParam;
  for (const auto& [m, n] : kShapes) {
    for (const int powers : {0, 1, 2}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << powers << " power iterations");
      const Matrix<T> M = random_matrix<T>(m, n, 51);

      const auto data = compress_dense(M, {.width = 11, .max_power_iterations = powers, .seed = 1});

      const Index l = std::min({Index{11}, m, n});
      ASSERT_EQ(data->L().cols(), l);
      ASSERT_EQ(data->R().cols(), l);
      EXPECT_EQ(data->rows(), m);
      EXPECT_EQ(data->cols(), n);
      EXPECT_EQ(data->nonzeros(), l * (m + n));
      const Matrix<T>& Q = m <= n ? data->L() : data->R();
      Matrix<T> G = product(transposed(Q), Q);
      for (Index p = 0; p < l; ++p) G(p, p) -= T{1};
      EXPECT_LT(max_difference(G, Matrix<T>(l, l)), 20 * this->kEpsilon);
    }
  }
}

TYPED_TEST(Compressed, EqualsAMatrixOfSmallRank) {
  using T = TypeParam;
  for (const auto& [m, n] : kShapes) {
    for (const int powers : {0, 1, 2}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << powers << " power iterations");
      const Matrix<T> M = planted<T>(m, n, 5, 52, 0);

      const auto data = compress_dense(M, {.width = 8, .max_power_iterations = powers, .seed = 2});

      EXPECT_LE(data->L().cols(), 8);
      const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-10;
      EXPECT_LT(distance(explicit_product(*data), M), tolerance * frobenius(M));
      EXPECT_NEAR(data->norm(), frobenius(M), tolerance * frobenius(M));
    }
  }
}

TYPED_TEST(Compressed, ShrinksToTheRankOfTheMatrix) {
  using T = TypeParam;
  // Small integers: the rank is exact in both types.
  Matrix<T> M(70, 50);
  for (Index i = 0; i < 70; ++i) {
    for (Index j = 0; j < 50; ++j) M(i, j) = static_cast<T>((i % 3 == 0 ? 2 : 0) + (j % 2 == 0 ? i % 5 : 0));
  }

  const auto data = compress_dense(M, {.width = 20});

  if constexpr (std::is_same_v<T, double>) {
    EXPECT_EQ(data->L().cols(), 2);
    EXPECT_EQ(data->nonzeros(), 2 * (70 + 50));
  }
  EXPECT_LT(distance(explicit_product(*data), M), 100 * this->kEpsilon * frobenius(M));
}

TYPED_TEST(Compressed, ItsNormTellsItsDistanceFromTheMatrix) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{80, 300}, Shape{300, 80}}) {
    const Matrix<T> M = planted<T>(m, n, 6, 53, 1);

    const auto data = compress_dense(M, {.width = 12});

    const double squared = frobenius(M) * frobenius(M);
    const double distance_squared = std::pow(distance(explicit_product(*data), M), 2);
    EXPECT_NEAR(data->norm(), frobenius(explicit_product(*data)), 1e-5 * data->norm());
    EXPECT_NEAR(squared - data->norm() * data->norm(), distance_squared, 50 * this->kEpsilon * squared);
    EXPECT_GT(distance_squared, 0);
  }
}

TYPED_TEST(Compressed, PowerIterationsComeCloser) {
  using T = TypeParam;
  Matrix<T> W = random_matrix<T>(200, 60, 54);
  for (Index i = 0; i < 200; ++i) {
    for (Index p = 0; p < 60; ++p) W(i, p) *= static_cast<T>(std::pow(0.9, p));  // a slowly decaying spectrum
  }
  const Matrix<T> M = product(W, random_matrix<T>(60, 150, 67));
  std::vector<double> norms;
  for (const int powers : {0, 1, 2}) {
    const auto data = compress_dense(M, {.width = 12, .max_power_iterations = powers});
    EXPECT_EQ(data->flops(), compression_flops(200 * 150, 12, powers));
    norms.push_back(data->norm());
  }

  EXPECT_LT(norms[0], norms[1]);
  EXPECT_LT(norms[1], norms[2]);
  EXPECT_LT(norms[2], frobenius(M));
}

TYPED_TEST(Compressed, PowerIterationsEndWhenTheyGainNothing) {
  using T = TypeParam;
  const Matrix<T> M = planted<T>(200, 150, 10, 66, 0.01);

  const auto data = compress_dense(M, {.width = 20, .max_power_iterations = 9});

  EXPECT_EQ(data->flops(), compression_flops(200 * 150, 20, 1));
}

TYPED_TEST(Compressed, MultipliesLikeTheExplicitProduct) {
  using T = TypeParam;
  for (const auto& [m, n] : kShapes) {
    for (const Index r : {1, 4, 9}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", r = " << r);
      const auto data = compress_dense(random_matrix<T>(m, n, 55, 0.2), {.width = 7, .seed = 3});
      const Matrix<T> product_itself = explicit_product(*data);
      const Matrix<T> W = random_matrix<T>(m, r, 56);
      const Matrix<T> Ht = random_matrix<T>(n, r, 57);

      const Matrix<T> for_W = cross_of<T>(*data, Side::W, Ht, 2);
      const Matrix<T> for_H = cross_of<T>(*data, Side::H, W, 2);

      const double scale = this->kEpsilon * 20 * frobenius(product_itself);
      EXPECT_LT(distance(for_W, product(product_itself, Ht)), scale * frobenius(Ht));
      EXPECT_LT(distance(for_H, product(transposed(product_itself), W)), scale * frobenius(W));
    }
  }
}

TYPED_TEST(Compressed, OfZerosIsZero) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{1, 1}, Shape{5, 30}, Shape{30, 5}}) {
    const auto data = compress_dense(Matrix<T>(m, n), {.width = 3, .max_power_iterations = 1});

    EXPECT_EQ(data->norm(), 0);
    EXPECT_EQ(data->nonzeros(), 0);
    EXPECT_EQ(cross_of<T>(*data, Side::W, random_matrix<T>(n, 2, 58)), Matrix<T>(m, 2));
    EXPECT_EQ(cross_of<T>(*data, Side::H, random_matrix<T>(m, 2, 59)), Matrix<T>(n, 2));
  }
}

TYPED_TEST(Compressed, HasTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  for (const auto& [m, n] : {Shape{1100, 300}, Shape{300, 1100}}) {
    const Matrix<T> M = random_matrix<T>(m, n, 60);
    const Matrix<T> W = random_matrix<T>(m, 5, 61);
    const Matrix<T> Ht = random_matrix<T>(n, 5, 62);
    const Compression how{.width = 30, .max_power_iterations = 1, .seed = 4};
    const auto alone = compress_dense(M, how);

    for (const int threads : {2, 3}) {
      const auto together = compress_dense(M, how, threads);
      EXPECT_EQ(together->L(), alone->L());
      EXPECT_EQ(together->R(), alone->R());
      EXPECT_EQ(together->norm(), alone->norm());
      EXPECT_EQ(cross_of<T>(*together, Side::W, Ht, threads), cross_of<T>(*alone, Side::W, Ht));
      EXPECT_EQ(cross_of<T>(*together, Side::H, W, threads), cross_of<T>(*alone, Side::H, W));
    }
  }
}

TYPED_TEST(Compressed, IsAFunctionOfTheSeed) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(60, 50, 63);

  const auto first = compress_dense(M, {.width = 5, .seed = 8});
  const auto again = compress_dense(M, {.width = 5, .seed = 8});
  const auto different = compress_dense(M, {.width = 5, .seed = 9});

  EXPECT_EQ(first->L(), again->L());
  EXPECT_EQ(first->R(), again->R());
  EXPECT_NE(first->L(), different->L());
}

TYPED_TEST(Compressed, TakesAnyData) {
  using T = TypeParam;
  ThreadPool pool(1);
  const Matrix<T> M = random_matrix<T>(90, 70, 64, 0.7);

  const auto from_sparse = compress<T>(*to_sparse(M), {.width = 9}, Workers{pool});

  const auto from_dense = compress_dense(M, {.width = 9});
  EXPECT_LT(distance(explicit_product(*from_sparse), explicit_product(*from_dense)),
            1000 * this->kEpsilon * frobenius(M));
}

TYPED_TEST(Compressed, CanBeFactorizedInPlaceOfTheMatrix) {
  using T = TypeParam;
  const Matrix<T> M = planted<T>(120, 90, 4, 65, 0.1);
  const Options options{.rank = 4, .seed = 5, .max_iterations = 30, .tolerance = 0};
  const auto data = compress_dense(M, {.width = 24, .max_power_iterations = 1});

  const Result<T> result = factorize<T>(*data, options);

  const Result<T> exact = factorize_dense(M, options);
  EXPECT_TRUE(finite_and_nonnegative(result.W));
  EXPECT_TRUE(finite_and_nonnegative(result.H));
  EXPECT_LT(direct_error(M, result), 1.05 * exact.error);
}

TYPED_TEST(Compressed, RejectsWhatMakesNoSense) {
  using T = TypeParam;
  const Matrix<T> M(3, 3, T{1});

  expect_phrase(message_of<InvalidInput>([&] { (void)compress_dense(M, {.width = 0}); }),
                "width = 0 must be at least 1");
  expect_phrase(
      message_of<InvalidInput>([&] { (void)compress_dense(M, {.width = 1, .max_power_iterations = -1}); }),
      "max_power_iterations = -1 must be at least 0");
}

TEST(CompressionFlops, CountsTwoProductsAndTwoMorePerPowerIteration) {
  EXPECT_EQ(compression_flops(100 * 40, 7, 0), 2 * 2.0 * 100 * 40 * 7);
  EXPECT_EQ(compression_flops(100 * 40, 7, 2), 6 * 2.0 * 100 * 40 * 7);
}

}  // namespace
}  // namespace anmf::test::compressed_data_test
