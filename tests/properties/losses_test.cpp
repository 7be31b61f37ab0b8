// SPDX-License-Identifier: MIT
// What runs with other losses than least squares must satisfy, for every method that can minimise them,
// dense, sparse and streamed. M is m x n.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "loss/entry_pass.h"
#include "support/bare_operator.h"
#include "support/files_and_messages.h"
#include "support/memory_source.h"
#include "support/naive_losses.h"
#include "support/problems.h"

namespace anmf::test::losses_test {
namespace {

constexpr double kBetas[] = {-0.5, 0, 0.5, 1, 1.5, 2.5};

/// Entries above zero where the loss is infinite beside one.
Matrix<double> entries_for(double beta, Index rows, Index cols, std::uint64_t seed) {
  Matrix<double> M = planted(rows, cols, 3, seed, beta > 0 ? 0 : 0.2);
  if (beta > 0) return M;
  for (double& x : M.values()) x += 0.05;
  return M;
}

template <class T>
Matrix<T> narrowed(const Matrix<double>& M) {
  Matrix<T> result(M.rows(), M.cols());
  for (Index k = 0; k < M.size(); ++k) result.data()[k] = static_cast<T>(M.data()[k]);
  return result;
}

/// One matrix in both storages.
template <class T>
class Stored {
 public:
  explicit Stored(const Matrix<T>& M) : dense_(M.view()), sparse_(to_sparse(M)) {}
  [[nodiscard]] const Data<T>& as(bool sparse) const {
    if (sparse) return *sparse_;
    return dense_;
  }

 private:
  DenseData<T> dense_;
  std::unique_ptr<SparseData<T>> sparse_;
};

double divergence_of(const Result<double>& result) { return 0.5 * result.error * result.error; }

struct Case {
  std::string method;
  double beta;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const double beta : kBetas) {
    for (const std::string& method : method_names(beta)) cases.push_back({method, beta});
  }
  return cases;
}

class LossMethods : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] Options options(Index rank = 3, Index iterations = 30) const {
    return {.rank = rank,
            .method = GetParam().method,
            .loss = loss_name(GetParam().beta),
            .seed = 3,
            .max_iterations = iterations,
            .tolerance = 0,
            .threads = 1};
  }
  [[nodiscard]] double beta() const { return GetParam().beta; }
};

TEST_P(LossMethods, NeverRiseAndReportTheDivergenceOfTheirResult) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{23, 17}, {5, 61}, {97, 9}}) {
    const Matrix<double> M = entries_for(beta(), rows, cols, 4);
    for (const bool sparse : {false, true}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << cols << (sparse ? ", sparse" : ", dense"));
      const Stored<double> stored(M);
      const Result<double> result = factorize<double>(stored.as(sparse), options());
      EXPECT_TRUE(finite_and_nonnegative(result.W));
      EXPECT_TRUE(finite_and_nonnegative(result.H));
      const double expected = by_definition::divergence(M, result.W, result.H, beta());
      EXPECT_NEAR(divergence_of(result), expected, 1e-9 * (expected + frobenius(M)));
      for (std::size_t k = 1; k < result.trace.size(); ++k) {
        // Some of these matrices are fitted exactly: then what is left is rounding.
        const auto squared = [&](std::size_t at) { return result.trace[at].error * result.trace[at].error; };
        EXPECT_LE(squared(k), squared(k - 1) * (1 + 1e-10) + 1e-12 * frobenius(M)) << k;
      }
      EXPECT_LT(result.error, 0.6 * result.trace.front().error);
    }
  }
}

TEST_P(LossMethods, NeverRiseWithPenalties) {
  if (GetParam().method.ends_with("mu")) return;  // scikit-learn's quadratic penalty is not a majoriser
  const Matrix<double> M = entries_for(beta(), 31, 26, 5);
  Options run = options();
  run.alpha_W = 2e-3;
  run.alpha_H = 1e-3;
  run.l1_ratio = 0.4;
  const Result<double> result = factorize_dense(M, run);
  double penalty = 0;
  for (const auto& [X, weight] : {std::pair(&result.W, 2e-3 * 26), std::pair(&result.H, 1e-3 * 31)}) {
    for (const double x : X->values()) penalty += weight * (0.4 * x + 0.3 * x * x);
  }
  EXPECT_NEAR(result.penalty, penalty, 1e-10 * penalty);
  for (std::size_t k = 1; k < result.trace.size(); ++k) {
    const auto objective = [&](std::size_t at) {
      return 0.5 * result.trace[at].error * result.trace[at].error + result.trace[at].penalty;
    };
    EXPECT_LE(objective(k), objective(k - 1) * (1 + 1e-10)) << k;
  }
}

