// SPDX-License-Identifier: MIT
// Every statement that the paper makes about its figures, as a predicate over their curves. None is bent to
// come out right: thresholds stand in the text of the claim, and what fails is shown as failing.
#pragma once

#include <vector>

#include "experiments/claim.h"
#include "experiments/results.h"

namespace anmf::cli {

/// Those of figures 1 to 9: how many inner iterations, and what delta does.
[[nodiscard]] std::vector<Claim> inner_iteration_claims(const std::vector<FigureResult>& figures);
/// Those of figures 10 and 11: the methods against each other.
[[nodiscard]] std::vector<Claim> method_claims(const std::vector<FigureResult>& figures);
/// Both, judged by flops and beside it by solver time.
[[nodiscard]] std::vector<Claim> figure_claims(const std::vector<FigureResult>& figures);
/// No error ever rises, whatever the method.
[[nodiscard]] std::vector<Claim> monotone_claims(const std::vector<FigureResult>& figures);

}  // namespace anmf::cli
