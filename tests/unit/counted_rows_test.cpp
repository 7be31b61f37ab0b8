// SPDX-License-Identifier: MIT
// Sweeps over rows whose entries do not all count, by normal equations and by residuals, on every instruction
// set.
#include "kernels/counted_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/normal_equations.h"
#include "kernels/residual_descent.h"
#include "support/problems.h"
#include "support/targets.h"

namespace anmf::test::counted_rows_test {
namespace {

constexpr Index kColumns = 140;

enum class Way { equations, residuals };

/// Rows with so many entries each.
template <class T>
struct Problem {
  Matrix<T> F;
  Matrix<T> X;
  std::vector<std::vector<std::uint32_t>> indices;
  std::vector<std::vector<T>> values;
  std::vector<std::vector<T>> weights;
  std::vector<std::vector<T>> roots;
  double l1 = 0;
  double l2 = 0;
  bool weighted = false;

  Problem(Index r, const std::vector<Index>& counts)
      : F(random_matrix<T>(kColumns, r, 1, 0.2)),
        X(random_matrix<T>(static_cast<Index>(counts.size()), r, 2)),
        indices(counts.size()),
        values(counts.size()),
        weights(counts.size()),
        roots(counts.size()) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (Index k = 0; k < counts[i]; ++k) {
        indices[i].push_back(static_cast<std::uint32_t>(k * kColumns / counts[i]));
        values[i].push_back(static_cast<T>(std::floor(6 * uniform(3, 7, 1000 * static_cast<Index>(i) + k))));
        weights[i].push_back(static_cast<T>(2 * uniform(4, 7, 1000 * static_cast<Index>(i) + k)));
        roots[i].push_back(std::sqrt(weights[i].back()));
      }
    }
  }
  [[nodiscard]] CountedEntries<T> entries(std::size_t i) const {
    return {.indices = indices[i].data(),
            .values = values[i].data(),
            .roots = weighted ? roots[i].data() : nullptr,
            .count = indices[i].size(),
            .scale = T{0.25}};
  }
  /// The rows after so many sweeps.
  Matrix<T> swept(Way way, const std::vector<Index>& budgets, double share,
                  std::vector<SweptRow<T>>& rows) const {
    using Memory = std::vector<T, detail::Allocator<T>>;
    const NormalKernels<T> normal = find_normal_kernels<T>();
    const ResidualKernels<T> residual = find_residual_kernels<T>();
    const auto r = static_cast<std::size_t>(F.cols());
    const NormalSizes sizes = normal.sizes(r);
    Memory panel(sizes.panel), own(sizes.own), triangles(sizes.triangles), factor(sizes.factor);
    const NormalMemory<T> memory{
        .panel = panel.data(), .own = own.data(), .triangles = triangles.data(), .factor = factor.data()};
    const std::size_t places = residual.lanes * static_cast<std::size_t>(kColumns);
    Memory gathered(r * places), e(2 * places), few(2 * r * residual.lanes);
    const RowSweeps<T> sweeps{.rank = r,
                              .l1 = static_cast<T>(l1),
                              .l2 = static_cast<T>(l2),
                              .share = static_cast<T>(share),
                              .wants_residual = true};
    Matrix<T> result = X;
    rows.resize(indices.size());
    for (std::size_t begin = 0; begin < rows.size(); begin += normal.lanes) {
      const std::size_t count = std::min(normal.lanes, rows.size() - begin);
      std::vector<CountedEntries<T>> together;
      for (std::size_t i = begin; i < begin + count; ++i) {
        together.push_back(entries(i));
        rows[i] = {.x = result.view().row(static_cast<Index>(i)), .budget = budgets[i % budgets.size()]};
        if (way == Way::equations) normal.add_up(F.view(), together.back(), i - begin, memory);
      }
      if (way == Way::equations) {
        normal.sweep(sweeps, rows.data() + begin, count, memory);
      } else {
        residual.sweep(F.view(), sweeps, together.data(), rows.data() + begin, count,
                       {.panel = gathered.data(), .e = e.data(), .factor = few.data()});
      }
    }
    return result;
  }

