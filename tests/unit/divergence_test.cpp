// SPDX-License-Identifier: MIT
// The kernels of beta-divergences on every instruction set, against their definitions.
#include "kernels/divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/naive_losses.h"
#include "support/problems.h"
#include "support/targets.h"

namespace anmf::test::divergence_test {
namespace {

constexpr double kBetas[] = {-0.5, 0, 0.3, 0.5, 1, 1.3, 1.5, 2, 2.5, 3};

template <class T>
class Divergence : public testing::Test {
 protected:
  /// Entries with some zeros where beta allows that, models above zero, steps that leave them there.
  struct Arrays {
    std::vector<T> x, y, dy, u;
  };
  static Arrays arrays(Index n, double beta) {
    Arrays result;
    for (Index k = 0; k < n; ++k) {
      result.x.push_back(beta > 0 && k % 3 == 1 ? T{0} : static_cast<T>(0.1 + 4 * uniform(1, 1, k)));
      // Some models are next to their entry.
      result.y.push_back(k % 4 == 2 && result.x.back() > 0
                             ? result.x.back() * static_cast<T>(1 + 1e-3 * uniform(1, 2, k))
                             : static_cast<T>(0.05 + 3 * uniform(1, 2, k)));
      result.dy.push_back(
          static_cast<T>((1.5 * uniform(1, 3, k) - 0.7) * static_cast<double>(result.y.back())));
      result.u.push_back(static_cast<T>(uniform(1, 4, k)));
    }
    return result;
  }
  static void expect_near(double actual, double expected, double size) {
    const double tolerance = sizeof(T) == 4 ? 3e-5 : 2e-13;
    EXPECT_NEAR(actual, expected, tolerance * (size + 1e-3));
  }
  template <class Body>
  static void for_each_case(const Body& body) {
    for_each_target([&] {
      const DivergenceKernels<T> kernels = find_divergence_kernels<T>();
      for (const double beta : kBetas) {
        for (const Index n : {0, 1, 3, 7, 8, 9, 16, 33}) {
          SCOPED_TRACE(testing::Message() << "beta " << beta << ", n " << n);
          body(kernels, beta, arrays(n, beta));
        }
      }
    });
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Divergence, Types);

TYPED_TEST(Divergence, RatiosAreThoseOfMultiplicativeUpdates) {
  using T = TypeParam;
  TestFixture::for_each_case([](const DivergenceKernels<T>& kernels, double beta, const auto& a) {
    std::vector<T> above(a.x.size()), below(a.x.size());
    kernels.ratios(beta, a.x.size(), T{0}, a.x.data(), a.y.data(), above.data(), below.data());
    for (std::size_t k = 0; k < a.x.size(); ++k) {
      const auto x = static_cast<double>(a.x[k]);
      const auto y = static_cast<double>(a.y[k]);
      TestFixture::expect_near(above[k], x * std::pow(y, beta - 2), x * std::pow(y, beta - 2));
      TestFixture::expect_near(below[k], std::pow(y, beta - 1), std::pow(y, beta - 1));
    }
  });
}

TYPED_TEST(Divergence, AFloorRaisesTheModelsOfNegativePowersAlone) {
  using T = TypeParam;
  for_each_target([] {
    const T x[] = {T{2}, T{0}};
    const T y[] = {T{0.25}, T{4}};
    T above[2];
    T below[2];
    const DivergenceKernels<T> kernels = find_divergence_kernels<T>();
    kernels.ratios(1.5, 2, T{1}, x, y, above, below);
    EXPECT_EQ(above[0], T{2});    // 2 * 1^-0.5
    EXPECT_EQ(below[0], T{0.5});  // 0.25^0.5
    kernels.ratios(0.5, 2, T{1}, x, y, above, below);
    EXPECT_EQ(above[0], T{2});
    EXPECT_EQ(below[0], T{1});  // 1^-0.5
    EXPECT_EQ(below[1], T{0.5});
  });
}

TYPED_TEST(Divergence, SlopeAndCurvatureAreThoseOfTheModel) {
  using T = TypeParam;
  TestFixture::for_each_case([](const DivergenceKernels<T>& kernels, double beta, const auto& a) {
    const std::size_t n = a.x.size();
    std::vector<T> s(n), v(n);
    kernels.model(beta, n, a.x.data(), a.y.data(), s.data(), v.data(), nullptr);
    for (std::size_t k = 0; k < n; ++k) {
      const auto x = static_cast<double>(a.x[k]);
      const auto y = static_cast<double>(a.y[k]);
      const double slope = std::pow(y, beta - 1) - x * std::pow(y, beta - 2);
      TestFixture::expect_near(s[k], slope, std::pow(y, beta - 1));
      const double bend = by_definition::curvature(x, y, beta);
      TestFixture::expect_near(v[k], bend, bend);
    }
    // Terms with weights, of which some are zero.
    std::vector<T> weights(n), weighted_s(n), weighted_v(n);
    for (std::size_t k = 0; k < n; ++k) weights[k] = static_cast<T>(0.5 * static_cast<double>(k % 4));
    kernels.model(beta, n, a.x.data(), a.y.data(), weighted_s.data(), weighted_v.data(), weights.data());
    double value = 0;
    double slope = 0;
    double size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const auto weight = static_cast<double>(weights[k]);
      TestFixture::expect_near(weighted_s[k], weight * static_cast<double>(s[k]), std::abs(s[k]));
      TestFixture::expect_near(weighted_v[k], weight * static_cast<double>(v[k]), v[k]);
      value += weight * kernels.value(beta, 1, &a.x[k], &a.y[k], &a.dy[k], T{0.5}, nullptr);
      const double term = weight * kernels.slope(beta, 1, &a.x[k], &a.y[k], &a.dy[k], T{0.5}, nullptr);
      slope += term;
      size += std::abs(term);
    }
    TestFixture::expect_near(
        kernels.value(beta, n, a.x.data(), a.y.data(), a.dy.data(), T{0.5}, weights.data()), value,
        value + static_cast<double>(n));
    TestFixture::expect_near(
        kernels.slope(beta, n, a.x.data(), a.y.data(), a.dy.data(), T{0.5}, weights.data()), slope,
        size + static_cast<double>(n));
  });
}

/// Rows of a tile with gaps between them: what is between them stays as it is.
TYPED_TEST(Divergence, TilesAreTheirRows) {
  using T = TypeParam;
  constexpr std::size_t kRows = 3;
  TestFixture::for_each_case([](const DivergenceKernels<T>& kernels, double beta, const auto& a) {
    const std::size_t n = a.x.size();
    const std::size_t stride = n + 2;
    const T least = T{0.125};
    std::vector<T> x(kRows * (n + 1), T{7}), y(kRows * stride, T{7}), s = y, dy = y;
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t from = (j + 5 * i) % n;
        x[i * (n + 1) + j] = a.x[from];
        y[i * stride + j] = a.y[from];
        dy[i * stride + j] = a.dy[from];
      }
    }
    const std::vector<T> before = y;
    std::vector<T> counts(kRows * stride);
    for (std::size_t k = 0; k < counts.size(); ++k)
      counts[k] = static_cast<T>(0.5 * static_cast<double>(k % 4));
    const bool weighted = n % 2 == 1;
    const EntryTile<T> tile{.x = x.data(),
                            .x_stride = n + 1,
                            .stride = stride,
                            .rows = kRows,
                            .n = n,
                            .weights = weighted ? counts.data() : nullptr};
    std::vector<ModelSums> sums(kRows, {.curvature = 1, .shared = 2});
    std::vector<T> total(n, T{3}), weights(n, T{4});
    kernels.models(beta, tile, least, y.data(), a.u.data(), s.data(), sums.data(), total.data());
    const std::vector<T> shares = {T{0.5}, T{2}, T{0}};
    std::vector<double> slopes(kRows, 5);
    kernels.slopes(beta, tile, y.data(), dy.data(), shares.data(), slopes.data(), weights.data());
    std::vector<double> expected_total(n, 3), expected_weights(n, 4);
    for (std::size_t i = 0; i < kRows; ++i) {
      std::vector<T> slope(n), bend(n);
      const T* const row = y.data() + i * stride;
      kernels.model(beta, n, x.data() + i * (n + 1), row, slope.data(), bend.data(),
                    weighted ? counts.data() + i * stride : nullptr);
      double curvature = 1;
      double shared = 2;
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_EQ(row[j], std::max(before[i * stride + j], least));
        TestFixture::expect_near(s[i * stride + j], slope[j], std::abs(slope[j]));
        const double square = static_cast<double>(row[j]) * static_cast<double>(row[j]);
        const double pull = static_cast<double>(bend[j]) * square;
        curvature += pull;
        shared += static_cast<double>(a.u[j]) * square;
        expected_total[j] += pull;
        expected_weights[j] += static_cast<double>(shares[i]) * square;
      }
      TestFixture::expect_near(sums[i].curvature, curvature, curvature);
      TestFixture::expect_near(sums[i].shared, shared, shared);
      const double along = kernels.slope(beta, n, x.data() + i * (n + 1), row, dy.data() + i * stride, T{1},
                                         weighted ? counts.data() + i * stride : nullptr);
      TestFixture::expect_near(slopes[i], 5 + along, std::abs(along) + 5);
      for (std::size_t j = n; j < stride; ++j) EXPECT_EQ(y[i * stride + j], T{7});
    }
    for (std::size_t j = 0; j < n; ++j) {
      TestFixture::expect_near(total[j], expected_total[j], expected_total[j]);
      TestFixture::expect_near(weights[j], expected_weights[j], expected_weights[j]);
    }
  });
}

