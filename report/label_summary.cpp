// SPDX-License-Identifier: MIT
#include "label_summary.h"

#include <algorithm>
#include <cmath>

#include "json_values.h"
#include "strongest.h"

namespace anmf::report {
namespace {

constexpr Index kTopWords = 3;
constexpr std::size_t kMostShown = 3;

}  // namespace

template <class T>
LabelSummary::LabelSummary(TallView<T> factor, const std::vector<double>& weights, const Grouping& grouping)
    : grouping_(&grouping) {
  const std::size_t words = grouping.words.size();
  std::vector<double> overall(words, 0.0);
  for (Index p = 0; p < factor.cols; ++p) {
    std::vector<double>& shares = shares_.emplace_back(words, 0.0);
    double sum = 0;
    for (Index i = 0; i < factor.rows; ++i) {
      const auto value = static_cast<double>(factor(i, p));
      shares[grouping.codes[static_cast<std::size_t>(i)]] += value;
      sum += value;
    }
    for (std::size_t k = 0; k < words; ++k) {
      shares[k] = sum > 0 ? shares[k] / sum : 0;
      overall[k] += weights[static_cast<std::size_t>(p)] * shares[k];
    }
  }
  for (std::size_t p = 0; p < shares_.size(); ++p) {
    for (std::size_t k = 0; k < words; ++k) {
      const double joint = weights[p] * shares_[p][k];
      if (joint > 0) information_ += joint * std::log(shares_[p][k] / overall[k]);
    }
  }
}

Json LabelSummary::of_component(Index p) const {
  const std::vector<double>& shares = shares_[static_cast<std::size_t>(p)];
  const auto share = [&](Index k) { return shares[static_cast<std::size_t>(k)]; };
  Json top = Json::array();
  for (const Index k : strongest(static_cast<Index>(shares.size()), kTopWords, share)) {
    top.push_back(
        {{"name", shortened(grouping_->words[static_cast<std::size_t>(k)])}, {"share", number(share(k))}});
  }
  return {{"name", shortened(grouping_->name)}, {"top", std::move(top)}};
}

std::string LabelSummary::word_of(Index sample) const {
  return shortened(grouping_->words[grouping_->codes[static_cast<std::size_t>(sample)]]);
}

template <class T>
std::vector<LabelSummary> summarise(TallView<T> factor, const std::vector<double>& weights,
                                    const std::vector<Grouping>& groupings) {
  std::vector<LabelSummary> summaries;
  summaries.reserve(groupings.size());
  for (const Grouping& grouping : groupings) summaries.emplace_back(factor, weights, grouping);
  std::stable_sort(summaries.begin(), summaries.end(),
                   [](const auto& a, const auto& b) { return a.information() > b.information(); });
  if (summaries.size() > kMostShown) summaries.erase(summaries.begin() + kMostShown, summaries.end());
  return summaries;
}

template std::vector<LabelSummary> summarise(TallView<float>, const std::vector<double>&,
                                             const std::vector<Grouping>&);
template std::vector<LabelSummary> summarise(TallView<double>, const std::vector<double>&,
                                             const std::vector<Grouping>&);

}  // namespace anmf::report
