// SPDX-License-Identifier: MIT
// Start factors: every way to make them against a naive one, and what all of them have in common.
#include "anmf/init.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/bare_operator.h"
#include "support/files_and_messages.h"
#include "support/naive_svd.h"

namespace anmf::test::init_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

constexpr Init kInits[] = {Init::scaled_random, Init::random,   Init::nndsvd,
                           Init::nndsvda,       Init::nndsvdar, Init::spa};
constexpr Init kSingular[] = {Init::nndsvd, Init::nndsvda, Init::nndsvdar};

template <class T>
Start<T> start_of(const Matrix<T>& M, Index rank, Init init, std::uint64_t seed = 7, int threads = 1) {
  return initial_factors<T>(DenseData<T>(M.view()), rank, init, seed, threads);
}

template <class T>
double mean(const Matrix<T>& M) {
  double sum = 0;
  for (const T x : M.values()) sum += static_cast<double>(x);
  return sum / static_cast<double>(M.size());
}

template <class T>
Matrix<T> times(Matrix<T> M, double c) {
  for (T& x : M.values()) x = static_cast<T>(static_cast<double>(x) * c);
  return M;
}

template <class T>
bool has_zeros(const Matrix<T>& M) {
  return std::find(M.values().begin(), M.values().end(), T{0}) != M.values().end();
}

/// NNDSVD by the book, from a full decomposition.
Start<double> naive_nndsvd(const Matrix<double>& M, Index rank) {
  const NaiveSvd svd = naive_svd(to_eigen(M));
  Matrix<double> W(M.rows(), rank);
  Matrix<double> H(rank, M.cols());
  for (Index p = 0; p < rank; ++p) {
    double best = -1;
    for (const double sign : {1.0, -1.0}) {
      double u_squares = 0;
      double v_squares = 0;
      const auto part = [&](double x) { return p == 0 ? std::abs(x) : std::max(0.0, sign * x); };
      for (Index i = 0; i < M.rows(); ++i) u_squares += std::pow(part(svd.U(i, p)), 2);
      for (Index j = 0; j < M.cols(); ++j) v_squares += std::pow(part(svd.V(j, p)), 2);
      const double t = std::sqrt(u_squares * v_squares);
      if (t <= best) continue;
      best = t;
      const double size = std::sqrt(svd.s[p] * t);
      for (Index i = 0; i < M.rows(); ++i) W(i, p) = size * part(svd.U(i, p)) / std::sqrt(u_squares);
      for (Index j = 0; j < M.cols(); ++j) H(p, j) = size * part(svd.V(j, p)) / std::sqrt(v_squares);
    }
  }
  for (Matrix<double>* X : {&W, &H}) {
    const double largest = max_entry(*X);
    for (double& x : X->values()) x = x < 1e-6 * largest ? 0 : x;
  }
  return {W, H};
}

TEST(InitialFactors, AreThoseThatARunStartsFrom) {
  const Matrix<double> M = random_matrix(30, 20, 1);
  for (const Init init : kInits) {
    SCOPED_TRACE(to_string(init));
    const Options options{.rank = 4, .method = "hals", .seed = 7, .init = init, .max_iterations = 0};

    const Result<double> run = factorize_dense(M, options);
    const Start<double> start = start_of(M, 4, init);

    EXPECT_EQ(run.W, *start.W);
    EXPECT_EQ(run.H, *start.H);
    EXPECT_NEAR(run.error, direct_error(M, run), 1e-12 * frobenius(M));
  }
}

TEST(InitialFactors, HaveTheSameBitsForAnyNumberOfThreads) {
  for (const auto& [m, n] : {std::pair<Index, Index>{700, 300}, {450, 2500}}) {
    const Matrix<double> M = planted(m, n, 6, 2, 0.1);
    for (const Init init : kInits) {
      SCOPED_TRACE(testing::Message() << to_string(init) << ", " << m << " x " << n);
      const Start<double> one = start_of(M, 7, init, 3, 1);
      for (const int threads : {2, 3}) {
        const Start<double> several = start_of(M, 7, init, 3, threads);
        EXPECT_EQ(*several.W, *one.W) << threads;
        EXPECT_EQ(*several.H, *one.H) << threads;
      }
    }
  }
}

TEST(InitialFactors, OfRandomKindsDependOnTheSeed) {
  const Matrix<double> M = random_matrix(30, 20, 3);
  for (const Init init : {Init::scaled_random, Init::random, Init::nndsvdar}) {
    SCOPED_TRACE(to_string(init));
    EXPECT_EQ(*start_of(M, 4, init, 1).W, *start_of(M, 4, init, 1).W);
    EXPECT_NE(*start_of(M, 4, init, 1).W, *start_of(M, 4, init, 2).W);
  }
}

