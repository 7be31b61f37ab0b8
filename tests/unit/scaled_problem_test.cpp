// SPDX-License-Identifier: MIT
#include "data/scaled_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/shown_entries.h"

namespace anmf::test::scaled_problem_test {
namespace {

TEST(ScaledProblem, IsTheMatrixItselfWhereSquaresStayInRange) {
  const Matrix<double> M = random_matrix(3, 4, 314);
  const DenseData<double> data(M.view());
  const ScaledProblem<double> problem(data);
  EXPECT_EQ(problem.scale(), 1);
  EXPECT_EQ(&problem.data(), &data);
}

TEST(ScaledProblem, TakesFactorsThereAndBackExactly) {
  for (const double size : {1e-322, 1e-200, 1e200}) {
    Matrix<double> M(3, 4, 3 * size);
    const DenseData<double> data(M.view());
    const ScaledProblem<double> problem(data);
    EXPECT_EQ(problem.scale(), power_of_four_below(data.norm()));
    EXPECT_EQ(problem.data().norm(), data.norm() / problem.scale());
    expect_shows<double>(problem.data(), M, problem.scale());
    using Share = ScaledProblem<double>::Share;
    for (const auto& [share, by] :
         {std::pair{Share::root, std::sqrt(problem.scale())}, std::pair{Share::all, problem.scale()}}) {
      const Matrix<double> X(5, 2, 2 * by);
      Matrix<double> Y = X;
      problem.scale_down(Y, share);
      EXPECT_EQ(Y, Matrix<double>(5, 2, 2.0));
      problem.scale_back(Y, share);
      EXPECT_EQ(Y, X);
    }
  }
}

}  // namespace
}  // namespace anmf::test::scaled_problem_test
