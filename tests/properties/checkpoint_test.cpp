// SPDX-License-Identifier: MIT
// A run that goes on from a checkpoint computes the bits of the run that was never stopped.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "data/transposed_data.h"
#include "support/bare_operator.h"
#include "support/memory_source.h"

namespace anmf::test::checkpoint_properties {
namespace {

/// Keeps a checkpoint of every iteration.
template <class T>
class Keeper final : public Observer<T> {
 public:
  typename Observer<T>::Action on_iteration(const IterationRecord&, ConstMatrixView<T>,
                                            ConstMatrixView<T>) override {
    return Observer<T>::Action::proceed;
  }
  bool checkpoint_due() override { return true; }
  void on_checkpoint(const Checkpoint<T>& checkpoint) override { checkpoints.push_back(checkpoint); }

  std::vector<Checkpoint<T>> checkpoints;
};

template <class T>
void expect_same_run(const Result<T>& a, const Result<T>& b) {
  ASSERT_EQ(max_difference(a.W, b.W), 0);
  ASSERT_EQ(max_difference(a.H, b.H), 0);
  ASSERT_EQ(a.scale, b.scale);
  ASSERT_EQ(a.error, b.error);
  ASSERT_EQ(a.kkt, b.kkt);
  ASSERT_EQ(a.promised_decrease, b.promised_decrease);
  ASSERT_EQ(a.status, b.status);
  ASSERT_EQ(a.message, b.message);
  ASSERT_EQ(a.effective.explorations, b.effective.explorations);
  ASSERT_EQ(a.effective.lower_minima, b.effective.lower_minima);
  ASSERT_EQ(a.effective.compressed_iterations, b.effective.compressed_iterations);
  ASSERT_EQ(a.trace.size(), b.trace.size());
  for (std::size_t k = 0; k < a.trace.size(); ++k) {
    ASSERT_EQ(a.trace[k].error, b.trace[k].error) << k;
    ASSERT_EQ(a.trace[k].flops, b.trace[k].flops) << k;
    ASSERT_EQ(a.trace[k].inner_w, b.trace[k].inner_w) << k;
    ASSERT_EQ(a.trace[k].inner_h, b.trace[k].inner_h) << k;
    ASSERT_EQ(a.trace[k].compressed_iterations, b.trace[k].compressed_iterations) << k;
    ASSERT_EQ(std::isnan(a.trace[k].promised_decrease), std::isnan(b.trace[k].promised_decrease)) << k;
    if (!std::isnan(a.trace[k].promised_decrease)) {
      ASSERT_EQ(a.trace[k].promised_decrease, b.trace[k].promised_decrease) << k;
    }
  }
}

/// Resumes from every `step`-th iteration, with one thread more each time.
template <class T>
void expect_resumable(const Data<T>& data, Options options, const Start<T>& start = {},
                      std::size_t step = 1) {
  options.threads = 1;
  Keeper<T> keeper;
  const Result<T> whole = factorize<T>(data, options, start, &keeper);
  ASSERT_EQ(keeper.checkpoints.size(), whole.trace.size());
  for (std::size_t k = 0; k < keeper.checkpoints.size(); k += step) {
    options.threads = 1 + static_cast<int>(k % 3);
    SCOPED_TRACE(k);
    expect_same_run(whole, resume<T>(data, options, keeper.checkpoints[k]));
  }
}

class Resumed : public testing::TestWithParam<std::string> {};

TEST_P(Resumed, ComputesTheSameBitsDense) {
  const Matrix<double> M = planted(37, 29, 4, 11, 0.3);
  expect_resumable<double>(DenseData<double>(M.view()),
                           {.rank = 5, .method = GetParam(), .max_iterations = 25, .tolerance = 1e-9});
}

TEST_P(Resumed, ComputesTheSameBitsSparseInFloatAndHFirst) {
  const auto data = to_sparse(random_matrix<float>(60, 33, 12, 0.8));
  expect_resumable<float>(*data, {.rank = 4,
                                  .method = GetParam(),
                                  .max_iterations = 15,
                                  .alpha_W = 1e-4,
                                  .l1_ratio = 0.5,
                                  .normalize = Normalize::l1,
                                  .first = Side::H});
}

INSTANTIATE_TEST_SUITE_P(Methods, Resumed, testing::ValuesIn(method_names()),
                         [](const auto& method) { return identifier(method.param); });

TEST(Checkpoint, OfAnExplorationIsResumedWhereverItWas) {
  const Matrix<double> M = planted(50, 40, 4, 71, 0.4);
  expect_resumable<double>(DenseData<double>(M.view()),
                           {.rank = 5, .method = "auto", .seed = 7, .max_iterations = 130, .tolerance = 0},
                           {}, 3);
}

/// Ends a run when it is asked for the so many-th time whether to go on with a compression, and keeps its
/// last checkpoint.
class Cutter final : public Observer<double> {
 public:
  explicit Cutter(Index at = 0) : at_(at) {}
  Action on_iteration(const IterationRecord&, ConstMatrixView<double>, ConstMatrixView<double>) override {
    return at_ > 0 && asked >= at_ ? Action::stop : Action::proceed;
  }
  Action on_compressed_iteration() override { return ++asked == at_ ? Action::stop : Action::proceed; }
  bool checkpoint_due() override { return true; }
  void on_checkpoint(const Checkpoint<double>& checkpoint) override { last = checkpoint; }

