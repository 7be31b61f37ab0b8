// SPDX-License-Identifier: MIT
// Coordinate descent on Kullback and Leibler's loss: rows of M (1 x K) beside F (K x r).
#include "kernels/kl_panel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/problems.h"
#include "support/targets.h"

namespace anmf::test::kl_panel_test {
namespace {

enum class Panels { narrow, wide, alone };

/// Rows of counts with so many nonzeros each, a factor F, and a start.
template <class T>
struct Problem {
  Matrix<T> F;
  std::vector<std::vector<std::uint32_t>> indices;
  std::vector<std::vector<T>> values;
  Matrix<T> W;
  std::vector<T> linear;
  double l2 = 0;

  Problem(Index K, Index r, const std::vector<Index>& nonzeros, std::uint64_t seed, double zeros_in_F)
      : F(random_matrix<T>(K, r, seed, zeros_in_F)),
        indices(nonzeros.size()),
        values(nonzeros.size()),
        W(random_matrix<T>(static_cast<Index>(nonzeros.size()), r, seed + 1)) {
    for (Index j = 0; j < K; ++j) F(j, j % r) += T{0.125};  // every model is above zero
    for (T& w : W.values()) w += T{0.0078125};
    for (Index p = 0; p < r; ++p) {
      T sum = T{0.0625};  // an l1
      for (Index j = 0; j < K; ++j) sum += F(j, p);
      linear.push_back(sum);
    }
    for (std::size_t i = 0; i < nonzeros.size(); ++i) {
      for (Index k = 0; k < nonzeros[i]; ++k) {
        indices[i].push_back(static_cast<std::uint32_t>(k * K / nonzeros[i]));
        values[i].push_back(
            static_cast<T>(1 + std::floor(5 * uniform(seed, 7, 1000 * static_cast<Index>(i) + k))));
      }
    }
  }

  /// phi of the row, in double.
  [[nodiscard]] double value(std::size_t i, const T* w) const {
    double sum = 0;
    for (Index p = 0; p < F.cols(); ++p) {
      const auto x = static_cast<double>(w[p]);
      sum += static_cast<double>(linear[static_cast<std::size_t>(p)]) * x + 0.5 * l2 * x * x;
    }
    for (std::size_t k = 0; k < indices[i].size(); ++k) {
      sum -= static_cast<double>(values[i][k]) * std::log(model(i, k, w));
    }
    return sum;
  }
  [[nodiscard]] double model(std::size_t i, std::size_t k, const T* w) const {
    double y = 0;
    for (Index p = 0; p < F.cols(); ++p)
      y += static_cast<double>(w[p]) * static_cast<double>(F(indices[i][k], p));
    return y;
  }
  /// The gradient of phi.
  [[nodiscard]] double slope(std::size_t i, const T* w, Index p) const {
    double sum = static_cast<double>(linear[static_cast<std::size_t>(p)]) + l2 * static_cast<double>(w[p]);
    for (std::size_t k = 0; k < indices[i].size(); ++k) {
      sum -= static_cast<double>(values[i][k]) * static_cast<double>(F(indices[i][k], p)) / model(i, k, w);
    }
    return sum;
  }

  [[nodiscard]] std::vector<KlRow<T>> rows(Matrix<T>& X) const {
    std::vector<KlRow<T>> result;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      result.push_back({.indices = indices[i].data(),
                        .values = values[i].data(),
                        .count = indices[i].size(),
                        .w = X.view().row(static_cast<Index>(i))});
    }
    return result;
  }

  /// The rows after so many sweeps, in panels, in wide ones, or each alone.
  [[nodiscard]] Matrix<T> swept(Index budget, Panels panels, bool direct) const {
    const KlKernels<T> kernels = find_kl_kernels<T>();
    const auto rank = static_cast<std::size_t>(F.cols());
    const auto most = static_cast<std::size_t>(F.rows()) + 1;
    using Memory = std::vector<T, detail::Allocator<T>>;
    Memory panel(rank * most * kernels.wide + 2 * most * kernels.wide);
    Memory x(most * kernels.wide), y(x), z(x), w(2 * rank * kernels.wide);
    const KlScratch<T> scratch{
        .panel = panel.data(), .x = x.data(), .y = y.data(), .z = z.data(), .w = w.data(), .direct = direct};
    const KlSweeps<T> sweeps{
        .F = F.view(), .linear = linear.data(), .l2 = static_cast<T>(l2), .budget = budget};
    Matrix<T> X = W;
    std::vector<KlRow<T>> all = rows(X);
    const bool alone = panels == Panels::alone;
    const std::size_t step = alone ? 1 : panels == Panels::wide ? kernels.wide : kernels.lanes;
    for (std::size_t at = 0; at < all.size(); at += step) {
      if (alone) {
        kernels.row(sweeps, all[at], scratch);
      } else {
        kernels.rows(sweeps, all.data() + at, std::min(step, all.size() - at), scratch);
      }
    }
    return X;
  }
};

template <class T>
class KlPanel : public testing::Test {
 protected:
  static constexpr double kTolerance = sizeof(T) == 4 ? 2e-4 : 1e-9;

