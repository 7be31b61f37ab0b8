// SPDX-License-Identifier: MIT
#include "kernels/active_set.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace anmf {
namespace {

constexpr double kSingularPivot = 1e-14;
constexpr double kRidge = 1e-13;

Eigen::LLT<Eigen::MatrixXd> factor(const Eigen::MatrixXd& gram, double ridge) {
  return (gram + ridge * Eigen::MatrixXd::Identity(gram.rows(), gram.cols())).llt();
}

bool is_regular(const Eigen::LLT<Eigen::MatrixXd>& llt) {
  return llt.info() == Eigen::Success &&
         llt.matrixLLT().diagonal().array().square().minCoeff() > kSingularPivot;
}

/// The index of the variable that is not passive and whose entry of `descent` is largest, or -1 if none
/// exceeds the tolerance.
Index most_wanted(const std::vector<Index>& variables, const std::vector<Index>& passive,
                  const Eigen::VectorXd& descent, double tolerance) {
  Index best = -1;
  for (const Index p : variables) {
    if (std::find(passive.begin(), passive.end(), p) != passive.end()) continue;
    if (descent[p] > tolerance && (best < 0 || descent[p] > descent[best])) best = p;
  }
  return best;
}

}  // namespace

Eigen::MatrixXd solve_passive(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& c) {
  if (gram.rows() == 0) return c;
  const Eigen::LLT<Eigen::MatrixXd> llt = factor(gram, 0);
  return is_regular(llt) ? llt.solve(c) : factor(gram, kRidge).solve(c);
}

Eigen::VectorXd active_set_nnls(const Eigen::MatrixXd& gram, const std::vector<Index>& variables,
                                const Eigen::VectorXd& c, double tolerance,
                                const std::function<void()>& look) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(c.size());
  Eigen::VectorXd descent = c;
  std::vector<Index> passive;
  // Every pass lowers the objective, so no passive set comes back; the cap guards against rounding.
  const std::size_t max_passes = 10 * variables.size() + 10;
  for (std::size_t pass = 0; pass < max_passes; ++pass) {
    look();
    const Index wanted = most_wanted(variables, passive, descent, tolerance);
    if (wanted < 0) break;
    passive.push_back(wanted);
    while (!passive.empty()) {
      const Eigen::VectorXd goal = factor(gram(passive, passive), kRidge).solve(c(passive));
      double step = 1;
      for (std::size_t i = 0; i < passive.size(); ++i) {
        const double target = goal[static_cast<Index>(i)];
        if (target <= 0) step = std::min(step, x[passive[i]] / (x[passive[i]] - target));
      }
      for (std::size_t i = 0; i < passive.size(); ++i) {
        const double target = goal[static_cast<Index>(i)];
        double& value = x[passive[i]];
        value = std::max(0.0, value + step * (target - value));
        if (target <= 0 && value <= tolerance) value = 0;
      }
      if (step == 1) break;
      std::erase_if(passive, [&](Index p) { return x[p] == 0; });
    }
    descent = c - gram * x;
    if (x[wanted] == 0) descent[wanted] = 0;  // rounding only: do not ask for it again at once
  }
  return x;
}

}  // namespace anmf
