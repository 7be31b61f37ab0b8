// SPDX-License-Identifier: MIT
// Products with M by the kernels of every instruction set, against plain loops.
#include "support/targets.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "support/problems.h"

namespace anmf::test::targets_test {
namespace {

template <class T>
class Targets : public testing::Test {
 protected:
  /// C = M F (side W) or M' F (side H), compared entry by entry.
  static void expect_product(const Data<T>& data, const Matrix<T>& M, Index r) {
    ThreadPool pool(2);
    for (const Side side : {Side::W, Side::H}) {
      SCOPED_TRACE(side == Side::W ? "W" : "H");
      const Index rows = side == Side::W ? M.rows() : M.cols();
      const Index inner = side == Side::W ? M.cols() : M.rows();
      const Matrix<T> F = random_matrix<T>(inner, r, 72);
      Matrix<T> C(rows, r, T{-1});
      data.cross(side, F.view(), C.view(), pool);
      for (Index i = 0; i < rows; ++i) {
        for (Index p = 0; p < r; ++p) {
          double expected = 0;
          for (Index k = 0; k < inner; ++k) {
            expected +=
                static_cast<double>(side == Side::W ? M(i, k) : M(k, i)) * static_cast<double>(F(k, p));
          }
          ASSERT_NEAR(
              static_cast<double>(C(i, p)), expected,
              static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(inner) * expected)
              << i << ", " << p;
        }
      }
    }
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Targets, Types);

constexpr Index kRanks[] = {1, 3, 7, 8, 9, 16, 20, 33, 60};

TYPED_TEST(Targets, DenseProductsAreRight) {
  using T = TypeParam;
  for_each_target([] {
    for (const Index r : kRanks) {
      SCOPED_TRACE(r);
      for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {3, 70}, {135, 37}}) {
        const Matrix<T> M = random_matrix<T>(rows, cols, 71);
        TestFixture::expect_product(DenseData<T>(M.view()), M, r);
      }
    }
  });
}

TYPED_TEST(Targets, ProductsWithBytesAreRight) {
  using T = TypeParam;
  for_each_target([] {
    const Matrix<T> unit = random_matrix<T>(90, 45, 73);
    Matrix<std::uint8_t> bytes(90, 45);
    Matrix<T> M(90, 45);
    for (Index k = 0; k < M.size(); ++k) {
      bytes.data()[k] = static_cast<std::uint8_t>(255 * unit.data()[k]);
      M.data()[k] = static_cast<T>(bytes.data()[k]);
    }
    TestFixture::expect_product(DenseData<T>(std::as_const(bytes).view()), M, 20);
  });
}

TYPED_TEST(Targets, SparseProductsAreRight) {
  using T = TypeParam;
  for_each_target([] {
    for (const Index r : kRanks) {
      SCOPED_TRACE(r);
      const Matrix<T> M = random_matrix<T>(60, 45, 74, 0.8);
      TestFixture::expect_product(*to_sparse(M), M, r);
    }
  });
}

}  // namespace
}  // namespace anmf::test::targets_test
