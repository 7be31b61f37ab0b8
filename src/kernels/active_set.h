// SPDX-License-Identifier: MIT
// The slow and certain way to solve one nonnegative least squares problem, for the few right-hand sides
// that block principal pivoting does not settle (nearly dependent columns).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "anmf/matrix.h"

namespace anmf {

/// Solves G x = c for a positive semidefinite G with unit diagonal and any number of right-hand sides.
/// A numerically singular G gets a ridge so small that it changes G x by no more than rounding does.
[[nodiscard]] Eigen::MatrixXd solve_passive(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& c);

/// min over x >= 0 of 1/2 x' G x - c' x by the active-set method of Lawson and Hanson, over `variables`
/// only; the other entries of x are zero. Entries of the gradient within `tolerance` count as zero.
/// `look` is called in every pass and may throw to give up.
[[nodiscard]] Eigen::VectorXd active_set_nnls(
    const Eigen::MatrixXd& gram, const std::vector<Index>& variables, const Eigen::VectorXd& c,
    double tolerance, const std::function<void()>& look = [] {});

}  // namespace anmf
