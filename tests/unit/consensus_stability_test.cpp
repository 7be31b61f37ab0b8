// SPDX-License-Identifier: MIT
// Silhouettes and instability beside scikit-learn and plain loops.
#include <array>
#include <limits>

#include "support/files_and_messages.h"
#include "support/spectra.h"

namespace anmf::test::consensus_stability_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kBoth = {Distance::euclidean, Distance::cosine};

double distance_by_name(const std::vector<double>& x, const std::vector<double>& y, Distance distance_kind) {
  return distance_kind == Distance::euclidean ? distance(x, y) : std::pow(distance(x, y), 2) / 2;
}

/// Of unit rows, from the definition.
std::vector<double> naive_silhouettes(const Matrix<double>& unit, const std::vector<Index>& labels, Index k,
                                      Distance kind) {
  std::vector<double> result;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoCluster) {
      result.push_back(kNaN);
      continue;
    }
    double inside = 0;
    double outside = std::numeric_limits<double>::infinity();
    Index own_size = 0;
    for (Index c = 0; c < k; ++c) {
      double sum = 0;
      Index size = 0;
      for (std::size_t j = 0; j < labels.size(); ++j) {
        if (labels[j] != c) continue;
        ++size;
        if (i == j) continue;
        sum +=
            distance_by_name(row_of(unit, static_cast<Index>(i)), row_of(unit, static_cast<Index>(j)), kind);
      }
      if (c == labels[i]) {
        own_size = size;
        inside = sum / static_cast<double>(size - 1);
      } else if (size > 0) {
        outside = std::min(outside, sum / static_cast<double>(size));
      }
    }
    const double larger = std::max(inside, outside);
    result.push_back(own_size == 1 || larger == 0 ? 0 : (outside - inside) / larger);
  }
  return result;
}

// sklearn.metrics.silhouette_samples and silhouette_score; some labels are wrong.
TEST(Silhouettes, AreThoseOfScikitLearn) {
  const Matrix<double> unit = unit_rows(spectra_of_starts(4, 3, 8).view());
  const std::vector<Index> labels = {1, 0, 2, 1, 2, 0, 2, 0, 1, 0, 1, 0};
  ThreadPool pool;
  const std::vector<Silhouettes> found = silhouettes(unit.view(), labels, 3, kBoth, pool);
  ASSERT_EQ(found.size(), 2U);
  expect_near(found[0].of_spectra,
              {-0.4491761656692694, -0.5866360839047078, 0.63929448186616, 0.37820404475372155,
               0.6435857012351326, 0.23361919512480991, 0.6034392226695104, 0.23720222907194088,
               0.32607591196113694, 0.2627042013670846, 0.4008810022858475, -0.6776161976437794},
              1e-14);
  EXPECT_NEAR(found[0].mean, 0.16763146192646564, 1e-14);
  expect_near(found[1].of_spectra,
              {-0.5652766790613639, -0.6754908950970269, 0.885747051199677, 0.4321315800236806,
               0.8838817356647106, 0.31768668804314315, 0.8561131320066252, 0.31314061572442836,
               0.433480649696735, 0.3338202066562813, 0.43557300289156076, -0.8932304440748613},
              1e-14);
  EXPECT_NEAR(found[1].mean, 0.2297980536394658, 1e-14);
}

