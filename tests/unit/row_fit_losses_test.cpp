// SPDX-License-Identifier: MIT
// Rows fitted to given components in other losses than least squares: their optimality conditions by
// definition, many plain multiplicative updates, and problems made to be awkward. M is m x n, H is r x n.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "anmf/nnls.h"
#include "anmf/stream.h"
#include "support/bare_operator.h"
#include "support/files_and_messages.h"
#include "support/memory_source.h"
#include "support/naive_losses.h"
#include "support/problems.h"

namespace anmf::test::row_fit_losses_test {
namespace {

constexpr double kBetas[] = {-0.5, 0, 0.5, 1, 1.3, 1.5, 2.5};

template <class T>
Matrix<T> entries_for(double beta, Index rows, Index cols, std::uint64_t seed) {
  Matrix<T> M = random_matrix<T>(rows, cols, seed, beta > 0 ? 0.4 : 0.0);
  if (beta > 0) return M;
  for (T& x : M.values()) x += T{0.05F};
  return M;
}

struct Weights {
  double l1 = 0;
  double l2 = 0;
};

/// D of row i and its penalties.
template <class T>
double row_objective(const Matrix<T>& M, const Matrix<T>& W, const Matrix<T>& H, Index i, double beta,
                     Weights weights) {
  double sum = 0;
  for (Index j = 0; j < M.cols(); ++j) {
    sum += by_definition::divergence(static_cast<double>(M(i, j)),
                                     std::max(by_definition::model(W, H, i, j), 1e-30), beta);
  }
  for (Index p = 0; p < H.rows(); ++p) {
    const auto w = static_cast<double>(W(i, p));
    sum += weights.l1 * w + 0.5 * weights.l2 * w * w;
  }
  return sum;
}

/// kkt of row i as anmf/nnls.h has it.
template <class T>
double row_violation(const Matrix<T>& M, const Matrix<T>& W, const Matrix<T>& H, Index i, double beta,
                     Weights weights) {
  double violation = 0;
  double largest = 0;
  for (Index p = 0; p < H.rows(); ++p) {
    const auto w = static_cast<double>(W(i, p));
    double g = weights.l1 + weights.l2 * w;
    double q = weights.l2;
    double above = 0;
    for (Index j = 0; j < M.cols(); ++j) {
      const auto x = static_cast<double>(M(i, j));
      const auto h = static_cast<double>(H(p, j));
      if (h == 0) continue;
      const double y = by_definition::model(W, H, i, j);
      if (y == 0 && x == 0 && beta > 1) continue;
      g += (std::pow(y, beta - 1) - x * std::pow(y, beta - 2)) * h;
      q += by_definition::curvature(x, y, beta) * h * h;
      above += x * std::pow(y, beta - 2) * h;
    }
    if (!(q > 0)) continue;
    violation = std::max(violation, std::abs(std::min(std::sqrt(q) * w, g / std::sqrt(q))));
    largest = std::max(largest, above / std::sqrt(q));
  }
  return largest > 0 ? violation / largest : 0;
}

template <class T>
class RowFitLosses : public testing::Test {};
using NumberTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(RowFitLosses, NumberTypes);

TYPED_TEST(RowFitLosses, AreOptimalWithAndWithoutPenaltiesDenseAndSparse) {
  using T = TypeParam;
  const double tolerance = 5e-6;
  const double rounded = std::is_same_v<T, float> ? 1e-5 : tolerance;  // W is rounded to T
  const Index n = 12;
  const Matrix<T> H = random_matrix<T>(5, n, 82, 0.3);
  for (const double beta : kBetas) {
    const Matrix<T> M = entries_for<T>(beta, 31, n, 81);
    const DenseData<T> dense(M.view());
    const auto sparse = to_sparse(M);
    for (const double alpha : {0.0, 0.02}) {
      for (const double l1_ratio : {0.0, 0.3, 1.0}) {
        const Weights weights{.l1 = n * alpha * l1_ratio, .l2 = n * alpha * (1 - l1_ratio)};
        const FitOptions options{
            .loss = loss_name(beta), .alpha_W = alpha, .l1_ratio = l1_ratio, .threads = 2};
        for (const Data<T>* data :
             {static_cast<const Data<T>*>(&dense), static_cast<const Data<T>*>(sparse.get())}) {
          SCOPED_TRACE(testing::Message() << "beta " << beta << ", alpha " << alpha << ", l1 " << l1_ratio
                                          << (data == &dense ? ", dense" : ", sparse"));
          const NnlsResult<T> result = fit_rows<T>(*data, H.view(), options);
          double worst = 0;
          for (Index i = 0; i < M.rows(); ++i)
            worst = std::max(worst, row_violation(M, result.X, H, i, beta, weights));
          EXPECT_LE(worst, rounded);
          EXPECT_LE(result.kkt, tolerance);
        }
        if (alpha == 0) break;
      }
    }
  }
}

TEST(RowsInLosses, EndNoHigherThanManyMultiplicativeUpdates) {
  const Matrix<double> H = random_matrix(4, 15, 92);
  for (const double beta : kBetas) {
    SCOPED_TRACE(beta);
    const Matrix<double> M = entries_for<double>(beta, 9, 15, 91);
    const Weights weights{.l1 = 15 * 0.01 * 0.5, .l2 = 15 * 0.01 * 0.5};
    Matrix<double> W(9, 4, 1.0);
    for (int k = 0; k < 500; ++k) by_definition::multiplicative_update(M, W, H, beta, weights.l1, weights.l2);
    const Matrix<double> fitted =
        fit_rows<double>(DenseData<double>(M.view()), H.view(),
                         {.loss = loss_name(beta), .alpha_W = 0.01, .l1_ratio = 0.5})
            .X;
    for (Index i = 0; i < M.rows(); ++i) {
      const double plain = row_objective(M, W, H, i, beta, weights);
      EXPECT_LE(row_objective(M, fitted, H, i, beta, weights), plain + 1e-8 * std::abs(plain)) << "row " << i;
    }
  }
}

TYPED_TEST(RowFitLosses, HangOnTheirRowAlone) {
  using T = TypeParam;
  for (const double beta : {0.5, 1.0, 1.5}) {
    SCOPED_TRACE(beta);
    const Index m = beta == 1 ? 2500 : 40;  // several chunks, long rows and short ones
    Matrix<T> M = entries_for<T>(beta, m, 37, 93);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < 37; ++j) {
        if ((j * 7 + i) % 37 > i % 37) M(i, j) = 0;
      }
    }
    const Matrix<T> H = random_matrix<T>(6, 37, 94, 0.3);
    const auto fit = [&](const Matrix<T>& rows, bool sparse, int threads) {
      const FitOptions options{.loss = loss_name(beta), .threads = threads};
      return sparse ? fit_rows<T>(*to_sparse(rows), H.view(), options).X
                    : fit_rows<T>(DenseData<T>(rows.view()), H.view(), options).X;
    };
    for (const bool sparse : {false, true}) {
      const Matrix<T> all = fit(M, sparse, 1);
      EXPECT_EQ(fit(M, sparse, 3), all);
      Matrix<T> some(3, 37);
      const Index chosen[] = {36, 4, 20};
      for (Index k = 0; k < 3; ++k) std::copy_n(M.view().row(chosen[k]), 37, some.view().row(k));
      const Matrix<T> alone = fit(some, sparse, 2);
      for (Index k = 0; k < 3; ++k) {
        for (Index p = 0; p < 6; ++p) EXPECT_EQ(alone(k, p), all(chosen[k], p));
      }
    }
  }
}

