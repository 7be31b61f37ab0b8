// SPDX-License-Identifier: MIT
#include "loss/held_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "data/entry_rows.h"
#include "support/files_and_messages.h"
#include "support/naive_losses.h"
#include "support/problems.h"

namespace anmf::test::held_out_test {

using io_test::expect_phrase;
using io_test::message_of;

namespace {

std::set<std::pair<Index, Index>> places_of(const HeldOut<double>& held) {
  std::set<std::pair<Index, Index>> places;
  for (Index i = 0; i < held.entries.rows; ++i) {
    for (Index k = held.entries.offsets[static_cast<std::size_t>(i)];
         k < held.entries.offsets[static_cast<std::size_t>(i) + 1]; ++k)
      places.emplace(i, Index{held.entries.indices[static_cast<std::size_t>(k)]});
  }
  return places;
}

/// Whether the rows of the data hide these places and no others, in both directions.
void expect_hidden(const Data<double>& data, const std::set<std::pair<Index, Index>>& places) {
  for (const Side side : {Side::W, Side::H}) {
    data.for_each_block(side, [&](const EntryBlock<double>& block) {
      Matrix<double> weights(block.rows.count, block.columns.count);
      load_weights(block, 0, block.rows.count, weights.view());
      for (Index i = 0; i < weights.rows(); ++i) {
        for (Index j = 0; j < weights.cols(); ++j) {
          const auto place = side == Side::W ? std::pair(i, j) : std::pair(j, i);
          ASSERT_EQ(weights(i, j) == 0, places.contains(place)) << place.first << ", " << place.second;
        }
      }
    });
  }
}

/// Of the entries that are not held out, those of a line with one more entry, the mean of all.
class Means {
 public:
  Means(const Matrix<double>& M, std::set<std::pair<Index, Index>> gone) : M_(M), gone_(std::move(gone)) {}
  [[nodiscard]] double of_row(Index i) const { return mean(i, i + 1, 0, M_.cols(), of_all()); }
  [[nodiscard]] double of_column(Index j) const { return mean(0, M_.rows(), j, j + 1, of_all()); }
  [[nodiscard]] double greatest() const {
    double most = 0;
    for (Index i = 0; i < M_.rows(); ++i) {
      for (Index j = 0; j < M_.cols(); ++j) most = gone_.contains({i, j}) ? most : std::max(most, M_(i, j));
    }
    return most;
  }
  [[nodiscard]] double of_all() const { return mean(0, M_.rows(), 0, M_.cols(), {}); }

