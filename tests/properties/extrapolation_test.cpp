// SPDX-License-Identifier: MIT
// What e-a-hals and the start on a compression promise on top of every other method's properties.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.h"

namespace anmf::test::extrapolation_properties {
namespace {

/// The projected gradient of ||M - WH||^2 / 2 at the returned pair, by plain loops.
double projected_gradient(const Matrix<double>& M, const Matrix<double>& W, const Matrix<double>& H) {
  const naive::Mat m = to_naive(M);
  const naive::Mat w = to_naive(W);
  const naive::Mat h = to_naive(H);
  const naive::Mat ht = naive::transpose(h);
  const auto norm = [](const naive::Mat& D, const naive::Mat& X, const naive::Mat& Y) {
    return naive::projected_norm(
        X, naive::gradient(X, naive::multiply(D, Y), naive::multiply(naive::transpose(Y), Y)));
  };
  return std::hypot(norm(m, w, ht), norm(naive::transpose(m), ht, w));
}

TEST(Extrapolated, ConvergesByTheGradientOfThePairThatItReturns) {
  const Matrix<double> M = planted(60, 45, 4, 31, 0.3);
  for (const char* method : {"e-a-hals", "a-hals"}) {
    SCOPED_TRACE(method);
    Options options{.rank = 4, .method = method, .seed = 2, .max_iterations = 0};
    const Result<double> start = factorize_dense(M, options);
    options.max_iterations = 3000;
    options.tolerance = 1e-5;
    options.stop_rule = StopRule::gradient;

    const Result<double> result = factorize_dense(M, options);

    ASSERT_EQ(result.status, Status::converged) << result.message;
    const double relative =
        projected_gradient(M, result.W, result.H) / projected_gradient(M, start.W, start.H);
    EXPECT_LE(relative, 1e-5);
    EXPECT_NEAR(result.kkt, relative, 1e-9);
    EXPECT_NEAR(result.error, direct_error(M, result), 1e-10 * frobenius(M));
  }
}

TEST(Extrapolated, NeedsLessWorkThanWithout) {
  const Matrix<double> M = planted(120, 90, 8, 32, 0.5);
  const auto work_to = [&](const char* method, double error) {
    const Result<double> result = factorize_dense(
        M, {.rank = 8, .method = method, .seed = 3, .max_iterations = 2000, .tolerance = 1e-9});
    for (const IterationRecord& record : result.trace) {
      if (record.error <= error) return record.flops;
    }
    return HUGE_VAL;
  };
  const double target =
      1.001 * factorize_dense(M, {.rank = 8, .method = "a-hals", .seed = 3, .max_iterations = 2000}).error;
  EXPECT_LT(1.4 * work_to("e-a-hals", target), work_to("a-hals", target));
}

TEST(Extrapolated, TheObserverSeesThePairWhoseErrorIsReported) {
  const Matrix<double> M = random_matrix(40, 30, 33);
  struct Watch final : Observer<double> {
    const Matrix<double>* M = nullptr;
    Action on_iteration(const IterationRecord& record, ConstMatrixView<double> W,
                        ConstMatrixView<double> Ht) override {
      double squared = 0;
      for (Index i = 0; i < M->rows(); ++i) {
        for (Index j = 0; j < M->cols(); ++j) {
          double residual = (*M)(i, j);
          for (Index p = 0; p < W.cols; ++p) {
            EXPECT_GE(W(i, p), 0);
            EXPECT_GE(Ht(j, p), 0);
            residual -= W(i, p) * Ht(j, p);
          }
          squared += residual * residual;
        }
      }
      EXPECT_NEAR(record.error, std::sqrt(squared), 1e-10 * frobenius(*M)) << record.iteration;
      return Action::proceed;
    }
  } watch;
  watch.M = &M;
  const DenseData<double> data(M.view());
  for (const Side first : {Side::W, Side::H}) {
    const Options options{
        .rank = 5, .method = "e-a-hals", .max_iterations = 60, .tolerance = 0, .first = first};
    EXPECT_EQ(factorize(data, options, {}, &watch).iterations, 60);
  }
}

class Compressed : public testing::Test {
 protected:
  const Matrix<double> M_ = planted(300, 200, 5, 34, 0.2);
  const Options options_{
      .rank = 5, .seed = 4, .compress = Compress::on, .max_iterations = 12, .tolerance = 0, .threads = 1};
};

TEST_F(Compressed, ReportsTheErrorOnTheMatrixItself) {
  const Result<double> result = factorize_dense(M_, options_);
  EXPECT_EQ(result.effective.compressed_rank, 15);
  EXPECT_GE(result.effective.compressed_iterations, 6);
  EXPECT_EQ(result.iterations, 12);
  EXPECT_NEAR(result.error, direct_error(M_, result), 1e-10 * frobenius(M_));
  // The iteration after the start is the whole stay on the compression.
  Options one = options_;
  one.max_iterations = 1;
  const Result<double> start = factorize_dense(M_, one);
  EXPECT_EQ(start.error, result.trace[1].error);
  EXPECT_NEAR(start.error, direct_error(M_, start), 1e-10 * frobenius(M_));
  EXPECT_LT(result.trace[1].error, 0.2 * result.trace[0].error);
}

TEST_F(Compressed, EndsWhereTheExactMethodEnds) {
  Options options = options_;
  options.max_iterations = 3000;
  options.tolerance = 1e-7;
  options.stop_rule = StopRule::gradient;
  const Result<double> compressed = factorize_dense(M_, options);
  options.compress = Compress::off;
  const Result<double> exact = factorize_dense(M_, options);
  ASSERT_EQ(compressed.status, Status::converged);
  ASSERT_EQ(exact.status, Status::converged);
  EXPECT_NEAR(compressed.error, exact.error, 1e-6 * exact.error);
}

TEST_F(Compressed, GivesTheSameBitsForAnyNumberOfThreadsAndAnotherStartForAnotherSeed) {
  const Result<double> one = factorize_dense(M_, options_);
  Options options = options_;
  options.threads = 3;
  const Result<double> three = factorize_dense(M_, options);
  EXPECT_EQ(one.W, three.W);
  EXPECT_EQ(one.H, three.H);
  options.seed = 5;
  EXPECT_NE(factorize_dense(M_, options).trace[1].error, one.trace[1].error);
}

TEST_F(Compressed, WorksForTheOtherRulesForFloatsAndForSparseData) {
  for (const char* method : {"a-hals", "a-pg", "anls"}) {
    SCOPED_TRACE(method);
    Options options = options_;
    options.method = method;
    const Result<double> result = factorize_dense(M_, options);
    EXPECT_NEAR(result.error, direct_error(M_, result), 1e-10 * frobenius(M_));
    EXPECT_LT(result.relative_error, 0.2);
    const Result<double> sparse = factorize<double>(*to_sparse(M_), options);
    EXPECT_NEAR(sparse.error, direct_error(M_, sparse), 1e-10 * frobenius(M_));
  }
  const Matrix<float> M = planted<float>(300, 200, 5, 34, 0.2);
  const Result<float> result = factorize_dense(M, options_);
  EXPECT_NEAR(result.error, direct_error(M, result), 1e-3 * frobenius(M));
}

TEST_F(Compressed, AnExactFitOfTheCompressionEndsItsPart) {
  // Of rank one: the compression is M, and its error falls to zero and stays there.
  const Matrix<double> M = planted(300, 200, 1, 35, 0);
  for (const char* method : {"auto", "a-hals"}) {
    Options options = options_;
    options.method = method;
    options.rank = 1;
    const Result<double> result = factorize_dense(M, options);
    EXPECT_LT(result.effective.compressed_iterations, 40) << method;
    EXPECT_LT(result.relative_error, 1e-6) << method;
  }
}

TEST_F(Compressed, AMatrixOfZerosNeedsNoCompression) {
  const Result<double> result = factorize_dense(Matrix<double>(300, 200), options_);
  EXPECT_EQ(result.error, 0);
  EXPECT_EQ(result.effective.compressed_rank, 0);
}

}  // namespace
}  // namespace anmf::test::extrapolation_properties