template <class T>
class InitOf : public testing::Test {
 protected:
  static constexpr double kTolerance = std::is_same_v<T, float> ? 2e-4 : 1e-9;

  void expect_close(const Start<T>& a, const Start<T>& b) {
    EXPECT_LT(max_difference(*a.W, *b.W), kTolerance * max_entry(*b.W));
    EXPECT_LT(max_difference(*a.H, *b.H), kTolerance * max_entry(*b.H));
  }
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(InitOf, Floats);

TYPED_TEST(InitOf, DenseSparseAndAnOperatorIsTheSame) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(45, 33, 4, 0.4);
  for (const Init init : kInits) {
    SCOPED_TRACE(to_string(init));
    const Start<T> dense = start_of(M, 5, init);
    this->expect_close(initial_factors<T>(*to_sparse(M), 5, init, 7), dense);
    if (init != Init::spa) {
      this->expect_close(initial_factors<T>(BareOperator<T>(M), 5, init, 7), dense);
    }
  }
}

TYPED_TEST(InitOf, ScaledDataIsScaledAsIsTheProduct) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(25, 18, 5, 0.3);
  for (const Init init : kInits) {
    const Start<T> base = start_of(M, 4, init);
    for (const double c : {1e-20, 1e-6, 3.0, 1e6, 1e20}) {
      SCOPED_TRACE(testing::Message() << to_string(init) << ", c = " << c);
      Start<T> scaled = start_of(times(M, c), 4, init);
      const bool all_on_W = init == Init::spa;  // W is columns of M
      scaled.W = times(*scaled.W, 1 / (all_on_W ? c : std::sqrt(c)));
      scaled.H = times(*scaled.H, 1 / (all_on_W ? 1 : std::sqrt(c)));
      this->expect_close(scaled, base);
    }
  }
}

TYPED_TEST(InitOf, DegenerateMatricesIsFiniteAndFits) {
  using T = TypeParam;
  Matrix<T> holes = random_matrix<T>(12, 10, 6);
  for (Index i = 0; i < 12; ++i) holes(i, 3) = holes(i, 7) = T{0};
  for (Index j = 0; j < 10; ++j) holes(5, j) = T{0};
  Matrix<T> repeated(15, 12);
  for (Index i = 0; i < 15; ++i) {
    for (Index j = 0; j < 12; ++j) repeated(i, j) = holes(i % 5, j % 3);
  }
  const Matrix<T> matrices[] = {Matrix<T>(7, 5),
                                Matrix<T>(6, 8, T{2}),
                                random_matrix<T>(1, 9, 7),
                                random_matrix<T>(9, 1, 8),
                                Matrix<T>(1, 1, T{3}),
                                planted<T>(20, 16, 2, 9, 0),
                                holes,
                                repeated};
  for (const Matrix<T>& M : matrices) {
    for (const Init init : kInits) {
      const Index smaller = std::min(M.rows(), M.cols());
      for (const Index rank : {Index{1}, smaller, smaller + 2}) {
        SCOPED_TRACE(testing::Message()
                     << M.rows() << " x " << M.cols() << ", " << to_string(init) << ", rank " << rank);
        if (rank > smaller && std::count(std::begin(kSingular), std::end(kSingular), init) > 0) continue;
        const Start<T> start = start_of(M, rank, init);
        ASSERT_EQ(start.W->rows(), M.rows());
        ASSERT_EQ(start.W->cols(), rank);
        ASSERT_EQ(start.H->rows(), rank);
        ASSERT_EQ(start.H->cols(), M.cols());
        EXPECT_TRUE(finite_and_nonnegative(*start.W));
        EXPECT_TRUE(finite_and_nonnegative(*start.H));

        for (const char* method : {"hals", "mu", "e-a-hals", "anls"}) {
          const Options options{.rank = rank, .method = method, .init = init, .max_iterations = 60};
          const Result<T> run = factorize_dense(M, options);
          EXPECT_TRUE(finite_and_nonnegative(run.W)) << method;
          EXPECT_TRUE(finite_and_nonnegative(run.H)) << method;
          // An exact start may be left within the rounding of squared errors.
          const double rounding = std::is_same_v<T, float> ? 1e-3 : 1e-6;
          EXPECT_LE(run.error, run.trace.front().error + rounding * frobenius(M)) << method;
        }
      }
    }
  }
}

