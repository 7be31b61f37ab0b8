// SPDX-License-Identifier: MIT
#include "kernels/nnls.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/active_set.h"

namespace anmf {
namespace {

// Values this small relative to the right-hand side are rounding, not a sign.
constexpr double kSignTolerance = 1e-12;
// Full exchanges granted without progress before one variable at a time moves (Kim and Park's p-bar).
constexpr int kPatience = 3;
// Work between two looks: some milliseconds.
constexpr double kLookAfterFlops = 1e7;

}  // namespace

NnlsSolver::NnlsSolver(ConstMatrixView<double> gram, double tiny)
    : gram_(Eigen::MatrixXd::Zero(gram.rows, gram.rows)), scale_(Eigen::VectorXd::Zero(gram.rows)) {
  double largest = 0;
  for (Index p = 0; p < gram.rows; ++p) largest = std::max(largest, gram(p, p));
  for (Index p = 0; p < gram.rows; ++p) {
    if (gram(p, p) > tiny * largest) {
      scale_[p] = std::sqrt(gram(p, p));
      variables_.push_back(p);
    } else if (gram(p, p) > 0) {
      left_alone_.push_back(p);
    }
  }
  for (const Index p : variables_) {
    for (const Index q : variables_) gram_(p, q) = gram(p, q) / (scale_[p] * scale_[q]);
    gram_(p, p) = 1;
  }
  coupling_ = Eigen::MatrixXd::Zero(gram.rows, static_cast<Index>(left_alone_.size()));
  for (const Index p : variables_) {
    for (std::size_t k = 0; k < left_alone_.size(); ++k) {
      coupling_(p, static_cast<Index>(k)) = gram(p, left_alone_[k]) / scale_[p];
    }
  }
}

/// Block principal pivoting on a block of right-hand sides. Column j of the r x k matrices is problem j.
/// A variable is passive (free) or active (zero); x is solved on the passive set and y = G x - c is the
/// gradient on the active one. Problems with equal passive sets share one Cholesky factorization.
class NnlsSolver::Block {
 public:
  Block(const NnlsSolver& solver, ConstMatrixView<double> C, MatrixView<double> X,
        const std::function<void()>& look)
      : look_(look),
        gram_(solver.gram_),
        variables_(solver.variables_),
        c_(solver.gram_.rows(), C.rows),
        x_(solver.gram_.rows(), C.rows),
        y_(Eigen::MatrixXd::Zero(solver.gram_.rows(), C.rows)),
        passive_(static_cast<std::size_t>(C.rows), std::vector<bool>(static_cast<std::size_t>(C.cols))),
        state_(static_cast<std::size_t>(C.rows)) {
    for (Index j = 0; j < C.rows; ++j) {
      double largest = 0;
      for (const Index p : variables_) {
        c_(p, j) = C(j, p) / solver.scale_[p];
        for (std::size_t k = 0; k < solver.left_alone_.size(); ++k) {
          c_(p, j) -= solver.coupling_(p, static_cast<Index>(k)) * X(j, solver.left_alone_[k]);
        }
        passive_[at(j)][at(p)] = X(j, p) > 0;
        largest = std::max(largest, std::abs(c_(p, j)));
      }
      state_[at(j)].tolerance = kSignTolerance * largest;
      state_[at(j)].fewest_infeasible = static_cast<Index>(variables_.size()) + 1;
    }
  }

  Report run() {
    std::vector<Index> pending(state_.size());
    std::iota(pending.begin(), pending.end(), Index{0});
    const Index max_rounds = 5 * static_cast<Index>(variables_.size()) + 5;
    for (Index round = 0; round < max_rounds && !pending.empty(); ++round) {
      solve_groups(pending);
      std::erase_if(pending, [this](Index j) { return !exchange(j); });
    }
    for (const Index j : pending) {
      x_.col(j) = active_set_nnls(gram_, variables_, c_.col(j), state_[at(j)].tolerance, look_);
      ++report_.fallback_rows;
    }
    return report_;
  }

