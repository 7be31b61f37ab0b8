// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anmf/consensus.h"

namespace anmf {

/// Throws InvalidInput for a label above k, and for a k that labels cannot hold.
void check_labels(const SampleLabels& labels, Index k);

[[nodiscard]] inline std::span<const std::uint16_t> labels_of(const SampleLabels& labels, Index start) {
  return labels.values().subspan(static_cast<std::size_t>(start * labels.cols()),
                                 static_cast<std::size_t>(labels.cols()));
}

}  // namespace anmf
