// SPDX-License-Identifier: MIT
// Awkward problems in every loss, with every method that can minimise it, dense and sparse: factors stay
// finite, the trace never rises, and each problem has its answer. And bad ones, each with its message.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/bare_operator.h"
#include "support/files_and_messages.h"
#include "support/naive_losses.h"
#include "support/problems.h"

namespace anmf::test::awkward_losses_test {
namespace {

constexpr double kBetas[] = {-0.5, 0, 0.5, 1, 1.5, 2.5};
constexpr Index kRows = 13;
constexpr Index kCols = 11;

/// What is looked at after a run: the method and its result.
struct Outcome {
  const Matrix<double>& M;
  double beta;
  bool sparse;
  bool multiplies;  ///< methods that keep the zeros of a start
  const Result<double>& result;
};

struct Problem {
  std::string name;
  std::function<Matrix<double>()> M;
  std::function<void(const Outcome&)> answer = [](const Outcome&) {};
  std::function<Start<double>()> start = [] { return Start<double>(); };
  Index rank = 3;
};

Matrix<double> usual() {
  Matrix<double> M = planted(kRows, kCols, 3, 71, 0.2);
  for (double& x : M.values()) x += 0.05;
  return M;
}
Matrix<double> times(double scale) {
  Matrix<double> M = usual();
  for (double& x : M.values()) x *= scale;
  return M;
}
Matrix<double> with_zeros(const std::function<bool(Index, Index)>& zero) {
  Matrix<double> M = usual();
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      if (zero(i, j)) M(i, j) = 0;
    }
  }
  return M;
}
Start<double> start_of_rank_one() {
  Start<double> start{random_matrix(kRows, 1, 91), random_matrix(1, kCols, 92)};
  for (double& x : start.W->values()) x += 0.5;
  for (double& x : start.H->values()) x += 0.5;
  return start;
}
Matrix<double> product_of(const Start<double>& start) {
  Matrix<double> M(kRows, kCols);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kCols; ++j) M(i, j) = (*start.W)(i, 0) * (*start.H)(0, j);
  }
  return M;
}
bool is_empty(const Matrix<double>& X, Index first_row, Index rows, Index first_col, Index cols) {
  for (Index i = first_row; i < first_row + rows; ++i) {
    for (Index j = first_col; j < first_col + cols; ++j) {
      if (X(i, j) != 0) return false;
    }
  }
  return true;
}
void expect_same_errors_as_usual(const Outcome& outcome) {
  const Options options{.rank = 3,
                        .method = std::string(outcome.result.effective.method),
                        .loss = loss_name(outcome.beta),
                        .seed = 5,
                        .max_iterations = 12,
                        .tolerance = 0};
  const Result<double> plain =
      outcome.sparse ? factorize<double>(*to_sparse(usual()), options) : factorize_dense(usual(), options);
  EXPECT_NEAR(outcome.result.relative_error, plain.relative_error, 1e-6);
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = {
      {"empty rows", [] { return with_zeros([](Index i, Index) { return i % 4 == 1; }); },
       [](const Outcome& outcome) {
         for (Index i = 1; i < kRows; i += 4) EXPECT_TRUE(is_empty(outcome.result.W, i, 1, 0, 3)) << i;
       }},
      {"columns of zeros", [] { return with_zeros([](Index, Index j) { return j < 2 || j == 10; }); },
       [](const Outcome& outcome) {
         EXPECT_TRUE(is_empty(outcome.result.H, 0, 3, 0, 2));
         EXPECT_TRUE(is_empty(outcome.result.H, 0, 3, 10, 1));
       }},
      {"one nonzero", [] { return with_zeros([](Index i, Index j) { return i != 4 || j != 7; }); },
       [](const Outcome& outcome) {
         // Its row and its column are all there is, so the best model of rank one is exact.
         const double x = outcome.M(4, 7);
         EXPECT_NEAR(by_definition::model(outcome.result.W, outcome.result.H, 4, 7), x, 1e-3 * x);
         EXPECT_EQ(by_definition::model(outcome.result.W, outcome.result.H, 3, 7), 0);
       }},
      {"nothing", [] { return Matrix<double>(kRows, kCols); },
       [](const Outcome& outcome) {
         EXPECT_EQ(outcome.result.error, 0);
         EXPECT_EQ(outcome.result.relative_error, 0);
       }},
      {"entries of 1e-12", [] { return times(0x1p-40); }, expect_same_errors_as_usual},
      {"entries of 1e12", [] { return times(0x1p40); }, expect_same_errors_as_usual},
      {"entries from 1e-6 to 1e6",
       [] {
         Matrix<double> M = usual();
         for (Index i = 0; i < kRows; ++i) {
           for (Index j = 0; j < kCols; ++j)
             M(i, j) *= std::pow(10.0, static_cast<double>((3 * i + j) % 13) - 6);
         }
         return M;
       }},
      {"the same everywhere", [] { return Matrix<double>(kRows, kCols, 2.5); },
       [](const Outcome& outcome) {
         EXPECT_LE(outcome.result.error, 0.5 * outcome.result.trace.front().error);
       }},
      {"one row", [] { return Matrix<double>(1, kCols, 0.75); }, [](const Outcome&) {},
       [] { return Start<double>(); }, 1},
      {"one column", [] { return Matrix<double>(kRows, 1, 0.75); }, [](const Outcome&) {},
       [] { return Start<double>(); }, 1},
      {"one entry", [] { return Matrix<double>(1, 1, 7.0); },
       [](const Outcome& outcome) { EXPECT_NEAR(outcome.result.W(0, 0) * outcome.result.H(0, 0), 7, 1e-6); },
       [] { return Start<double>(); }, 1},
      {"as many components as columns", [] { return usual(); }, [](const Outcome&) {},
       [] { return Start<double>(); }, kCols},
      {"more components than columns and rows", [] { return usual(); }, [](const Outcome&) {},
       [] { return Start<double>(); }, 20},
      {"twice the same rows",
       [] {
         Matrix<double> M = usual();
         for (Index i = 0; i + 1 < kRows; i += 2) {
           for (Index j = 0; j < kCols; ++j) M(i + 1, j) = M(i, j);
         }
         return M;
       }},
      {"a diagonal", [] { return with_zeros([](Index i, Index j) { return i != j; }); }},
      {"zeros in the start of W", [] { return usual(); },
       [](const Outcome& outcome) {
         if (!outcome.multiplies) {
           EXPECT_LT(outcome.result.relative_error, 1);
         }
       },
       [] { return Start<double>{random_matrix(kRows, 3, 81, 0.5), random_matrix(3, kCols, 82)}; }},
      {"zeros in both starts", [] { return usual(); }, [](const Outcome&) {},
       [] { return Start<double>{random_matrix(kRows, 3, 83, 0.6), random_matrix(3, kCols, 84, 0.6)}; }},
      {"a component that starts at zero", [] { return usual(); }, [](const Outcome&) {},
       [] {
         Start<double> start{random_matrix(kRows, 3, 85), random_matrix(3, kCols, 86)};
         for (Index i = 0; i < kRows; ++i) (*start.W)(i, 1) = 0;
         for (Index j = 0; j < kCols; ++j) (*start.H)(1, j) = 0;
         return start;
       }},
      {"starts far too large", [] { return usual(); }, [](const Outcome&) {},
       [] {
         Start<double> start{random_matrix(kRows, 3, 87), random_matrix(3, kCols, 88)};
         for (double& x : start.W->values()) x = 1e9 * (x + 0.1);
         for (double& x : start.H->values()) x += 0.1;
         return start;
       }},
      {"starts far too small", [] { return usual(); }, [](const Outcome&) {},
       [] {
         Start<double> start{random_matrix(kRows, 3, 89), random_matrix(3, kCols, 90)};
         for (double& x : start.W->values()) x = 1e-9 * (x + 0.1);
         for (double& x : start.H->values()) x += 0.1;
         return start;
       }},
      {"zeros and ones",
       [] {
         Matrix<double> M(kRows, kCols);
         for (Index k = 0; k < M.size(); ++k) M.data()[k] = (7 * k) % 5 < 2 ? 1 : 0;
         return M;
       }},
      {"one row far above the others",
       [] {
         Matrix<double> M = usual();
         for (Index j = 0; j < kCols; ++j) M(3, j) *= 1e6;
         return M;
       }},
      {"one column far below the others",
       [] {
         Matrix<double> M = usual();
         for (Index i = 0; i < kRows; ++i) M(i, 4) *= 1e-4;
         return M;
       }},
      {"rank one", [] { return product_of(start_of_rank_one()); },
       [](const Outcome& outcome) {
         EXPECT_LE(outcome.result.error, 0.5 * std::pow(frobenius(outcome.M), outcome.beta / 2));
       },
       [] { return Start<double>(); }, 1},
      {"the start is the answer", [] { return product_of(start_of_rank_one()); },
       [](const Outcome& outcome) {
         EXPECT_LE(outcome.result.error, 1e-5 * std::pow(frobenius(outcome.M), outcome.beta / 2));
       },
       start_of_rank_one, 1},
  };
  return all;
}