  /// No half-step of three sweeps raises phi of any row, and in the end nothing is left to gain. (Within a
  /// half-step a coordinate that stays at zero is left alone.)
  static void expect_descent(Problem<T> problem, Panels panels, bool direct) {
    for (int half = 0; half < 150; ++half) {
      const Matrix<T> X = problem.swept(3, panels, direct);
      for (std::size_t i = 0; i < problem.indices.size() && half < 5; ++i) {
        const double old = problem.value(i, problem.W.view().row(static_cast<Index>(i)));
        const double now = problem.value(i, X.view().row(static_cast<Index>(i)));
        EXPECT_LE(now, old + kTolerance * std::abs(old)) << "row " << i << ", half-step " << half;
      }
      problem.W = X;
    }
    for (std::size_t i = 0; i < problem.indices.size(); ++i) {
      const T* const w = problem.W.view().row(static_cast<Index>(i));
      for (Index p = 0; p < problem.W.cols(); ++p) {
        const auto scale = static_cast<double>(problem.linear[static_cast<std::size_t>(p)]);
        const double g = problem.slope(i, w, p);
        ASSERT_GE(w[p], T{0});
        EXPECT_GE(g, -20 * kTolerance * scale) << i << " " << p;
        EXPECT_LE(g * static_cast<double>(w[p]), 20 * kTolerance * scale) << i << " " << p;
      }
    }
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(KlPanel, Types);

TYPED_TEST(KlPanel, DescendsToTheMinimumOfEveryRow) {
  for_each_target([] {
    for (const Index r : {1, 3, 8, 9, 17}) {
      for (const double l2 : {0.0, 0.7}) {
        SCOPED_TRACE(testing::Message() << "r " << r << ", l2 " << l2);
        Problem<TypeParam> problem(40, r, {0, 1, 3, 5, 5, 7, 8, 9, 12, 20, 40}, 5, 0.3);
        problem.l2 = l2;
        for (const bool direct : {false, true}) {
          TestFixture::expect_descent(problem, Panels::wide, direct);
          TestFixture::expect_descent(problem, Panels::alone, direct);
        }
      }
    }
  });
}

/// A row alone in its panel, among others, or over all lanes has the same minimum, and rows of a panel do not
/// know each other.
TYPED_TEST(KlPanel, RowsDoNotKnowEachOther) {
  for_each_target([] {
    const Problem<TypeParam> problem(30, 5, {2, 9, 9, 30, 4, 4, 17, 1, 6, 21}, 6, 0.2);
    const Matrix<TypeParam> together = problem.swept(2, Panels::narrow, false);
    for (Index i = 0; i < together.rows(); ++i) {
      Problem<TypeParam> single = problem;
      const auto at = static_cast<std::ptrdiff_t>(i);
      single.indices = {*(problem.indices.begin() + at)};
      single.values = {*(problem.values.begin() + at)};
      single.W = Matrix<TypeParam>(1, 5);
      for (Index p = 0; p < 5; ++p) single.W(0, p) = problem.W(i, p);
      const Matrix<TypeParam> alone = single.swept(2, Panels::narrow, false);
      for (Index p = 0; p < 5; ++p) EXPECT_EQ(alone(0, p), together(i, p)) << i << " " << p;
    }
    EXPECT_EQ(max_difference(problem.swept(2, Panels::narrow, true), together), 0);
    EXPECT_EQ(max_difference(problem.swept(2, Panels::wide, false), together), 0);
    EXPECT_EQ(max_difference(problem.swept(2, Panels::wide, true), together), 0);
  });
}

/// The only coordinate behind a nonzero cannot go to zero, however much pulls it there.
TYPED_TEST(KlPanel, ASoleSupporterStaysAboveZero) {
  using T = TypeParam;
  for_each_target([] {
    Problem<T> problem(2, 2, {2}, 9, 0);
    problem.F(0, 0) = T{1e-3F};
    problem.F(0, 1) = 0;
    problem.F(1, 0) = 0;
    problem.F(1, 1) = 1;
    problem.linear = {T{50}, T{1}};
    problem.W(0, 0) = T{1e4F};
    Matrix<T> X;
    for (int k = 0; k < 9;
         ++k) {  // each of which makes the model anew, which the first steps lose the digits of
      X = problem.swept(2, Panels::narrow, false);
      problem.W = X;
    }
    // min l w - x log(f w): w = x / l.
    EXPECT_NEAR(X(0, 0), static_cast<double>(problem.values[0][0]) / 50, 1e-5);
    EXPECT_NEAR(X(0, 1), static_cast<double>(problem.values[0][1]), 1e-4);
  });
}

TYPED_TEST(KlPanel, ComesBackFromExactZeros) {
  using T = TypeParam;
  for_each_target([] {
    Problem<T> problem(20, 3, {20, 11}, 11, 0);
    problem.W(0, 1) = 0;
    problem.W(1, 0) = problem.W(1, 2) = 0;
    for (const Panels panels : {Panels::narrow, Panels::wide, Panels::alone}) {
      for (const bool direct : {false, true}) TestFixture::expect_descent(problem, panels, direct);
    }
  });
}

}  // namespace
}  // namespace anmf::test::kl_panel_test