  /// Problem j's solution in the caller's units.
  void store(const NnlsSolver& solver, MatrixView<double> X) const {
    for (Index j = 0; j < X.rows; ++j) {
      for (const Index p : variables_) {
        const double x = x_(p, j);
        X(j, p) = x > state_[at(j)].tolerance ? x / solver.scale_[p] : 0;
      }
    }
  }

 private:
  struct State {
    double tolerance = 0;
    Index fewest_infeasible = 0;
    int patience = kPatience;
  };

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  /// Solves every pending problem on its passive set, one factorization per distinct set.
  void solve_groups(std::vector<Index>& pending) {
    std::sort(pending.begin(), pending.end(), [this](Index a, Index b) {
      return passive_[at(a)] != passive_[at(b)] ? passive_[at(a)] < passive_[at(b)] : a < b;
    });
    for (auto begin = pending.begin(); begin != pending.end();) {
      const std::vector<bool>& set = passive_[at(*begin)];
      const auto end = std::find_if(begin, pending.end(), [&](Index j) { return passive_[at(j)] != set; });
      solve_group(set, {begin, end});
      if (report_.flops > look_at_) {
        look_();
        look_at_ = report_.flops + kLookAfterFlops;
      }
      begin = end;
    }
  }

  void solve_group(const std::vector<bool>& set, const std::vector<Index>& problems) {
    std::vector<Index> passive;
    std::vector<Index> active;
    for (const Index p : variables_) (set[at(p)] ? passive : active).push_back(p);
    const Eigen::MatrixXd solution = solve_passive(gram_(passive, passive), c_(passive, problems));
    const Eigen::MatrixXd gradient = gram_(active, passive) * solution - c_(active, problems);
    for (std::size_t k = 0; k < problems.size(); ++k) {
      const auto column = static_cast<Index>(k);
      x_.col(problems[k]).setZero();
      y_.col(problems[k]).setZero();
      for (std::size_t i = 0; i < passive.size(); ++i)
        x_(passive[i], problems[k]) = solution(static_cast<Index>(i), column);
      for (std::size_t i = 0; i < active.size(); ++i)
        y_(active[i], problems[k]) = gradient(static_cast<Index>(i), column);
    }
    const auto size = static_cast<double>(passive.size());
    const auto rank = static_cast<double>(variables_.size());
    report_.flops += size * size * size / 3 + 2 * size * rank * static_cast<double>(problems.size());
  }

  /// Moves variables of the wrong sign to the other set. False if there were none: problem j is solved.
  bool exchange(Index j) {
    State& state = state_[at(j)];
    std::vector<Index> infeasible;
    for (const Index p : variables_) {
      const double value = passive_[at(j)][at(p)] ? x_(p, j) : y_(p, j);
      if (value < -state.tolerance) infeasible.push_back(p);
    }
    if (infeasible.empty()) return false;
    const auto count = static_cast<Index>(infeasible.size());
    if (count < state.fewest_infeasible) {
      state.fewest_infeasible = count;
      state.patience = kPatience;
    } else if (state.patience > 0) {
      --state.patience;
    } else {
      infeasible = {infeasible.back()};  // Murty's rule: finite, one at a time
    }
    for (const Index p : infeasible) passive_[at(j)][at(p)].flip();
    return true;
  }

  const std::function<void()>& look_;
  double look_at_ = kLookAfterFlops;
  const Eigen::MatrixXd& gram_;
  const std::vector<Index>& variables_;
  Eigen::MatrixXd c_, x_, y_;
  std::vector<std::vector<bool>> passive_;
  std::vector<State> state_;
  Report report_;
};

NnlsSolver::Report NnlsSolver::solve(ConstMatrixView<double> C, MatrixView<double> X,
                                     const std::function<void()>& look) const {
  Block block(*this, C, X, look);
  const Report report = block.run();
  block.store(*this, X);
  return report;
}

}  // namespace anmf
