// SPDX-License-Identifier: MIT
// A factorization of a matrix that is read block by block is that of the matrix in memory, and reads it once
// per iteration where the method allows it.
#include <gtest/gtest.h>

#include "support/memory_source.h"

namespace anmf::test::one_pass_properties {
namespace {

struct Variant {
  const char* name;
  const char* method;
  std::optional<InnerStopMode> inner_stop = std::nullopt;
  bool one_pass = true;
  bool extrapolated = false;
};

constexpr auto kBlock = InnerStopMode::block;
const Variant kVariants[] = {{"e_a_hals", "e-a-hals", {}, true, true},
                             {"e_a_mu", "e-a-mu", {}, true, true},
                             {"a_hals_block", "a-hals", kBlock},
                             {"hals", "hals"},
                             {"mu", "mu"},
                             {"a_hals", "a-hals", {}, false},
                             {"a_pg", "a-pg", {}, false},
                             {"anls", "anls", {}, false}};

class OnePass : public testing::TestWithParam<Variant> {
 protected:
  static Options options(Side first, Index iterations) {
    return {.rank = 5,
            .method = GetParam().method,
            .inner_stop = GetParam().inner_stop,
            .seed = 3,
            .max_iterations = iterations,
            .tolerance = 0,
            .first = first,
            .threads = 1};
  }
};

TEST_P(OnePass, HasTheIteratesOfTheMatrixInMemory) {
  const Matrix<double> M = planted(230, 170, 5, 81, 0.3);
  const Matrix<double> sparse_M = random_matrix(230, 170, 82, 0.8);
  const DenseData<double> dense(M.view());
  const auto sparse = to_sparse(sparse_M);
  for (const Blocks& how : all_kinds(96)) {
    for (const Side first : {Side::W, Side::H}) {
      SCOPED_TRACE(testing::Message()
                   << "sparse " << how.sparse << ", by rows " << (how.layout == Layout::row_major)
                   << ", first " << (first == Side::W ? "W" : "H"));
      const Data<double>& reference = how.sparse ? static_cast<const Data<double>&>(*sparse) : dense;
      const auto data = to_stream<double>(how.sparse ? sparse_M : M, how);
      Options settings = options(first, 20);

      const Result<double> expected = factorize<double>(reference, settings);
      const Result<double> result = factorize<double>(*data, settings);

      EXPECT_LE(max_difference(result.W, expected.W), 1e-10);
      EXPECT_LE(max_difference(result.H, expected.H), 1e-10);
      EXPECT_NEAR(result.error, expected.error, 1e-10 * expected.error);
      EXPECT_NEAR(result.kkt, expected.kkt, 1e-9);
      EXPECT_EQ(result.trace.back().flops, expected.trace.back().flops);
      for (const int threads : {2, 3}) {
        settings.threads = threads;
        const Result<double> again = factorize<double>(*data, settings);
        EXPECT_EQ(again.W, result.W);
        EXPECT_EQ(again.H, result.H);
      }
    }
  }
}

TEST_P(OnePass, ReadsTheMatrixOncePerIteration) {
  const Matrix<double> M = planted(230, 170, 5, 83, 0.3);
  for (const Side first : {Side::W, Side::H}) {
    const auto data = to_stream<double>(M, {});
    const auto passes = [&](Index iterations) {
      const Index before = data->statistics().passes;
      EXPECT_EQ(factorize<double>(*data, options(first, iterations)).iterations, iterations);
      return data->statistics().passes - before;
    };
    // A second factor that is extrapolated afterwards cannot be multiplied before.
    const bool once = GetParam().one_pass && (first == Side::W || !GetParam().extrapolated);
    EXPECT_EQ(passes(30) - passes(10), once ? 20 : 40) << (first == Side::W);
    EXPECT_LE(passes(0), 2);  // the scale of the start, then both gradients
  }
}

TEST_P(OnePass, HasTheSameIteratesWhereBlocksCutTheGroupsThatStopTogether) {
  const Matrix<double> M = planted(230, 170, 5, 88, 0.3);
  const Result<double> expected = factorize_dense(M, options(Side::W, 20));
  for (const Index lines : {20, 50}) {
    const auto data = to_stream<double>(M, {.lines = lines});
    const Result<double> result = factorize<double>(*data, options(Side::W, 20));
    EXPECT_LE(max_difference(result.W, expected.W), 1e-10);
    EXPECT_LE(max_difference(result.H, expected.H), 1e-10);
  }
}

/// Every checkpoint of a run leads to its end.
class Keeper final : public Observer<double> {
 public:
  Action on_iteration(const IterationRecord&, ConstMatrixView<double>, ConstMatrixView<double>) override {
    return Action::proceed;
  }
  bool checkpoint_due() override { return true; }
  void on_checkpoint(const Checkpoint<double>& checkpoint) override { checkpoints.push_back(checkpoint); }

