// SPDX-License-Identifier: MIT
// The rule heldout-1 in words.
#include <limits>

#include "support/files_and_messages.h"
#include "support/spectra.h"

namespace anmf::test::consensus_rank_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Errors = std::vector<double>;

RankEvidence seen(Index rank, Errors heldout, double silhouette = 0.9) {
  return {.rank = rank,
          .starts = 20,
          .done = 20,
          .converged = 20,
          .silhouette_min = silhouette,
          .heldout = std::move(heldout)};
}

/// The least error is that of rank 3; rank 4 is close to it.
std::vector<RankEvidence> clear_evidence() {
  return {seen(1, {9, 9.2, 9.1}, kNaN), seen(2, {5, 5.2, 5.1}), seen(3, {1, 1.2, 1.1}),
          seen(4, {1.1, 1.1, 1.2}, 0.3), seen(5, {2, 2.3, 2.2}, 0.1)};
}

void expect_reasons(const RankSuggestion& suggestion, const std::vector<std::string>& reasons) {
  EXPECT_EQ(suggestion.reasons, reasons);
  EXPECT_EQ(suggestion.rule, "heldout-1");
}

TEST(SuggestRank, TakesTheLeastErrorHeldOut) {
  const RankSuggestion suggestion = suggest_rank(clear_evidence());
  EXPECT_EQ(suggestion.rank, 3);
  EXPECT_EQ(suggestion.alternatives, std::vector<Index>{4});
  EXPECT_FALSE(suggestion.edge);
  expect_reasons(
      suggestion,
      {"Rank 3 predicts entries that were hidden from it best: its mean error is 1.1 (3 masks).",
       "Ranks 1, 2 and 5 are clearly worse (by more than 2 standard errors of the difference).",
       "Rank 4 is not clearly worse, and may be right, too.",
       "Rank 3 is stable: the starts find the same components again and again (silhouette of the worst "
       "component 0.90; stable from 0.8 on)."});
}

TEST(SuggestRank, ComparesTheSameMasksInPairs) {
  // Masks differ a lot, ranks by a little: apart, their errors would not tell.
  const std::vector<RankEvidence> evidence = {seen(2, {10.2, 1.1, 5.15}), seen(3, {10, 1, 5}),
                                              seen(4, {10.1, 1.15, 5.1})};
  const RankSuggestion suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 3);
  EXPECT_TRUE(suggestion.alternatives.empty());
  EXPECT_EQ(suggestion.reasons[1],
            "Ranks 2 and 4 are clearly worse (by more than 2 standard errors of the difference).");
}

TEST(SuggestRank, HasATwoStandardErrorsLine) {
  // Differences 1 and 1 + 2 d: mean 1 + d, standard error d; worse if 1 + d > 2 d.
  EXPECT_EQ(suggest_rank(std::vector{seen(2, {0, 0}), seen(3, {1, 2.5})}).rank, 2);  // d = 0.75
  EXPECT_EQ(suggest_rank(std::vector{seen(2, {0, 0}), seen(3, {1, 3.0})}).rank,
            0);  // d = 1: not more than two
  EXPECT_EQ(suggest_rank(std::vector{seen(2, {0, 0}), seen(3, {1, 3.5})}).rank, 0);
  EXPECT_EQ(suggest_rank(std::vector{seen(2, {4, 7}), seen(3, {5, 8})}).rank, 2);  // always worse by one
}

TEST(SuggestRank, NamesTheLargestSmallerStableRank) {
  std::vector<RankEvidence> evidence = clear_evidence();
  evidence[2].silhouette_min = 0.7999;
  RankSuggestion suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 3);
  EXPECT_EQ(suggestion.alternatives, (std::vector<Index>{4, 2}));
  EXPECT_EQ(suggestion.reasons.back(),
            "Rank 3 is not stable: at least one of its components differs from start to start (silhouette of "
            "the worst "
            "component 0.80; stable from 0.8 on), so look at the components one by one. The largest smaller "
            "rank that "
            "is stable is 2.");
  evidence[1].silhouette_min = 0.5;
  suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.alternatives, std::vector<Index>{4});
  io_test::expect_phrase(suggestion.reasons.back(), " No smaller rank is stable either.");
  evidence[2].silhouette_min = kNaN;
  io_test::expect_phrase(
      suggest_rank(evidence).reasons.back(),
      "How stable its components are is not known at rank 3. No smaller rank is stable either.");
  evidence[2].silhouette_min = 0.8;
  io_test::expect_phrase(suggest_rank(evidence).reasons.back(), "Rank 3 is stable: ");
}

