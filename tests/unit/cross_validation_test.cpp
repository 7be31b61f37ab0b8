// SPDX-License-Identifier: MIT
// Bi-cross-validation against its formulas, entry by entry.
#include "survey/cross_validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "anmf/nnls.h"
#include "anmf/weights.h"
#include "core/random.h"
#include "support/files_and_messages.h"
#include "support/naive_losses.h"
#include "support/problems.h"

namespace anmf::test::cross_validation_test {

using io_test::expect_phrase;
using io_test::message_of;

namespace {

Options quick(Index rank, std::string loss = "frobenius") {
  Options options;
  options.rank = rank;
  options.loss = std::move(loss);
  options.method = "a-mu";
  options.explore = Explore::off;
  options.compress = Compress::off;
  options.max_iterations = 60;
  options.seed = 11;
  options.threads = 1;
  return options;
}

/// The lines of a half: those whose random numbers are among the smallest are in the first one.
std::vector<Index> half(Index lines, std::uint64_t stream, bool first) {
  std::vector<Index> chosen;
  for (Index i = 0; i < lines; ++i) {
    Index smaller = 0;
    for (Index k = 0; k < lines; ++k)
      smaller += random_bits(11, stream, k)[0] < random_bits(11, stream, i)[0] ? 1 : 0;
    if ((2 * smaller < lines) == first) chosen.push_back(i);
  }
  return chosen;
}

Matrix<double> part(const Matrix<double>& M, const std::vector<Index>& rows, const std::vector<Index>& cols) {
  Matrix<double> result(std::ssize(rows), std::ssize(cols));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < cols.size(); ++j)
      result(static_cast<Index>(i), static_cast<Index>(j)) = M(rows[i], cols[j]);
  }
  return result;
}

Matrix<double> rows_beside(const Matrix<double>& M, const Matrix<double>& H, const std::string& loss) {
  const DenseData<double> data(M.view());
  return fit_rows<double>(data, H.view(), {.loss = loss, .threads = 1}).X;
}

/// By the formulas, with dense quarters.
CrossValidated by_definition(const Matrix<double>& M, const Options& options) {
  const double beta = beta_of(options.loss);
  double loss = 0;
  double of_mean = 0;
  CrossValidated found;
  for (const bool upper : {true, false}) {
    for (const bool left : {true, false}) {
      const auto rows_A = half(M.rows(), streams::kHalvesOfRows, upper);
      const auto rows_D = half(M.rows(), streams::kHalvesOfRows, !upper);
      const auto cols_A = half(M.cols(), streams::kHalvesOfColumns, left);
      const auto cols_D = half(M.cols(), streams::kHalvesOfColumns, !left);
      const Matrix<double> D = part(M, rows_D, cols_D);
      const DenseData<double> data(D.view());
      const Result<double> model = factorize<double>(data, options);
      const Matrix<double> W = rows_beside(part(M, rows_A, cols_D), model.H, options.loss);
      const Matrix<double> Ht =
          rows_beside(transposed(part(M, rows_D, cols_A)), transposed(model.W), options.loss);
      const Matrix<double> A = part(M, rows_A, cols_A);
      double mean = 0;
      for (const double x : A.values()) mean += x / static_cast<double>(A.size());
      loss += anmf::test::by_definition::divergence(A, W, transposed(Ht), beta);
      for (const double x : A.values()) of_mean += anmf::test::by_definition::divergence(x, mean, beta);
      found.iterations += model.iterations;
      found.kkt = std::max(found.kkt, model.kkt);
      if (found.status == Status::converged) found.status = model.status;
    }
  }
  found.error = std::sqrt(2 * loss);
  found.relative_error = std::sqrt(loss / of_mean);
  return found;
}

void expect_near(const CrossValidated& found, const CrossValidated& expected, double relative) {
  EXPECT_NEAR(found.error, expected.error, relative * expected.error);
  EXPECT_NEAR(found.relative_error, expected.relative_error, relative * expected.relative_error);
  EXPECT_EQ(found.iterations, expected.iterations);
  EXPECT_EQ(found.status, expected.status);
}

TEST(CrossValidation, IsWhatTheFormulasSay) {
  Matrix<double> M = planted(31, 26, 3, 5, 0.2);
  for (double& x : M.values()) x += 0.05;
  const DenseData<double> data(M.view());
  for (const char* loss : {"frobenius", "kullback-leibler", "itakura-saito"}) {
    const Options options = quick(3, loss);
    const CrossValidated expected = by_definition(M, options);
    const CrossValidated found = cross_validate<double>(data, options);
    expect_near(found, expected, 1e-9);
    EXPECT_EQ(found.kkt, expected.kkt) << loss;
  }
}

TEST(CrossValidation, OfSparseDataIsThatOfItsEntries) {
  Matrix<double> M = product(random_matrix(40, 2, 8), random_matrix(2, 30, 9));
  for (Index k = 0; k < M.size(); ++k) M.data()[k] *= uniform(1, 1, k) < 0.5 ? 0 : 1;
  for (const char* loss : {"frobenius", "kullback-leibler"}) {
    // Of one component, so that no model is zero: such a loss is infinite by definition.
    Options options = quick(beta_of(loss) == 2 ? 2 : 1, loss);
    options.method = "mu";  // whose inner iterations do not hang on the number of nonzeros
    options.inner_stop = InnerStopMode::fixed;
    options.alpha = 0;
    const CrossValidated sparse = cross_validate<double>(*to_sparse(M), options);
    const CrossValidated expected = by_definition(M, options);
    EXPECT_NEAR(sparse.error, expected.error, 1e-6 * expected.error) << loss;
    EXPECT_NEAR(sparse.relative_error, expected.relative_error, 1e-6 * expected.relative_error) << loss;
  }
}