TEST(Silhouettes, AreThoseOfTheDefinitionAtAwkwardSizes) {
  ThreadPool pool;
  for (const auto& [count, k, n] :
       {std::array<Index, 3>{3, 2, 1}, {5, 3, 2}, {65, 4, 3}, {129, 7, 5}, {64, 2, 9}}) {
    SCOPED_TRACE(testing::Message() << count << " x " << n << ", " << k);
    Matrix<double> X = random_matrix(count, n, 21);
    std::vector<Index> labels;
    for (Index i = 0; i < count; ++i) labels.push_back(i == 0 ? k - 1 : i % (k - 1));  // one is alone
    if (count > 60) {
      labels[7] = labels[30] = kNoCluster;
      clear_row(X, 30);
      clear_row(X, 31);                                       // which is in a cluster all the same
      for (Index j = 0; j < n; ++j) X(40, j) = 3 * X(41, j);  // the same
    }
    const Matrix<double> unit = unit_rows(X.view());
    const std::vector<Silhouettes> found =
        silhouettes(unit.view(), labels, k, std::span(kBoth).first(1), pool);
    ASSERT_EQ(found.size(), 1U);
    const std::vector<double> expected = naive_silhouettes(unit, labels, k, Distance::euclidean);
    expect_near(found[0].of_spectra, expected, 1e-12);
    std::vector<double> of_clusters(static_cast<std::size_t>(k), 0.0);
    std::vector<double> sizes(of_clusters);
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == kNoCluster) continue;
      sum += expected[i];
      of_clusters[static_cast<std::size_t>(labels[i])] += expected[i];
      ++sizes[static_cast<std::size_t>(labels[i])];
    }
    double members = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      of_clusters[c] /= sizes[c];
      members += sizes[c];
    }
    expect_near(found[0].of_clusters, of_clusters, 1e-12);
    EXPECT_NEAR(found[0].mean, sum / members, 1e-12);
    if (count < 60) {  // without rows of zeros, of which the cosine is not half the square
      expect_near(silhouettes(unit.view(), labels, k, std::span(kBoth).last(1), pool)[0].of_spectra,
                  naive_silhouettes(unit, labels, k, Distance::cosine), 1e-12);
    }
  }
}

TEST(Silhouettes, SeeDistancesFarBelowTheRoundingOfProducts) {
  const std::vector<double> angles = {0, 1e-9, 4e-9, 6e-9};  // sines of them, and distances
  Matrix<double> unit(4, 2);
  for (Index i = 0; i < 4; ++i) {
    unit(i, 0) = 1;
    unit(i, 1) = angles[static_cast<std::size_t>(i)];
  }
  const std::vector<Index> labels = {0, 0, 1, 1};
  ThreadPool pool;
  const std::vector<Silhouettes> found = silhouettes(unit.view(), labels, 2, kBoth, pool);
  expect_near(found[0].of_spectra, {1 - 1 / 5.0, 1 - 1 / 4.0, 1 - 2 / 3.5, 1 - 2 / 5.5}, 1e-12);
  expect_near(found[1].of_spectra, {1 - 1 / 26.0, 1 - 1 / 17.0, 1 - 4 / 12.5, 1 - 4 / 30.5}, 1e-12);
}

TEST(Silhouettes, OfTheSameSpectraAgainAndAgainAreOne) {
  ThreadPool pool;
  Matrix<double> X(6, 3);
  for (Index i = 0; i < 6; ++i) X(i, i % 2) = 5;
  X(5, 1) = 7;
  const std::vector<Index> labels = {0, 1, 0, 1, 0, 1};
  for (const Silhouettes& found : silhouettes(unit_rows(X.view()).view(), labels, 2, kBoth, pool)) {
    EXPECT_EQ(found.of_spectra, std::vector<double>(6, 1.0));
    EXPECT_EQ(found.mean, 1);
  }
  const Matrix<double> all_equal(4, 2, std::sqrt(0.5));  // both distances are 0
  const std::vector<Index> halves = {0, 0, 1, 1};
  for (const Silhouettes& found : silhouettes(all_equal.view(), halves, 2, kBoth, pool))
    EXPECT_EQ(found.mean, 0);
}

