// SPDX-License-Identifier: MIT
// What labels of the samples say of the components: how the weight of each spreads over the words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "labels.h"
#include "tall_view.h"

namespace anmf::report {

class LabelSummary {
 public:
  /// `factor` has a row for each sample; `weights` are those of the components, with the sum 1.
  template <class T>
  LabelSummary(TallView<T> factor, const std::vector<double>& weights, const Grouping& grouping);

  /// What the component tells of the word, in nats: the mutual information of both, if a component is drawn
  /// by its weight and a sample by its entry there.
  [[nodiscard]] double information() const { return information_; }
  /// The words that have most of a component's weight, with their shares.
  [[nodiscard]] nlohmann::ordered_json of_component(Index p) const;
  [[nodiscard]] std::string word_of(Index sample) const;

 private:
  const Grouping* grouping_;
  std::vector<std::vector<double>> shares_;  ///< of the words, for each component
  double information_ = 0;
};

/// Of all groupings the few that tell most, the one that does first.
template <class T>
[[nodiscard]] std::vector<LabelSummary> summarise(TallView<T> factor, const std::vector<double>& weights,
                                                  const std::vector<Grouping>& groupings);

}  // namespace anmf::report
