// SPDX-License-Identifier: MIT
// The maps on the page of a survey, against loops over pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "square_map.h"
#include "survey_report_fixture.h"

namespace anmf::test {
namespace {

using report::SpectraGroup;
using report::SquareMap;

int map_byte(const std::vector<std::uint8_t>& triangle, Index a, Index b) {
  return triangle[static_cast<std::size_t>(a * (a + 1) / 2 + b)];
}

TEST(SpectraGroups, HaveTheMostTypicalFirstAndThoseLeftOutLast) {
  const std::vector<Index> labels = {2, 0, kNoCluster, 0, 2, 0};
  const std::vector<double> silhouettes = {0.1, 0.2, 0.9, RankSummary::kNone, 0.5, 0.7};

  const auto groups = report::spectra_groups(labels, silhouettes, 3, 100);

  ASSERT_EQ(groups.size(), 3U);  // cluster 1 is empty
  EXPECT_EQ(groups[0].cluster, 0);
  EXPECT_EQ(groups[0].members, (std::vector<Index>{5, 1, 3}));
  EXPECT_EQ(groups[1].cluster, 2);
  EXPECT_EQ(groups[1].members, (std::vector<Index>{4, 0}));
  EXPECT_EQ(groups[2].cluster, kNoCluster);
  EXPECT_EQ(groups[2].members, (std::vector<Index>{2}));
  EXPECT_EQ(groups[0].pixels, 3);
  EXPECT_EQ(groups[1].pixels, 2);
}

TEST(SpectraGroups, ShareThePixelsButHaveOneAtLeast) {
  std::vector<Index> labels(1000, 0);
  std::fill(labels.begin() + 700, labels.begin() + 999, 1);
  labels[999] = 2;

  const auto groups = report::spectra_groups(labels, {}, 3, 100);

  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].pixels, 70);
  EXPECT_EQ(groups[1].pixels, 29);
  EXPECT_EQ(groups[2].pixels, 1);
}

TEST(DistanceMap, HasTheDistanceOfTwoSpectraInEveryPixel) {
  const Matrix<double> spectra = drawn_spectra(7, 5);
  const std::vector<SpectraGroup> groups = {{.cluster = 0, .members = {4, 2, 6}, .pixels = 3},
                                            {.cluster = 1, .members = {0, 5}, .pixels = 2}};
  const std::vector<Index> order = {4, 2, 6, 0, 5};

  const SquareMap map = report::distance_map(spectra.view(), groups, 2);

  ASSERT_EQ(map.size, 5);
  ASSERT_EQ(map.triangle.size(), 15U);
  double largest = 0;
  for (const Index a : order) {
    for (const Index b : order) largest = std::max(largest, cosine_distance(spectra, a, b));
  }
  EXPECT_NEAR(map.max, largest, 1e-12);
  for (Index a = 0; a < 5; ++a) {
    for (Index b = 0; b <= a; ++b) {
      const double expected =
          cosine_distance(spectra, order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
      EXPECT_NEAR(map_byte(map.triangle, a, b), 255 * expected / largest, 0.5 + 1e-9) << a << " " << b;
    }
  }
}

TEST(DistanceMap, HasTheMeanWhereAPixelStandsForSeveralSpectra) {
  Matrix<double> spectra = drawn_spectra(10, 4200);  // more columns than are looked at together
  for (Index j = 0; j < spectra.cols(); ++j) spectra(7, j) = 0;
  const std::vector<SpectraGroup> groups = {{.cluster = 0, .members = {9, 1, 3, 2, 0}, .pixels = 2},
                                            {.cluster = 1, .members = {8, 7, 6}, .pixels = 1}};
  // Pixels stand for 9 and 1; 3, 2 and 0; 8, 7 and 6.
  const std::vector<std::vector<Index>> pixels = {{9, 1}, {3, 2, 0}, {8, 7, 6}};

  const SquareMap map = report::distance_map(spectra.view(), groups, 1);

  ASSERT_EQ(map.size, 3);
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b <= a; ++b) {
      double sum = 0;
      const auto& those = pixels[static_cast<std::size_t>(a)];
      const auto& these = pixels[static_cast<std::size_t>(b)];
      for (const Index i : those) {
        for (const Index j : these) sum += i == 7 || j == 7 ? 1 : cosine_distance(spectra, i, j);
      }
      const double mean = sum / static_cast<double>(those.size() * these.size());
      EXPECT_NEAR(map_byte(map.triangle, a, b), 255 * mean / map.max, 0.5 + 1e-9) << a << " " << b;
    }
  }
}

TEST(DistanceMap, DoesNotBlowUpTheNoiseOfEqualSpectra) {
  Matrix<double> spectra(4, 3);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 3; ++j) spectra(i, j) = static_cast<double>((i + 1) * (j + 1)) / 3;
  }
  const std::vector<SpectraGroup> groups = {{.cluster = 0, .members = {0, 1, 2, 3}, .pixels = 4}};

  const SquareMap map = report::distance_map(spectra.view(), groups, 1);

  EXPECT_EQ(map.max, 0.01);
  EXPECT_EQ(map.triangle, std::vector<std::uint8_t>(10, 0));
}

TEST(ShareMap, HasMeansOfBlocks) {
  Matrix<float> shares(5, 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j)
      shares(i, j) = i == j ? 1.0F : static_cast<float>(std::min(i, j) + 1) / 8.0F;
  }

  const SquareMap all = report::share_map(shares, 9);
  const SquareMap map = report::share_map(shares, 2);

  EXPECT_EQ(all.size, 5);
  EXPECT_EQ(map_byte(all.triangle, 4, 4), 255);
  EXPECT_EQ(map_byte(all.triangle, 4, 2), 96);  // 255 * 3 / 8 = 95.6
  ASSERT_EQ(map.size, 2);
  EXPECT_EQ(map.max, 1);
  // 0 and 1; 2, 3 and 4.
  EXPECT_EQ(map_byte(map.triangle, 0, 0), std::lround(255 * (1 + 1 + 2.0 / 8) / 4));
  EXPECT_EQ(map_byte(map.triangle, 1, 0), std::lround(255 * (3.0 / 8 + 6.0 / 8) / 6));
  EXPECT_EQ(map_byte(map.triangle, 1, 1), std::lround(255 * (3 + 2 * (3 + 3 + 4) / 8.0) / 9));
}

}  // namespace
}  // namespace anmf::test
