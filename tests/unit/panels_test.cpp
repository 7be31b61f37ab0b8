// SPDX-License-Identifier: MIT
// The sweep kernels of every instruction set that this machine has, against plain loops.
#include "kernels/panels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/problems.h"
#include "support/targets.h"

namespace anmf::test::panels_test {
namespace {

template <class T>
Matrix<T> random(Index rows, Index cols, std::uint64_t seed) {
  return random_matrix<T>(rows, cols, seed);
}

/// A symmetric matrix with a diagonal that dominates, as Gram matrices of nonnegative factors have not:
/// sweeps contract on it, so that rounding does not grow.
template <class T>
Matrix<T> random_gram(Index r, std::uint64_t seed) {
  const Matrix<T> A = random<T>(r, r, seed);
  Matrix<T> G(r, r);
  for (Index p = 0; p < r; ++p) {
    for (Index q = 0; q < r; ++q) G(p, q) = (A(p, q) + A(q, p)) / T(2) + (p == q ? static_cast<T>(r) : T{0});
  }
  return G;
}

template <class T>
class Panels : public testing::Test {
 protected:
  static constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  /// body(kernels) with the kernels of each instruction set.
  template <class Body>
  static void for_each_kernels(const Body& body) {
    for_each_target([&] { body(find_panel_kernels<T>()); });
  }