TYPED_TEST(RowFitLosses, FollowTheScalesOfDataAndComponents) {
  using T = TypeParam;
  constexpr bool kSingle = std::is_same_v<T, float>;
  const Matrix<T> H = random_matrix<T>(3, 7, 85);
  for (const double beta : kBetas) {
    const Matrix<T> M = entries_for<T>(beta, 9, 7, 84);
    const auto fit = [&](const Matrix<T>& rows, const Matrix<T>& components) {
      return fit_rows<T>(DenseData<T>(rows.view()), components.view(), {.loss = loss_name(beta)}).X;
    };
    const Matrix<T> plain = fit(M, H);
    for (const double of_data : {1e-12, 1.0, 1e12}) {
      for (const double of_H : {1e-12, 1.0, 1e12}) {
        SCOPED_TRACE(testing::Message()
                     << "beta " << beta << ", M times " << of_data << ", H times " << of_H);
        Matrix<T> rows = M;
        for (T& x : rows.values()) x = static_cast<T>(static_cast<double>(x) * of_data);
        Matrix<T> components = H;
        for (T& x : components.values()) x = static_cast<T>(static_cast<double>(x) * of_H);
        const Matrix<T> W = fit(rows, components);
        for (Index k = 0; k < W.size(); ++k) {
          EXPECT_NEAR(static_cast<double>(W.data()[k]) * (of_H / of_data),
                      static_cast<double>(plain.data()[k]), kSingle ? 1e-3 : 1e-4);
        }
      }
    }
  }
}

TEST(RowsInLosses, GiveZerosToEmptyRowsAndToComponentsWithoutEntries) {
  for (const double beta : {0.5, 1.0, 1.5, 2.5}) {
    SCOPED_TRACE(beta);
    Matrix<double> M = random_matrix(6, 8, 95, 0.3);
    Matrix<double> H = random_matrix(4, 8, 96);
    for (Index j = 0; j < 8; ++j) M(2, j) = H(1, j) = 0;
    const auto sparse = to_sparse(M);
    for (const Data<double>* data :
         {static_cast<const Data<double>*>(sparse.get()), static_cast<const Data<double>*>(nullptr)}) {
      const DenseData<double> dense(M.view());
      const Matrix<double> W =
          fit_rows<double>(data == nullptr ? dense : *data, H.view(), {.loss = loss_name(beta)}).X;
      for (Index p = 0; p < 4; ++p) EXPECT_EQ(W(2, p), 0);
      for (Index i = 0; i < 6; ++i) {
        EXPECT_EQ(W(i, 1), 0);
        EXPECT_LE(row_violation(M, W, H, i, beta, {}), 5e-6);
      }
    }
    const Matrix<double> nothing(4, 8);
    EXPECT_EQ(fit_rows<double>(*sparse, nothing.view(), {.loss = loss_name(beta)}).X, Matrix<double>(6, 4));
  }
}

