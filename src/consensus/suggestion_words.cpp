// SPDX-License-Identifier: MIT
// Sentences for people who know their data, and need not know what a silhouette or a standard error is.
#include "consensus/suggestion_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace anmf {
namespace {

using Evidence = std::span<const RankEvidence>;
using Places = std::vector<std::size_t>;

/// "rank 4", "ranks 2 and 7", "ranks 2, 4 to 6 and 9".
std::string ranks_in_words(Evidence evidence, Places places) {
  std::ranges::sort(places);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < places.size();) {
    std::size_t end = i + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
    if (end - i > 2) {
      parts.push_back(fmt::format("{} to {}", evidence[places[i]].rank, evidence[places[end - 1]].rank));
      i = end;
    } else {
      parts.push_back(fmt::format("{}", evidence[places[i++]].rank));
    }
  }
  std::string words = places.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) words += i + 1 == parts.size() ? " and " : ", ";
    words += parts[i];
  }
  return words;
}

std::string capital(std::string sentence) {
  if (!sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z') sentence.front() += 'A' - 'a';
  return sentence;
}

std::string masks_in_words(Index masks) { return masks == 1 ? "1 mask" : fmt::format("{} masks", masks); }

int percent(double share) { return static_cast<int>(std::lround(100 * share)); }

/// Why ranks were not judged, a sentence for each cause.
void tell_what_is_missing(Evidence evidence, const Judgement& judgement, std::vector<std::string>& reasons) {
  struct Cause {
    Verdict verdict;
    std::string words;
  };
  const std::array causes = {
      Cause{Verdict::few_starts,
            fmt::format(
                "fewer than {0} starts cannot show how much the results vary; ask for more (--starts {0})",
                kLeastStarts)},
      Cause{Verdict::few_done,
            fmt::format("fewer than {} % of the starts are done; let the survey go on (--resume), or "
                        "see why jobs failed",
                        percent(kLeastDone))},
      Cause{
          Verdict::few_converged,
          fmt::format(
              "fewer than {} % of the starts reached a solution before they ended; give them more iterations "
              "(--max-iterations)",
              percent(kLeastConverged))},
      Cause{Verdict::masks_missing,
            "some of the held-out errors are missing; let the survey go on (--resume), or see why "
            "jobs failed"}};
  for (const Cause& cause : causes) {
    Places places;
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      if (judgement.verdicts[i] == cause.verdict) places.push_back(i);
    }
    if (places.empty()) continue;
    reasons.push_back(
        fmt::format("{} could not be judged: {}.", capital(ranks_in_words(evidence, places)), cause.words));
  }
}

void tell_stability(Evidence evidence, const Judgement& judgement, std::vector<std::string>& reasons) {
  const RankEvidence& best = evidence[judgement.best];
  if (best.rank == 1) return;  // one component, with nothing to be mistaken for
  if (judgement.stable == judgement.best) {
    reasons.push_back(
        fmt::format("Rank {} is stable: the starts find the same components again and again (silhouette of "
                    "the worst component {:.2f}; stable from {} on).",
                    best.rank, best.silhouette_min, kStableSilhouette));
    return;
  }
  std::string sentence =
      std::isnan(best.silhouette_min)
          ? fmt::format("How stable its components are is not known at rank {}.", best.rank)
          : fmt::format(
                "Rank {} is not stable: at least one of its components differs from start to start "
                "(silhouette of the worst component {:.2f}; stable from {} on), so look at the components "
                "one "
                "by one.",
                best.rank, best.silhouette_min, kStableSilhouette);
  sentence += judgement.stable == kNoPlace ? " No smaller rank is stable either."
                                           : fmt::format(" The largest smaller rank that is stable is {}.",
                                                         evidence[judgement.stable].rank);
  reasons.push_back(std::move(sentence));
}

