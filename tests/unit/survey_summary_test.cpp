// SPDX-License-Identifier: MIT
// What the starts of a rank agree on: the numbers of survey.csv and components.csv, computed again from their
// definitions, and surveys of which little or nothing is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "anmf/nnls.h"
#include "anmf/survey.h"
#include "anmf/weights.h"
#include "support/files_and_messages.h"
#include "support/problems.h"
#include "support/surveys.h"

namespace anmf::test::survey_summary_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;
using Vector = std::vector<double>;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Vector row_of(const Matrix<double>& X, Index i) { return {X.view().row(i), X.view().row(i) + X.cols()}; }
Vector column_of(const Matrix<double>& X, Index j) { return row_of(transposed(X), j); }
double dot_of(const Vector& x, const Vector& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}
double cosine_of(const Vector& x, const Vector& y) {
  return dot_of(x, y) / std::sqrt(dot_of(x, x) * dot_of(y, y));
}
double mean_of(const Vector& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double distance_of(Vector x, Vector y, Distance kind) {
  if (kind == Distance::cosine) return 1 - cosine_of(x, y);
  const double norm_x = std::sqrt(dot_of(x, x));
  const double norm_y = std::sqrt(dot_of(y, y));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] / norm_x - y[i] / norm_y;
  return std::sqrt(dot_of(x, x));
}

/// By the definition: (b - a) / max(a, b).
Vector naive_silhouettes(const Matrix<double>& X, const std::vector<Index>& labels, Index k, Distance kind) {
  Vector all;
  for (Index i = 0; i < X.rows(); ++i) {
    const Index own = labels[static_cast<std::size_t>(i)];
    Vector sums(static_cast<std::size_t>(k));
    Vector counts(static_cast<std::size_t>(k));
    for (Index j = 0; j < X.rows(); ++j) {
      if (i == j) continue;
      const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(j)]);
      sums[label] += distance_of(row_of(X, i), row_of(X, j), kind);
      ++counts[label];
    }
    double nearest = HUGE_VAL;
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c] /= counts[c];
      if (static_cast<Index>(c) != own) nearest = std::min(nearest, sums[c]);
    }
    const double inside = sums[static_cast<std::size_t>(own)];
    all.push_back((nearest - inside) / std::max(nearest, inside));
  }
  return all;
}

double naive_instability(const Matrix<double>& X, Index k) {
  Matrix<double> centred = X;
  for (Index i = 0; i < X.rows(); ++i) {
    const double mean = mean_of(row_of(X, i));
    for (Index j = 0; j < X.cols(); ++j) centred(i, j) -= mean;
  }
  const Index starts = X.rows() / k;
  double sum = 0;
  Index pairs = 0;
  for (Index s = 0; s < starts; ++s) {
    for (Index t = 0; t < s; ++t, ++pairs) {
      double best = 0;
      for (const auto& [a, b] : {std::pair(s, t), std::pair(t, s)}) {
        for (Index i = 0; i < k; ++i) {
          double most = 0;
          for (Index j = 0; j < k; ++j) {
            most =
                std::max(most, std::abs(cosine_of(row_of(centred, a * k + i), row_of(centred, b * k + j))));
          }
          best += most;
        }
      }
      sum += 1 - best / static_cast<double>(2 * k);
    }
  }
  return sum / static_cast<double>(pairs);
}

double naive_share(const SampleLabels& labels, Index i, Index j) {
  double same_label = 0;
  for (Index s = 0; s < labels.rows(); ++s) {
    if (i == j || (labels(s, i) > 0 && labels(s, i) == labels(s, j))) ++same_label;
  }
  return same_label / static_cast<double>(labels.rows());
}

double naive_dispersion(const SampleLabels& labels) {
  double sum = 0;
  for (Index i = 0; i < labels.cols(); ++i) {
    for (Index j = 0; j < labels.cols(); ++j) {
      const double share = naive_share(labels, i, j);
      sum += 4 * (share - 0.5) * (share - 0.5);
    }
  }
  return sum / static_cast<double>(labels.cols() * labels.cols());
}

double naive_sparseness(const Vector& x) {
  double sum = 0;
  for (const double value : x) sum += std::abs(value);
  const double root = std::sqrt(static_cast<double>(x.size()));
  return (root - sum / std::sqrt(dot_of(x, x))) / (root - 1);
}

