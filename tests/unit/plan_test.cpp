// SPDX-License-Identifier: MIT
#include "outer/plan.h"

#include <gtest/gtest.h>

namespace anmf::test::plan_test {
namespace {

Index chosen(const Options& options, Index rows, Index cols) {
  return choose_compression(options, rows, cols, rows * cols);
}

TEST(ChooseCompression, IsForLargeDenseMatricesAndTheMethodAuto) {
  const Options options{.rank = 50};
  EXPECT_EQ(chosen(options, 20000, 5000), 60);
  EXPECT_EQ(chosen(options, 5000, 20000), 60);
  EXPECT_EQ(chosen(options, 300, 200), 0);
  EXPECT_EQ(choose_compression(options, 20000, 5000, 1'000'000), 0);  // sparse
  EXPECT_EQ(choose_compression(options, 4'000'000'000, 4'000'000'000, 1'000'000'000), 0);
  EXPECT_EQ(chosen({.rank = 50, .method = "e-a-hals"}, 20000, 5000), 0);
}

TEST(ChooseCompression, AsksForProductsTenTimesCheaper) {
  // m = n: m / (2 l) >= 10 with l = 20.
  EXPECT_EQ(chosen({.rank = 10}, 400, 400), 20);
  EXPECT_EQ(chosen({.rank = 10}, 399, 400), 0);
}

TEST(ChooseCompression, CanBeForcedOnAndOff) {
  EXPECT_EQ(chosen({.rank = 50, .compress = Compress::off}, 20000, 5000), 0);
  EXPECT_EQ(chosen({.rank = 5, .method = "a-hals", .compress = Compress::on}, 300, 200), 15);
  EXPECT_EQ(chosen({.rank = 5, .compress = Compress::on}, 300, 8), 8);  // no wider than M
}

}  // namespace
}  // namespace anmf::test::plan_test