TEST(RandomStart, HasTheMomentsOfAHalfNormalDistribution) {
  const Matrix<double> M = random_matrix(400, 300, 10);
  const double size = std::sqrt(mean(M) / 25);

  const Start<double> start = start_of(M, 25, Init::random);

  for (const Matrix<double>* X : {&*start.W, &*start.H}) {
    EXPECT_NEAR(mean(*X) / size, std::sqrt(2 / std::acos(-1.0)), 0.02);
    EXPECT_NEAR(std::pow(frobenius(*X) / size, 2) / static_cast<double>(X->size()), 1, 0.04);
    EXPECT_GT(max_entry(*X) / size, 3.3);
  }
  EXPECT_NE(start.W->data()[0], start.H->data()[0]);
}

TEST(Nndsvd, EqualsTheNaiveOne) {
  struct Case {
    Index rows, cols, rank;
    double zeros;
  };
  for (const auto& [m, n, r, zeros] :
       {Case{1, 6, 1, 0}, Case{6, 1, 1, 0}, Case{7, 5, 5, 0}, Case{12, 30, 12, 0.5}, Case{80, 45, 10, 0.7}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << ", rank " << r);
    const Matrix<double> M = random_matrix(m, n, 11, zeros);
    const Start<double> expected = naive_nndsvd(M, r);

    const Start<double> start = start_of(M, r, Init::nndsvd);

    EXPECT_LT(max_difference(*start.W, *expected.W), 1e-10);
    EXPECT_LT(max_difference(*start.H, *expected.H), 1e-10);
  }
}

/// Also where its singular vectors come from a range finder, which draws numbers.
TEST(Nndsvd, IsOneStartForEverySeed) {
  const Matrix<double> M = random_matrix<double>(450, 420, 21, 0.5);
  for (const Init init : {Init::nndsvd, Init::nndsvda}) {
    const Start<double> one = start_of(M, 6, init, 1);
    const Start<double> other = start_of(M, 6, init, 2);
    EXPECT_EQ(max_difference(*one.W, *other.W), 0);
    EXPECT_EQ(max_difference(*one.H, *other.H), 0);
  }
}

TEST(Nndsvd, OfTheTransposeSwapsTheFactors) {
  for (const auto& [m, n] : {std::pair<Index, Index>{40, 25}, {450, 2500}}) {
    const Matrix<double> M = planted(m, n, 5, 12, 0.2);

    const Start<double> start = start_of(M, 5, Init::nndsvd);
    const Start<double> mirrored = start_of(transposed(M), 5, Init::nndsvd);

    EXPECT_LT(max_difference(*start.W, transposed(*mirrored.H)), 1e-6);
    EXPECT_LT(max_difference(*start.H, transposed(*mirrored.W)), 1e-6);
  }
}

TEST(Nndsvd, VariantsDifferInItsZerosOnly) {
  const Matrix<double> M = random_matrix(30, 20, 13, 0.6);
  const Start<double> plain = start_of(M, 6, Init::nndsvd);
  const Start<double> constant = start_of(M, 6, Init::nndsvda);
  const Start<double> random = start_of(M, 6, Init::nndsvdar);
  const double size = std::sqrt(mean(M) / 6);
  ASSERT_TRUE(has_zeros(*plain.W));
  ASSERT_TRUE(has_zeros(*plain.H));

  const auto compare = [&](const Matrix<double>& X, const Matrix<double>& X_a, const Matrix<double>& X_ar) {
    double sum = 0;
    double zeros = 0;
    for (Index k = 0; k < X.size(); ++k) {
      if (X.data()[k] != 0) {
        EXPECT_EQ(X_a.data()[k], X.data()[k]);
        EXPECT_EQ(X_ar.data()[k], X.data()[k]);
        continue;
      }
      EXPECT_NEAR(X_a.data()[k], size, 1e-14 * size);
      EXPECT_GT(X_ar.data()[k], 0);
      EXPECT_LT(X_ar.data()[k], 0.05 * size);
      sum += X_ar.data()[k];
      zeros += 1;
    }
    EXPECT_NEAR(sum / zeros, 0.01 * size * std::sqrt(2 / std::acos(-1.0)), 0.002 * size);
  };
  compare(*plain.W, *constant.W, *random.W);
  compare(*plain.H, *constant.H, *random.H);
}

