// SPDX-License-Identifier: MIT
// The runs of an experiment as panels of average curves.
#pragma once

#include <string>
#include <vector>

#include "experiments/curves.h"
#include "experiments/runner.h"

namespace anmf::cli {

/// What curves are drawn over.
enum class Cost {
  flops,    ///< work, in flops of plain HALS iterations: the same on every machine
  seconds,  ///< solver time
};

struct CurveResult {
  std::string label;
  std::string method;
  Behaviour behaviour;
  Curve seconds;
  Curve flops;         ///< in the unit of the panel
  Curve fine_seconds;  ///< the same on a fine grid, for the claims
  Curve fine_flops;    ///< in units of work
  Curve judged;        ///< the one of them that claims look at now
  double largest_rise =
      0;  ///< of the squared error in one iteration of any run, over ||M||^2 or its first value
};

struct PanelResult {
  std::string title;
  std::string data;
  Index rank = 0;  ///< 0 where several are averaged
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  Storage storage = Storage::dense;
  std::vector<std::string> sets;  ///< "orl r = 30": what was averaged
  int starts = 0;
  double e_min = 0;  ///< of the one data set and rank; 0 where several are averaged
  double norm = 0;
  std::string flops_label;
  Cost limited_by =
      Cost::flops;  ///< where runs end, so that all of them are there: methods are told apart by it
  std::vector<CurveResult> curves;

  /// The curve of a method up to where the runs end.
  [[nodiscard]] const Curve& whole(const CurveResult& c) const {
    return limited_by == Cost::seconds ? c.seconds : c.flops;
  }
  /// Those with the lowest average E at the end first.
  [[nodiscard]] std::vector<const CurveResult*> ranking() const;

  [[nodiscard]] bool dense() const { return is_dense(storage); }
};

struct FigureResult {
  std::string id;
  std::string title;
  std::string caption;
  std::string loss = "frobenius";
  std::vector<PanelResult> panels;
};

/// One data set at one rank, ready to run.
struct Case {
  const DataSet* data = nullptr;
  Index rank = 0;
  Limit limit;
};

/// A group of an experiment with the data sets that are there.
struct CaseGroup {
  std::string title;
  std::vector<Case> cases;
};

[[nodiscard]] std::string case_name(const Case& c);

/// All runs that an experiment asks for.
[[nodiscard]] std::vector<RunSpec> plan_runs(const Experiment& experiment,
                                             const std::vector<CaseGroup>& groups);

/// Averages them. e_min is taken within the experiment, so that a figure is the same whether it is drawn
/// alone or with others. A curve ends at the limit of its axis or, if there is none, where the shortest run
/// of the panel ends.
[[nodiscard]] FigureResult collect(const Experiment& experiment, const std::vector<CaseGroup>& groups,
                                   const Runs& runs);

/// Figures for claims to look at by this cost. Figures that do not have it are left out.
[[nodiscard]] std::vector<FigureResult> judged_by(Cost cost, std::vector<FigureResult> figures);

}  // namespace anmf::cli