TYPED_TEST(Divergence, ValuesAreTheDefinition) {
  using T = TypeParam;
  TestFixture::for_each_case([](const DivergenceKernels<T>& kernels, double beta, const auto& a) {
    for (const double t : {0.0, 0.5}) {
      double expected = 0;
      double size = 0;
      for (std::size_t k = 0; k < a.x.size(); ++k) {
        const auto x = static_cast<double>(a.x[k]);
        const double y = static_cast<double>(a.y[k]) + t * static_cast<double>(a.dy[k]);
        expected += by_definition::divergence(x, y, beta);
        size += std::abs(by_definition::divergence(x, y, beta)) + std::pow(y, beta);
      }
      TestFixture::expect_near(
          kernels.value(beta, a.x.size(), a.x.data(), a.y.data(), a.dy.data(), static_cast<T>(t), nullptr),
          expected, size);
    }
  });
}

/// The slope of the convex function above the loss is the loss's own at t = 0, and lies above it on the way.
TYPED_TEST(Divergence, SlopesAlongAStepAreThoseOfAConvexFunctionAbove) {
  using T = TypeParam;
  TestFixture::for_each_case([](const DivergenceKernels<T>& kernels, double beta, const auto& a) {
    const std::size_t n = a.x.size();
    const auto slope = [&](double t) {
      return kernels.slope(beta, n, a.x.data(), a.y.data(), a.dy.data(), static_cast<T>(t), nullptr);
    };
    double expected = 0;
    double size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const auto x = static_cast<double>(a.x[k]);
      const auto y = static_cast<double>(a.y[k]);
      expected += static_cast<double>(a.dy[k]) * (std::pow(y, beta - 1) - x * std::pow(y, beta - 2));
      size += std::abs(static_cast<double>(a.dy[k])) * (std::pow(y, beta - 1) + x * std::pow(y, beta - 2));
    }
    TestFixture::expect_near(slope(0), expected, size);
    double before = slope(0);
    double area = 0;
    constexpr int kSteps = 20;
    for (int k = 1; k <= kSteps; ++k) {
      const double now = slope(k / static_cast<double>(kSteps));
      EXPECT_GE(now, before - 1e-4 * size) << k;
      area += now / kSteps;  // at least the integral, since slopes rise
      before = now;
    }
    const double rise = kernels.value(beta, n, a.x.data(), a.y.data(), a.dy.data(), T{1}, nullptr) -
                        kernels.value(beta, n, a.x.data(), a.y.data(), a.dy.data(), T{0}, nullptr);
    EXPECT_LE(rise, area + 1e-4 * size);
  });
}

