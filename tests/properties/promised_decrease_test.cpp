// SPDX-License-Identifier: MIT
// The share of the objective that another pass over all entries of W (m x r) and H (r x n) promises to take
// off: against naive loops, and what it must not depend on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "data/transposed_data.h"
#include "support/data_sets.h"
#include "support/problems.h"

namespace anmf::test::promised_decrease_properties {
namespace {

struct Weights {
  double l1_W = 0, l2_W = 0, l1_H = 0, l2_H = 0;
};

/// What the entries of X alone, one at a time, can take off ||M - X F'||^2 / 2 + l1 sum(X) + l2 / 2 ||X||^2.
double naive_decrease(const Matrix<double>& M, const Matrix<double>& X, const Matrix<double>& F, double l1,
                      double l2) {
  double sum = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index p = 0; p < X.cols(); ++p) {
      double g = l1 + l2 * X(i, p);
      double h = l2;
      for (Index j = 0; j < M.cols(); ++j) {
        double residual = -M(i, j);
        for (Index q = 0; q < X.cols(); ++q) residual += X(i, q) * F(j, q);
        g += residual * F(j, p);
        h += F(j, p) * F(j, p);
      }
      const double d = h > 0 ? std::max(-X(i, p), -g / h) : 0;
      sum -= g * d + 0.5 * h * d * d;
    }
  }
  return sum;
}

double naive_promise(const Matrix<double>& M, const Matrix<double>& W, const Matrix<double>& H,
                     const Weights& weights = {}) {
  const Matrix<double> Ht = transposed(H);
  const std::vector<double> scale(static_cast<std::size_t>(W.cols()), 1.0);
  double objective = 0.5 * std::pow(direct_error(M, Result<double>{.W = W, .H = H, .scale = scale}), 2);
  for (const double w : W.values()) objective += weights.l1_W * w + 0.5 * weights.l2_W * w * w;
  for (const double h : H.values()) objective += weights.l1_H * h + 0.5 * weights.l2_H * h * h;
  const double decrease = naive_decrease(M, W, Ht, weights.l1_W, weights.l2_W) +
                          naive_decrease(transposed(M), Ht, W, weights.l1_H, weights.l2_H);
  return decrease / (objective + 1e-8 * 0.5 * std::pow(frobenius(M), 2));
}

/// At the pair itself: a run without iterations.
double promise_at(const Matrix<double>& M, const Matrix<double>& W, const Matrix<double>& H,
                  Side first = Side::W) {
  const Options options{.rank = W.cols(), .method = "hals", .max_iterations = 0, .first = first};
  return factorize_dense(M, options, Start<double>{W, H}).promised_decrease;
}

TEST(PromisedDecrease, OfTheResultIsTheNaiveOneForEveryMethod) {
  struct Shape {
    Index rows, cols, rank;
  };
  for (const auto& [rows, cols, rank] :
       {Shape{1, 1, 1}, Shape{7, 65, 3}, Shape{67, 5, 4}, Shape{49, 97, 5}}) {
    const Matrix<double> M = random_matrix(rows, cols, 51, 0.2);
    for (const Method& method : methods()) {
      SCOPED_TRACE(testing::Message() << rows << " x " << cols << ", " << method.name);
      if (method.rule.name == "mu" || !minimises(method, 2))
        continue;  // its bound is not zero, or another loss
      Options options{.rank = rank,
                      .method = std::string(method.name),
                      .max_iterations = 4,
                      .first = cols % 2 == 0 ? Side::H : Side::W};
      const Result<double> plain = factorize_dense(M, options);
      EXPECT_NEAR(plain.promised_decrease, naive_promise(M, plain.W, plain.H),
                  1e-10 + 1e-7 * plain.promised_decrease);

      options.alpha_W = 0.01;
      options.alpha_H = 0.02;
      options.l1_ratio = 0.25;
      const Result<double> penalised = factorize_dense(M, options);
      const double to_W = 0.01 * static_cast<double>(cols);
      const double to_H = 0.02 * static_cast<double>(rows);
      const Weights weights{
          .l1_W = 0.25 * to_W, .l2_W = 0.75 * to_W, .l1_H = 0.25 * to_H, .l2_H = 0.75 * to_H};
      EXPECT_NEAR(penalised.promised_decrease, naive_promise(M, penalised.W, penalised.H, weights),
                  1e-10 + 1e-7 * penalised.promised_decrease);
    }
  }
}

