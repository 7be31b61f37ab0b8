// SPDX-License-Identifier: MIT
// Factorizations with weights and missing entries, against sums over all entries by definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "anmf/weights.h"
#include "data/forwarding_data.h"
#include "support/files_and_messages.h"
#include "support/naive_weights.h"
#include "support/problems.h"
#include "support/shared_run.h"

namespace anmf::test::weights_test {
namespace {

using by_definition::AllWeights;

constexpr Index kRows = 23;
constexpr Index kCols = 17;
constexpr Index kRank = 3;

/// A dense or sparse matrix that owns its entries.
class OwnedDense {
 public:
  static std::unique_ptr<Data<double>> of(const Matrix<double>& M, bool sparse, bool keeps_zeros = false) {
    if (!sparse) {
      static std::vector<std::unique_ptr<Matrix<double>>> kept;  // data is a view
      kept.push_back(std::make_unique<Matrix<double>>(M));
      return std::make_unique<DenseData<double>>(std::as_const(*kept.back()).view());
    }
    if (!keeps_zeros) return to_sparse(M);
    return nullptr;
  }
};

enum class Kind { lines, missing, stored, sparse_weights, dense_weights };

struct Case {
  Kind kind;
  bool sparse;
  bool with_lines;
  std::string name;
};

std::vector<Case> cases() {
  return {{Kind::lines, false, true, "LinesOfDense"},
          {Kind::lines, true, true, "LinesOfSparse"},
          {Kind::missing, false, false, "MissingOfDense"},
          {Kind::missing, true, false, "MissingOfSparse"},
          {Kind::missing, false, true, "MissingAndLinesOfDense"},
          {Kind::missing, true, true, "MissingAndLinesOfSparse"},
          {Kind::stored, true, false, "StoredOfSparse"},
          {Kind::stored, true, true, "StoredAndLinesOfSparse"},
          {Kind::sparse_weights, false, true, "SparseWeightsOfDense"},
          {Kind::sparse_weights, true, true, "SparseWeightsOfSparse"},
          {Kind::dense_weights, false, false, "WeightsOfDense"},
          {Kind::dense_weights, false, true, "WeightsAndLinesOfDense"},
          {Kind::dense_weights, true, true, "WeightsOfSparse"}};
}

/// M, its weights by definition, and as the library takes them.
struct Problem {
  Matrix<double> M;
  AllWeights by_definition;
  std::unique_ptr<Data<double>> data;
};

Places places_where(const Matrix<double>& p, bool zero) {
  Places places{.rows = p.rows(), .cols = p.cols(), .offsets = {0}, .indices = {}};
  for (Index i = 0; i < p.rows(); ++i) {
    for (Index j = 0; j < p.cols(); ++j) {
      if ((p(i, j) == 0) == zero) places.indices.push_back(static_cast<std::uint32_t>(j));
    }
    places.offsets.push_back(static_cast<Index>(places.indices.size()));
  }
  return places;
}

Problem problem_of(const Case& c, double least = 0) {
  Problem problem;
  problem.M = planted(kRows, kCols, kRank, 5, 0.3);
  if (c.sparse) {
    for (Index k = 0; k < problem.M.size(); ++k) {
      if (uniform(7, 1003, k) < 0.5) problem.M.data()[k] = 0;
    }
  }
  for (double& x : problem.M.values()) x = std::max(x, least);
  AllWeights& weights = problem.by_definition;
  weights.p = Matrix<double>(kRows, kCols, 1);
  Weights<double> given;
  for (Index k = 0; k < weights.p.size(); ++k) {
    double& p = weights.p.data()[k];
    const double u = uniform(8, 1004, k);
    if (c.kind == Kind::missing) p = u < 0.2 ? 0 : 1;
    if (c.kind == Kind::stored) p = problem.M.data()[k] == 0 ? 0 : 1;
    if (c.kind == Kind::sparse_weights) p = u < 0.6 ? 0 : 2 * u;
    if (c.kind == Kind::dense_weights) p = u < 0.1 ? 0 : 2 * u;
  }
  if (c.with_lines) {
    for (Index i = 0; i < kRows; ++i) weights.a.push_back(0.25 * static_cast<double>(1 + i % 5));
    for (Index j = 0; j < kCols; ++j) weights.b.push_back(0.5 * static_cast<double>(1 + j % 3));
  }
  given.rows = weights.a;
  given.columns = weights.b;
  if (c.kind == Kind::missing) given.entries = places_where(weights.p, true);
  if (c.kind == Kind::stored) given.entries = OnlyStored{};
  if (c.kind == Kind::sparse_weights) {
    Places places = places_where(weights.p, false);
    Csr<double> stored{
        .rows = kRows, .cols = kCols, .offsets = places.offsets, .indices = places.indices, .values = {}};
    for (const double p : weights.p.values()) {
      if (p > 0) stored.values.push_back(p);
    }
    given.entries = std::move(stored);
  }
  if (c.kind == Kind::dense_weights) given.entries = weights.p;
  problem.data = weighted(OwnedDense::of(problem.M, c.sparse), std::move(given));
  return problem;
}

class Weighted : public testing::TestWithParam<Case> {
 protected:
  /// Iterations by definition, W first.
  template <class Update>
  static std::pair<Matrix<double>, Matrix<double>> iterate(const Problem& problem, const Start<double>& start,
                                                           int iterations, const Update& update) {
    Matrix<double> W = *start.W;
    Matrix<double> Ht = transposed(*start.H);
    const Matrix<double> Mt = transposed(problem.M);
    const AllWeights turned = problem.by_definition.transposed();
    for (int k = 0; k < iterations; ++k) {
      update(problem.M, problem.by_definition, W, transposed(Ht), Side::W);
      update(Mt, turned, Ht, transposed(W), Side::H);
    }
    return {W, transposed(Ht)};
  }
  static Start<double> start() {
    Start<double> start{.W = random_matrix(kRows, kRank, 11), .H = random_matrix(kRank, kCols, 12)};
    for (auto* X : {&*start.W, &*start.H}) {
      for (double& x : X->values()) x += 0.1;
    }
    return start;
  }
};

// Sizes that scikit-learn multiplies penalties with.
double size_of(const std::vector<double>& counts, Index lines) {
  double sum = 0;
  for (const double count : counts) sum += count;
  return counts.empty() ? static_cast<double>(lines) : sum;
}

TEST_P(Weighted, MultiplicativeUpdatesAreThoseByDefinition) {
  for (const double beta : {0.0, 0.5, 1.0, 2.0, 2.5}) {
    const Problem problem = problem_of(GetParam(), beta >= 1 ? 0 : 0.05);
    const AllWeights& weights = problem.by_definition;
    Options options{.rank = kRank,
                    .method = "mu",
                    .loss = loss_name(beta),
                    .delta = 0,
                    .max_iterations = 20,
                    .tolerance = 0,
                    .alpha_W = 0.01,
                    .l1_ratio = 0.3,
                    .threads = 1};
    const double l1_W = 0.01 * 0.3 * size_of(weights.b, kCols);
    const double l2_W = 0.01 * 0.7 * size_of(weights.b, kCols);
    const double l1_H = 0.01 * 0.3 * size_of(weights.a, kRows);
    const double l2_H = 0.01 * 0.7 * size_of(weights.a, kRows);
    const Result<double> result = factorize<double>(*problem.data, options, start());
    const auto [W, H] =
        iterate(problem, start(), 20, [&](const auto& M, const auto& p, auto& X, const auto& F, Side side) {
          by_definition::weighted_multiplicative_update(M, p, X, F, beta, side == Side::W ? l1_W : l1_H,
                                                        side == Side::W ? l2_W : l2_H);
        });
    const double loss = by_definition::weighted_loss(problem.M, weights, W, H, beta);
    EXPECT_NEAR(0.5 * result.error * result.error, loss, 1e-9 * loss) << "beta " << beta;
    EXPECT_NEAR(result.penalty,
                by_definition::weighted_penalty(W, weights.a, l1_W, l2_W) +
                    by_definition::weighted_penalty(transposed(H), weights.b, l1_H, l2_H),
                1e-9 * result.penalty);
  }
}

TEST_P(Weighted, HalsIsThatByDefinition) {
  const Problem problem = problem_of(GetParam());
  const bool fills_in = problem.data->counted() == Counted::all_but;
  const AllWeights& weights = problem.by_definition;
  const Options options{.rank = kRank,
                        .method = "hals",
                        .max_iterations = 20,
                        .tolerance = 0,
                        .alpha_W = 0.01,
                        .l1_ratio = 0.3,
                        .threads = 1};
  const Result<double> result = factorize<double>(*problem.data, options, start());
  const auto [W, H] =
      iterate(problem, start(), 20, [&](const auto& M, const auto& p, auto& X, const auto& F, Side side) {
        const double size = 0.01 * (side == Side::W ? size_of(weights.b, kCols) : size_of(weights.a, kRows));
        const auto sweep =
            fills_in ? by_definition::filled_in_hals_sweep : by_definition::weighted_hals_sweep;
        sweep(M, p, X, F, 0.3 * size, 0.7 * size);
      });
  const double loss = by_definition::weighted_loss(problem.M, weights, W, H, 2);
  EXPECT_NEAR(0.5 * result.error * result.error, loss, 1e-9 * loss);
  EXPECT_LT(max_difference(result.W, W), 1e-8);
  EXPECT_LT(max_difference(result.H, H), 1e-8);
}

TEST_P(Weighted, ObjectivesNeverRise) {
  for (const double beta : {0.5, 1.0, 2.0}) {
    const Problem problem = problem_of(GetParam());
    for (const Method& method : methods()) {
      if (!minimises(method, beta, kind_of(*problem.data))) continue;
      const Options options{.rank = kRank,
                            .method = std::string(method.name),
                            .loss = loss_name(beta),
                            .max_iterations = 40,
                            .tolerance = 0,
                            .alpha_W = 0.001,
                            .threads = 1};
      const Result<double> result = factorize<double>(*problem.data, options);
      double before = HUGE_VAL;
      for (const IterationRecord& record : result.trace) {
        const double objective = 0.5 * record.error * record.error + record.penalty;
        EXPECT_LE(objective, before * (1 + 1e-12))
            << method.name << ", beta " << beta << ", " << record.iteration;
        before = objective;
      }
      const double loss =
          by_definition::weighted_loss(problem.M, problem.by_definition, result.W, result.H, beta);
      EXPECT_NEAR(0.5 * result.error * result.error, loss, 1e-9 * loss) << method.name << ", beta " << beta;
    }
  }
}

TEST_P(Weighted, ThreadsDoNotChangeABit) {
  const Problem problem = problem_of(GetParam());
  for (const char* method : {"auto", "mu", "a-hals"}) {
    Options options{.rank = kRank, .method = method, .max_iterations = 10, .tolerance = 0, .threads = 1};
    const Result<double> one = factorize<double>(*problem.data, options);
    options.threads = 3;
    const Result<double> three = factorize<double>(*problem.data, options);
    EXPECT_EQ(max_difference(one.W, three.W), 0);
    EXPECT_EQ(max_difference(one.H, three.H), 0);
  }
}

TEST_P(Weighted, RunsGoOnWithTheSameBits) {
  const Problem problem = problem_of(GetParam());
  class Saves final : public Observer<double> {
   public:
    Action on_iteration(const IterationRecord& record, ConstMatrixView<double>,
                        ConstMatrixView<double>) override {
      due_ = record.iteration == 4;
      return Action::proceed;
    }
    [[nodiscard]] bool checkpoint_due() override { return due_; }
    void on_checkpoint(const Checkpoint<double>& checkpoint) override { saved = checkpoint; }
    Checkpoint<double> saved;

   private:
    bool due_ = false;
  };
  for (const char* method : {"auto", "a-hals", "e-a-mu"}) {
    const Options options{
        .rank = kRank, .method = method, .max_iterations = 10, .tolerance = 1e-30, .threads = 1};
    Saves observer;
    const Result<double> whole = factorize<double>(*problem.data, options, {}, &observer);
    const Result<double> resumed = resume<double>(*problem.data, options, observer.saved);
    EXPECT_EQ(max_difference(whole.W, resumed.W), 0) << method;
    EXPECT_EQ(max_difference(whole.H, resumed.H), 0) << method;
    EXPECT_EQ(whole.trace.back().error, resumed.trace.back().error) << method;
    Case other_one = GetParam();
    other_one.with_lines = !other_one.with_lines;
    if (other_one.kind == Kind::lines) continue;
    const Problem other_problem = problem_of(other_one);
    EXPECT_THROW((void)resume<double>(*other_problem.data, options, observer.saved), InvalidInput) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Weighted, testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

/// A matrix that workers share.
class Shared final : public ForwardingData<double> {
 public:
  explicit Shared(const Data<double>& data) : ForwardingData<double>(data) {}
};

TEST(WeightsOfLines, AreThoseOfOneProcessForWorkers) {
  const Matrix<double> M = planted(130, 40, 3, 5, 0.2);
  std::vector<double> a, b;
  for (Index i = 0; i < M.rows(); ++i) a.push_back(0.25 * static_cast<double>(1 + i % 5));
  for (Index j = 0; j < M.cols(); ++j) b.push_back(0.5 * static_cast<double>(j % 4));
  for (const double beta : {1.0, 2.0}) {
    for (const bool sparse : {false, true}) {
      const Options options{.rank = 3,
                            .method = "auto",
                            .loss = loss_name(beta),
                            .max_iterations = 10,
                            .tolerance = 0,
                            .alpha_W = 0.01,
                            .l1_ratio = 0.5,
                            .threads = 1};
      const auto alone = weighted<double>(OwnedDense::of(M, sparse), {.rows = a, .columns = b});
      const Result<double> expected = factorize<double>(*alone, options);
      const auto found =
          shared_run<double>(M, sparse, 3, [&](Index, const Data<double>& data, Reducer& reducer) {
            const auto mine =
                weighted<double>(std::make_unique<Shared>(data), {.rows = a, .columns = b}, &reducer);
            EXPECT_NEAR(mine->norm(), alone->norm(), 1e-12 * alone->norm());
            EXPECT_EQ(mine->observed(), alone->observed());
            return factorize<double>(*mine, options, {}, nullptr, &reducer);
          });
      EXPECT_NEAR(found.error, expected.error, 1e-9 * expected.error) << beta << sparse;
      EXPECT_NEAR(found.penalty, expected.penalty, 1e-9 * expected.penalty) << beta << sparse;
    }
  }
}

TEST(WeightedCounts, LongRowsDescend) {
  constexpr Index kLong = 700;
  Matrix<double> M = planted(6, kLong, 2, 9, 0.2);
  AllWeights weights{.p = Matrix<double>(6, kLong, 1), .a = {}, .b = {}};
  for (Index k = 0; k < M.size(); ++k) {
    if (uniform(1, 1, k) < 0.2) M.data()[k] = 0;
    weights.p.data()[k] = uniform(2, 1, k) < 0.3 ? 0 : 0.5 + uniform(3, 1, k);
  }
  Places places = places_where(weights.p, false);
  Csr<double> stored{
      .rows = 6, .cols = kLong, .offsets = places.offsets, .indices = places.indices, .values = {}};
  for (const double p : weights.p.values()) {
    if (p > 0) stored.values.push_back(p);
  }
  const auto data = weighted<double>(to_sparse(M), {.entries = std::move(stored)});
  const Options options{
      .rank = 2, .method = "ccd", .loss = "kl", .max_iterations = 20, .tolerance = 0, .threads = 1};
  const Result<double> result = factorize<double>(*data, options);
  for (std::size_t k = 1; k < result.trace.size(); ++k)
    EXPECT_LE(result.trace[k].error, result.trace[k - 1].error * (1 + 1e-12));
  const double loss = by_definition::weighted_loss(M, weights, result.W, result.H, 1);
  EXPECT_NEAR(0.5 * result.error * result.error, loss, 1e-9 * loss);
  EXPECT_LT(result.promised_decrease, 1e-3);
}

TEST(WeightedCounts, NewtonLeavesZerosAgainWhereEntriesAreMissing) {
  Matrix<double> M = planted(80, 60, 3, 11, 0);
  Places gone{.rows = M.rows(), .cols = M.cols(), .offsets = {0}, .indices = {}};
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      const Index place = i * M.cols() + j;
      M(i, j) = std::floor(8 * M(i, j) + uniform(4, 1, place));
      if (uniform(5, 1, place) < 0.1) gone.indices.push_back(static_cast<std::uint32_t>(j));
    }
    gone.offsets.push_back(static_cast<Index>(gone.indices.size()));
  }
  const auto data = weighted<double>(std::make_unique<DenseData<double>>(M.view()), {.entries = gone});
  for (const char* method : {"spn", "e-spn"}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      Options options{.rank = 3, .method = method, .loss = "kl", .explore = Explore::off, .threads = 1};
      options.seed = seed;
      const Result<double> result = factorize<double>(*data, options);
      EXPECT_EQ(result.status, Status::converged) << method << seed << ": " << result.message;
    }
  }
}

TEST(WeightsOfLines, WholeNumbersAreRepeatedLines) {
  const Matrix<double> M = planted(9, 8, 2, 3, 0.2);
  const std::vector<double> a = {1, 2, 1, 3, 1, 1, 2, 1, 1};
  Matrix<double> repeated(13, 8);
  Start<double> start{.W = random_matrix(9, 2, 4), .H = random_matrix(2, 8, 5)};
  Start<double> long_start{.W = Matrix<double>(13, 2), .H = start.H};
  Index at = 0;
  for (Index i = 0; i < 9; ++i) {
    for (int k = 0; k < a[static_cast<std::size_t>(i)]; ++k, ++at) {
      std::copy_n(M.view().row(i), 8, repeated.view().row(at));
      std::copy_n(start.W->view().row(i), 2, long_start.W->view().row(at));
    }
  }
  for (const double beta : {1.0, 2.0}) {
    for (const char* method : {"mu", "hals"}) {
      if (beta == 1 && std::string_view(method) == "hals") continue;
      const Options options{.rank = 2,
                            .method = method,
                            .loss = loss_name(beta),
                            .max_iterations = 15,
                            .tolerance = 0,
                            .alpha_W = 0.01,
                            .l1_ratio = 0.5,
                            .threads = 1};
      const auto data =
          weighted<double>(std::make_unique<DenseData<double>>(M.view()), {.rows = a, .columns = {}});
      const Result<double> with_weights = factorize<double>(*data, options, start);
      const Result<double> with_copies = factorize_dense(repeated, options, long_start);
      EXPECT_NEAR(with_weights.error, with_copies.error, 1e-9 * with_copies.error) << method << " " << beta;
      EXPECT_NEAR(with_weights.penalty, with_copies.penalty, 1e-9 * with_copies.penalty)
          << method << " " << beta;
      EXPECT_LT(max_difference(with_weights.H, with_copies.H), 1e-7) << method << " " << beta;
    }
  }
}

}  // namespace
}  // namespace anmf::test::weights_test
