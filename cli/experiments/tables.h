// SPDX-License-Identifier: MIT
// The paper's tables, computed by its formula beside what it prints, and its claims about rho.
#pragma once

#include <vector>

#include "experiments/claim.h"
#include "experiments/document.h"
#include "experiments/experiment.h"

namespace anmf::cli {

/// rho of both factors, what the paper prints, and the inner iterations that A-MU and A-HALS may make.
[[nodiscard]] TextTable rho_table(const Experiment& experiment);

/// What can be said about rho without running anything.
[[nodiscard]] std::vector<Claim> rho_claims(const std::vector<Experiment>& tables);

}  // namespace anmf::cli