class PromiseAtAPair : public testing::Test {
 protected:
  const Matrix<double> M_ = random_matrix(23, 17, 52);
  const Matrix<double> W_ = random_matrix(23, 4, 53, 0.3);
  const Matrix<double> H_ = random_matrix(4, 17, 54, 0.3);
  const double promise_ = naive_promise(M_, W_, H_);
};

TEST_F(PromiseAtAPair, DoesNotKnowTheScaleOfTheData) {
  for (const double scale : {1e-6, 3.0, 1e6, 1e120}) {
    Matrix<double> M = M_;
    Matrix<double> W = W_;
    for (double& x : M.values()) x *= scale;
    for (double& x : W.values()) x *= scale;
    EXPECT_NEAR(promise_at(M, W, H_), promise_, 1e-12 * promise_) << scale;
  }
}

TEST_F(PromiseAtAPair, DoesNotKnowTheScaleOfAComponent) {
  Matrix<double> W = W_;
  Matrix<double> H = H_;
  const double scales[] = {1e-4, 1, 7, 1e5};
  for (Index p = 0; p < 4; ++p) {
    for (Index i = 0; i < W.rows(); ++i) W(i, p) *= scales[p];
    for (Index j = 0; j < H.cols(); ++j) H(p, j) /= scales[p];
  }
  EXPECT_NEAR(promise_at(M_, W, H), promise_, 1e-11 * promise_);
}

TEST_F(PromiseAtAPair, IsTheSameForEitherFactorFirstAndForTheTranspose) {
  EXPECT_NEAR(promise_at(M_, W_, H_), promise_, 1e-12 * promise_);
  EXPECT_NEAR(promise_at(M_, W_, H_, Side::H), promise_, 1e-12 * promise_);
  EXPECT_NEAR(promise_at(transposed(M_), transposed(H_), transposed(W_)), promise_, 1e-12 * promise_);
}

TEST_F(PromiseAtAPair, IsZeroWhereNothingCanBeGained) {
  EXPECT_LE(promise_at(product(W_, H_), W_, H_), 1e-18);

  Options options{.rank = 2, .method = "anls", .max_iterations = 20000, .tolerance = 1e-16};
  for (const double alpha : {0.0, 0.02}) {
    options.alpha_W = alpha;
    options.l1_ratio = 0.5;
    const Result<double> result = factorize_dense(M_, options);
    EXPECT_EQ(result.status, Status::converged) << result.message;
    EXPECT_LE(result.promised_decrease, 1e-16);
  }
}

TEST(PromisedDecreaseOfARun, IsInTheTraceWhereItWasLookedAt) {
  const Matrix<double> M = planted(200, 150, 3, 55, 0.3);
  for (const char* method : {"auto", "a-hals"}) {
    const Result<double> result = factorize_dense(M, {.rank = 3, .method = method, .compress = Compress::on});
    ASSERT_EQ(result.status, Status::converged) << result.message;
    Index looks = 0;
    for (const IterationRecord& record : result.trace) looks += std::isnan(record.promised_decrease) ? 0 : 1;
    EXPECT_GE(looks, 3);
    EXPECT_EQ(result.trace.back().promised_decrease, result.promised_decrease);
    EXPECT_LE(result.promised_decrease, Options{}.tolerance);
    EXPECT_EQ(result.trace[1].compressed_iterations, result.effective.compressed_iterations);
    EXPECT_EQ(result.trace[2].compressed_iterations, 0);
  }
}

// The scene whose runs used to end after two iterations, or never, by the gradient of their start.
TEST(Samson, ConvergesToWithinATenthOfAPercentFromEveryStart) {
  ANMF_REQUIRE_DATA_SET("samson");
  constexpr double kToBeHad = 0.0250977;
  for (const bool pixels_first : {false, true}) {
    io::LoadedMatrix<double> bands = io::load<double>(data_set_path("samson"));
    std::unique_ptr<Data<double>> data = std::move(bands.data);
    if (pixels_first) data = std::make_unique<TransposedData<double>>(std::move(data));
    for (const Init init : {Init::random, Init::scaled_random, Init::nndsvda, Init::spa}) {
      if (kSampleSlowTests && (pixels_first || init != Init::scaled_random)) continue;
      SCOPED_TRACE(testing::Message() << data->rows() << " x " << data->cols() << ", " << to_string(init));
      const Result<double> result = factorize(*data, {.rank = 3, .init = init});
      EXPECT_EQ(result.status, Status::converged) << result.message;
      EXPECT_LE(result.relative_error, 1.001 * kToBeHad);
    }
  }
}

}  // namespace
}  // namespace anmf::test::promised_decrease_properties
