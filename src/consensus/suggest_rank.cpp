// SPDX-License-Identifier: MIT
// Rule heldout-1:
//   1. a rank can be judged if it has enough starts, most of them are done, most of these have converged, and
//      no error of the entries held out is missing;
//   2. of these the rank with the least mean error is suggested;
//   3. it is called stable if every component is found again; else the largest smaller rank that is stable
//      is named beside it;
//   4. nothing is decided if no other rank is worse by two standard errors of the paired differences;
//   5. at an edge of the ranks that could be judged there is a warning.
// The words are in suggestion_words.cpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "anmf/consensus.h"
#include "consensus/suggestion_words.h"

namespace anmf {
namespace {

/// Masks of which some rank has an error: those that all must have.
std::vector<std::size_t> masks_of(std::span<const RankEvidence> evidence) {
  std::vector<std::size_t> masks;
  std::size_t most = 0;
  for (const RankEvidence& rank : evidence) most = std::max(most, rank.heldout.size());
  for (std::size_t mask = 0; mask < most; ++mask) {
    const auto has_it = [mask](const RankEvidence& rank) {
      return mask < rank.heldout.size() && std::isfinite(rank.heldout[mask]);
    };
    if (std::ranges::any_of(evidence, has_it)) masks.push_back(mask);
  }
  return masks;
}

/// Point 1.
Verdict verdict(const RankEvidence& rank, std::span<const std::size_t> masks) {
  const auto share = [](Index part, Index whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<Index>(1, whole));
  };
  if (rank.starts < kLeastStarts) return Verdict::few_starts;
  if (share(rank.done, rank.starts) < kLeastDone) return Verdict::few_done;
  if (share(rank.converged, rank.done) < kLeastConverged) return Verdict::few_converged;
  for (const std::size_t mask : masks) {
    if (mask >= rank.heldout.size() || !std::isfinite(rank.heldout[mask])) return Verdict::masks_missing;
  }
  return Verdict::judged;
}

/// Of errors, or of differences between those of two ranks.
struct Sample {
  double mean = 0;
  double standard_error = 0;
};

Sample sample_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {.mean = mean, .standard_error = std::sqrt(squares / (count - 1) / count)};
}

/// Point 4. Of one mask nothing is known of the spread.
bool clearly_worse(std::span<const double> errors, std::span<const double> least) {
  std::vector<double> differences(errors.size());
  std::ranges::transform(errors, least, differences.begin(), std::minus());
  if (differences.size() < 2) return false;
  const Sample difference = sample_of(differences);
  return difference.mean > kStandardErrors * difference.standard_error;
}

bool stable(const RankEvidence& rank) { return rank.silhouette_min >= kStableSilhouette; }

/// The place of the largest stable rank before `end` whose starts can be trusted.
std::size_t largest_stable(std::span<const RankEvidence> evidence, std::span<const Verdict> verdicts,
                           std::size_t end) {
  for (std::size_t i = end; i > 0; --i) {
    const bool trusted = verdicts[i - 1] == Verdict::judged || verdicts[i - 1] == Verdict::masks_missing;
    if (trusted && stable(evidence[i - 1])) return i - 1;
  }
  return kNoPlace;
}

}  // namespace

RankSuggestion suggest_rank(std::span<const RankEvidence> evidence) {
  Judgement judgement;
  const std::vector<std::size_t> masks = masks_of(evidence);
  judgement.masks = std::ssize(masks);
  std::vector<std::size_t> judged;  // places
  std::vector<std::vector<double>> errors(evidence.size());
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    judgement.verdicts.push_back(verdict(evidence[i], masks));
    judgement.means.push_back(std::numeric_limits<double>::quiet_NaN());
    if (judgement.verdicts[i] != Verdict::judged || masks.empty()) continue;
    judged.push_back(i);
    for (const std::size_t mask : masks) errors[i].push_back(evidence[i].heldout[mask]);
    judgement.means[i] = sample_of(errors[i]).mean;
  }
  judgement.stable = largest_stable(evidence, judgement.verdicts, evidence.size());
  if (!judged.empty()) {
    std::ranges::stable_sort(judged, {}, [&](std::size_t i) { return judgement.means[i]; });
    judgement.best = judged.front();
    for (std::size_t i : judged) {
      if (i == judgement.best) continue;
      (clearly_worse(errors[i], errors[judgement.best]) ? judgement.worse : judgement.close).push_back(i);
    }
    judgement.decided = !judgement.worse.empty();
    const auto [first, last] = std::ranges::minmax(judged);
    judgement.first = judgement.best == first;
    judgement.last = judgement.best == last;
    judgement.stable = stable(evidence[judgement.best])
                           ? judgement.best
                           : largest_stable(evidence, judgement.verdicts, judgement.best);
  }
  return in_words(evidence, judgement);
}

}  // namespace anmf
