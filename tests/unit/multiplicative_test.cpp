// SPDX-License-Identifier: MIT
// Multiplicative updates of the caller's factors, against their formulas entry by entry.
#include "anmf/multiplicative.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "anmf/options.h"
#include "support/memory_source.h"
#include "support/naive_losses.h"
#include "support/problems.h"

namespace anmf::test::multiplicative_test {
namespace {

constexpr double kBetas[] = {-0.5, 0, 0.5, 1, 1.5, 2, 2.5};
constexpr Index kRows = 53;
constexpr Index kCols = 11;
constexpr Index kRank = 3;

/// M without small models, which have a floor that the formulas have not.
struct Problem {
  explicit Problem(double beta) : M(random_matrix(kRows, kCols, 1, beta > 0 ? 0.3 : 0)) {
    for (Matrix<double>* X : {&W, &Ht}) {
      for (double& x : X->values()) x += 0.1;
    }
    if (beta > 0) return;
    for (double& x : M.values()) x += 0.05;
  }
  /// Dense, sparse, and in blocks of rows and of columns.
  [[nodiscard]] std::vector<std::unique_ptr<Data<double>>> stored() const {
    std::vector<std::unique_ptr<Data<double>>> all;
    all.push_back(std::make_unique<DenseData<double>>(M.view()));
    all.push_back(to_sparse(M));
    all.push_back(to_stream<double>(M, {.lines = 48}));
    all.push_back(to_stream<double>(M, {.layout = Layout::column_major, .sparse = true, .lines = 4}));
    return all;
  }