TEST(CrossValidation, HasTheSameBitsForAnyThreads) {
  const Matrix<double> M = planted(120, 90, 4, 2, 0.3);
  const DenseData<double> data(M.view());
  Options options = quick(4);
  const CrossValidated one = cross_validate<double>(data, options);
  options.threads = 3;
  const CrossValidated three = cross_validate<double>(data, options);
  ThreadPool pool(2);
  const CrossValidated two = cross_validate<double>(data, options, nullptr, &pool);
  for (const CrossValidated& other : {three, two}) {
    EXPECT_EQ(other.error, one.error);
    EXPECT_EQ(other.relative_error, one.relative_error);
    EXPECT_EQ(other.kkt, one.kkt);
  }
}

TEST(CrossValidation, FindsAPlantedRank) {
  Matrix<double> M = planted(80, 60, 4, 3, 0);
  for (Index k = 0; k < M.size(); ++k) M.data()[k] *= 0.8 + 0.4 * uniform(1, 1, k);
  const DenseData<double> data(M.view());
  std::vector<double> errors;
  for (Index rank = 2; rank <= 7; ++rank) {
    Options options = quick(rank);
    options.method = "e-a-hals";
    options.max_iterations = 1000;
    const CrossValidated found = cross_validate<double>(data, options);
    errors.push_back(found.relative_error);
    EXPECT_LT(found.relative_error, 1);
  }
  EXPECT_EQ(std::ranges::min_element(errors) - errors.begin(), 2);
}

TEST(CrossValidation, KnowsWeightsAndMissingEntries) {
  Matrix<double> M = planted(30, 24, 2, 6, 0.1);
  const std::vector<double> twice(30, 2.0);
  const Options options = quick(2);
  const DenseData<double> plain(M.view());
  const CrossValidated expected = cross_validate<double>(plain, options);
  const auto doubled = weighted<double>(std::make_unique<DenseData<double>>(M.view()), {.rows = twice});
  const CrossValidated found = cross_validate<double>(*doubled, options);
  EXPECT_NEAR(found.error, std::sqrt(2) * expected.error, 1e-5 * found.error);
  EXPECT_NEAR(found.relative_error, expected.relative_error, 1e-5);

  // What nobody has observed may be anything.
  Places gone{.rows = 30, .cols = 24, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < 30; ++i) {
    gone.indices.push_back(static_cast<std::uint32_t>((7 * i) % 24));
    gone.offsets.push_back(i + 1);
  }
  const auto masked = [&](double there) {
    Matrix<double> changed = M;
    for (Index i = 0; i < 30; ++i) changed(i, (7 * i) % 24) = there;
    return cross_validate<double>(
        *weighted<double>(std::make_unique<DenseData<double>>(changed.view()), {.entries = gone}), options);
  };
  EXPECT_EQ(masked(0).error, masked(1000).error);
  EXPECT_EQ(masked(0).relative_error, masked(1000).relative_error);
  EXPECT_NEAR(masked(0).relative_error, expected.relative_error, 0.2 * expected.relative_error);
}

TEST(CrossValidation, AnEmptyHalfOfAColumnIsNoInfiniteLoss) {
  Matrix<double> M = planted(20, 12, 2, 7, 0.3);
  for (Index i = 1; i < 20; ++i) M(i, 3) = 0;
  M(0, 3) = 5;
  const DenseData<double> data(M.view());
  const CrossValidated found = cross_validate<double>(data, quick(2, "kullback-leibler"));
  EXPECT_TRUE(std::isfinite(found.error));
  EXPECT_GT(found.error, 5);
}

TEST(CrossValidation, SaysWhatIsTooSmall) {
  const Matrix<double> M = planted(9, 20, 2, 7, 0.3);
  const DenseData<double> data(M.view());
  check_cross_validation<double>(data, 4);
  expect_phrase(message_of<InvalidInput>([&] { check_cross_validation<double>(data, 5); }),
                "M, which is 9 x 20; for rank 5 it needs at least 10 rows and columns");
  EXPECT_THROW((void)cross_validate<double>(data, quick(5)), InvalidInput);
}

TEST(CrossValidation, TakesSinglePrecision) {
  const Matrix<double> M = planted(50, 40, 3, 9, 0.2);
  Matrix<float> single(50, 40);
  std::ranges::transform(M.values(), single.data(), [](double x) { return static_cast<float>(x); });
  const DenseData<float> data(single.view());
  const DenseData<double> doubles(M.view());
  const double expected = cross_validate<double>(doubles, quick(3)).relative_error;
  EXPECT_NEAR(cross_validate<float>(data, quick(3)).relative_error, expected, 2e-3 * expected);
}

}  // namespace
}  // namespace anmf::test::cross_validation_test