/// Where the model is the entry but for a hair, the definition has no digit left.
TEST(DivergenceInDouble, KeepsItsDigitsForCloseFits) {
  for_each_target([] {
    const DivergenceKernels<double> kernels = find_divergence_kernels<double>();
    for (const double beta : kBetas) {
      for (const double e : {1e-9, -1e-6, 3e-4}) {
        const double x = 3;
        const double y = x / (1 + e);
        // The first terms of the series in e.
        const double expected = std::pow(y, beta) * (e * e / 2 + (beta - 2) * e * e * e / 6 +
                                                     (beta - 2) * (beta - 3) * e * e * e * e / 24);
        EXPECT_NEAR(kernels.value(beta, 1, &x, &y, nullptr, 0, nullptr), expected, 1e-6 * expected)
            << beta << " " << e;
      }
    }
  });
}

/// What lies behind the arrays stays as it is.
TYPED_TEST(Divergence, RaisesModels) {
  using T = TypeParam;
  for_each_target([] {
    const DivergenceKernels<T> kernels = find_divergence_kernels<T>();
    for (const Index n : {0, 1, 3, 7, 8, 9, 16, 17, 33}) {
      SCOPED_TRACE(n);
      const auto size = static_cast<std::size_t>(n);
      std::vector<T> y;
      for (Index k = 0; k <= n; ++k) y.push_back(static_cast<T>(uniform(3, 1, k)));
      const std::vector<T> old = y;
      kernels.raise(size, T{0.5}, y.data());
      for (std::size_t k = 0; k < size; ++k) EXPECT_EQ(y[k], std::max(old[k], T{0.5}));
      EXPECT_EQ(y[size], old[size]);
    }
  });
}

}  // namespace
}  // namespace anmf::test::divergence_test