TEST(RowsInLosses, OfTheFittedMatrixAreItsRows) {
  const Matrix<double> M = planted(40, 30, 3, 83, 0);
  const auto sparse = to_sparse(M);
  const Matrix<double> H = factorize<double>(*sparse, {.rank = 3, .loss = "kl", .max_iterations = 30}).H;
  Matrix<double> product_of_both(40, 30);
  const Matrix<double> W = random_matrix(40, 3, 84, 0.3);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 30; ++j) product_of_both(i, j) = by_definition::model(W, H, i, j);
  }
  const DenseData<double> exact(product_of_both.view());
  EXPECT_LE(max_difference(fit_rows<double>(exact, H.view(), {.loss = "kl"}).X, W), 1e-7);
}

TEST(RowsInLosses, HaveTheErrorOfTheirDefinition) {
  for (const double beta : kBetas) {
    SCOPED_TRACE(beta);
    const Matrix<double> M = entries_for<double>(beta, 21, 12, 97);
    const Matrix<double> W = random_matrix(21, 3, 98);
    const Matrix<double> H = random_matrix(3, 12, 99);
    const FitOptions options{.loss = loss_name(beta), .threads = 2};
    const double expected = std::sqrt(2 * by_definition::divergence(M, W, H, beta));
    EXPECT_NEAR(fit_error<double>(DenseData<double>(M.view()), W, H.view(), options), expected,
                1e-12 * expected);
    EXPECT_NEAR(fit_error<double>(*to_sparse(M), W, H.view(), options), expected, 1e-12 * expected);
    const Result<double> run =
        factorize<double>(*to_sparse(M), {.rank = 2, .loss = loss_name(beta), .max_iterations = 5});
    const double reference = reference_error<double>(*to_sparse(M), options);
    EXPECT_NEAR(run.error / reference, run.relative_error, 1e-9);
  }
}

TEST(RowsInLosses, HaveNoErrorWhereTheComponentsLackAColumn) {
  Matrix<double> M(3, 4, 1.0);
  Matrix<double> H(2, 4, 1.0);
  for (Index p = 0; p < 2; ++p) H(p, 2) = 0;
  const DenseData<double> data(M.view());
  for (const double beta : {0.5, 1.0}) {
    const FitOptions options{.loss = loss_name(beta)};
    const Matrix<double> W = fit_rows<double>(data, H.view(), options).X;
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(W(i, 0) + W(i, 1), 1, 1e-5);  // of the columns there are
    EXPECT_EQ(fit_error<double>(data, W, H.view(), options), std::numeric_limits<double>::infinity());
  }
  const FitOptions options{.loss = "1.5"};
  EXPECT_TRUE(
      std::isfinite(fit_error<double>(data, fit_rows<double>(data, H.view(), options).X, H.view(), options)));
}

TEST(RowsInLosses, RefuseMatricesThatTheyCannotFit) {
  Matrix<double> M = random_matrix(5, 6, 88);
  M(3, 4) = 0;
  const Matrix<double> H = random_matrix(2, 6, 89);
  const auto message = [&](const Data<double>& data, const FitOptions& options) {
    return io_test::message_of<InvalidInput>([&] { (void)fit_rows<double>(data, H.view(), options); });
  };
  const DenseData<double> dense(M.view());
  EXPECT_NE(message(dense, {.loss = "is"}).find("zero, as it is in row 3, column 4"), std::string::npos);
  EXPECT_NE(message(dense, {.loss = "poisson"}).find("loss = \"poisson\" is unknown"), std::string::npos);
  EXPECT_NE(message(BareOperator<double>(M), {.loss = "kl"}).find("looks at the entries of M"),
            std::string::npos);
  const StreamedData<double> by_columns(
      std::make_unique<MemorySource<double>>(M, Blocks{.layout = Layout::column_major, .lines = 2}));
  EXPECT_NE(message(by_columns, {.loss = "kl"}).find("this matrix is read by columns"), std::string::npos);
}

TEST(RowsInLosses, AreTheSameFromAFileThatIsReadByRows) {
  const Matrix<double> M = random_matrix(25, 9, 90, 0.4);
  const Matrix<double> H = random_matrix(3, 9, 91);
  for (const char* loss : {"kl", "1.5"}) {
    for (const bool sparse : {false, true}) {
      const Matrix<double> W =
          sparse ? fit_rows<double>(*to_sparse(M), H.view(), {.loss = loss}).X
                 : fit_rows<double>(DenseData<double>(M.view()), H.view(), {.loss = loss}).X;
      const StreamedData<double> by_rows(
          std::make_unique<MemorySource<double>>(M, Blocks{.sparse = sparse, .lines = 4}));
      EXPECT_EQ(fit_rows<double>(by_rows, H.view(), {.loss = loss}).X, W);
    }
  }
}

}  // namespace
}  // namespace anmf::test::row_fit_losses_test