  Index asked = 0;
  Checkpoint<double> last;

 private:
  Index at_;
};

TEST(Checkpoint, OfARunThatWasEndedOnACompressionBeginsItAnew) {
  const Matrix<double> M = planted(300, 260, 6, 75, 0.1);
  const DenseData<double> data(M.view());
  const Options options{
      .rank = 6, .method = "e-a-hals", .compress = Compress::on, .max_iterations = 12, .tolerance = 0};
  Cutter listener;
  const Result<double> whole = factorize<double>(data, options, {}, &listener);
  ASSERT_GT(whole.effective.compressed_iterations, 4);
  const Index while_compressing = listener.asked - whole.effective.compressed_iterations - 1;
  ASSERT_GE(while_compressing, 3);  // between its products

  for (Index at = 1; at <= while_compressing; ++at) {
    SCOPED_TRACE(at);
    Cutter cutter(at);
    const Result<double> cut = factorize<double>(data, options, {}, &cutter);
    EXPECT_EQ(cut.status, Status::stopped_by_observer);
    EXPECT_EQ(cutter.asked, at);
    ASSERT_EQ(cut.trace.size(), 1U);
    EXPECT_EQ(cut.error, whole.trace.front().error);
    EXPECT_NEAR(cut.error, direct_error(M, cut), 1e-9 * cut.error);
    expect_same_run(whole, resume<double>(data, options, cutter.last));
  }
  Cutter cutter(while_compressing + 4);  // the first one of them is the start's
  const Result<double> cut = factorize<double>(data, options, {}, &cutter);
  EXPECT_EQ(cut.status, Status::stopped_by_observer);
  EXPECT_EQ(cut.effective.compressed_iterations, 3);
  ASSERT_EQ(cut.trace.size(), 2U);
  EXPECT_LT(cut.error, cut.trace.front().error);
  EXPECT_NEAR(cut.error, direct_error(M, cut), 1e-9 * cut.error);
  expect_same_run(whole, resume<double>(data, options, cutter.last));
}

TEST(Checkpoint, OfARunThatConvergesIsResumedBesideItsEnd) {
  const Matrix<double> M = planted(50, 40, 4, 73, 0.01);
  Options options{.rank = 4, .method = "e-a-hals", .max_iterations = 400, .tolerance = 1e-3};
  ASSERT_EQ(factorize_dense(M, options).status, Status::converged);
  expect_resumable<double>(DenseData<double>(M.view()), options);
}

TEST_P(Resumed, ComputesTheSameBitsWhereComponentsDieAndComeBack) {
  // More components than there are rows or columns: some are of no use. A short run ends with the gradient
  // right after a component came back.
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Matrix<float> M = random_matrix<float>(7, 5, seed, 0.6);
    expect_resumable<float>(DenseData<float>(M.view()), {.rank = 9,
                                                         .method = GetParam(),
                                                         .seed = seed,
                                                         .max_iterations = 1 + static_cast<Index>(seed) % 3,
                                                         .tolerance = 1e-30,
                                                         .first = seed % 2 == 0 ? Side::W : Side::H});
  }
}

TEST(Checkpoint, KnowsTheOrderOfShuffledComponents) {
  const Matrix<double> M = planted(30, 20, 4, 74, 0.3);
  expect_resumable<double>(
      DenseData<double>(M.view()),
      {.rank = 4, .method = "a-hals", .seed = 3, .max_iterations = 12, .tolerance = 0, .shuffle = true});
}

TEST(Checkpoint, OfARunBegunOnACompressionIsResumed) {
  const Matrix<double> M = planted(90, 80, 4, 75, 0.3);
  expect_resumable<double>(
      DenseData<double>(M.view()),
      {.rank = 4, .method = "e-a-hals", .compress = Compress::on, .max_iterations = 12, .tolerance = 0});
}

TEST(Checkpoint, OfAMatrixFarFromOneIsResumed) {
  Matrix<float> M = planted<float>(30, 20, 3, 76, 0.3);
  for (float& x : M.values()) x *= 1e30F;
  expect_resumable<float>(DenseData<float>(M.view()),
                          {.rank = 3, .method = "e-a-hals", .max_iterations = 12, .tolerance = 0});
}

TEST(Checkpoint, GoesOnWithAHigherLimit) {
  const Matrix<double> M = planted(30, 20, 3, 77, 0.3);
  const DenseData<double> data(M.view());
  Options options{.rank = 3, .method = "e-a-hals", .max_iterations = 20, .tolerance = 0};
  const Result<double> whole = factorize<double>(data, options);
  options.max_iterations = 8;
  Keeper<double> keeper;
  (void)factorize<double>(data, options, {}, &keeper);
  options.max_iterations = 20;
  expect_same_run(whole, resume<double>(data, options, keeper.checkpoints.back()));
}

class WrongCheckpoint : public testing::Test {
 protected:
  WrongCheckpoint() {
    Keeper<double> keeper;
    (void)factorize<double>(data_, options_, {}, &keeper);
    checkpoint_ = keeper.checkpoints.back();
  }