void tell_edge(Evidence evidence, const Judgement& judgement, std::vector<std::string>& reasons) {
  const Index rank = evidence[judgement.best].rank;
  if (judgement.last) {
    reasons.push_back(fmt::format(
        "Rank {} is the largest that could be judged, so a larger one may be better: look at more ranks.",
        rank));
  } else if (judgement.first && rank > 1) {
    reasons.push_back(fmt::format(
        "Rank {} is the smallest that could be judged, so a smaller one may be better: look at more ranks.",
        rank));
  }
}

void tell_best(Evidence evidence, const Judgement& judgement, std::vector<std::string>& reasons) {
  const Index rank = evidence[judgement.best].rank;
  const double mean = judgement.means[judgement.best];
  if (judgement.decided) {
    reasons.push_back(
        fmt::format("Rank {} predicts entries that were hidden from it best: its mean error is {:.4g} ({}).",
                    rank, mean, masks_in_words(judgement.masks)));
    reasons.push_back(fmt::format(
        "{} clearly worse (by more than {} standard errors of the difference).",
        capital(ranks_in_words(evidence, judgement.worse)) + (judgement.worse.size() == 1 ? " is" : " are"),
        kStandardErrors));
    if (!judgement.close.empty()) {
      reasons.push_back(fmt::format("{} not clearly worse, and may be right, too.",
                                    capital(ranks_in_words(evidence, judgement.close)) +
                                        (judgement.close.size() == 1 ? " is" : " are")));
    }
    return;
  }
  if (judgement.close.empty()) {
    reasons.push_back(fmt::format(
        "Undecided: only rank {} could be judged, and there is nothing to compare it with.", rank));
  } else if (judgement.masks == 1) {
    reasons.push_back(
        fmt::format("Undecided: rank {} predicts entries that were hidden from it best, but one mask does "
                    "not tell whether that was chance; hide entries several times (--heldout-repeats 5).",
                    rank));
  } else {
    reasons.push_back(fmt::format(
        "Undecided: rank {} predicts entries that were hidden from it best (mean error {:.4g}, {}), "
        "but no other rank is clearly worse; hide entries more often (--heldout-repeats), or "
        "look at ranks that are further apart.",
        rank, mean, masks_in_words(judgement.masks)));
  }
}

}  // namespace

RankSuggestion in_words(Evidence evidence, const Judgement& judgement) {
  RankSuggestion suggestion{.rule = std::string(kRankRule)};
  std::vector<std::string>& reasons = suggestion.reasons;
  const auto other = [&](std::size_t place) { suggestion.alternatives.push_back(evidence[place].rank); };
  if (judgement.best != kNoPlace) {
    tell_best(evidence, judgement, reasons);
    tell_stability(evidence, judgement, reasons);
    if (judgement.decided) {
      suggestion.rank = evidence[judgement.best].rank;
      suggestion.edge = judgement.last || (judgement.first && suggestion.rank > 1);
    } else {
      other(judgement.best);
    }
    tell_edge(evidence, judgement, reasons);
    for (const std::size_t place : judgement.close) other(place);
  } else if (evidence.empty()) {
    reasons.emplace_back("No rank was looked at.");
  } else if (judgement.masks == 0) {
    reasons.emplace_back(
        "Nothing was held out, so there is nothing to tell which rank predicts best: run the survey with "
        "--heldout speckled.");
  } else {
    reasons.emplace_back("No rank could be judged.");
  }
  if (judgement.best == kNoPlace && judgement.stable != kNoPlace) {
    reasons.push_back(
        fmt::format("The largest rank whose components are all stable is {}, which says that its components "
                    "are found again, and not that there are no more.",
                    evidence[judgement.stable].rank));
  }
  const bool listed = judgement.stable == judgement.best || judgement.stable == kNoPlace ||
                      std::ranges::find(judgement.close, judgement.stable) != judgement.close.end();
  if (!listed) other(judgement.stable);
  tell_what_is_missing(evidence, judgement, reasons);
  return suggestion;
}

}  // namespace anmf