TEST(Silhouettes, AreNotKnownWhereThereIsNothingToCompare) {
  ThreadPool pool;
  const Matrix<double> unit = unit_rows(spectra_of_starts(1, 4, 6).view());
  for (const std::vector<Index>& labels :
       {std::vector<Index>{0, 0, 0, 0},                    // one cluster
        std::vector<Index>{3, 1, 2, 0},                    // every spectrum alone: one start
        std::vector<Index>{2, 2, kNoCluster, kNoCluster},  // the others are left out
        std::vector<Index>(4, kNoCluster)}) {
    for (const Silhouettes& found : silhouettes(unit.view(), labels, 4, kBoth, pool)) {
      expect_near(found.of_spectra, std::vector<double>(4, kNaN), 0);
      expect_near(found.of_clusters, std::vector<double>(4, kNaN), 0);
      EXPECT_TRUE(std::isnan(found.mean));
    }
  }
  const std::vector<Silhouettes> some =
      silhouettes(unit.view(), std::vector<Index>{0, 0, 2, kNoCluster}, 4, kBoth, pool);
  EXPECT_TRUE(std::isnan(some[0].of_clusters[1]));
  EXPECT_EQ(some[0].of_clusters[2], 0);
  EXPECT_TRUE(std::isnan(some[0].of_spectra[3]));
  EXPECT_FALSE(std::isnan(some[0].mean));
  EXPECT_TRUE(silhouettes(unit.view(), std::vector<Index>{0, 0, 1, 1}, 2, {}, pool).empty());
  EXPECT_EQ(silhouettes(Matrix<double>(0, 3).view(), {}, 0, kBoth, pool).size(), 2U);
}

TEST(Silhouettes, RefuseLabelsThatAreNone) {
  ThreadPool pool;
  const Matrix<double> unit = unit_rows(spectra_of_starts(1, 3, 4).view());
  const auto message = [&](const std::vector<Index>& labels, Index k) {
    return message_of<InvalidInput>([&] { (void)silhouettes(unit.view(), labels, k, kBoth, pool); });
  };
  expect_phrase(message({0, 1}, 2), "There are 2 labels for 3 spectra");
  expect_phrase(message({0, 1, 2}, 2), "labels[2] = 2; labels are 0 to k - 1 = 1, or -1");
  expect_phrase(message({0, -2, 1}, 2), "labels[1] = -2");
  expect_phrase(message({0, 1, 1}, -1), "k = -1");
}

TEST(Silhouettes, KnowNoOrderOfSpectraAndNoNamesOfClusters) {
  ThreadPool pool;
  const Matrix<double> unit = unit_rows(random_matrix(70, 6, 22).view());
  std::vector<Index> labels;
  std::vector<Index> order;
  for (Index i = 0; i < 70; ++i) {
    labels.push_back(i % 3);
    order.push_back((i * 37 + 5) % 70);
  }
  const std::vector<Silhouettes> found = silhouettes(unit.view(), labels, 3, kBoth, pool);
  std::vector<Index> moved;
  for (const Index i : order) moved.push_back((labels[static_cast<std::size_t>(i)] + 1) % 3);
  const std::vector<Silhouettes> again =
      silhouettes(rows_in_order(unit, order).view(), moved, 3, kBoth, pool);
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<double> expected;
    for (const Index i : order) expected.push_back(found[d].of_spectra[static_cast<std::size_t>(i)]);
    expect_near(again[d].of_spectra, expected, 1e-13);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(again[d].of_clusters[(c + 1) % 3], found[d].of_clusters[c], 1e-13);
  }
}

TEST(Silhouettes, HaveTheSameBitsForAnyThreads) {
  const Matrix<double> unit = unit_rows(random_matrix(301, 67, 23).view());
  std::vector<Index> labels;
  for (Index i = 0; i < 301; ++i) labels.push_back(i % 11 == 0 ? kNoCluster : i % 5);
  expect_same_for_all_threads([&](ThreadPool& pool) {
    std::vector<double> numbers;
    for (const Silhouettes& found : silhouettes(unit.view(), labels, 5, kBoth, pool)) {
      numbers.insert(numbers.end(), found.of_spectra.begin(), found.of_spectra.end());
      numbers.insert(numbers.end(), found.of_clusters.begin(), found.of_clusters.end());
    }
    return numbers;
  });
}

double pearson(std::vector<double> x, std::vector<double> y) {
  for (std::vector<double>* values : {&x, &y}) {
    double mean = 0;
    for (const double value : *values) mean += value / static_cast<double>(values->size());
    for (double& value : *values) value -= mean;
  }
  const double norms = norm_of(x) * norm_of(y);
  return norms < 1e-10 ? 0 : inner_product(x, y) / norms;
}