double residual(const Matrix<double>& M, const Matrix<double>& W, const Matrix<double>& H) {
  Matrix<double> rest = product(W, H);
  for (Index i = 0; i < M.size(); ++i) rest.data()[i] -= M.data()[i];
  return frobenius(rest);
}

TEST(SurveySummary, NumbersAreThoseOfTheirDefinitions) {
  // Three components in noise, at a rank where starts end in different minima.
  const Matrix<double> M = planted(30, 20, 3, 12, 0.6);
  const DenseData<double> data(M.view());
  SurveyOptions options = small_survey();
  options.ranks = {3, 4};
  options.starts = 5;
  options.heldout_repeats = 3;
  SurveyMemory<double> store;
  const SurveyTable table = survey<double>(data, options, store);
  const Index k = 4;
  const RankSummary& summary = table.ranks[1];
  const RankConsensus<double>& found = *store.found(k);
  const RankSpectra all = store.spectra(k);
  expect_same_rank(found.summary, [&] {
    RankSummary same_as = summary;
    same_as.suggested = false;
    return same_as;
  }());

  Vector errors;
  Vector held;
  double seconds = 0;
  Index converged = 0;
  for (const JobRecord& job : table.jobs) {
    if (job.key.rank != k) continue;
    seconds += job.seconds;
    if (job.key.kind == JobKind::heldout) held.push_back(job.relative_error);
    if (job.key.kind != JobKind::start) continue;
    errors.push_back(job.error);
    converged += job.status == JobStatus::converged ? 1 : 0;
  }
  std::ranges::sort(errors);
  EXPECT_EQ(summary.starts, 5);
  EXPECT_EQ(summary.converged, converged);
  EXPECT_EQ(summary.error_best, errors.front());
  EXPECT_EQ(summary.error_median, errors[2]);
  EXPECT_EQ(summary.error_worst, errors.back());
  EXPECT_NEAR(summary.explained, 1 - std::pow(errors.front() / frobenius(M), 2), 1e-12);
  EXPECT_DOUBLE_EQ(summary.seconds, seconds);
  ASSERT_EQ(held.size(), 3U);
  EXPECT_EQ(found.heldout_errors, held);
  EXPECT_DOUBLE_EQ(summary.heldout, mean_of(held));
  double squares = 0;
  for (const double error : held) squares += std::pow(error - mean_of(held), 2);
  EXPECT_NEAR(summary.heldout_se, std::sqrt(squares / 2 / 3), 1e-14);
  EXPECT_TRUE(std::isnan(summary.bcv));

  ASSERT_EQ(found.clusters.labels.size(), 20U);
  const Vector euclidean = naive_silhouettes(all.spectra, found.clusters.labels, k, Distance::euclidean);
  const Vector cosine = naive_silhouettes(all.spectra, found.clusters.labels, k, Distance::cosine);
  EXPECT_NEAR(summary.silhouette, mean_of(euclidean), 1e-9);
  EXPECT_NEAR(summary.silhouette_cosine, mean_of(cosine), 1e-9);
  EXPECT_NEAR(summary.instability, naive_instability(all.spectra, k), 1e-9);
  EXPECT_GT(summary.instability, 1e-4);
  EXPECT_NEAR(summary.dispersion, naive_dispersion(all.labels), 1e-12);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j) {
      EXPECT_FLOAT_EQ(found.consensus(i, j),
                      static_cast<float>(naive_share(all.labels, found.sampled[static_cast<std::size_t>(i)],
                                                     found.sampled[static_cast<std::size_t>(j)])));
    }
  }

  const JobResult<double> best = store.best(k);
  double of_w = 0;
  double of_h = 0;
  for (Index p = 0; p < k; ++p) {
    of_w += naive_sparseness(column_of(best.usages, p)) / static_cast<double>(k);
    of_h += naive_sparseness(row_of(best.spectra, p)) / static_cast<double>(k);
  }
  EXPECT_NEAR(summary.sparseness_w, of_w, 1e-12);
  EXPECT_NEAR(summary.sparseness_h, of_h, 1e-12);

  // Usages fit M exactly beside the spectra, and components are ordered by them.
  const NnlsResult<double> fit = nnls(transposed(found.spectra).view(), transposed(M).view());
  EXPECT_LT(max_difference(transposed(fit.X), found.usages), 1e-8);
  EXPECT_NEAR(summary.consensus_error, residual(M, found.usages, found.spectra), 1e-8);
  EXPECT_GE(summary.consensus_error, summary.error_best * (1 - 1e-3));
  std::vector<ComponentSummary> components;
  for (const ComponentSummary& component : table.components) {
    if (component.rank == k) components.push_back(component);
  }
  ASSERT_EQ(components.size(), 4U);
  double worst = 1;
  for (std::size_t p = 0; p < components.size(); ++p) {
    const auto place = static_cast<Index>(p);
    const Vector spectrum = row_of(found.spectra, place);
    EXPECT_NEAR(std::accumulate(spectrum.begin(), spectrum.end(), 0.0), 1, 1e-12);
    Vector shares;
    for (Index i = 0; i < 30; ++i) {
      const Vector row = row_of(found.usages, i);
      shares.push_back(row[p] / std::accumulate(row.begin(), row.end(), 0.0));
    }
    Vector silhouette;
    Vector spread;
    for (Index i = 0; i < 20; ++i) {
      if (found.clusters.labels[static_cast<std::size_t>(i)] != place) continue;
      silhouette.push_back(euclidean[static_cast<std::size_t>(i)]);
      spread.push_back(1 - cosine_of(row_of(all.spectra, i), spectrum));
    }
    EXPECT_EQ(components[p].component, place + 1);
    EXPECT_EQ(components[p].members, 5);
    EXPECT_NEAR(components[p].usage, mean_of(shares), 1e-12);
    EXPECT_LE(components[p].usage, p > 0 ? components[p - 1].usage : 1);
    EXPECT_NEAR(components[p].silhouette, mean_of(silhouette), 1e-9);
    EXPECT_NEAR(components[p].spread, mean_of(spread), 1e-9);
    worst = std::min(worst, components[p].silhouette);
    const RankConsensus<double>& smaller = *store.found(3);
    const Vector parent = row_of(smaller.spectra, components[p].parent - 1);
    EXPECT_NEAR(components[p].parent_cosine, cosine_of(spectrum, parent), 1e-12);
    for (Index q = 0; q < 3; ++q)
      EXPECT_LE(cosine_of(spectrum, row_of(smaller.spectra, q)), components[p].parent_cosine + 1e-12);
  }
  EXPECT_EQ(summary.silhouette_min, worst);
  for (const ComponentSummary& component : table.components)
    EXPECT_EQ(component.parent == 0, component.rank == 3);
}