  void expect_refused(const std::string& reason) {
    try {
      (void)resume<double>(data_, options_, checkpoint_);
      FAIL() << "was accepted";
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }

  Matrix<double> M_ = planted(12, 9, 3, 78, 0.3);
  DenseData<double> data_{M_.view()};
  Options options_{.rank = 3, .method = "e-a-hals", .max_iterations = 3};
  Checkpoint<double> checkpoint_;
};

TEST_F(WrongCheckpoint, OfOtherOptionsIsRefused) {
  options_.rank = 4;
  expect_refused("The checkpoint is of another run: its rank is 3, here it is 4.");
  options_.rank = 3;
  options_.seed = 5;
  expect_refused("its seed is 0, here it is 5.");
}

TEST_F(WrongCheckpoint, OfAnotherMatrixIsRefused) {
  M_(4, 4) += 1;
  const DenseData<double> other(M_.view());
  EXPECT_THROW((void)resume<double>(other, options_, checkpoint_), InvalidInput);
}

/// Sizes, nonzeros and norm are those of M in all of these.
TEST_F(WrongCheckpoint, OfAMatrixWhoseEntriesHaveChangedPlacesIsRefused) {
  for (const bool operators : {false, true}) {
    SCOPED_TRACE(operators);
    const auto make = [&](const Matrix<double>& M) -> std::unique_ptr<Data<double>> {
      if (operators) return std::make_unique<BareOperator<double>>(M);
      return std::make_unique<DenseData<double>>(M.view());
    };
    const Matrix<double> square = planted(10, 10, 3, 79, 0.3);
    Keeper<double> keeper;
    (void)factorize<double>(*make(square), options_, {}, &keeper);
    Matrix<double> reversed(10, 10);
    Matrix<double> swapped = square;
    std::swap(swapped(3, 4), swapped(7, 2));
    for (Index i = 0; i < 10; ++i) std::copy_n(square.view().row(i), 10, reversed.view().row(9 - i));
    EXPECT_NO_THROW((void)resume<double>(*make(square), options_, keeper.checkpoints.back()));
    for (const Matrix<double>& other : {transposed(square), reversed, swapped}) {
      try {
        (void)resume<double>(*make(other), options_, keeper.checkpoints.back());
        ADD_FAILURE() << "was accepted";
      } catch (const InvalidInput& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("The checkpoint is of another matrix: its "))
            << error.what();
      }
    }
  }
}

TEST(Checkpoint, IsOfTheMatrixHoweverItIsStored) {
  const Matrix<double> M = planted(130, 60, 3, 80, 0.3);
  const Matrix<double> Mt = transposed(M);
  Keeper<double> keeper;
  const Options options{.rank = 3, .method = "a-hals", .max_iterations = 4, .tolerance = 0};
  const Result<double> whole = factorize<double>(DenseData<double>(M.view()), options, {}, &keeper);
  const auto expect_near = [&](const Data<double>& data) {
    const Result<double> result = resume<double>(data, options, keeper.checkpoints[2]);
    EXPECT_NEAR(result.error, whole.error, 1e-12 * whole.error);
  };
  expect_near(DenseData<double>(Mt.view(), Layout::column_major));
  for (const Layout layout : {Layout::row_major, Layout::column_major})
    expect_near(*to_stream<double>(M, {.layout = layout, .sparse = false, .lines = 48}));
  expect_near(TransposedData<double>(std::make_unique<DenseData<double>>(Mt.view())));
}

TEST_F(WrongCheckpoint, WithMissingOrImpossiblePartsIsRefused) {
  const Checkpoint<double> good = checkpoint_;
  checkpoint_.numbers.erase("flops");
  expect_refused("The checkpoint lacks 'flops'");
  checkpoint_ = good;
  checkpoint_.numbers["half_steps"] = 1e300;
  expect_refused("'half_steps' is 1e+300");
  checkpoint_ = good;
  checkpoint_.matrices["W.base"] = Matrix<double>(2, 3);
  expect_refused("'W.base' is 2 x 3 and should be 12 x 3");
  checkpoint_ = good;
  checkpoint_.trace.clear();
  expect_refused("it has no trace");
}

}  // namespace
}  // namespace anmf::test::checkpoint_properties