  [[nodiscard]] double weight(std::size_t i, std::size_t k) const {
    return weighted ? static_cast<double>(weights[i][k]) : 1.0;
  }
  /// sum p (a - y) f_p, or with p < 0 the sum of the squared residuals.
  [[nodiscard]] double residual(std::size_t i, const std::vector<double>& x, Index p) const {
    double sum = 0;
    for (std::size_t k = 0; k < indices[i].size(); ++k) {
      double rest = 0.25 * static_cast<double>(values[i][k]);
      for (Index q = 0; q < F.cols(); ++q)
        rest -= x[static_cast<std::size_t>(q)] * static_cast<double>(F(indices[i][k], q));
      sum += weight(i, k) * rest * (p < 0 ? rest : static_cast<double>(F(indices[i][k], p)));
    }
    return sum;
  }
  /// One row by definition.
  [[nodiscard]] std::vector<double> by_definition(std::size_t i, Index budget) const {
    std::vector<double> x;
    for (Index p = 0; p < F.cols(); ++p) x.push_back(static_cast<double>(X(static_cast<Index>(i), p)));
    for (Index sweep = 0; sweep < budget; ++sweep) {
      for (Index p = 0; p < F.cols(); ++p) {
        double& entry = x[static_cast<std::size_t>(p)];
        double bend = l2;
        for (std::size_t k = 0; k < indices[i].size(); ++k) {
          const auto f = static_cast<double>(F(indices[i][k], p));
          bend += weight(i, k) * f * f;
        }
        const double slope = residual(i, x, p) - l1 - l2 * entry;
        entry = bend > 0 ? std::max(0.0, entry + slope / bend) : 0;
      }
    }
    return x;
  }
};

template <class T>
class CountedRows : public testing::Test {
 protected:
  static void expect_definition(const Problem<T>& problem, std::size_t i, Index budget,
                                const SweptRow<T>& row, const T* x) {
    const double tolerance = 500 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const std::vector<double> expected = problem.by_definition(i, budget);
    EXPECT_EQ(row.sweeps, budget);
    const double largest = std::max(1.0, *std::max_element(expected.begin(), expected.end()));
    for (std::size_t p = 0; p < expected.size(); ++p)
      EXPECT_NEAR(x[p], expected[p], tolerance * largest) << p;
    const double squares = problem.residual(i, std::vector<double>(expected.size(), 0.0), -1);
    const double residual = problem.residual(i, expected, -1);
    EXPECT_NEAR(row.residual, residual, tolerance * (1 + squares) * largest);
    EXPECT_LE(static_cast<double>(row.squares), squares * (1 + tolerance));
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CountedRows, Types);

TYPED_TEST(CountedRows, SweepsAreThoseByDefinition) {
  using T = TypeParam;
  // None, one, few, as many as are summed at a time, and more: more rows than there are lanes.
  const std::vector<Index> counts = {0, 1, 3, 64, 65, 129, 2, 140, 7, 8, 9, 0, 33, 1, 128, 20, 63};
  const std::vector<Index> budgets = {1, 3, 2};
  for_each_target([&] {
    for (const Index r : {1, 3, 8, 20, 33}) {
      for (const bool weighted : {false, true}) {
        SCOPED_TRACE(testing::Message() << "r " << r << ", weighted " << weighted);
        Problem<T> problem(r, counts);
        problem.weighted = weighted;
        if (weighted) problem.l1 = 0.03125;
        if (weighted || r == 3) problem.l2 = 0.5;
        for (const Way way : {Way::equations, Way::residuals}) {
          std::vector<SweptRow<T>> rows;
          const Matrix<T> X = problem.swept(way, budgets, 0, rows);
          for (std::size_t i = 0; i < counts.size(); ++i) {
            SCOPED_TRACE(testing::Message() << "row " << i << ", way " << static_cast<int>(way));
            TestFixture::expect_definition(problem, i, budgets[i % budgets.size()], rows[i],
                                           X.view().row(static_cast<Index>(i)));
          }
        }
      }
    }
  });
}

TYPED_TEST(CountedRows, RowsStopAloneAndDoNotKnowEachOther) {
  using T = TypeParam;
  const std::vector<Index> counts = {5, 140, 30, 1, 0, 70, 12, 9, 100, 64};
  for_each_target([&] {
    const Problem<T> problem(6, counts);
    for (const Way way : {Way::equations, Way::residuals}) {
      std::vector<SweptRow<T>> rows;
      const Matrix<T> together = problem.swept(way, {40}, 0.01, rows);
      Index least = 40;
      Index most = 0;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        Problem<T> alone(6, {counts[i]});
        alone.indices[0] = problem.indices[i];
        alone.values[0] = problem.values[i];
        for (Index p = 0; p < 6; ++p) alone.X(0, p) = problem.X(static_cast<Index>(i), p);
        std::vector<SweptRow<T>> row;
        const Matrix<T> X = alone.swept(way, {40}, 0.01, row);
        EXPECT_EQ(row[0].sweeps, rows[i].sweeps);
        EXPECT_EQ(row[0].residual, rows[i].residual);
        for (Index p = 0; p < 6; ++p) EXPECT_EQ(X(0, p), together(static_cast<Index>(i), p));
        least = std::min(least, row[0].sweeps);
        most = std::max(most, row[0].sweeps);
      }
      EXPECT_LT(least, most);
      EXPECT_LT(most, 40);
    }
  });
}

}  // namespace
}  // namespace anmf::test::counted_rows_test
