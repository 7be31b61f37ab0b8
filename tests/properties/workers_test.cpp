// SPDX-License-Identifier: MIT
// Workers that share the rows of both factors compute what one process computes.
#include <gtest/gtest.h>

#include <array>

#include "kernels/panels.h"
#include "support/files_and_messages.h"
#include "support/shared_run.h"

namespace anmf::test::workers_properties {
namespace {

constexpr double kTolerance = 1e-9;

struct Shape {
  Index rows;
  Index cols;
};
// Several blocks of rows on both sides; fewer than workers on one; a single one.
constexpr Shape kShapes[] = {{250, 130}, {40, 301}, {203, 9}};

Result<double> alone(const Matrix<double>& M, bool sparse, const Options& options,
                     const Start<double>& start = {}) {
  if (sparse) return factorize<double>(*to_sparse(M), options, start);
  return factorize_dense(M, options, start);
}

Result<double> together(const Matrix<double>& M, bool sparse, Index workers, const Options& options) {
  return shared_run<double>(M, sparse, workers, [&](Index, const Data<double>& data, Reducer& reducer) {
    return factorize<double>(data, options, {}, nullptr, &reducer);
  });
}

void expect_same(const Result<double>& expected, const Result<double>& found, double tolerance = kTolerance) {
  EXPECT_LE(max_difference(found.W, expected.W), tolerance * max_entry(expected.W));
  EXPECT_LE(max_difference(found.H, expected.H), tolerance * max_entry(expected.H));
  EXPECT_NEAR(found.error, expected.error, tolerance * expected.trace[0].error);
  EXPECT_NEAR(found.kkt, expected.kkt, tolerance * std::max(1.0, expected.kkt));
  EXPECT_NEAR(found.promised_decrease, expected.promised_decrease,
              tolerance * std::max(1.0, expected.promised_decrease));
  EXPECT_EQ(found.status, expected.status);
  ASSERT_EQ(found.scale.size(), expected.scale.size());
  for (std::size_t p = 0; p < expected.scale.size(); ++p)
    EXPECT_NEAR(found.scale[p], expected.scale[p], tolerance * expected.scale[p]);
  ASSERT_EQ(found.trace.size(), expected.trace.size());
  for (std::size_t k = 0; k < expected.trace.size(); ++k) {
    // It is the root of a difference: its rounding is that of what the start left over.
    EXPECT_NEAR(found.trace[k].error, expected.trace[k].error, tolerance * expected.trace[0].error) << k;
    EXPECT_EQ(found.trace[k].inner_w, expected.trace[k].inner_w) << k;
    EXPECT_EQ(found.trace[k].inner_h, expected.trace[k].inner_h) << k;
    // That of anls counts the columns that rows with equal passive sets share.
    if (expected.effective.method == "anls") continue;
    EXPECT_EQ(found.trace[k].flops, expected.trace[k].flops) << k;
  }
}

class SharedRun : public testing::TestWithParam<std::string> {};

TEST_P(SharedRun, EqualsTheOneOfASingleProcess) {
  std::uint64_t seed = 11;
  for (const Shape& shape : kShapes) {
    for (const bool sparse : {false, true}) {
      const Matrix<double> M = sparse ? random_matrix(shape.rows, shape.cols, ++seed, 0.8)
                                      : planted(shape.rows, shape.cols, 4, ++seed, 0.1);
      Options options{.rank = 5, .method = GetParam(), .seed = seed, .max_iterations = 20};
      const Result<double> expected = alone(M, sparse, options);
      for (const Index workers : {1, 2, 3, 6}) {
        SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.cols << (sparse ? " sparse, " : ", ")
                                        << workers << " workers");
        options.threads = workers == 2 ? 2 : 1;  // many threads on few cores only wait for each other
        expect_same(expected, together(M, sparse, workers, options));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SharedRun, testing::ValuesIn(method_names()),
                         [](const auto& each) { return identifier(each.param); });

TEST(SharedRun, StartsAtRandomWhateverTheShares) {
  const Matrix<double> M = planted(150, 110, 3, 5, 0.1);
  for (const Init init : {Init::random, Init::scaled_random}) {
    const Options options{.rank = 4, .seed = 9, .init = init, .max_iterations = 0};
    expect_same(alone(M, false, options), together(M, false, 3, options), 1e-14);
  }
}

TEST(SharedRun, TakesTheSharesOfGivenFactors) {
  const Matrix<double> M = planted(150, 110, 3, 6, 0.1);
  const Start<double> start{random_matrix(150, 3, 1), random_matrix(3, 110, 2)};
  const Options options{.rank = 3, .method = "a-hals", .max_iterations = 10};
  const auto found = shared_run<double>(M, false, 3, [&](Index, const Data<double>& data, Reducer& reducer) {
    const Start<double> mine{rows_of(*start.W, data.owned(Side::W)),
                             transposed(rows_of(transposed(*start.H), data.owned(Side::H)))};
    return factorize<double>(data, options, mine, nullptr, &reducer);
  });
  expect_same(alone(M, false, options, start), found);
}

TEST(SharedRun, ExploresSortsNormalisesShufflesAndPenalises) {
  const Matrix<double> M = random_matrix(120, 100, 7, 0.3);
  Options options{.rank = 6, .method = "e-a-hals", .seed = 2, .max_iterations = 20};
  options.tolerance = 0;
  const auto expect_equal = [&](const Options& changed) {
    expect_same(alone(M, true, changed), together(M, true, 3, changed));
  };
  for (const Normalize kind : {Normalize::l1, Normalize::l2, Normalize::max}) {
    options.normalize = kind;
    options.sort_components = true;
    expect_equal(options);
  }
  options.normalize = Normalize::none;
  options.shuffle = true;
  expect_equal(options);
  options.shuffle = false;
  options.alpha_W = 0.001;
  options.l1_ratio = 0.5;
  expect_equal(options);
  options.alpha_W = 0;
  options.explore = Explore::on;
  options.max_iterations = 150;
  const Result<double> expected = alone(M, true, options);
  ASSERT_GE(expected.effective.explorations, 1);
  const Result<double> found = together(M, true, 3, options);
  EXPECT_EQ(found.effective.explorations, expected.effective.explorations);
  EXPECT_NEAR(found.error, expected.error, 1e-6 * expected.error);
}

TEST(SharedRun, RevivesZeroColumnsAndSumsCloseFitsFromTheEntries) {
  const Matrix<double> M = planted(150, 110, 3, 8, 0);
  Start<double> start{random_matrix(150, 3, 1), random_matrix(3, 110, 2)};
  for (Index i = 0; i < 150; ++i) (*start.W)(i, 1) = 0;
  for (Index j = 0; j < 110; ++j) (*start.H)(1, j) = 0;
  const Options options{.rank = 3, .method = "hals", .max_iterations = 40, .tolerance = 0};
  const auto found = shared_run<double>(M, false, 4, [&](Index, const Data<double>& data, Reducer& reducer) {
    const Start<double> mine{rows_of(*start.W, data.owned(Side::W)),
                             transposed(rows_of(transposed(*start.H), data.owned(Side::H)))};
    return factorize<double>(data, options, mine, nullptr, &reducer);
  });
  expect_same(alone(M, false, options, start), found, 1e-7);
}

TEST(SharedRun, WorksInFloatOnAMatrixThatMustBeScaled) {
  Matrix<float> M(100, 60);
  const Matrix<double> base = planted(100, 60, 3, 9, 0.1);
  for (Index k = 0; k < M.size(); ++k) M.data()[k] = static_cast<float>(base.data()[k] * 1e18);
  const Options options{.rank = 3, .method = "a-hals", .max_iterations = 10};
  const Result<float> expected = factorize_dense(M, options);
  const auto found = shared_run<float>(M, false, 3, [&](Index, const Data<float>& data, Reducer& reducer) {
    return factorize<float>(data, options, {}, nullptr, &reducer);
  });
  EXPECT_NEAR(found.error, expected.error, 1e-4 * expected.error);
}

struct LossCase {
  const char* loss;
  const char* method;
};

void PrintTo(const LossCase& each, std::ostream* out) { *out << each.loss << " " << each.method; }

/// Every method of the losses that look at entries, and every kind of beta.
constexpr LossCase kLossCases[] = {{"kl", "mu"},      {"kl", "a-mu"},   {"kl", "e-a-mu"}, {"kl", "ccd"},
                                   {"kl", "e-ccd"},   {"kl", "e-spn"},  {"is", "mu"},     {"is", "e-spn"},
                                   {"0.5", "e-a-mu"}, {"0.5", "e-spn"}, {"1.5", "spn"},   {"1.5", "e-spn"},
                                   {"2.5", "e-spn"}};

/// Without zeros where the loss is infinite beside one.
Matrix<double> entries_for(const std::string& loss, const Shape& shape, std::uint64_t seed) {
  Matrix<double> M = random_matrix(shape.rows, shape.cols, seed, loss == "is" ? 0 : 0.6);
  if (loss == "is") {
    for (double& x : M.values()) x += 0.05;
  }
  return M;
}

class SharedLoss : public testing::TestWithParam<LossCase> {};

TEST_P(SharedLoss, EqualsTheOneOfASingleProcess) {
  std::uint64_t seed = 40;
  for (const Shape& shape : kShapes) {
    const Matrix<double> M = entries_for(GetParam().loss, shape, ++seed);
    for (const bool sparse : {false, true}) {
      Options options{.rank = 4,
                      .method = GetParam().method,
                      .loss = GetParam().loss,
                      .seed = seed,
                      .max_iterations = 12,
                      .tolerance = 0,
                      .threads = 1};
      const Result<double> expected = alone(M, sparse, options);
      for (const Index workers : {1, 2, 3, 4}) {
        SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.cols << (sparse ? " sparse, " : ", ")
                                        << workers << " workers");
        expect_same(expected, together(M, sparse, workers, options), 1e-10);
      }
    }
  }
}

TEST_P(SharedLoss, WithPenaltiesAndHFirst) {
  const Matrix<double> M = entries_for(GetParam().loss, {150, 110}, 50);
  Options options{.rank = 4,
                  .method = GetParam().method,
                  .loss = GetParam().loss,
                  .max_iterations = 8,
                  .tolerance = 0,
                  .threads = 1};
  options.alpha_W = 1e-3;
  options.alpha_H = 2e-3;
  options.l1_ratio = 0.5;
  options.first = Side::H;
  const Result<double> expected = alone(M, false, options);
  expect_same(expected, together(M, false, 3, options), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Losses, SharedLoss, testing::ValuesIn(kLossCases), [](const auto& each) {
  std::string name = identifier(std::string(each.param.loss) + "_" + each.param.method);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

// Rows of more entries than a tile has are worked on in fewer than 48 at a time.
TEST(SharedLosses, DoNotDependOnTheSharesOfLongRows) {
  const Matrix<double> M = random_matrix(100, 9000, 60, 0.9);
  for (const LossCase& each : {LossCase{"1.5", "a-mu"}, LossCase{"1.5", "spn"}}) {
    const Options options{.rank = 2,
                          .method = each.method,
                          .loss = each.loss,
                          .max_iterations = 3,
                          .tolerance = 0,
                          .threads = 1};
    expect_same(alone(M, false, options), together(M, false, 3, options), 1e-10);
  }
}

TEST(SharedLosses, WorkInFloatOnAMatrixThatMustBeScaled) {
  Matrix<float> M(100, 60);
  const Matrix<double> base = planted(100, 60, 3, 9, 0.1);
  for (Index k = 0; k < M.size(); ++k) M.data()[k] = static_cast<float>((base.data()[k] + 0.01) * 1e18);
  for (const char* loss : {"kl", "is"}) {
    const Options options{.rank = 3, .loss = loss, .max_iterations = 10};
    const Result<float> expected = factorize_dense(M, options);
    const auto found = shared_run<float>(M, false, 3, [&](Index, const Data<float>& data, Reducer& reducer) {
      return factorize<float>(data, options, {}, nullptr, &reducer);
    });
    EXPECT_NEAR(found.error, expected.error, 1e-4 * expected.error);
    EXPECT_NEAR(found.relative_error, expected.relative_error, 1e-4);
  }
}

TEST(SharedLosses, ExploreAndLiftZerosOfAStart) {
  const Matrix<double> M = random_matrix(120, 100, 7, 0.3);
  Options options{.rank = 4, .loss = "kl", .explore = Explore::on, .max_iterations = 60, .tolerance = 0};
  expect_same(alone(M, true, options), together(M, true, 3, options), 1e-6);
  options.explore = Explore::off;
  options.max_iterations = 5;
  const Start<double> start{Matrix<double>(120, 4), random_matrix(4, 100, 2)};
  const auto found = shared_run<double>(M, true, 3, [&](Index, const Data<double>& data, Reducer& reducer) {
    const Start<double> mine{rows_of(*start.W, data.owned(Side::W)),
                             transposed(rows_of(transposed(*start.H), data.owned(Side::H)))};
    return factorize<double>(data, options, mine, nullptr, &reducer);
  });
  expect_same(alone(M, true, options, start), found, 1e-10);
}

TEST(SharedLosses, TellTheFirstZeroOnAllWorkers) {
  Matrix<double> M = random_matrix(150, 20, 3);
  for (double& x : M.values()) x += 0.1;
  M(120, 4) = M(99, 7) = M(99, 5) = 0;
  std::array<std::string, 4> said;
  (void)shared_run<double>(M, false, 4, [&](Index k, const Data<double>& data, Reducer& reducer) {
    said.at(static_cast<std::size_t>(k)) = io_test::message_of<InvalidInput>(
        [&] { (void)factorize<double>(data, {.rank = 2, .loss = "is"}, {}, nullptr, &reducer); });
    return Result<double>{.W = Matrix<double>(0, 2), .H = Matrix<double>(2, 0)};
  });
  for (const std::string& each : said) {
    EXPECT_EQ(each, said[0]);
    EXPECT_NE(each.find("as it is in row 99, column 5 "), std::string::npos) << each;
  }
}

/// Stops, or asks for a checkpoint, after some iterations.
class Asking final : public Observer<double> {
 public:
  Asking(Index stop_at, Index save_at) : stop_at_(stop_at), save_at_(save_at) {}

  Action on_iteration(const IterationRecord& record, ConstMatrixView<double> /*W*/,
                      ConstMatrixView<double> /*Ht*/) override {
    now_ = record.iteration;
    return now_ == stop_at_ ? Action::stop : Action::proceed;
  }
  bool checkpoint_due() override { return now_ == save_at_; }
  void on_checkpoint(const Checkpoint<double>& checkpoint) override { saved = checkpoint; }

  Checkpoint<double> saved;

 private:
  Index stop_at_;
  Index save_at_;
  Index now_ = -1;
};

constexpr Index kNever = 1000;

TEST(SharedRun, StopsForAllWhenOneObserverAsks) {
  const Matrix<double> M = planted(150, 110, 3, 10, 0.1);
  std::array<Index, 3> iterations{};
  (void)shared_run<double>(M, false, 3, [&](Index k, const Data<double>& data, Reducer& reducer) {
    Asking observer(k == 1 ? 4 : kNever, kNever);
    Result<double> result =
        factorize<double>(data, {.rank = 3, .method = "a-hals", .tolerance = 0}, {}, &observer, &reducer);
    EXPECT_EQ(result.status, Status::stopped_by_observer);
    iterations.at(static_cast<std::size_t>(k)) = result.iterations;
    return result;
  });
  EXPECT_EQ(iterations, (std::array<Index, 3>{4, 4, 4}));
}

/// Rows in the place of rows, in every matrix of a state.
Checkpoint<double> part_of(const Checkpoint<double>& whole, const Data<double>& data) {
  Checkpoint<double> part = whole;
  for (auto& [name, matrix] : part.matrices)
    matrix = rows_of(matrix, data.owned(name.starts_with("W.") ? Side::W : Side::H));
  return part;
}

TEST(SharedRun, IsSavedForAllAndGoesOnWithAnyNumberOfWorkers) {
  const Matrix<double> M = random_matrix(200, 130, 12, 0.7);
  for (const auto& [loss, method] :
       {LossCase{"frobenius", "a-hals"}, LossCase{"frobenius", "e-a-hals"}, LossCase{"frobenius", "pg"},
        LossCase{"kl", "e-ccd"}, LossCase{"kl", "e-spn"}, LossCase{"0.5", "e-a-mu"}}) {
    const Options options{.rank = 4, .method = method, .loss = loss, .max_iterations = 20, .tolerance = 0};
    const Result<double> expected = alone(M, true, options);
    std::vector<Checkpoint<double>> parts(3);
    (void)shared_run<double>(M, true, 3, [&](Index k, const Data<double>& data, Reducer& reducer) {
      Asking observer(kNever, k == 2 ? 7 : kNever);
      Result<double> result = factorize<double>(data, options, {}, &observer, &reducer);
      parts[static_cast<std::size_t>(k)] = observer.saved;
      return result;
    });
    Checkpoint<double> whole = parts[0];
    EXPECT_EQ(whole.trace.back().iteration, 7);
    for (auto& [name, matrix] : whole.matrices)
      matrix = stacked<double>({parts[0].matrices[name], parts[1].matrices[name], parts[2].matrices[name]});
    expect_same(expected, resume<double>(*to_sparse(M), options, whole));
    for (const Index workers : {2, 5}) {
      expect_same(
          expected,
          shared_run<double>(M, true, workers, [&](Index, const Data<double>& data, Reducer& reducer) {
            return resume<double>(data, options, part_of(whole, data), nullptr, &reducer);
          }));
    }
  }
}

TEST(SharedRun, EndsAtTheTimeLimitAndMeasuresRhoForAll) {
  const Matrix<double> M = planted(150, 110, 3, 13, 0.1);
  for (const char* method : {"a-hals", "e-a-hals"}) {
    Options options{.rank = 3, .method = method, .rho = RhoSource::measured, .time_limit = 0.02};
    options.tolerance = 0;
    options.max_iterations = 1'000'000;
    std::array<std::vector<IterationRecord>, 3> traces;
    (void)shared_run<double>(M, false, 3, [&](Index k, const Data<double>& data, Reducer& reducer) {
      Result<double> result = factorize<double>(data, options, {}, nullptr, &reducer);
      EXPECT_EQ(result.status, Status::time_limit);
      traces.at(static_cast<std::size_t>(k)) = result.trace;
      return result;
    });
    for (const auto& trace : traces) {
      ASSERT_EQ(trace.size(), traces[0].size());
      EXPECT_EQ(trace.back().seconds, traces[0].back().seconds);
      EXPECT_EQ(trace.back().error, traces[0].back().error);
      EXPECT_EQ(trace.back().inner_w, traces[0].back().inner_w);
    }
  }
}

TEST(SharedRun, BeginsOnTheCompressionThatASingleProcessBeginsOn) {
  for (const Shape& shape : {Shape{250, 130}, Shape{130, 301}}) {
    const Matrix<double> M = planted(shape.rows, shape.cols, 4, 14, 0.1);
    const Options options{.rank = 4, .compress = Compress::on, .max_iterations = 15, .tolerance = 0};
    const Result<double> expected = alone(M, false, options);
    ASSERT_EQ(expected.effective.compressed_rank, 14);
    for (const Index workers : {1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.cols << ", " << workers << " workers");
      const Result<double> found = together(M, false, workers, options);
      EXPECT_EQ(found.effective.compressed_rank, expected.effective.compressed_rank);
      EXPECT_EQ(found.trace[1].compressed_iterations, expected.trace[1].compressed_iterations);
      EXPECT_GT(found.trace[1].compressed_iterations, 5);
      expect_same(expected, found, 1e-7);
    }
  }
}

/// Ends a run as soon as M is being compressed.
class EndsCompression final : public Observer<double> {
 public:
  Action on_iteration(const IterationRecord&, ConstMatrixView<double>, ConstMatrixView<double>) override {
    return Action::proceed;
  }
  Action on_compressed_iteration() override { return Action::stop; }
};

TEST(SharedRun, IsEndedByAnyWorkerWhileItCompresses) {
  const Matrix<double> M = planted(250, 130, 4, 14, 0.1);
  (void)shared_run<double>(M, false, 3, [&](Index k, const Data<double>& data, Reducer& reducer) {
    EndsCompression observer;
    Result<double> result = factorize<double>(data, {.rank = 4, .compress = Compress::on}, {},
                                              k == 1 ? &observer : nullptr, &reducer);
    EXPECT_EQ(result.status, Status::stopped_by_observer);
    EXPECT_EQ(result.iterations, 0);
    return result;
  });
}

TEST(RowShares, CoverAllRowsInBlocksAndDifferByOneAtMost) {
  for (const Index rows : {0, 1, 47, 48, 49, 1000}) {
    for (const Index parts : {1, 2, 3, 7, 30}) {
      Index next = 5 * kBlockRows;
      Index least = rows;
      Index most = 0;
      for (Index part = 0; part < parts; ++part) {
        const RowRange share = row_share({5 * kBlockRows, rows}, parts, part);
        EXPECT_EQ(share.begin, next);
        EXPECT_TRUE(share.count == 0 || share.begin % kBlockRows == 0);
        next += share.count;
        least = std::min(least, share.count);
        most = std::max(most, share.count);
      }
      EXPECT_EQ(next, 5 * kBlockRows + rows);
      EXPECT_LT(most - least, 2 * kBlockRows);
    }
  }
}

}  // namespace
}  // namespace anmf::test::workers_properties