TEST(Nndsvd, LetsHalsAndMuFit) {
  const Matrix<double> M = planted(60, 40, 4, 14, 0.05);
  for (const char* method : {"hals", "a-hals", "e-a-hals", "mu", "a-mu", "anls", "a-pg"}) {
    for (const Init init : kSingular) {
      const Options options{.rank = 6, .method = method, .init = init, .max_iterations = 300};
      const Result<double> run = factorize_dense(M, options);
      EXPECT_LT(run.relative_error, 0.06) << method << ", " << to_string(init);
      if (find_method(method).rule.clamps) {
        EXPECT_FALSE(has_zeros(run.W));  // at least delta
      }
    }
  }
}

TEST(Nndsvd, NeedsARankWithinBothSizes) {
  const Matrix<double> M = random_matrix(5, 8, 15);
  for (const Init init : kSingular) {
    const std::string expected = "rank = 6 must be at most min(5, 8)";
    const std::string alone = message_of<InvalidInput>([&] { (void)start_of(M, 6, init); });
    const std::string in_run =
        message_of<InvalidInput>([&] { (void)factorize_dense(M, {.rank = 6, .init = init}); });
    expect_phrase(alone, expected);
    expect_phrase(alone, "choose a smaller rank");
    expect_phrase(in_run, expected);
  }
}

TEST(InitialFactors, RefuseWhatDoesNotGoTogether) {
  const Matrix<double> M = random_matrix(6, 5, 16);
  const DenseData<double> data(M.view());
  expect_phrase(message_of<InvalidInput>([&] { (void)initial_factors<double>(data, 0, Init::spa, 0); }),
                "rank = 0");
  expect_phrase(message_of<InvalidInput>([&] { (void)initial_factors<double>(data, 1, Init::spa, 0, -1); }),
                "threads = -1");
  for (const Init init : {Init::nndsvd, Init::nndsvda, Init::nndsvdar, Init::spa}) {
    const Start<double> only_h{.H = random_matrix(2, 5, 1)};
    expect_phrase(
        message_of<InvalidInput>([&] { (void)factorize<double>(data, {.rank = 2, .init = init}, only_h); }),
        "but H is given");
  }
}

/// One worker, which has all of M.
class Alone final : public Reducer {
 public:
  void sum(std::span<double> /*values*/) override {}
  void max(std::span<double> /*values*/) override {}
};

TEST(InitialFactors, AreMadeBySeveralWorkersAtRandomOnly) {
  const Matrix<double> M = random_matrix(6, 5, 17);
  const DenseData<double> data(M.view());
  Alone reducer;
  for (const Init init : kInits) {
    const Options options{.rank = 2, .init = init, .max_iterations = 1};
    const auto run = [&](const Start<double>& start) {
      return factorize<double>(data, options, start, nullptr, &reducer);
    };
    const Start<double> both{random_matrix(6, 2, 1), random_matrix(2, 5, 1)};
    EXPECT_EQ(run(both).W.rows(), 6);
    if (init == Init::scaled_random || init == Init::random) {
      EXPECT_EQ(run({}).W.rows(), 6);
      continue;
    }
    expect_phrase(message_of<InvalidInput>([&] { (void)run({}); }), "in one process");
  }
}

TEST(InitialFactors, ThatAreBothGivenMakeTheInitUselessWhichANoteSays) {
  const Matrix<double> M = random_matrix(6, 5, 18);
  const Start<double> both{random_matrix(6, 2, 1), random_matrix(2, 5, 1)};
  const Start<double> only_w{.W = both.W};

  const auto notes = [&](Init init, const Start<double>& start) {
    return factorize_dense(M, {.rank = 2, .init = init, .max_iterations = 1}, start).notes;
  };

  EXPECT_TRUE(notes(Init::scaled_random, both).empty());
  EXPECT_TRUE(notes(Init::random, only_w).empty());
  ASSERT_EQ(notes(Init::nndsvd, both).size(), 1U);
  EXPECT_EQ(notes(Init::nndsvd, both)[0], "init has no effect: both start factors are given.");
}

TEST(RandomStart, LeavesAGivenFactorAsItIs) {
  const Matrix<double> M = random_matrix(6, 5, 19);
  const Start<double> only_w{.W = random_matrix(6, 2, 1)};
  const Options options{.rank = 2, .seed = 7, .init = Init::random, .max_iterations = 0};

  const Result<double> run = factorize_dense(M, options, only_w);

  EXPECT_EQ(run.W, *only_w.W);
  EXPECT_EQ(run.H, *start_of(M, 2, Init::random).H);
}

}  // namespace
}  // namespace anmf::test::init_test
