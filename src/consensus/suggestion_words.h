// SPDX-License-Identifier: MIT
// What the rule for the rank found, before it is put into words, and its thresholds, which the words name.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "anmf/consensus.h"

namespace anmf {

inline constexpr std::string_view kRankRule = "heldout-1";
inline constexpr Index kLeastStarts = 10;         // that were asked for
inline constexpr double kLeastDone = 0.8;         // share of these
inline constexpr double kLeastConverged = 0.9;    // share of those done
inline constexpr double kStableSilhouette = 0.8;  // of the worst component
inline constexpr double kStandardErrors = 2;      // of paired differences

/// Whether a rank can be judged, or the first thing that is missing.
enum class Verdict { judged, few_starts, few_done, few_converged, masks_missing };

inline constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

/// Ranks are places in the evidence.
struct Judgement {
  std::vector<Verdict> verdicts;
  std::vector<double> means;       // errors of the entries held out; NaN unless judged
  Index masks = 0;                 // that every rank must have
  std::size_t best = kNoPlace;     // the least mean error
  std::vector<std::size_t> close;  // not clearly worse than the best, in the order of their errors
  std::vector<std::size_t> worse;  // clearly worse, likewise
  bool decided = false;
  bool first = false;             // the best is the first of the ranks that were judged
  bool last = false;              // or the last
  std::size_t stable = kNoPlace;  // the largest stable rank up to the best, or of all if there is no best
};

[[nodiscard]] RankSuggestion in_words(std::span<const RankEvidence> evidence, const Judgement& judgement);

}  // namespace anmf