TEST_P(LossMethods, HaveTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> M = entries_for(beta(), 210, 130, 6);
  for (const bool sparse : {false, true}) {
    const Stored<double> stored(M);
    Options run = options(4, 4);
    const Result<double> one = factorize<double>(stored.as(sparse), run);
    for (const int threads : {2, 3}) {
      run.threads = threads;
      const Result<double> many = factorize<double>(stored.as(sparse), run);
      EXPECT_EQ(max_difference(one.W, many.W), 0) << sparse;
      EXPECT_EQ(max_difference(one.H, many.H), 0) << sparse;
      EXPECT_EQ(one.error, many.error);
    }
  }
}

TEST_P(LossMethods, DoNotKnowWhichSideOfTheMatrixTheyAreOn) {
  const Matrix<double> M = entries_for(beta(), 41, 29, 7);
  const Matrix<double> turned = transposed(M);
  const Start<double> start{random_matrix(41, 3, 8), random_matrix(3, 29, 9)};
  const Start<double> other{transposed(*start.H), transposed(*start.W)};
  Options run = options(3, 6);
  const Result<double> a = factorize_dense(M, run, start);
  run.first = Side::H;
  const Result<double> b = factorize_dense(turned, run, other);
  EXPECT_EQ(max_difference(a.W, transposed(b.H)), 0);
  EXPECT_EQ(max_difference(a.H, transposed(b.W)), 0);
}

TEST_P(LossMethods, FollowTheScaleOfTheMatrix) {
  const Matrix<double> M = entries_for(beta(), 19, 24, 10);
  const Result<double> usual = factorize_dense(M, options(3, 8));
  for (const double scale : {0x1p-40, 0x1p40}) {
    Matrix<double> scaled = M;
    for (double& x : scaled.values()) x *= scale;
    const Result<double> result = factorize_dense(scaled, options(3, 8));
    EXPECT_NEAR(result.relative_error, usual.relative_error, 1e-6 * usual.relative_error);
    EXPECT_NEAR(result.error, std::pow(scale, beta() / 2) * usual.error, 1e-6 * result.error);
  }
}

TEST_P(LossMethods, GoOnFromACheckpointWithTheSameBits) {
  class Keeper final : public Observer<double> {
   public:
    Action on_iteration(const IterationRecord&, ConstMatrixView<double>, ConstMatrixView<double>) override {
      return Action::proceed;
    }
    bool checkpoint_due() override { return true; }
    void on_checkpoint(const Checkpoint<double>& checkpoint) override { kept.push_back(checkpoint); }
    std::vector<Checkpoint<double>> kept;
  } keeper;
  const Matrix<double> M = entries_for(beta(), 27, 21, 11);
  Options run = options(4, 9);
  run.tolerance = 1e-12;
  const DenseData<double> data(M.view());
  const Result<double> whole = factorize<double>(data, run, {}, &keeper);
  for (std::size_t k = 0; k < keeper.kept.size(); k += 3) {
    const Result<double> rest = resume<double>(data, run, keeper.kept[k]);
    EXPECT_EQ(max_difference(whole.W, rest.W), 0) << k;
    EXPECT_EQ(max_difference(whole.H, rest.H), 0) << k;
    EXPECT_EQ(whole.error, rest.error) << k;
    EXPECT_EQ(whole.promised_decrease, rest.promised_decrease) << k;
  }
}

TEST_P(LossMethods, FactorizeAMatrixThatStaysOnDisk) {
  const Matrix<double> M = entries_for(beta(), 70, 55, 12);
  const Result<double> in_memory = factorize_dense(M, options(3, 25));
  for (const Blocks& how : all_kinds(16)) {
    SCOPED_TRACE(testing::Message() << (how.layout == Layout::row_major ? "rows" : "columns")
                                    << (how.sparse ? ", sparse" : ", dense"));
    const auto data = to_stream<double>(M, how);
    const Result<double> result = factorize<double>(*data, options(3, 25));
    const double expected = by_definition::divergence(M, result.W, result.H, beta());
    EXPECT_NEAR(divergence_of(result), expected, 1e-9 * (expected + frobenius(M)));
    if (GetParam().method == "mu") {
      EXPECT_LT(max_difference(result.W, in_memory.W), 1e-9);
      EXPECT_LT(max_difference(result.H, in_memory.H), 1e-9);
      continue;
    }
    for (std::size_t k = 1; k < result.trace.size(); ++k) {
      EXPECT_LE(result.trace[k].error, result.trace[k - 1].error * (1 + 1e-10) + 1e-10) << k;
    }
  }
}

