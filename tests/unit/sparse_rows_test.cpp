// SPDX-License-Identifier: MIT
// Products of the nonzeros of a row with the rows of F (K x r) that belong to them, on every instruction set.
#include "kernels/sparse_rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/problems.h"
#include "support/targets.h"

namespace anmf::test::sparse_rows_test {
namespace {

template <class T>
class SparseRowProducts : public testing::Test {};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseRowProducts, Types);

TYPED_TEST(SparseRowProducts, AreThoseOfTheDefinition) {
  using T = TypeParam;
  for_each_target([] {
    const SparseRowKernels<T> kernels = find_sparse_row_kernels<T>();
    for (const Index r : {1, 2, 3, 7, 8, 9, 16, 17, 40, 65, 131}) {
      const Matrix<T> F = random_matrix<T>(50, r, 1);
      const Matrix<T> w = random_matrix<T>(1, r, 2);
      for (const Index count : {0, 1, 3, 8, 9, 50}) {
        SCOPED_TRACE(testing::Message() << "r " << r << ", nonzeros " << count);
        const auto size = static_cast<std::size_t>(count);
        std::vector<std::uint32_t> indices;
        std::vector<T> u;
        for (Index k = 0; k < count; ++k) {
          indices.push_back(static_cast<std::uint32_t>((7 * k) % 50));
          u.push_back(static_cast<T>(uniform(4, 1, k)));
        }
        std::vector<T> y(size + 1, T{-1});
        std::vector<T> sums(static_cast<std::size_t>(r) + 1, T{-1});
        std::vector<T> squares = sums;
        std::vector<T> of_models = sums;
        std::vector<T> weighted_models = sums;
        const Matrix<T> by_column = random_matrix<T>(1, 50, 3);
        kernels.model(F.view(), w.data(), indices.data(), size, y.data());
        kernels.sums(F.view(), u.data(), indices.data(), size, sums.data());
        kernels.square_sums(F.view(), u.data(), indices.data(), size, squares.data());
        kernels.model_sums(F.view(), w.data(), nullptr, indices.data(), size, of_models.data());
        kernels.model_sums(F.view(), w.data(), by_column.data(), indices.data(), size,
                           weighted_models.data());
        const double tolerance = 16 * std::numeric_limits<T>::epsilon();
        for (std::size_t k = 0; k < size; ++k) {
          double expected = 0;
          for (Index p = 0; p < r; ++p)
            expected += static_cast<double>(w(0, p)) * static_cast<double>(F(indices[k], p));
          EXPECT_NEAR(y[k], expected, tolerance * (1 + expected));
        }
        for (Index p = 0; p < r; ++p) {
          double sum = 0;
          double of_squares = 0;
          double of_model = 0;
          double weighted_model = 0;
          for (std::size_t k = 0; k < size; ++k) {
            const auto f = static_cast<double>(F(indices[k], p));
            sum += static_cast<double>(u[k]) * f;
            of_squares += static_cast<double>(u[k]) * f * f;
            of_model += static_cast<double>(y[k]) * f;
            weighted_model += static_cast<double>(by_column(0, indices[k])) * static_cast<double>(y[k]) * f;
          }
          EXPECT_NEAR(sums[static_cast<std::size_t>(p)], sum, tolerance * (1 + sum));
          EXPECT_NEAR(of_models[static_cast<std::size_t>(p)], of_model, tolerance * (1 + of_model));
          EXPECT_NEAR(weighted_models[static_cast<std::size_t>(p)], weighted_model,
                      tolerance * (1 + weighted_model));
          EXPECT_NEAR(squares[static_cast<std::size_t>(p)], of_squares, tolerance * (1 + of_squares));
        }
        EXPECT_EQ(y.back(), T{-1});
        EXPECT_EQ(sums.back(), T{-1});
        EXPECT_EQ(squares.back(), T{-1});
        EXPECT_EQ(of_models.back(), T{-1});
        EXPECT_EQ(weighted_models.back(), T{-1});
      }
    }
  });
}

}  // namespace
}  // namespace anmf::test::sparse_rows_test