  /// A panel buffer is laid out for the machine's best kernels; others take what they need of it.
  static PanelBuffer<T> buffer(Index r) { return PanelBuffer<T>(16, r); }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Panels, Types);

constexpr double kL1 = 0.25;
constexpr double kDelta = 1e-3;
constexpr Index kRanks[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 33, 60};

TYPED_TEST(Panels, AnyBlockOfRowsIsAMultipleOfThePanel) {
  TestFixture::for_each_kernels(
      [](const PanelKernels<TypeParam>& kernels) { EXPECT_EQ(kBlockRows % kernels.rows, 0); });
}

TYPED_TEST(Panels, PackTransposesAndUnpackTurnsBack) {
  using T = TypeParam;
  TestFixture::for_each_kernels([](const PanelKernels<T>& kernels) {
    for (const Index r : kRanks) {
      for (const Index rows : {Index{0}, Index{1}, Index{3}, kernels.rows - 1, kernels.rows}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << r);
        const Matrix<T> X = random<T>(rows, r + 2, 3);  // with a stride
        auto panel = TestFixture::buffer(r);
        kernels.pack({X.data(), rows, r, r + 2}, T{7}, panel.panel(0));
        for (Index i = 0; i < kernels.rows; ++i) {
          for (Index p = 0; p < r; ++p) {
            ASSERT_EQ(panel.panel(0)[p * kernels.rows + i], i < rows ? X(i, p) : T{7}) << i << ", " << p;
          }
        }
        Matrix<T> back(rows, r + 2, T{-1});
        kernels.unpack(panel.panel(0), {back.data(), rows, r, r + 2});
        for (Index i = 0; i < rows; ++i) {
          for (Index p = 0; p < r + 2; ++p) ASSERT_EQ(back(i, p), p < r ? X(i, p) : T{-1}) << i << ", " << p;
        }
      }
    }
  });
}

TYPED_TEST(Panels, MultiplyIsTheProduct) {
  using T = TypeParam;
  TestFixture::for_each_kernels([](const PanelKernels<T>& kernels) {
    for (const Index r : kRanks) {
      SCOPED_TRACE(r);
      const Matrix<T> X = random<T>(kernels.rows, r, 4);
      const Matrix<T> G = random_gram<T>(r, 5);
      auto in = TestFixture::buffer(r);
      auto out = TestFixture::buffer(r);
      kernels.pack(X.view(), T{0}, in.panel(0));
      kernels.multiply(G.view(), in.panel(0), out.panel(0));
      for (Index i = 0; i < kernels.rows; ++i) {
        for (Index p = 0; p < r; ++p) {
          double expected = 0;
          for (Index l = 0; l < r; ++l)
            expected += static_cast<double>(X(i, l)) * static_cast<double>(G(l, p));
          ASSERT_NEAR(static_cast<double>(out.panel(0)[p * kernels.rows + i]), expected,
                      TestFixture::kEpsilon * static_cast<double>(r) * expected);
        }
      }
    }
  });
}

TYPED_TEST(Panels, HalsMovesEveryCoordinateAsAPlainLoopDoesAndReportsTheStep) {
  using T = TypeParam;
  TestFixture::for_each_kernels([](const PanelKernels<T>& kernels) {
    for (const Index r : kRanks) {
      SCOPED_TRACE(r);
      Matrix<T> X = random<T>(kernels.rows, r, 6);
      X(0, 0) = T{-0.5};  // as extrapolation leaves it
      const Matrix<T> C = random<T>(kernels.rows, r, 7);
      const Matrix<T> G = random_gram<T>(r, 8);
      const std::vector<T> linear = rising<T>(r, kL1);
      auto x = TestFixture::buffer(r);
      auto c = TestFixture::buffer(r);
      kernels.pack(X.view(), T{0}, x.panel(0));
      kernels.pack(C.view(), T{0}, c.panel(0));

      const double reported = kernels.hals(SweepGram<T>(G.view()), c.panel(0), linear.data(), x.panel(0), {});

      double squared_step = 0;
      for (Index i = 0; i < kernels.rows; ++i) {
        std::vector<double> row;
        for (Index p = 0; p < r; ++p) row.push_back(static_cast<double>(X(i, p)));
        for (Index p = 0; p < r; ++p) {
          double descent =
              static_cast<double>(C(i, p)) - static_cast<double>(linear[static_cast<std::size_t>(p)]);
          for (Index l = 0; l < r; ++l)
            descent -= row[static_cast<std::size_t>(l)] * static_cast<double>(G(l, p));
          const auto diagonal = static_cast<double>(G(p, p));
          double& value = row[static_cast<std::size_t>(p)];
          const double step = std::max(0.0, value + descent / diagonal) - value;
          value += step;
          squared_step += step * step;
          ASSERT_NEAR(static_cast<double>(x.panel(0)[p * kernels.rows + i]), value,
                      4 * TestFixture::kEpsilon * static_cast<double>(r))
              << i << ", " << p;
        }
      }
      const double tolerance = 20 * TestFixture::kEpsilon * static_cast<double>(r);
      EXPECT_NEAR(reported, squared_step, tolerance * squared_step);
    }
  });
}

TYPED_TEST(Panels, MuMultipliesEveryEntryAndClampsIt) {
  using T = TypeParam;
  TestFixture::for_each_kernels([](const PanelKernels<T>& kernels) {
    for (const Index r : kRanks) {
      SCOPED_TRACE(r);
      const Matrix<T> X = random<T>(kernels.rows, r, 9);
      Matrix<T> C = random<T>(kernels.rows, r, 10);
      C(0, 0) = T{0};
      const Matrix<T> G = random_gram<T>(r, 11);
      const std::vector<T> linear = rising<T>(r, kL1);
      auto x = TestFixture::buffer(r);
      auto c = TestFixture::buffer(r);
      auto scratch = TestFixture::buffer(r);
      kernels.pack(X.view(), T{0}, x.panel(0));
      kernels.pack(C.view(), T{0}, c.panel(0));

      const double reported = kernels.mu(SweepGram<T>(G.view()), c.panel(0), linear.data(),
                                         static_cast<T>(kDelta), x.panel(0), scratch.panel(0), {});

      double squared_step = 0;
      for (Index i = 0; i < kernels.rows; ++i) {
        for (Index p = 0; p < r; ++p) {
          auto below = static_cast<double>(linear[static_cast<std::size_t>(p)]);
          for (Index l = 0; l < r; ++l) below += static_cast<double>(X(i, l)) * static_cast<double>(G(l, p));
          const auto old = static_cast<double>(X(i, p));
          const double expected = std::max(kDelta, old * static_cast<double>(C(i, p)) / below);
          squared_step += (expected - old) * (expected - old);
          ASSERT_NEAR(static_cast<double>(x.panel(0)[p * kernels.rows + i]), expected,
                      2 * TestFixture::kEpsilon * static_cast<double>(r + 2) * expected)
              << i << ", " << p;
        }
      }
      EXPECT_NEAR(reported, squared_step, 20 * TestFixture::kEpsilon * static_cast<double>(r) * squared_step);
    }
  });
}

TYPED_TEST(Panels, ANumberThatIsNoneIsNotHiddenByTheBound) {
  using T = TypeParam;
  TestFixture::for_each_kernels([](const PanelKernels<T>& kernels) {
    const Matrix<T> X(kernels.rows, 3, T{1});
    const Matrix<T> C(kernels.rows, 3, std::numeric_limits<T>::quiet_NaN());
    const std::vector<T> none(3);
    const Matrix<T> G = random_gram<T>(3, 12);
    auto x = TestFixture::buffer(3);
    auto c = TestFixture::buffer(3);
    auto scratch = TestFixture::buffer(3);
    kernels.pack(C.view(), T{0}, c.panel(0));
    kernels.pack(X.view(), T{0}, x.panel(0));
    kernels.hals(SweepGram<T>(G.view()), c.panel(0), none.data(), x.panel(0), {});
    EXPECT_TRUE(std::isnan(x.panel(0)[0]));
    kernels.pack(X.view(), T{0}, x.panel(0));
    kernels.mu(SweepGram<T>(G.view()), c.panel(0), none.data(), T{0}, x.panel(0), scratch.panel(0), {});
    EXPECT_TRUE(std::isnan(x.panel(0)[0]));
  });
}

TYPED_TEST(Panels, MultiplyGramTakesAnyNumberOfRows) {
  using T = TypeParam;
  for (const Index rows : {0, 1, 3, 24, 25, 100}) {
    const Matrix<T> X = random<T>(rows, 5, 13);
    const Matrix<T> G = random_gram<T>(5, 14);
    Matrix<T> result(rows, 5);
    multiply_gram<T>(X.view(), G.view(), result.view());
    for (Index i = 0; i < rows; ++i) {
      for (Index p = 0; p < 5; ++p) {
        double expected = 0;
        for (Index l = 0; l < 5; ++l) expected += static_cast<double>(X(i, l)) * static_cast<double>(G(l, p));
        ASSERT_NEAR(static_cast<double>(result(i, p)), expected, 10 * TestFixture::kEpsilon * expected);
      }
    }
  }
}

}  // namespace
}  // namespace anmf::test::panels_test