TEST_P(LossMethods, WorkInSinglePrecision) {
  const Matrix<double> wide = entries_for(beta(), 33, 28, 13);
  const Matrix<float> M = narrowed<float>(wide);
  for (const bool sparse : {false, true}) {
    const Stored<float> stored(M);
    const Result<float> result = factorize<float>(stored.as(sparse), options(3, 20));
    const double expected = by_definition::divergence(M, result.W, result.H, beta());
    EXPECT_NEAR(0.5 * result.error * result.error, expected, 1e-3 * expected + 1e-3);
    EXPECT_LT(result.error, 0.7 * result.trace.front().error);
    for (std::size_t k = 1; k < result.trace.size(); ++k) {
      EXPECT_LE(result.trace[k].error, result.trace[k - 1].error * (1 + 1e-3) + 1e-3) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LossMethods, testing::ValuesIn(all_cases()), [](const auto& each) {
  std::string beta = std::to_string(static_cast<int>(std::lround(10 * std::abs(each.param.beta))));
  if (each.param.beta < 0) beta = "Minus" + beta;
  return identifier(each.param.method) + "_" + beta;
});

TEST(MuOfEveryLoss, HasTheIteratesOfTheFormula) {
  for (const double beta : kBetas) {
    for (const bool sparse : {false, true}) {
      for (const double alpha : {0.0, 0.01}) {
        SCOPED_TRACE(testing::Message() << beta << (sparse ? ", sparse, " : ", dense, ") << alpha);
        Matrix<double> M = random_matrix(13, 11, 20, beta > 0 ? 0.3 : 0);
        if (beta <= 0) {
          for (double& x : M.values()) x += 0.05;
        }
        Matrix<double> W = random_matrix(13, 4, 21);
        Matrix<double> H = random_matrix(4, 11, 22);
        for (Matrix<double>* X : {&W, &H}) {
          for (double& x : X->values()) x += 0.1;
        }
        const Options options{.rank = 4,
                              .method = "mu",
                              .loss = loss_name(beta),
                              .max_iterations = 20,
                              .tolerance = 0,
                              .alpha_W = alpha,
                              .l1_ratio = 0.25};
        const Stored<double> stored(M);
        const Result<double> result = factorize<double>(stored.as(sparse), options, Start<double>{W, H});
        Matrix<double> Ht = transposed(H);
        const Matrix<double> Mt = transposed(M);
        for (int k = 0; k < 20; ++k) {
          by_definition::multiplicative_update(M, W, transposed(Ht), beta, 0.25 * alpha * 11,
                                               0.75 * alpha * 11);
          by_definition::multiplicative_update(Mt, Ht, transposed(W), beta, 0.25 * alpha * 13,
                                               0.75 * alpha * 13);
        }
        // A model that dies out beside a zero is held at scikit-learn's floor, which the formula does not
        // have.
        const double tolerance = beta < 1 && beta > 0 ? 1e-4 : 1e-11;
        EXPECT_LT(max_difference(result.W, W), tolerance);
        EXPECT_LT(max_difference(result.H, transposed(Ht)), tolerance);
      }
    }
  }
}

TEST(KullbackLeibler, RelativeErrorsAreThoseOfTheBestModelOfRankOne) {
  const Matrix<double> M = random_matrix(12, 9, 30, 0.4);
  Matrix<double> rows(12, 1);
  Matrix<double> columns(1, 9);
  double total = 0;
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 9; ++j) {
      rows(i, 0) += M(i, j);
      columns(0, j) += M(i, j);
      total += M(i, j);
    }
  }
  for (double& x : columns.values()) x /= total;
  const double best = by_definition::divergence(M, rows, columns, 1);
  for (const char* method : {"e-spn", "e-ccd", "mu"}) {
    const Result<double> result =
        factorize_dense(M, {.rank = 2, .method = method, .loss = "kl", .max_iterations = 10});
    EXPECT_NEAR(result.relative_error, std::sqrt(divergence_of(result) / best), 1e-12) << method;
  }
  const Result<double> one = factorize_dense(M, {.rank = 1, .loss = "kl", .max_iterations = 50});
  EXPECT_NEAR(one.relative_error, 1, 1e-9);
}

