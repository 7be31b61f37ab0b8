// SPDX-License-Identifier: MIT
// What claims are made of: comparisons of curves, and the collection of verdicts into one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/claim.h"
#include "experiments/results.h"

namespace anmf::cli {

/// Two numbers closer than this factor are not told apart.
inline constexpr double kTie = 1.05;

/// value >= threshold; undecided where it misses it by less than a tie.
[[nodiscard]] Verdict at_least(double value, double threshold);
/// value <= threshold; undecided where it exceeds it by less than a tie.
[[nodiscard]] Verdict at_most(double value, double threshold);
/// Fails if one fails, else undecided if one is.
[[nodiscard]] Verdict both(Verdict a, Verdict b);
[[nodiscard]] inline Verdict verdict_of(bool holds) { return holds ? Verdict::holds : Verdict::fails; }

[[nodiscard]] const FigureResult* find_figure(const std::vector<FigureResult>& figures, std::string_view id);
/// The curve of a behaviour, however rho was found; null if it was not drawn.
[[nodiscard]] const CurveResult* find_curve(const PanelResult& panel, const Behaviour& behaviour);
[[nodiscard]] const CurveResult* find_curve(const PanelResult& panel, std::string_view method);

/// speedup() of their judged curves.
[[nodiscard]] double speedup(const CurveResult& fast, const CurveResult& slow);
/// The curve whose smallest speedup over the others is the largest: the one that beats them all, if any does.
[[nodiscard]] const CurveResult* best_of(const std::vector<const CurveResult*>& curves);
/// The mean E after the first tenth of the axis, and at its end.
[[nodiscard]] double early(const CurveResult& curve);
[[nodiscard]] double final_gap(const CurveResult& curve);

/// Collects what single panels say into one claim.
class Evidence {
 public:
  Evidence(std::string id, std::string figure, std::string text) {
    claim_.id = std::move(id);
    claim_.figure = std::move(figure);
    claim_.text = std::move(text);
  }

  /// A verdict from one panel. With fewer than `starts` starts chance may have its hand in it: undecided.
  void add(const PanelResult& panel, Verdict verdict, const std::string& numbers, int starts = 2);
  /// Numbers without a verdict of their own.
  void note(const PanelResult& panel, const std::string& numbers);
  /// A verdict over all panels that were noted.
  void conclude(Verdict verdict);

  /// `reason` is given only if the claim fails.
  [[nodiscard]] Claim claim(std::string_view reason = "") const;

 private:
  Claim claim_;
  bool any_ = false;
  bool failed_ = false;
  bool undecided_ = false;
};

}  // namespace anmf::cli
