// SPDX-License-Identifier: MIT
#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.h"

namespace anmf::test::random_test {
namespace {

/// A line of Random123's file of known answers, for philox2x64 with 10 rounds.
struct KnownAnswer {
  std::uint64_t counter[2];
  std::uint64_t key;
  std::uint64_t answer[2];
};

constexpr KnownAnswer kKnownAnswers[] = {
    {{0, 0}, 0, {0xca00a0459843d731, 0x66c24222c9a845b5}},
    {{0xffffffffffffffff, 0xffffffffffffffff}, 0xffffffffffffffff, {0x65b021d60cd8310f, 0x4d02f3222f86df20}},
    {{0x243f6a8885a308d3, 0x13198a2e03707344}, 0xa4093822299f31d0, {0x0a5e742c2997341c, 0xb0f883d38000de5d}},
};

TEST(Random, GeneratorGivesThePublishedAnswers) {
  for (const KnownAnswer& known : kKnownAnswers) {
    const r123::Philox2x64::ctr_type counter = {{known.counter[0], known.counter[1]}};
    const r123::Philox2x64::key_type key = {{known.key}};

    const r123::Philox2x64::ctr_type answer = r123::Philox2x64()(counter, key);

    EXPECT_EQ(answer[0], known.answer[0]);
    EXPECT_EQ(answer[1], known.answer[1]);
  }
}

TEST(Random, UniformIsTheTop53BitsOfTheFirstWord) {
  for (const KnownAnswer& known : kKnownAnswers) {
    const double u = uniform(known.key, known.counter[1], static_cast<Index>(known.counter[0]));

    EXPECT_EQ(u, std::ldexp(static_cast<double>(known.answer[0] >> 11U), -53));
  }
}

TEST(Random, UniformIsAtLeast0AndBelow1) {
  for (Index position = 0; position < 100000; ++position) {
    const double u = uniform(1, 0, position);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
  }
}

TEST(Random, UniformIsAPureFunctionOfItsArguments) {
  std::vector<double> forward;
  for (Index position = 0; position < 1000; ++position) forward.push_back(uniform(3, 1, position));

  std::vector<double> backward;
  for (Index position = 999; position >= 0; --position) backward.push_back(uniform(3, 1, position));
  std::reverse(backward.begin(), backward.end());

  EXPECT_EQ(forward, backward);
}

TEST(Random, SeedsStreamsAndPositionsGiveDifferentNumbers) {
  std::vector<double> numbers;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      for (Index position = 0; position < 20; ++position) numbers.push_back(uniform(seed, stream, position));
    }
  }

  std::sort(numbers.begin(), numbers.end());

  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
}

// Limits of five standard deviations around the moments of the uniform distribution.
TEST(Random, HasTheMomentsOfTheUniformDistribution) {
  constexpr Index kCount = 100000;
  const double root = std::sqrt(static_cast<double>(kCount));
  for (const std::uint64_t seed : {0U, 1U, 12345U}) {
    double sum = 0;
    double sum_of_squares = 0;
    double sum_of_neighbours = 0;
    double sum_of_streams = 0;
    for (Index position = 0; position < kCount; ++position) {
      const double centred = uniform(seed, 0, position) - 0.5;
      sum += centred;
      sum_of_squares += centred * centred;
      sum_of_neighbours += centred * (uniform(seed, 0, position + 1) - 0.5);
      sum_of_streams += centred * (uniform(seed, 1, position) - 0.5);
    }

    EXPECT_LT(std::abs(sum / kCount), 5 * std::sqrt(1.0 / 12) / root);
    EXPECT_LT(std::abs(sum_of_squares / kCount - 1.0 / 12), 5 * std::sqrt(1.0 / 180) / root);
    EXPECT_LT(std::abs(sum_of_neighbours / kCount), 5 * (1.0 / 12) / root);
    EXPECT_LT(std::abs(sum_of_streams / kCount), 5 * (1.0 / 12) / root);
  }
}

// The same limits for |N(0, 1)|, whose moments are sqrt(2 / pi) and 1, and the share below the median.
TEST(Random, HasTheMomentsOfTheHalfNormalDistribution) {
  constexpr Index kCount = 100000;
  const double root = std::sqrt(static_cast<double>(kCount));
  for (const std::uint64_t seed : {0U, 1U, 12345U}) {
    double sum = 0;
    double sum_of_squares = 0;
    double below_median = 0;
    double beyond_three = 0;
    for (Index position = 0; position < kCount; ++position) {
      const double x = half_normal(seed, 3, position);
      ASSERT_GE(x, 0);
      ASSERT_LT(x, 9);
      sum += x;
      sum_of_squares += x * x;
      below_median += x < 0.674489750196082 ? 1 : 0;
      beyond_three += x > 3 ? 1 : 0;
    }

    EXPECT_LT(std::abs(sum / kCount - std::sqrt(2 / std::acos(-1.0))), 5 * 0.603 / root);
    EXPECT_LT(std::abs(sum_of_squares / kCount - 1), 5 * std::sqrt(2.0) / root);
    EXPECT_LT(std::abs(below_median / kCount - 0.5), 5 * 0.5 / root);
    EXPECT_NEAR(beyond_three, 0.0026998 * kCount, 5 * std::sqrt(0.0027 * kCount));
  }
}

TEST(Random, FillsEveryTenthOfTheIntervalAlike) {
  constexpr Index kCount = 100000;
  std::array<int, 10> counts{};
  for (Index position = 0; position < kCount; ++position) {
    ++counts.at(static_cast<std::size_t>(10 * uniform(7, 0, position)));
  }

  for (const int count : counts) EXPECT_NEAR(count, kCount / 10, 5 * std::sqrt(0.09 * kCount));
}

}  // namespace
}  // namespace anmf::test::random_test
