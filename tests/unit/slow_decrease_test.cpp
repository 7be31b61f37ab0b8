// SPDX-License-Identifier: MIT
#include "outer/slow_decrease.h"

#include <gtest/gtest.h>

#include <span>

namespace anmf::test::slow_decrease_test {
namespace {

/// How many of these errors are seen before the run is stopped; all of them if it is not.
std::size_t seen(double squared_loss, std::span<const double> errors) {
  SlowDecrease<double> rule(squared_loss);
  std::size_t count = 0;
  for (const double error : errors) {
    ++count;
    if (rule.on_iteration({.error = error}, {}, {}) == Observer<double>::Action::stop) break;
  }
  return count;
}

TEST(SlowDecrease, LetsAFallingErrorFall) {
  const std::vector<double> errors = {10, 9, 8, 7, 6, 5, 4.5, 4, 3.5, 3};
  EXPECT_EQ(seen(0, errors), errors.size());
}

TEST(SlowDecrease, StopsWhenFourIterationsGainLittle) {
  // From 4 on 2.5e-4 of itself per iteration; four of these in a row are seen at 3.996.
  const std::vector<double> errors = {10, 9, 8, 7, 6, 5, 4, 3.999, 3.998, 3.997, 3.996, 3.995};
  EXPECT_EQ(seen(0, errors), 11U);
}

TEST(SlowDecrease, MeasuresTheGainBesideWhatTheCompressionLost) {
  const std::vector<double> errors = {10, 9, 8, 7, 6, 5, 4, 3};
  EXPECT_EQ(seen(1e6, errors), 7U);  // as soon as it may
}

TEST(SlowDecrease, AnIterationThatWasUndoneDecidesNothing) {
  const std::vector<double> errors = {4, 4, 4, 4, 4, 4.0, 3.9999, 3.9999, 3.9998};
  EXPECT_EQ(seen(0, errors), 7U);
  const std::vector<double> undone_first = {10, 9, 8, 4, 3.9999, 3.9998, 3.9998, 3.9997};
  EXPECT_EQ(seen(0, undone_first), 8U);
}

TEST(SlowDecrease, AnErrorThatStaysIsTheEnd) {
  const std::vector<double> errors = {10, 5, 2, 1, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(seen(0, errors), 9U);
}

}  // namespace
}  // namespace anmf::test::slow_decrease_test