/// A start with these spectra (k x features) and usages (samples x k).
JobResult<double> start_of(Index number, const Matrix<double>& spectra, const Matrix<double>& usages,
                           double error) {
  JobResult<double> job;
  job.record = {.key = {spectra.rows(), JobKind::start, number},
                .status = JobStatus::converged,
                .iterations = 10,
                .error = error,
                .relative_error = error};
  job.spectra = spectra;
  job.usages = usages;
  for (Index i = 0; i < usages.rows(); ++i) {
    const Vector row = row_of(usages, i);
    job.labels.push_back(static_cast<std::uint16_t>(std::ranges::max_element(row) - row.begin() + 1));
  }
  return job;
}

/// Two spectra that all starts find, and a third one that is another one in every start.
class LooseThird : public testing::Test {
 protected:
  LooseThird() {
    options_.ranks = {3};
    options_.starts = 6;
    options_.heldout = Holdout::none;
    for (Index start = 0; start < 6; ++start) {
      Matrix<double> spectra(3, 12);
      spectra(start % 3, 0) = 1 + 1e-3 * static_cast<double>(start);
      spectra(start % 3, 1) = 1;
      spectra((start + 1) % 3, 2) = 2;
      spectra((start + 1) % 3, 3) = 1;
      spectra((start + 2) % 3, 4 + start) = 1;
      store_.keep(start_of(start, spectra, random_matrix(10, 3, 40), 1 - 0.1 * static_cast<double>(start)));
    }
  }
  const Matrix<double> M_ = random_matrix(10, 12, 3);
  const DenseData<double> data_{M_.view()};
  SurveyOptions options_ = small_survey();
  SurveyMemory<double> store_;
};