double naive_instability(const Matrix<double>& X, Index k) {
  const Index starts = X.rows() / k;
  double sum = 0;
  for (Index s = 0; s < starts; ++s) {
    for (Index t = s + 1; t < starts; ++t) {
      for (const bool turned : {false, true}) {
        for (Index i = 0; i < k; ++i) {
          double best = 0;
          for (Index j = 0; j < k; ++j) {
            const Index a = s * k + (turned ? j : i);
            const Index b = t * k + (turned ? i : j);
            best = std::max(best, std::abs(pearson(row_of(X, a), row_of(X, b))));
          }
          sum += (1 - best) / (2 * static_cast<double>(k));
        }
      }
    }
  }
  return sum / (static_cast<double>(starts) * static_cast<double>(starts - 1) / 2);
}

TEST(Instability, IsThatOfPlainLoops) {
  ThreadPool pool;
  for (const auto& [starts, k, n] : {std::array<Index, 3>{2, 1, 3},
                                     {3, 1, 5},
                                     {5, 3, 4},
                                     {9, 2, 33},
                                     {17, 8, 6},
                                     {2, 70, 5},
                                     {3, 65, 12}}) {
    SCOPED_TRACE(testing::Message() << starts << " x " << k << " x " << n);
    Matrix<double> X = random_matrix(starts * k, n, 24, 0.3);
    clear_row(X, 1);
    for (Index j = 0; j < n; ++j) X(0, j) = 0.1;  // constant
    EXPECT_NEAR(instability(X.view(), k, pool), naive_instability(X, k), 1e-12);
    const Matrix<double> structured = spectra_of_starts(starts, k, n);
    EXPECT_NEAR(instability(structured.view(), k, pool), naive_instability(structured, k), 1e-12);
  }
}

TEST(Instability, IsZeroForTheSameSpectraInAnyOrderAndScale) {
  ThreadPool pool;
  const Matrix<double> one = random_matrix(4, 9, 25);
  Matrix<double> X = rows_in_order(one, {0, 1, 2, 3, 3, 1, 0, 2, 1, 2, 3, 0});
  for (Index j = 0; j < 9; ++j) X(5, j) *= 1e200;
  EXPECT_NEAR(instability(X.view(), 4, pool), 0, 1e-14);
  EXPECT_GE(instability(X.view(), 4, pool), 0);
}

TEST(Instability, KnowsNoOrderOfStartsOrComponents) {
  ThreadPool pool;
  const Matrix<double> X = random_matrix(15, 7, 26);
  const Matrix<double> moved = rows_in_order(X, {7, 6, 8, 14, 12, 13, 0, 2, 1, 3, 4, 5, 11, 9, 10});
  EXPECT_NEAR(instability(moved.view(), 3, pool), instability(X.view(), 3, pool), 1e-14);
}

TEST(Instability, OfOneStartIsNotKnown) {
  ThreadPool pool;
  EXPECT_TRUE(std::isnan(instability(random_matrix(3, 4, 27).view(), 3, pool)));
  EXPECT_TRUE(std::isnan(instability(Matrix<double>(0, 4).view(), 3, pool)));
  EXPECT_EQ(instability(Matrix<double>(4, 3).view(), 2, pool), 1);  // zeros correlate with nothing
  EXPECT_EQ(instability(Matrix<double>(4, 0).view(), 2, pool), 1);
  expect_phrase(message_of<InvalidInput>([&] { (void)instability(Matrix<double>(4, 3).view(), 3, pool); }),
                "spectra has 4 rows");
  EXPECT_THROW((void)instability(Matrix<double>(4, 3).view(), 0, pool), InvalidInput);
}

TEST(Instability, HasTheSameBitsForAnyThreads) {
  const Matrix<double> X = random_matrix(60 * 5, 67, 28);
  expect_same_for_all_threads([&](ThreadPool& pool) { return std::vector{instability(X.view(), 5, pool)}; });
}

}  // namespace
}  // namespace anmf::test::consensus_stability_test