TEST(KullbackLeibler, SumsOfRowsAndColumnsAreThoseOfTheMatrixInTheEnd) {
  const Matrix<double> M = random_matrix(20, 15, 31, 0.5);
  const Result<double> result =
      factorize<double>(*to_sparse(M), {.rank = 4, .loss = "kl", .max_iterations = 2000, .tolerance = 1e-14});
  for (Index i = 0; i < 20; ++i) {
    double sum = 0;
    double model = 0;
    for (Index j = 0; j < 15; ++j) {
      sum += M(i, j);
      model += by_definition::model(result.W, result.H, i, j);
    }
    EXPECT_NEAR(model, sum, 1e-5) << i;
  }
}

TEST(Losses, FindPlantedFactors) {
  for (const double beta : {1.0, 1.5}) {
    const Matrix<double> M = entries_for(beta, 60, 50, 32);
    const Result<double> result =
        factorize_dense(M, {.rank = 3, .loss = loss_name(beta), .max_iterations = 1000});
    EXPECT_LT(result.relative_error, 1e-2) << beta;
  }
}

TEST(Losses, SayThatTheyHaveConverged) {
  for (const double beta : {0.0, 1.0, 1.5}) {
    Matrix<double> M = planted(60, 50, 3, 32, 0.3);
    for (double& x : M.values()) x += 0.05;
    const Result<double> result =
        factorize_dense(M, {.rank = 3, .loss = loss_name(beta), .max_iterations = 3000});
    EXPECT_EQ(result.status, Status::converged) << beta << " " << result.promised_decrease;
    EXPECT_LE(result.promised_decrease, 1e-6);
  }
}

TEST(Losses, TakeEveryTypeAndLayoutOfEntries) {
  Matrix<std::uint8_t> bytes(30, 22);
  Matrix<double> M(30, 22);
  for (Index k = 0; k < M.size(); ++k) {
    bytes.data()[k] = static_cast<std::uint8_t>(1 + 200 * uniform(1, 50, k));
    M.data()[k] = bytes.data()[k];
  }
  const Matrix<double> turned = transposed(M);
  for (const char* method : {"spn", "ccd", "mu"}) {
    const Options options{.rank = 3, .method = method, .loss = "kl", .max_iterations = 5};
    const Result<double> expected = factorize_dense(M, options);
    const DenseData<double> narrow(std::as_const(bytes).view());
    EXPECT_EQ(max_difference(factorize<double>(narrow, options).W, expected.W), 0);
    const DenseData<double> columns(turned.view(), Layout::column_major);
    EXPECT_EQ(max_difference(factorize<double>(columns, options).W, expected.W), 0);
  }
}

TEST(Losses, OfBlocksWithSomeOfTheColumnsAddUp) {
  const Matrix<double> M = random_matrix(9, 11, 35, 0.6);
  const Matrix<double> W = random_matrix(9, 3, 36);
  const Matrix<double> Ht = random_matrix(11, 3, 37);
  std::vector<double> column_sums(3, 0.0);
  for (Index j = 0; j < 11; ++j) {
    for (Index p = 0; p < 3; ++p) column_sums[static_cast<std::size_t>(p)] += Ht(j, p);
  }
  ThreadPool pool(1);
  for (const double beta : {0.5, 1.0, 1.5}) {
    double sum = 0;
    for (const auto& [begin, end] : {std::pair<Index, Index>{0, 4}, {4, 11}}) {
      Matrix<double> columns(9, end - begin);
      for (Index i = 0; i < 9; ++i) std::copy_n(M.view().row(i) + begin, end - begin, columns.view().row(i));
      to_sparse(columns)->for_each_block(Side::W, [&, begin = begin](EntryBlock<double> block) {
        block.columns.begin += begin;
        sum += block_loss(block, factors_beside<double>(block, beta, W.view(), Ht.view(), column_sums), pool);
      });
    }
    const double expected = by_definition::divergence(M, W, transposed(Ht), beta);
    EXPECT_NEAR(sum, expected, 1e-12 * expected) << beta;
  }
}