TEST_F(LooseThird, MatchedKeepsItAndTheDensityFilterLeavesItOut) {
  const RankConsensus<double> all = consensus<double>(data_, options_, store_, 3);
  EXPECT_EQ(all.summary.outliers, 0);
  EXPECT_EQ(all.density_threshold, 2);
  EXPECT_LT(all.summary.silhouette_min, 0.5);
  for (const ComponentSummary& component : all.components) EXPECT_EQ(component.members, 6);

  options_.clusters.density_threshold = 0.5;
  const RankConsensus<double> dense = consensus<double>(data_, options_, store_, 3);
  EXPECT_EQ(dense.summary.outliers, 6);
  ASSERT_EQ(dense.notes.size(), 1U);
  expect_phrase(dense.notes[0], "6 of 18 spectra were left out");
  Index members = 0;
  for (const ComponentSummary& component : dense.components) members += component.members;
  EXPECT_EQ(members, 12);
  // Nothing is left of the third one.
  const ComponentSummary& last = dense.components.back();
  EXPECT_EQ(last.members, 0);
  EXPECT_EQ(last.usage, 0);
  EXPECT_TRUE(std::isnan(last.spread));
  for (Index j = 0; j < 12; ++j) EXPECT_EQ(dense.spectra(2, j), 0);
}

TEST_F(LooseThird, TheTableComparesRanksByAllSpectra) {
  const RankSummary all = consensus<double>(data_, options_, store_, 3).summary;
  options_.clusters.density_threshold = 0.5;
  const SurveyTable table = summarize<double>(data_, options_, store_);
  EXPECT_EQ(table.ranks[0].outliers, 6);
  EXPECT_EQ(table.ranks[0].silhouette, all.silhouette);
  EXPECT_EQ(table.ranks[0].silhouette_min, all.silhouette_min);
  EXPECT_EQ(table.ranks[0].consensus_error, all.consensus_error);
}

TEST_F(LooseThird, WhereAllIsUnstableNothingIsLeftOut) {
  options_.clusters.kind = ClusterKind::free;
  options_.clusters.density_threshold = 1e-6;
  // Four spectra are exactly equal to their neighbours.
  expect_phrase(message_of<InvalidInput>([&] {
                  options_.clusters.density_threshold = 1e-12;
                  options_.clusters.neighbourhood = 1;
                  (void)consensus<double>(data_, options_, store_, 3);
                }),
                "choose a larger density threshold");
  const SurveyTable table = summarize<double>(data_, options_, store_);
  EXPECT_EQ(table.ranks[0].outliers, 0);
  EXPECT_EQ(table.components.size(), 3U);
  ASSERT_EQ(table.notes.size(), 1U);
  expect_phrase(table.notes[0], "Rank 3: The clusters are not those that were asked for.");
}

TEST_F(LooseThird, FreeCentresAreMediansWithTheSumOne) {
  options_.clusters.kind = ClusterKind::free;
  const RankConsensus<double> found = consensus<double>(data_, options_, store_, 3);
  EXPECT_EQ(found.density_threshold, 0.5);
  // Of what is dense enough: three clusters of the two that are left.
  EXPECT_EQ(found.summary.outliers, 6);
  for (Index p = 0; p < 3; ++p) {
    const Vector row = row_of(found.spectra, p);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
  }
}

TEST_F(LooseThird, TheBestStartIsThatOfTheStore) {
  EXPECT_EQ(store_.best(3).record.key.number, 5);
  EXPECT_DOUBLE_EQ(summarize<double>(data_, options_, store_).ranks[0].error_median, 0.75);
}