bool has_zero(const Matrix<double>& M) {
  for (const double x : M.values()) {
    if (x == 0) return true;
  }
  return false;
}

class AwkwardLosses : public testing::TestWithParam<std::size_t> {};

TEST_P(AwkwardLosses, HaveTheirAnswer) {
  const Problem& problem = problems()[GetParam()];
  const Matrix<double> M = problem.M();
  const auto sparse = to_sparse(M);
  const DenseData<double> dense(M.view());
  for (const double beta : kBetas) {
    for (const std::string& method : method_names(beta)) {
      for (const bool as_sparse : {false, true}) {
        SCOPED_TRACE(testing::Message() << problem.name << ", beta " << beta << ", " << method
                                        << (as_sparse ? ", sparse" : ", dense"));
        const Data<double>& data = as_sparse ? static_cast<const Data<double>&>(*sparse) : dense;
        const Options options{.rank = problem.rank,
                              .method = method,
                              .loss = loss_name(beta),
                              .seed = 5,
                              .max_iterations = 12,
                              .tolerance = 0,
                              .threads = 1};
        if (beta <= 0 && has_zero(M)) {
          const std::string message = io_test::message_of<InvalidInput>(
              [&] { (void)factorize<double>(data, options, problem.start()); });
          EXPECT_NE(message.find("is infinite where M is zero, as it is in row "), std::string::npos);
          continue;
        }
        const Result<double> result = factorize<double>(data, options, problem.start());
        EXPECT_TRUE(finite_and_nonnegative(result.W));
        EXPECT_TRUE(finite_and_nonnegative(result.H));
        EXPECT_TRUE(std::isfinite(result.error));
        EXPECT_TRUE(std::isfinite(result.relative_error));
        const double magnitude = std::pow(frobenius(M), beta);
        // Entries far below the usual ones are below scikit-learn's floor in multiplicative updates.
        const bool floored = method.ends_with("mu") && beta < 1 && problem.name.starts_with("entries from");
        for (std::size_t k = 1; k < result.trace.size() && !floored; ++k) {
          const auto squared = [&](std::size_t at) {
            return result.trace[at].error * result.trace[at].error;
          };
          EXPECT_LE(squared(k), squared(k - 1) * (1 + 1e-9) + 1e-12 * magnitude) << k;
        }
        problem.answer({M, beta, as_sparse, method.ends_with("mu"), result});
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AwkwardLosses, testing::Range<std::size_t>(0, 25), [](const auto& each) {
  std::string name = problems()[each.param].name;
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
});

TEST(AwkwardTable, IsWholeInTheTests) { EXPECT_EQ(problems().size(), 25U); }

/// Slopes beside zeros of M have no bound where beta < 1, and models there go to zero.
TEST(LossesBelowOne, TellConvergenceBesideZerosOfM) {
  const Matrix<double> M = with_zeros([](Index i, Index j) { return (i + 2 * j) % 4 == 0; });
  for (const std::string& method : method_names(0.5)) {
    const Options options{
        .rank = 3, .method = method, .loss = "0.5", .seed = 5, .max_iterations = 400, .tolerance = 0};
    const Result<double> result = factorize_dense(M, options);
    EXPECT_LE(result.kkt, 0.02) << method;
    EXPECT_GE(result.kkt, 0) << method;
  }
}

/// Far steps from a start end in bad minima where beta < 1: the first ones are those of a-mu.
TEST(LossesBelowOne, BeginWithPlainMultiplicativeUpdates) {
  const Matrix<double> M = usual();
  const auto run = [&](const std::string& method, const std::string& loss) {
    const Options options{
        .rank = 3, .method = method, .loss = loss, .seed = 5, .max_iterations = 24, .tolerance = 0};
    return factorize_dense(M, options).trace;
  };
  for (const char* const loss : {"is", "0.5", "-1"}) {
    const std::vector<IterationRecord> slow = run("a-mu", loss);
    for (const char* const method : {"spn", "e-spn"}) {
      const std::vector<IterationRecord> trace = run(method, loss);
      for (std::size_t k = 0; k <= 20; ++k) EXPECT_NEAR(trace[k].error, slow[k].error, 1e-9 * slow[k].error);
      EXPECT_LT(trace.back().error, slow.back().error) << method << " " << loss;
    }
  }
  EXPECT_LT(run("spn", "kl")[3].error, run("a-mu", "kl")[3].error);
}

struct Wrong {
  std::string name;
  Options options;
  std::string_view message;
  std::function<void(const Options&)> run = [](const Options& wrong) {
    (void)factorize_dense(usual(), wrong);
  };
};

TEST(WrongLosses, AreToldWhatIsWrong) {
  const auto zeros = [](bool sparse) {
    return [sparse](const Options& options) {
      const Matrix<double> M = with_zeros([](Index i, Index j) { return i == 2 && j == 5; });
      if (sparse) {
        (void)factorize<double>(*to_sparse(M), options);
      } else {
        (void)factorize_dense(M, options);
      }
    };
  };
  const std::vector<Wrong> all = {
      {"no name", {.rank = 2, .loss = ""}, "loss = \"\" is unknown"},
      {"another name", {.rank = 2, .loss = "poisson"}, "choose frobenius, kullback-leibler (kl)"},
      {"capitals", {.rank = 2, .loss = "KL"}, "loss = \"KL\" is unknown"},
      {"a blank", {.rank = 2, .loss = "kl "}, "is unknown"},
      {"beta too large", {.rank = 2, .loss = "5.5"}, "a number beta between -5 and 5"},
      {"beta too small", {.rank = 2, .loss = "-6"}, "a number beta between -5 and 5"},
      {"no number", {.rank = 2, .loss = "nan"}, "is unknown"},
      {"infinite", {.rank = 2, .loss = "inf"}, "is unknown"},
      {"half a number", {.rank = 2, .loss = "1.5x"}, "is unknown"},
      {"hals",
       {.rank = 2, .method = "a-hals", .loss = "kl"},
       "those that can are auto, e-a-mu, a-mu, mu, e-spn"},
      {"anls", {.rank = 2, .method = "anls", .loss = "is"}, "cannot minimise the loss itakura-saito"},
      {"pg", {.rank = 2, .method = "pg", .loss = "1.5"}, "cannot minimise the loss 1.5"},
      {"ccd of another beta", {.rank = 2, .method = "e-ccd", .loss = "1.5"}, "cannot minimise the loss 1.5"},
      {"spn of least squares", {.rank = 2, .method = "e-spn"}, "cannot minimise the loss frobenius"},
      {"a compression",
       {.rank = 2, .loss = "kl", .compress = Compress::on},
       "compress = on does not go with"},
      {"zeros in IS, dense", {.rank = 2, .loss = "is"}, "row 2, column 5", zeros(false)},
      {"zeros in IS, sparse", {.rank = 2, .loss = "is"}, "row 2, column 5", zeros(true)},
      {"zeros below 0, dense", {.rank = 2, .loss = "-0.5"}, "row 2, column 5", zeros(false)},
      {"zeros below 0, mu", {.rank = 2, .method = "mu", .loss = "-1"}, "row 2, column 5", zeros(true)},
      {"no component", {.rank = 0, .loss = "kl"}, "rank"},
      {"an operator",
       {.rank = 2, .loss = "kl"},
       "looks at the entries of M",
       [](const Options& options) { (void)factorize<double>(BareOperator<double>(usual()), options); }},
      {"a negative entry",
       {.rank = 2, .loss = "kl"},
       "M[1, 2] = -1 is negative",
       [](const Options& options) {
         Matrix<double> M = usual();
         M(1, 2) = -1;
         (void)factorize_dense(M, options);
       }},
      {"no entry",
       {.rank = 2, .loss = "kl"},
       "M[0, 3]",
       [](const Options& options) {
         Matrix<double> M = usual();
         M(0, 3) = std::nan("");
         (void)factorize_dense(M, options);
       }},
      {"a start of another size",
       {.rank = 2, .loss = "kl"},
       "W",
       [](const Options& options) {
         (void)factorize_dense(usual(), options, Start<double>{Matrix<double>(4, 2, 1.0), {}});
       }},
      {"a negative penalty", {.rank = 2, .loss = "kl", .alpha_W = -1}, "alpha_W"},
  };
  EXPECT_GE(all.size() + problems().size(), 50U);
  for (const Wrong& wrong : all) {
    const std::string message = io_test::message_of<InvalidInput>([&] { wrong.run(wrong.options); });
    EXPECT_NE(message.find(wrong.message), std::string::npos) << wrong.name << ": " << message;
  }
}

}  // namespace
}  // namespace anmf::test::awkward_losses_test
