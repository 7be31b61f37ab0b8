// SPDX-License-Identifier: MIT
// The paper's cost model on the paper's ten data sets (its Tables 1 and 2).
#include "core/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/inner_stop.h"
#include "core/random.h"
#include "support/naive_nmf.h"

namespace anmf::test::cost_model_test {
namespace {

double rho_w(Index m, Index n, Index K, Index r) { return cost::rho(K, m, n, r); }
double rho_h(Index m, Index n, Index K, Index r) { return cost::rho(K, n, m, r); }

/// rho by exact fractions, rounded to three decimals, and floor(1 + alpha rho) for alpha = 1/2 and 2.
struct Case {
  const char* name;
  Index m, n, K, r;
  double rho_w, rho_h;
  Index half_w, half_h, twice_w, twice_h;
};

constexpr Case kCases[] = {
    {"ORL", 10304, 400, 4121600, 30, 13.941, 358.316, 7, 180, 28, 717},
    {"ORL", 10304, 400, 4121600, 60, 7.596, 195.256, 4, 98, 16, 391},
    {"Umist", 10304, 575, 5924800, 30, 19.602, 350.729, 10, 176, 40, 702},
    {"Umist", 10304, 575, 5924800, 60, 10.481, 187.544, 6, 94, 21, 376},
    {"CBCL", 361, 2429, 876869, 30, 85.866, 12.789, 43, 7, 172, 26},
    {"CBCL", 361, 2429, 876869, 60, 47.438, 7.064, 24, 4, 95, 15},
    {"Frey", 560, 1965, 1100400, 30, 67.783, 19.340, 34, 10, 136, 39},
    {"Frey", 560, 1965, 1100400, 60, 36.665, 10.461, 19, 6, 74, 21},
    {"classic", 7094, 41681, 223839, 10, 9.210, 1.643, 5, 1, 19, 4},
    {"classic", 7094, 41681, 223839, 20, 8.098, 1.418, 5, 1, 17, 3},
    {"sports", 8580, 14870, 1091723, 10, 14.143, 8.199, 8, 5, 29, 17},
    {"sports", 8580, 14870, 1091723, 20, 8.710, 5.046, 5, 3, 18, 11},
    {"reviews", 4069, 18483, 758635, 10, 22.079, 4.931, 12, 3, 45, 10},
    {"reviews", 4069, 18483, 758635, 20, 14.204, 3.164, 8, 2, 29, 7},
    {"hitech", 2301, 10080, 331373, 10, 18.075, 4.196, 10, 3, 37, 9},
    {"hitech", 2301, 10080, 331373, 20, 12.030, 2.783, 7, 2, 25, 6},
    {"ohscal", 11162, 11465, 674365, 10, 7.426, 7.232, 4, 4, 15, 15},
    {"ohscal", 11162, 11465, 674365, 20, 4.855, 4.728, 3, 3, 10, 10},
    {"la1", 3204, 31472, 484024, 10, 23.663, 2.491, 12, 2, 48, 5},
    {"la1", 3204, 31472, 484024, 20, 17.549, 1.829, 9, 1, 36, 4},
};

TEST(Rho, HasTheValuesOfThePapersDataSets) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.name << ", r = " << c.r);
    EXPECT_NEAR(rho_w(c.m, c.n, c.K, c.r), c.rho_w, 0.0005);
    EXPECT_NEAR(rho_h(c.m, c.n, c.K, c.r), c.rho_h, 0.0005);
  }
}

TEST(Rho, GivesTheBudgetsOfThePapersDataSets) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.name << ", r = " << c.r);
    const double w = rho_w(c.m, c.n, c.K, c.r);
    const double h = rho_h(c.m, c.n, c.K, c.r);
    EXPECT_EQ(inner_budget(0, w), 1);
    EXPECT_EQ(inner_budget(0, h), 1);
    EXPECT_EQ(inner_budget(0.5, w), c.half_w);
    EXPECT_EQ(inner_budget(0.5, h), c.half_h);
    EXPECT_EQ(inner_budget(2, w), c.twice_w);
    EXPECT_EQ(inner_budget(2, h), c.twice_h);
  }
}

TEST(Rho, HasTheValuesOfTheExampleInTheText) {
  EXPECT_NEAR(rho_w(361, 2429, 361 * 2429, 20), 123.07, 0.005);
  EXPECT_NEAR(rho_h(361, 2429, 361 * 2429, 20), 18.33, 0.005);
}

/// One row of a table of the paper: two ranks, and rho as printed for each.
struct Printed {
  const char* name;
  Index m, n, K, r[2];
  double rho_w[2], rho_h[2];
};

// Table 1 prints each column under the other one's header. Entries are floors; two are rounded, as marked.
TEST(Rho, ReproducesTable1WithItsHeadersExchanged) {
  const Printed table[] = {
      {"ORL", 10304, 400, 10304 * 400, {30, 60}, {13, 7}, {358, 195}},
      {"Umist", 10304, 575, 10304 * 575, {30, 60}, {19, 10}, {351 /*rounded*/, 188 /*rounded*/}},
      {"CBCL", 361, 2429, 361 * 2429, {30, 60}, {85, 47}, {12, 7}},
      {"Frey", 560, 1965, 560 * 1965, {30, 60}, {67, 36}, {19, 10}},
  };
  for (const Printed& row : table) {
    const bool rounded = row.n == 575;
    for (const int k : {0, 1}) {
      SCOPED_TRACE(testing::Message() << row.name << ", r = " << row.r[k]);
      const double h = rho_h(row.m, row.n, row.K, row.r[k]);
      EXPECT_EQ(std::floor(rho_w(row.m, row.n, row.K, row.r[k])), row.rho_w[k]);
      EXPECT_EQ(rounded ? std::round(h) : std::floor(h), row.rho_h[k]);
    }
  }
}