  Matrix<double> M;
  Matrix<double> W = random_matrix(kRows, kRank, 2);
  Matrix<double> Ht = random_matrix(kCols, kRank, 3);
};

UpdateOptions options_of(double beta, int threads = 1) {
  return {.loss = loss_name(beta), .alpha_W = 0.01, .alpha_H = 0.02, .l1_ratio = 0.25, .threads = threads};
}

TEST(MultiplicativeUpdates, OfWAreThoseOfTheFormula) {
  for (const double beta : kBetas) {
    const Problem problem(beta);
    Matrix<double> expected = problem.W;
    for (int k = 0; k < 3; ++k) {
      by_definition::multiplicative_update(problem.M, expected, transposed(problem.Ht), beta,
                                           0.25 * 0.01 * kCols, 0.75 * 0.01 * kCols);
    }
    for (const auto& data : problem.stored()) {
      SCOPED_TRACE(testing::Message() << "beta " << beta << ", " << to_string(data->storage()));
      Matrix<double> W = problem.W;
      MultiplicativeUpdates<double> updates(*data, options_of(beta));
      EXPECT_EQ(updates.update_W(W.view(), problem.Ht.view(), {.most = 3}), 3);
      EXPECT_LT(max_difference(W, expected), 1e-13);
      const double D = by_definition::divergence(problem.M, expected, transposed(problem.Ht), beta);
      EXPECT_NEAR(updates.divergence(std::as_const(W).view(), problem.Ht.view()), D, 1e-12 * D);
    }
  }
}

TEST(MultiplicativeUpdates, LearnAsTheFormulaOfBatchesSays) {
  for (const double beta : kBetas) {
    const Problem problem(beta);
    const double gamma = beta < 1 ? 1 / (2 - beta) : beta > 2 ? 1 / (beta - 1) : 1;
    Matrix<double> W = problem.W;
    by_definition::multiplicative_update(problem.M, W, transposed(problem.Ht), beta, 0.25 * 0.01 * kCols,
                                         0.75 * 0.01 * kCols);
    const double D = by_definition::divergence(problem.M, W, transposed(problem.Ht), beta);
    const Matrix<double> above = random_matrix(kCols, kRank, 4);
    const Matrix<double> below(kCols, kRank, 1.0);
    Matrix<double> expected(kCols, kRank);
    for (Index j = 0; j < kCols; ++j) {
      for (Index p = 0; p < kRank; ++p) {
        const double h = problem.Ht(j, p);
        double up = 0;
        double down = 0.25 * 0.02 * kRows + 0.75 * 0.02 * kRows * h;
        for (Index i = 0; i < kRows; ++i) {
          const double y = by_definition::model(W, transposed(problem.Ht), i, j);
          up += problem.M(i, j) * std::pow(y, beta - 2) * W(i, p);
          down += std::pow(y, beta - 1) * W(i, p);
        }
        expected(j, p) =
            std::pow((0.5 * above(j, p) + std::pow(h, 1 / gamma) * up) / (0.5 * below(j, p) + down), gamma);
      }
    }
    for (const auto& data : problem.stored()) {
      SCOPED_TRACE(testing::Message() << "beta " << beta << ", " << to_string(data->storage()));
      Matrix<double> own = problem.W;
      Matrix<double> Ht = problem.Ht;
      Matrix<double> sums_above = above;
      Matrix<double> sums_below = below;
      MultiplicativeUpdates<double> updates(*data, options_of(beta));
      const double reached =
          updates.learn(own.view(), {Ht.view(), sums_above.view(), sums_below.view()}, 0.5);
      EXPECT_NEAR(reached, D, 1e-12 * D);
      EXPECT_LT(max_difference(own, W), 1e-13);
      EXPECT_LT(max_difference(Ht, expected), 1e-13);
    }
  }
}

TEST(MultiplicativeUpdates, HaveTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> M = random_matrix(700, 90, 5, 0.6);
  for (const double beta : {0.5, 1.0, 2.0}) {
    std::vector<Matrix<double>> results;
    for (const int threads : {1, 3}) {
      Matrix<double> W = random_matrix(700, 5, 6);
      Matrix<double> Ht = random_matrix(90, 5, 7);
      Matrix<double> above = Ht;
      Matrix<double> below(90, 5, 1.0);
      const auto data = to_sparse(M);
      MultiplicativeUpdates<double> updates(*data, options_of(beta, threads));
      (void)updates.learn(W.view(), {Ht.view(), above.view(), below.view()}, 0.9, {.most = 3});
      results.push_back(std::move(Ht));
    }
    EXPECT_EQ(results[0], results[1]) << beta;
  }
}

TEST(MultiplicativeUpdates, EndWhereTheirLimitsSay) {
  const Problem problem(1);
  const DenseData<double> data(problem.M.view());
  const auto count = [&](const UpdateLimits& limits) {
    Matrix<double> W = problem.W;
    return MultiplicativeUpdates<double>(data, {.loss = "kl"}).update_W(W.view(), problem.Ht.view(), limits);
  };
  const Index by_step = count({.most = 5000, .least_step = 1e-4});
  EXPECT_GT(by_step, 5);
  EXPECT_LT(by_step, count({.most = 5000, .least_step = 1e-5}));
  const Index by_gain = count({.most = 5000, .least_gain = 1e-4});
  EXPECT_EQ(by_gain % 10, 0);
  EXPECT_LT(by_gain, 5000);
  EXPECT_EQ(count({.most = 7, .least_gain = 1e-4}), 7);
  EXPECT_EQ(count({.most = 33}), 33);
}

TEST(MultiplicativeUpdates, MakeZerosOfWhatDiesOut) {
  const Matrix<float> M(2, 3, 1.0F);
  const DenseData<float> data(M.view());
  Matrix<float> W(2, 2, 1.0F);
  W(0, 1) = 1e-25F;
  const Matrix<float> Ht(3, 2, 0.5F);
  MultiplicativeUpdates<float>(data, {.loss = "0.5"}).update_W(W.view(), Ht.view());
  EXPECT_EQ(W(0, 1), 0);
  EXPECT_GT(W(1, 1), 0);
}

TEST(MultiplicativeUpdates, RefuseWhatTheyCannotDo) {
  Problem problem(1);
  const DenseData<double> data(problem.M.view());
  MultiplicativeUpdates<double> updates(data, {.loss = "kl"});
  Matrix<double> wrong(kRows, kRank + 1, 1.0);
  EXPECT_THROW(updates.update_W(wrong.view(), problem.Ht.view()), InvalidInput);
  wrong = problem.W;
  wrong(3, 1) = -1;
  EXPECT_THROW(updates.update_W(wrong.view(), problem.Ht.view()), InvalidInput);
  EXPECT_THROW(updates.update_W(problem.W.view(), std::as_const(problem.Ht).view(), {.most = 0}),
               InvalidInput);
  EXPECT_THROW(updates.update_W(problem.W.view(), std::as_const(problem.Ht).view(), {.least_step = NAN}),
               InvalidInput);
  Matrix<double> sums(kCols, kRank, 1.0);
  EXPECT_THROW((void)updates.learn(problem.W.view(), {problem.Ht.view(), sums.view(), sums.view()}, 1.5),
               InvalidInput);
  EXPECT_THROW(MultiplicativeUpdates<double>(data, {.loss = "itakura-saito"}), InvalidInput);  // M has zeros
  EXPECT_THROW(MultiplicativeUpdates<double>(data, {.loss = "huber"}), InvalidInput);
  EXPECT_THROW(MultiplicativeUpdates<double>(data, {.alpha_W = -1}), InvalidInput);
}

}  // namespace
}  // namespace anmf::test::multiplicative_test
