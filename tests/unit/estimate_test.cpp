// SPDX-License-Identifier: MIT
#include "anmf/estimate.h"

#include <gtest/gtest.h>

#include "anmf/error.h"

namespace anmf::test::estimate_test {
namespace {

constexpr Index kRows = 300;
constexpr Index kCols = 200;
constexpr Index kNonzeros = 6000;

IterationFlops flops(const Options& options) { return iteration_flops(kRows, kCols, kNonzeros, options); }

/// 2 K r for each product, 2 (m + n) r^2 for the Gram matrices, as much again and (m + n) r for the sweeps.
constexpr double kHalsIteration = 4 * 6000 * 10 + 2 * 500 * 100 + 2 * 500 * 100 + 500 * 10;

TEST(IterationFlops, OfOneSweepEachAreThoseOfThePaper) {
  const IterationFlops hals = flops({.rank = 10, .method = "hals"});
  EXPECT_EQ(hals.least, kHalsIteration);
  EXPECT_EQ(hals.most, kHalsIteration);
}

TEST(IterationFlops, AreARangeWhereInnerIterationsEndByThemselves) {
  // rho_W = 1 + (6000 + 2000) / 3300 and rho_H = 1 + (6000 + 3000) / 2200: alpha 1 allows 4 and 6 sweeps.
  const IterationFlops block = flops({.rank = 10, .method = "e-a-hals", .alpha = 1});
  EXPECT_EQ(block.least, kHalsIteration);
  EXPECT_EQ(block.most, kHalsIteration + 3 * (300 * 210) + 5 * (200 * 210));
}

TEST(IterationFlops, HaveNoUpperBoundWhereOnlyTheRunCanTell) {
  for (const char* method : {"pg", "a-pg", "anls"}) EXPECT_FALSE(flops({.rank = 10, .method = method}).most);
  const IterationFlops timed = flops({.rank = 10, .method = "a-hals", .rho = RhoSource::measured});
  EXPECT_EQ(timed.least, kHalsIteration);
  EXPECT_FALSE(timed.most);
}

TEST(IterationFlops, RefuseAnUnknownMethod) {
  EXPECT_THROW(static_cast<void>(flops({.rank = 10, .method = "halz"})), InvalidInput);
}

TEST(RunMemory, CountsWhatTheOptionsAskFor) {
  const auto memory = [](const Options& options) {
    return run_memory<double>(kRows, kCols, kRows * kCols, options, 1);
  };
  const double factors = 500 * 10 * sizeof(double);
  const RunMemory plain = memory({.rank = 10, .method = "a-hals"});
  EXPECT_EQ(plain.compression, 0);
  EXPECT_GE(plain.loop, 2 * factors);
  EXPECT_EQ(plain.checkpoint, factors);
  const RunMemory compressed = memory({.rank = 10, .method = "a-hals", .compress = Compress::on});
  EXPECT_GT(compressed.compression, plain.loop);
  const RunMemory exploring = memory({.rank = 10, .method = "a-hals", .explore = Explore::on});
  EXPECT_EQ(exploring.loop, plain.loop + factors);
  EXPECT_EQ(exploring.checkpoint, 2 * factors);
}

TEST(UpdatesWhileReading, IsForBlocksAndForOneSweep) {
  for (const char* method : {"e-a-hals", "e-a-mu", "hals", "mu"})
    EXPECT_TRUE(updates_while_reading({.method = method}, Side::W)) << method;
  for (const char* method : {"e-a-hals", "e-a-mu"})  // whose second factor is extrapolated later
    EXPECT_FALSE(updates_while_reading({.method = method}, Side::H)) << method;
  for (const char* method : {"hals", "mu"})
    EXPECT_TRUE(updates_while_reading({.method = method}, Side::H)) << method;
  for (const char* method : {"a-hals", "a-mu", "pg", "a-pg", "anls"})
    EXPECT_FALSE(updates_while_reading({.method = method}, Side::W)) << method;
  EXPECT_TRUE(updates_while_reading({.method = "a-hals", .inner_stop = InnerStopMode::block}, Side::H));
}

}  // namespace
}  // namespace anmf::test::estimate_test