// Table 2 says r = 10, 20 but was computed for one and two times the number of classes of each collection.
TEST(Rho, ReproducesTable2AtTheNumbersOfClasses) {
  const Printed table[] = {
      {"classic", 7094, 41681, 223839, {4, 8}, {12, 9}, {2, 1}},
      {"sports", 8580, 14870, 1091723, {7, 14}, {18, 11}, {10, 6}},
      {"reviews", 4069, 18483, 758635, {5, 10}, {35, 22}, {8, 4}},
      {"hitech", 2301, 10080, 331373, {6, 12}, {25, 16}, {5, 4 /*rounded*/}},
      {"ohscal", 11162, 11465, 674365, {10, 20}, {7, 4}, {7, 4}},
      {"la1", 3204, 31472, 484024, {6, 12}, {31, 21}, {3, 2}},
  };
  for (const Printed& row : table) {
    for (const int k : {0, 1}) {
      SCOPED_TRACE(testing::Message() << row.name << ", r = " << row.r[k]);
      const bool rounded = row.m == 2301 && k == 1;
      const double h = rho_h(row.m, row.n, row.K, row.r[k]);
      EXPECT_EQ(std::floor(rho_w(row.m, row.n, row.K, row.r[k])), row.rho_w[k]);
      EXPECT_EQ(rounded ? std::round(h) : std::floor(h), row.rho_h[k]);
    }
  }
}

Index random_size(Index largest, std::uint64_t stream, Index k) {
  return 1 + static_cast<Index>(static_cast<double>(largest) * std::pow(uniform(61, stream, k), 3));
}

TEST(Rho, EqualsTheFormulaOfThePaperForRandomShapes) {
  for (Index k = 0; k < 2000; ++k) {
    const Index m = random_size(100000, 0, k);
    const Index n = random_size(100000, 1, k);
    const Index r = random_size(200, 2, k);
    const Index K = random_size(m * n, 3, k);
    EXPECT_DOUBLE_EQ(rho_w(m, n, K, r), naive::rho_w(m, n, r, K));
    EXPECT_DOUBLE_EQ(rho_h(m, n, K, r), naive::rho_h(m, n, r, K));
  }
}

TEST(Rho, ObeysTheBoundsOfThePaperForRandomShapes) {
  int sparse_shapes = 0;
  for (Index k = 0; k < 2000; ++k) {
    SCOPED_TRACE(k);
    const Index m = random_size(100000, 4, k);
    const Index n = random_size(100000, 5, k);
    const Index r = random_size(200, 6, k);
    const Index least = r * (m + n);
    const auto rank = static_cast<double>(r);
    if (least <= m * n) {
      ++sparse_shapes;
      for (const Index K : {least, least + (m * n - least) / 3}) {
        EXPECT_GE(rho_w(m, n, K, r), 2 * rank / (rank + 1));
        EXPECT_GE(rho_h(m, n, K, r), 2 * rank / (rank + 1));
      }
    }
    EXPECT_GE(rho_w(m, n, m * n, r), 1 + static_cast<double>(n) / (rank + 1));
    EXPECT_GE(rho_h(m, n, m * n, r), 1 + static_cast<double>(m) / (rank + 1));
  }
  EXPECT_GT(sparse_shapes, 1000);
}

TEST(CostModel, CountsTheFlopsOfThePaper) {
  // K = 7 nonzeros, N = 5 rows, 3 rows of the other factor, r = 2.
  EXPECT_EQ(cost::products(7, 3, 2), 2 * 7 * 2 + 2 * 3 * 4);
  EXPECT_EQ(cost::mu_sweep(5, 2), 2 * 5 * 4 + 2 * 5 * 2);
  EXPECT_EQ(cost::hals_sweep(5, 2), 2 * 5 * 4 + 5 * 2);
  EXPECT_EQ(cost::pg_gradient(5, 2), 2 * 5 * 4);
  EXPECT_EQ(cost::pg_trial(5, 2), 2 * 5 * 4 + 2 * 5 * 2);
}

TEST(CostModel, MeasuresRhoFromBothProductsOfAHalfStep) {
  // As the paper times HALS: what the first sweep needs beyond itself is M H' and H H'.
  EXPECT_DOUBLE_EQ(cost::measured_rho(0.06, 0.02, 0.01), 9);
  EXPECT_DOUBLE_EQ(cost::measured_rho(0, 0.02, 0.01), 3);
  EXPECT_DOUBLE_EQ(cost::measured_rho(0.06, 0, 0.01), 7);
  EXPECT_TRUE(std::isfinite(cost::measured_rho(1, 1, 0)));
}

TEST(CostModel, DoesNotOverflowForTheLargestMatrices) {
  constexpr Index kLarge = Index{1} << 62U;

  EXPECT_DOUBLE_EQ(cost::products(kLarge, 1, 1000), 2000 * std::ldexp(1.0, 62) + 2e6);
  EXPECT_GT(cost::rho(kLarge, 1, 1, 1), std::ldexp(1.0, 60));
}

}  // namespace
}  // namespace anmf::test::cost_model_test