TEST(SuggestRank, SaysNothingOfTheStabilityOfOneComponent) {
  const RankSuggestion suggestion =
      suggest_rank(std::vector{seen(1, {1, 1}, kNaN), seen(2, {2, 2}), seen(3, {3, 3})});
  EXPECT_EQ(suggestion.rank, 1);
  EXPECT_FALSE(suggestion.edge);  // there is no smaller rank
  expect_reasons(suggestion,
                 {"Rank 1 predicts entries that were hidden from it best: its mean error is 1 (2 masks).",
                  "Ranks 2 and 3 are clearly worse (by more than 2 standard errors of the difference)."});
}

TEST(SuggestRank, WarnsAtAnEdgeOfTheRange) {
  RankSuggestion suggestion = suggest_rank(std::vector{seen(2, {3, 3}), seen(3, {2, 2}), seen(4, {1, 1})});
  EXPECT_EQ(suggestion.rank, 4);
  EXPECT_TRUE(suggestion.edge);
  EXPECT_EQ(suggestion.reasons.back(),
            "Rank 4 is the largest that could be judged, so a larger one may be better: look at more ranks.");
  suggestion = suggest_rank(std::vector{seen(2, {1, 1}), seen(3, {2, 2}), seen(4, {3, 3})});
  EXPECT_EQ(suggestion.rank, 2);
  EXPECT_TRUE(suggestion.edge);
  EXPECT_EQ(
      suggestion.reasons.back(),
      "Rank 2 is the smallest that could be judged, so a smaller one may be better: look at more ranks.");
}

TEST(SuggestRank, IsUndecidedWhereNoOtherRankIsClearlyWorse) {
  const RankSuggestion suggestion = suggest_rank(
      std::vector{seen(2, {1.2, 1}), seen(3, {1, 1.1}), seen(4, {1, 1.3}, 0.2), seen(5, {1.4, 1}, 0.1)});
  EXPECT_EQ(suggestion.rank, 0);
  EXPECT_EQ(suggestion.alternatives, (std::vector<Index>{3, 2, 4, 5}));
  EXPECT_FALSE(suggestion.edge);
  EXPECT_EQ(
      suggestion.reasons.front(),
      "Undecided: rank 3 predicts entries that were hidden from it best (mean error 1.05, 2 masks), but no "
      "other "
      "rank is clearly worse; hide entries more often (--heldout-repeats), or look at ranks that are further "
      "apart.");
}

TEST(SuggestRank, IsUndecidedByOneMask) {
  const RankSuggestion suggestion = suggest_rank(std::vector{seen(2, {3}), seen(3, {1}), seen(4, {2}, 0.5)});
  EXPECT_EQ(suggestion.rank, 0);
  EXPECT_EQ(suggestion.alternatives, (std::vector<Index>{3, 4, 2}));
  EXPECT_EQ(suggestion.reasons.front(),
            "Undecided: rank 3 predicts entries that were hidden from it best, but one mask does not tell "
            "whether that "
            "was chance; hide entries several times (--heldout-repeats 5).");
}

TEST(SuggestRank, IsUndecidedOfOneRank) {
  const RankSuggestion suggestion = suggest_rank(std::vector{seen(7, {1, 2, 3})});
  EXPECT_EQ(suggestion.rank, 0);
  EXPECT_EQ(suggestion.alternatives, std::vector<Index>{7});
  EXPECT_EQ(suggestion.reasons.front(),
            "Undecided: only rank 7 could be judged, and there is nothing to compare it with.");
}