/// Nothing is ever divided by what is not there.
TEST(Losses, StandAwkwardMatrices) {
  struct Awkward {
    const char* name;
    Matrix<double> M;
    Index rank;
  };
  std::vector<Awkward> all;
  all.push_back({"zero", Matrix<double>(4, 3), 2});
  Matrix<double> single(5, 6);
  single(3, 2) = 7;
  all.push_back({"one nonzero", single, 2});
  Matrix<double> gaps = random_matrix(9, 8, 40, 0.3);
  for (Index k = 0; k < 8; ++k) gaps(4, k) = 0;
  for (Index k = 0; k < 9; ++k) gaps(k, 0) = gaps(k, 5) = 0;
  all.push_back({"empty lines", gaps, 3});
  all.push_back({"rank above the sizes", random_matrix(3, 4, 41), 7});
  all.push_back({"one entry", Matrix<double>(1, 1, 2.5), 1});
  all.push_back({"one row", random_matrix(1, 20, 42, 0.5), 2});
  for (const Awkward& problem : all) {
    for (const double beta : {0.5, 1.0, 1.5, 2.5}) {
      for (const std::string& method : method_names(beta)) {
        for (const bool sparse : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << problem.name << ", " << beta << ", " << method << ", " << sparse);
          const Stored<double> stored(problem.M);
          const Result<double> result = factorize<double>(
              stored.as(sparse),
              {.rank = problem.rank, .method = method, .loss = loss_name(beta), .max_iterations = 40});
          EXPECT_TRUE(finite_and_nonnegative(result.W));
          EXPECT_TRUE(finite_and_nonnegative(result.H));
          EXPECT_TRUE(std::isfinite(result.error));
          EXPECT_LE(result.error, result.trace.front().error * (1 + 1e-9) + 1e-9);
        }
      }
    }
  }
}

TEST(Losses, LiftExactZerosOfAStartThatWouldBeInfinite) {
  const Matrix<double> M = random_matrix(10, 8, 43, 0.2);
  Start<double> start{Matrix<double>(10, 2), Matrix<double>(2, 8)};
  for (Index i = 0; i < 10; ++i) (*start.W)(i, i % 2) = 1;
  for (Index j = 0; j < 8; ++j) (*start.H)(j % 2, j) = 1;  // W H is zero in half of its places
  const double best = factorize_dense(M, {.rank = 2, .loss = "kl", .max_iterations = 300}).error;
  for (const char* method : {"e-spn", "spn", "e-ccd", "ccd"}) {
    const Result<double> result =
        factorize_dense(M, {.rank = 2, .method = method, .loss = "kl", .max_iterations = 300}, start);
    EXPECT_TRUE(std::isfinite(result.trace.front().error));
    EXPECT_LT(result.error, 1.15 * best) << method;
  }
}

TEST(Losses, AreRefusedWhereTheyCannotBe) {
  const auto message = [](const Data<double>& data, Options options) {
    return io_test::message_of<InvalidInput>([&] { (void)factorize<double>(data, options); });
  };
  Matrix<double> M = random_matrix(6, 5, 44);
  M(4, 3) = 0;
  EXPECT_EQ(message(DenseData<double>(M.view()), {.rank = 2, .loss = "is"}),
            "loss = itakura-saito is infinite where M is zero, as it is in row 4, column 3 (counted from 0); "
            "add a small "
            "number to every entry, or choose a loss with beta > 0.");
  EXPECT_TRUE(message(*to_sparse(M), {.rank = 2, .loss = "-0.5"}).find("row 4, column 3 ") !=
              std::string::npos);
  const Matrix<double> turned = transposed(M);
  EXPECT_TRUE(message(DenseData<double>(turned.view(), Layout::column_major), {.rank = 2, .loss = "0"})
                  .find("row 4, column 3 ") != std::string::npos);
  EXPECT_TRUE(message(BareOperator<double>(M), {.rank = 2, .loss = "kl"})
                  .starts_with("loss = kullback-leibler looks at"));
  EXPECT_TRUE(message(DenseData<double>(M.view()), {.rank = 2, .loss = "kl", .compress = Compress::on})
                  .starts_with("compress = on does not go with the loss kl"));
}

}  // namespace
}  // namespace anmf::test::losses_test