/// The same starts seen as rows of H and as columns of W.
TEST(SurveySummary, FeaturesAreColumnsOrRows) {
  const Matrix<double> M = planted(20, 14, 2, 5, 0.4);
  const Matrix<double> Mt = transposed(M);
  SurveyOptions options = small_survey();
  options.ranks = {2, 3};
  options.heldout = Holdout::none;
  SurveyMemory<double> columns;
  SurveyMemory<double> rows;
  for (const Index rank : options.ranks) {
    for (Index start = 0; start < 4; ++start) {
      const auto seed = static_cast<std::uint64_t>(10 * rank + start);
      const auto job = [&] {
        return start_of(start, random_matrix(rank, 14, seed, 0.3), random_matrix(20, rank, seed + 100), 0.5);
      };
      columns.keep(job());
      rows.keep(job());
    }
  }
  const SurveyTable by_columns = summarize<double>(DenseData<double>(M.view()), options, columns);
  options.spectra = Side::W;
  SurveyTable by_rows = summarize<double>(DenseData<double>(Mt.view()), options, rows);
  for (std::size_t i = 0; i < 2; ++i) {
    RankSummary& rank = by_rows.ranks[i];
    std::swap(rank.sparseness_w, rank.sparseness_h);
    const double error = by_columns.ranks[i].consensus_error;  // its sums are made in another order
    EXPECT_NEAR(rank.consensus_error, error, 1e-12 * error);
    rank.consensus_error = error;
  }
  ASSERT_EQ(by_columns.components.size(), by_rows.components.size());
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(by_columns.components[i].usage, by_rows.components[i].usage, 1e-12);
  for (std::size_t i = 0; i < 5; ++i) by_rows.components[i].usage = by_columns.components[i].usage;
  expect_same_table(by_columns, by_rows);
  EXPECT_LT(max_difference(columns.found(3)->usages, rows.found(3)->usages), 1e-12);
}

TEST(SurveySummary, OneStartAndOneComponentTellNothingOfStability) {
  const Matrix<double> M = planted(16, 12, 2, 5, 0.4);
  const DenseData<double> data(M.view());
  SurveyOptions options = small_survey();
  options.ranks = {1, 2};
  options.starts = 1;
  options.heldout_repeats = 1;
  SurveyMemory<double> store;
  for (const RankSummary& rank : survey<double>(data, options, store).ranks) {
    for (const double nothing : {rank.silhouette, rank.silhouette_min, rank.silhouette_cosine,
                                 rank.instability, rank.cophenetic, rank.dispersion, rank.heldout_se})
      EXPECT_TRUE(std::isnan(nothing));
    EXPECT_EQ(rank.error_best, rank.error_worst);
    EXPECT_FALSE(std::isnan(rank.heldout));
    EXPECT_NEAR(rank.consensus_error, rank.error_best, 1e-3 * rank.error_best);
  }
  options.starts = 3;
  const RankSummary one = survey<double>(data, options, store).ranks[0];
  EXPECT_EQ(one.starts, 3);
  for (const double nothing : {one.silhouette, one.silhouette_min, one.silhouette_cosine, one.instability,
                               one.cophenetic, one.dispersion})
    EXPECT_TRUE(std::isnan(nothing));
}

TEST(SurveySummary, ZerosAndEmptyRows) {
  Matrix<double> M = planted(16, 12, 2, 5, 0.4);
  for (Index j = 0; j < 12; ++j) M(3, j) = 0;
  SurveyOptions options = small_survey();
  options.ranks = {2};
  SurveyMemory<double> store;
  const SurveyTable table = survey<double>(DenseData<double>(M.view()), options, store);
  const RankConsensus<double>& found = *store.found(2);
  EXPECT_EQ(found.usages(3, 0), 0);
  EXPECT_EQ(store.spectra(2).labels(0, 3), 0);
  EXPECT_NEAR(table.components[0].usage + table.components[1].usage, 1, 1e-12);

  const Matrix<double> zero(8, 6);
  SurveyMemory<double> nothing;
  const SurveyTable empty = survey<double>(DenseData<double>(zero.view()), options, nothing);
  EXPECT_EQ(empty.ranks[0].outliers, 8);
  EXPECT_TRUE(std::isnan(empty.ranks[0].silhouette));
  for (const ComponentSummary& component : empty.components) EXPECT_EQ(component.usage, 0);
  ASSERT_FALSE(empty.notes.empty());
  expect_phrase(empty.notes[0], "8 of 8 spectra are zero");
  options.clusters.kind = ClusterKind::free;
  EXPECT_EQ(summarize<double>(DenseData<double>(zero.view()), options, nothing).components.size(), 2U);
}