TEST(SuggestRank, JudgesOnlyWhatHasEnoughStarts) {
  std::vector<RankEvidence> evidence = clear_evidence();
  for (RankEvidence& rank : evidence) rank.starts = rank.done = rank.converged = 10;
  EXPECT_EQ(suggest_rank(evidence).rank, 3);
  evidence[2].starts = evidence[2].done = evidence[2].converged = 9;
  const RankSuggestion suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 4);
  EXPECT_EQ(suggestion.alternatives, std::vector<Index>{2});  // the largest stable one that can be trusted
  EXPECT_EQ(
      suggestion.reasons.back(),
      "Rank 3 could not be judged: fewer than 10 starts cannot show how much the results vary; ask for more "
      "(--starts 10).");
}

TEST(SuggestRank, JudgesOnlyWhatIsMostlyDoneAndConverged) {
  std::vector<RankEvidence> evidence = clear_evidence();
  evidence[2].done = evidence[2].converged = 16;  // 80 %
  EXPECT_EQ(suggest_rank(evidence).rank, 3);
  evidence[2].done = evidence[2].converged = 15;
  evidence[0].done = 0;
  evidence[0].converged = 0;
  RankSuggestion suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 4);
  EXPECT_EQ(suggestion.reasons.back(),
            "Ranks 1 and 3 could not be judged: fewer than 80 % of the starts are done; let the survey go on "
            "(--resume), or see why jobs failed.");
  evidence = clear_evidence();
  evidence[2].converged = 18;  // 90 %
  EXPECT_EQ(suggest_rank(evidence).rank, 3);
  evidence[2].converged = 17;
  suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 4);
  EXPECT_EQ(suggestion.reasons.back(),
            "Rank 3 could not be judged: fewer than 90 % of the starts reached a solution before they ended; "
            "give them "
            "more iterations (--max-iterations).");
}

TEST(SuggestRank, NeedsTheSameMasksOfAllRanks) {
  std::vector<RankEvidence> evidence = clear_evidence();
  evidence[2].heldout[1] = kNaN;
  evidence[3].heldout.pop_back();
  const RankSuggestion suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 5);
  EXPECT_EQ(suggestion.alternatives, std::vector<Index>{3});  // stable, as its starts are done
  EXPECT_EQ(
      suggestion.reasons.back(),
      "Ranks 3 and 4 could not be judged: some of the held-out errors are missing; let the survey go on "
      "(--resume), or see why jobs failed.");
}

TEST(SuggestRank, ForgetsAMaskThatFailedForAll) {
  std::vector<RankEvidence> evidence = clear_evidence();
  for (RankEvidence& rank : evidence) rank.heldout[1] = kNaN;
  const RankSuggestion suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 3);
  EXPECT_EQ(suggestion.reasons.front(),
            "Rank 3 predicts entries that were hidden from it best: its mean error is 1.05 (2 masks).");
}

TEST(SuggestRank, GoesByStabilityAloneNowhere) {
  std::vector<RankEvidence> evidence = clear_evidence();
  for (RankEvidence& rank : evidence) rank.heldout.clear();
  const RankSuggestion suggestion = suggest_rank(evidence);
  EXPECT_EQ(suggestion.rank, 0);
  EXPECT_EQ(suggestion.alternatives, std::vector<Index>{3});
  expect_reasons(
      suggestion,
      {"Nothing was held out, so there is nothing to tell which rank predicts best: run the survey with "
       "--heldout speckled.",
       "The largest rank whose components are all stable is 3, which says that its components are found "
       "again, and not that there are no more."});
}

TEST(SuggestRank, HasNothingToSayOfNothing) {
  const RankSuggestion nothing = suggest_rank({});
  EXPECT_EQ(nothing.rank, 0);
  EXPECT_TRUE(nothing.alternatives.empty());
  expect_reasons(nothing, {"No rank was looked at."});

  std::vector<RankEvidence> evidence = clear_evidence();
  for (RankEvidence& rank : evidence) rank.starts = 5;
  const RankSuggestion few = suggest_rank(evidence);
  EXPECT_EQ(few.rank, 0);
  EXPECT_TRUE(few.alternatives.empty());
  expect_reasons(
      few, {"No rank could be judged.",
            "Ranks 1 to 5 could not be judged: fewer than 10 starts cannot show how much the results vary; "
            "ask for more (--starts 10)."});
}

}  // namespace
}  // namespace anmf::test::consensus_rank_test