  std::vector<Checkpoint<double>> checkpoints;
};

TEST_P(OnePass, IsResumedToTheSameBitsWhileGradientsAreLookedAt) {
  for (const Blocks& how : all_kinds(48)) {
    const auto data = to_stream<double>(random_matrix(230, 170, 84, 0.8), how);
    Options settings = options(how.layout == Layout::row_major ? Side::W : Side::H, 14);
    settings.tolerance = 1e-9;
    Keeper keeper;
    const Result<double> whole = factorize<double>(*data, settings, {}, &keeper);
    ASSERT_EQ(keeper.checkpoints.size(), 15U);
    for (std::size_t k = 0; k < 15; k += 4) {
      settings.threads = 1 + static_cast<int>(k % 3);
      const Result<double> result = resume<double>(*data, settings, keeper.checkpoints[k]);
      EXPECT_EQ(result.W, whole.W);
      EXPECT_EQ(result.H, whole.H);
      EXPECT_EQ(result.kkt, whole.kkt);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, OnePass, testing::ValuesIn(kVariants),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(OnePassRun, LooksAtTheGradientOnceInAboutTenPasses) {
  const Matrix<double> M = planted(230, 170, 5, 85, 0.3);
  const auto data = to_stream<double>(M, {});
  const auto passes = [&](double tolerance) {
    const Index before = data->statistics().passes;
    (void)factorize<double>(*data,
                            {.rank = 5, .method = "hals", .max_iterations = 50, .tolerance = tolerance});
    return data->statistics().passes - before;
  };
  const Index looks = passes(1e-12) - passes(0);
  EXPECT_GE(looks, 3);
  EXPECT_LE(looks, 5);
}

TEST(OnePassRun, IsTheSameForAMatrixFarFromOne) {
  Matrix<double> M = planted(230, 170, 5, 86, 0.3);
  const Options options{.rank = 5, .method = "e-a-hals", .max_iterations = 20, .tolerance = 0};
  const Result<double> expected = factorize<double>(*to_stream<double>(M, {}), options);
  for (double& x : M.values()) x *= 0x1p400;

  const Result<double> result = factorize<double>(*to_stream<double>(M, {}), options);

  EXPECT_NEAR(result.relative_error, expected.relative_error, 1e-10);
  for (Index k = 0; k < expected.W.size(); ++k) {
    ASSERT_NEAR(result.W.data()[k], 0x1p200 * expected.W.data()[k], 0x1p200 * 1e-10);
  }
}

TEST(OnePassRun, ShufflesTheComponentsOncePerHalfStep) {
  const Matrix<double> M = planted(230, 170, 5, 87, 0.3);
  const Options options{
      .rank = 5, .method = "e-a-hals", .max_iterations = 20, .tolerance = 0, .shuffle = true};
  const Result<double> expected = factorize_dense(M, options);

  const Result<double> result = factorize<double>(*to_stream<double>(M, {}), options);

  EXPECT_LE(max_difference(result.W, expected.W), 1e-10);
  EXPECT_LE(max_difference(result.H, expected.H), 1e-10);
}

TEST(OnePassRun, ReadsAgainWhereAComponentIsRevived) {
  // More components than rows: some become zero.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Matrix<double> M = random_matrix(7, 5, seed, 0.6);
    for (const char* method : {"e-a-hals", "hals"}) {
      const Options options{
          .rank = 9, .method = method, .seed = seed, .max_iterations = 3, .tolerance = 0, .threads = 1};
      const Result<double> expected = factorize_dense(M, options);
      const Result<double> result = factorize<double>(*to_stream<double>(M, {}), options);
      EXPECT_NEAR(result.error, direct_error(M, result), 1e-9 * frobenius(M));
      EXPECT_LE(max_difference(result.W, expected.W), 1e-10);
      EXPECT_LE(max_difference(result.H, expected.H), 1e-10);
    }
  }
}

}  // namespace
}  // namespace anmf::test::one_pass_properties