 private:
  [[nodiscard]] double mean(Index top, Index bottom, Index left, Index right,
                            std::optional<double> more) const {
    double mass = more.value_or(0);
    double count = more ? 1 : 0;
    for (Index i = top; i < bottom; ++i) {
      for (Index j = left; j < right; ++j) {
        if (gone_.contains({i, j})) continue;
        mass += M_(i, j);
        ++count;
      }
    }
    return mass / count;
  }
  const Matrix<double>& M_;
  std::set<std::pair<Index, Index>> gone_;
};

TEST(HoldOut, LeavesOneOfEveryGroupInEveryRow) {
  const Matrix<double> M = planted(40, 33, 3, 1, 0.2);
  const DenseData<double> dense(M.view());
  const HeldOut<double> held = hold_out(dense, 0.1, 5, 2);
  const auto places = places_of(held);
  expect_hidden(*held.training, places);
  for (Index i = 0; i < 40; ++i) {
    for (Index group = 0; group < 3; ++group) {
      const auto from = places.lower_bound({i, 10 * group});
      const auto to = places.lower_bound({i, 10 * group + 10});
      EXPECT_EQ(std::distance(from, to), 1);
    }
  }
  for (const auto& [i, j] : places) {
    const auto begin = static_cast<std::size_t>(held.entries.offsets[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(held.entries.offsets[static_cast<std::size_t>(i) + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      if (Index{held.entries.indices[k]} == j) {
        EXPECT_EQ(held.entries.values[k], M(i, j));
      }
    }
  }
  EXPECT_EQ(places_of(hold_out(dense, 0.1, 5, 1)), places);  // whatever the loss
  EXPECT_NE(places_of(hold_out(dense, 0.1, 6, 2)), places);
  EXPECT_EQ(held.training->observed() + static_cast<double>(places.size()), 40 * 33);
}

TEST(HoldOut, TakesZerosAndNonzerosOfSparseDataTogether) {
  const Matrix<double> M = random_matrix(60, 50, 3, 0.9);
  const auto sparse = to_sparse(M);
  const HeldOut<double> held = hold_out<double>(*sparse, 0.3, 1, 1);
  EXPECT_NEAR(static_cast<double>(held.weights.size()), static_cast<double>(sparse->nonzeros()), 60);
  expect_hidden(*held.training, places_of(held));
}

TEST(HoldOut, TakesStoredEntriesWhereTheseAloneCount) {
  const Matrix<double> M = random_matrix(60, 50, 3, 0.7);
  const auto ratings = weighted<double>(to_sparse(M), {.entries = OnlyStored{}});
  const HeldOut<double> held = hold_out(*ratings, 0.2, 1, 2);
  EXPECT_EQ(held.training->observed() + static_cast<double>(held.weights.size()), ratings->observed());
  EXPECT_NEAR(static_cast<double>(held.weights.size()), 0.2 * ratings->observed(),
              0.06 * ratings->observed());
  for (const auto& [i, j] : places_of(held)) EXPECT_GT(M(i, j), 0);
}

TEST(HoldOut, MissingEntriesAreNotScored) {
  const Matrix<double> M = planted(20, 30, 2, 3, 0.1);
  Places gone{.rows = 20, .cols = 30, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < 20; ++i) {
    for (Index j = i % 3; j < 30; j += 3) gone.indices.push_back(static_cast<std::uint32_t>(j));
    gone.offsets.push_back(static_cast<Index>(gone.indices.size()));
  }
  const auto data = weighted<double>(std::make_unique<DenseData<double>>(M.view()), {.entries = gone});
  const HeldOut<double> held = hold_out(*data, 0.25, 1, 2);
  auto hidden = places_of(held);
  for (const auto& [i, j] : hidden) EXPECT_NE(j % 3, i % 3);
  for (Index i = 0; i < 20; ++i) {
    for (Index j = i % 3; j < 30; j += 3) hidden.emplace(i, j);
  }
  expect_hidden(*held.training, hidden);
}

TEST(HoldOut, ScoresByDefinition) {
  const Matrix<double> M = planted(21, 34, 3, 4, 0.01);
  const std::vector<double> a = [] {
    std::vector<double> weights;
    for (int i = 0; i < 21; ++i) weights.push_back(1 + i % 3);
    return weights;
  }();
  const auto data = weighted<double>(std::make_unique<DenseData<double>>(M.view()), {.rows = a});
  int raised = 0;
  for (const double beta : {0.5, 1.0, 2.0}) {
    Options options{.rank = 2,
                    .method = "mu",
                    .loss = loss_name(beta),
                    .max_iterations = 100,
                    .tolerance = 0,
                    .threads = 1};
    options.heldout = 0.2;
    options.heldout_seed = 3;
    const Result<double> result = factorize<double>(*data, options);
    const HeldOut<double> held = hold_out(*data, 0.2, 3, beta);
    double loss = 0;
    double of_mean = 0;
    double mean = 0;
    double mass = 0;
    for (const auto& [i, j] : places_of(held)) {
      mean += a[static_cast<std::size_t>(i)] * M(i, j);
      mass += a[static_cast<std::size_t>(i)];
    }
    const Means left(M, places_of(held));
    for (const auto& [i, j] : places_of(held)) {
      const double weight = a[static_cast<std::size_t>(i)];
      const double model = std::min(by_definition::model(result.W, result.H, i, j), left.greatest());
      const double least = beta > 1 ? 0 : left.of_row(i) * left.of_column(j) / (20 * left.of_all());
      raised += model < least ? 1 : 0;
      loss += weight * by_definition::divergence(M(i, j), std::max(model, least), beta);
      of_mean += weight * by_definition::divergence(M(i, j), mean / mass, beta);
    }
    EXPECT_NEAR(result.heldout_error, std::sqrt(2 * loss), 1e-9 * result.heldout_error);
    EXPECT_NEAR(result.heldout_relative_error, std::sqrt(loss / of_mean), 1e-9);
    EXPECT_EQ(result.heldout_entries, static_cast<Index>(held.weights.size()));
    EXPECT_EQ(result.trace.back().heldout, result.heldout_error);
    EXPECT_LT(result.trace.back().heldout, result.trace.front().heldout);
  }
  EXPECT_GT(raised, 0);
}

TEST(HoldOut, IsLookedAtOnceWhereTheTraceIsNotWanted) {
  struct Blind final : Observer<double> {
    Action on_iteration(const IterationRecord& /*record*/, ConstMatrixView<double> /*W*/,
                        ConstMatrixView<double> /*Ht*/) override {
      return Action::proceed;
    }
    [[nodiscard]] bool wants_heldout() const override { return false; }
  };
  const Matrix<double> M = planted(40, 33, 3, 1, 0.2);
  const DenseData<double> data(M.view());
  for (const char* loss : {"frobenius", "kl"}) {
    Options options{.rank = 3, .loss = loss, .explore = Explore::off, .threads = 1};
    options.heldout = 0.1;
    Blind blind;
    const Result<double> seen = factorize<double>(data, options);
    const Result<double> unseen = factorize<double>(data, options, {}, &blind);
    EXPECT_EQ(unseen.heldout_error, seen.heldout_error);
    EXPECT_EQ(unseen.heldout_relative_error, seen.heldout_relative_error);
    EXPECT_EQ(unseen.trace.back().heldout, unseen.heldout_error);
    EXPECT_EQ(unseen.iterations, seen.iterations);
    EXPECT_TRUE(unseen.trace[1].heldout != seen.trace[1].heldout);
  }
}

TEST(HoldOut, NoModelExceedsWhatHasBeenSeen) {
  const Matrix<double> M = planted(12, 15, 2, 6, 0.2);
  const DenseData<double> data(M.view());
  const HeldOut<double> held = hold_out(data, 0.2, 3, 2);
  double loss = 0;
  for (const double entry : held.entries.values)
    loss += 0.5 * (entry - held.greatest) * (entry - held.greatest);
  const Matrix<double> W(12, 1, 1.0);
  const Matrix<double> Ht(15, 1, 1e6);
  ThreadPool pool(1);
  EXPECT_NEAR(held.error(W.view(), Ht.view(), 1, pool), std::sqrt(2 * loss), 1e-12 * std::sqrt(2 * loss));
}

TEST(HoldOut, CountsAreNotJudgedByZerosOfTheModel) {
  // Two groups of samples with features of their own, and a count where neither has any.
  Matrix<double> M(40, 20);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 20; ++j) M(i, j) = i % 2 == j % 2 ? 5 : uniform(7, 1, 20 * i + j) < 0.1 ? 1 : 0;
  }
  Options options{.rank = 2, .loss = "kl", .explore = Explore::off, .threads = 1};
  options.heldout = 0.1;
  const double two = factorize_dense(M, options).heldout_relative_error;
  options.rank = 1;
  EXPECT_LT(two, 0.6 * factorize_dense(M, options).heldout_relative_error);
}

TEST(HoldOut, RefusesWhatHasSeenTheEntries) {
  const Matrix<double> M = planted(21, 34, 3, 4, 0.3);
  Options options{.rank = 2, .init = Init::nndsvda, .threads = 1};
  options.heldout = 0.2;
  expect_phrase(message_of<InvalidInput>([&] { (void)factorize_dense(M, options); }),
                "init = nndsvda is made from all");
  options.init = Init::random;
  options.compress = Compress::on;
  expect_phrase(message_of<InvalidInput>([&] { (void)factorize_dense(M, options); }),
                "compress = on does not go with");
  options.compress = Compress::automatic;
  options.heldout = 0.7;
  expect_phrase(message_of<InvalidInput>([&] { (void)factorize_dense(M, options); }),
                "heldout = 0.7 is not allowed");
  const Matrix<double> tiny(1, 1, 1.0);
  options.heldout = 0.1;
  options.rank = 1;
  expect_phrase(message_of<InvalidInput>([&] { (void)factorize_dense(tiny, options); }), "too few");
}

}  // namespace
}  // namespace anmf::test::held_out_test
