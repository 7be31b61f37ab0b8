// SPDX-License-Identifier: MIT
#include "consensus/sample_labels.h"

#include <fmt/format.h>

#include <limits>

#include "anmf/error.h"

namespace anmf {

void check_labels(const SampleLabels& labels, Index k) {
  constexpr Index kMost = std::numeric_limits<std::uint16_t>::max();
  if (k < 1 || k > kMost) {
    throw InvalidInput(fmt::format("k = {}; labels are numbers of 1 to {} components.", k, kMost));
  }
  for (Index s = 0; s < labels.rows(); ++s) {
    for (Index i = 0; i < labels.cols(); ++i) {
      if (labels(s, i) <= k) continue;
      throw InvalidInput(fmt::format(
          "labels[{}, {}] = {} (row and column counted from 0); labels are 1 to k = {}, or 0 for none.", s, i,
          labels(s, i), k));
    }
  }
}

}  // namespace anmf