TEST(SurveySummary, ErrorsThatAreNoNumbers) {
  const Matrix<double> M = random_matrix(10, 12, 3);
  SurveyOptions options = small_survey();
  options.ranks = {2};
  options.starts = 3;
  options.heldout = Holdout::none;
  SurveyMemory<double> store;
  for (Index start = 0; start < 3; ++start)
    store.keep(start_of(start, random_matrix(2, 12, 9), random_matrix(10, 2, 8), kNone));
  const RankSummary rank = summarize<double>(DenseData<double>(M.view()), options, store).ranks[0];
  EXPECT_EQ(rank.starts, 3);
  EXPECT_TRUE(std::isnan(rank.error_best));
  EXPECT_TRUE(std::isnan(rank.sparseness_w));
  EXPECT_NEAR(rank.silhouette, 1, 1e-6);
}

TEST(SurveySummary, OtherLossesAndMissingEntries) {
  Matrix<double> M = planted(16, 12, 2, 5, 0.4);
  for (Index k = 0; k < M.size(); k += 5) M.data()[k] = std::nan("");
  Weights<double> weights{.entries = take_missing(M.view())};
  const auto data =
      weighted<double>(std::make_unique<DenseData<double>>(std::as_const(M).view()), std::move(weights));
  for (const char* const loss : {"frobenius", "kullback-leibler"}) {
    SurveyOptions options = small_survey();
    options.ranks = {2};
    options.job.loss = loss;
    for (const Side side : {Side::H, Side::W}) {
      options.spectra = side;
      SurveyMemory<double> store;
      const RankSummary rank = survey<double>(*data, options, store).ranks[0];
      EXPECT_EQ(rank.failed, 0);
      const RankConsensus<double>& found = *store.found(2);
      const bool columns = side == Side::H;
      const Matrix<double> W = columns ? found.usages : transposed(found.spectra);
      const Matrix<double> H = columns ? found.spectra : transposed(found.usages);
      double sum = 0;
      for (Index i = 0; i < 16; ++i) {
        for (Index j = 0; j < 12; ++j) {
          if ((i * 12 + j) % 5 == 0) continue;
          const double x = M(i, j);
          const double y = W(i, 0) * H(0, j) + W(i, 1) * H(1, j);
          sum += loss[0] == 'f' ? (x - y) * (x - y) : 2 * ((x > 0 ? x * std::log(x / y) : 0) - x + y);
        }
      }
      EXPECT_NEAR(rank.consensus_error, std::sqrt(sum), 1e-6 * std::sqrt(sum));
      EXPECT_GT(rank.consensus_error, 0.99 * rank.error_best);
      EXPECT_LT(rank.consensus_error, 1.05 * rank.error_best);  // the mean of starts in several minima
    }
  }
}

TEST(SurveySummary, AnotherMatrixIsRefused) {
  SurveyOptions options = small_survey();
  options.ranks = {2};
  SurveyMemory<double> store;
  store.keep(start_of(0, random_matrix(2, 12, 9), random_matrix(10, 2, 8), 1));
  const Matrix<double> M = random_matrix(10, 13, 3);
  expect_phrase(message_of<InvalidInput>(
                    [&] { (void)consensus<double>(DenseData<double>(M.view()), options, store, 2); }),
                "another matrix");
}

TEST(FindParents, TakesTheMostSimilarOne) {
  Matrix<double> spectra(3, 2);
  spectra(0, 0) = 1;
  spectra(1, 0) = 1;
  spectra(1, 1) = 2;
  Matrix<double> smaller(2, 2);
  smaller(0, 1) = 4;
  smaller(1, 0) = 3;
  smaller(1, 1) = 1;
  std::vector<ComponentSummary> components(3);
  for (Index p = 0; p < 3; ++p) components[static_cast<std::size_t>(p)].component = p + 1;
  find_parents<double>(components, spectra.view(), smaller.view());
  EXPECT_EQ(components[0].parent, 2);
  EXPECT_NEAR(components[0].parent_cosine, 3 / std::sqrt(10), 1e-15);
  EXPECT_EQ(components[1].parent, 1);
  EXPECT_EQ(components[2].parent, 0);
  EXPECT_TRUE(std::isnan(components[2].parent_cosine));
}

}  // namespace
}  // namespace anmf::test::survey_summary_test
