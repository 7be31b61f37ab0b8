// SPDX-License-Identifier: MIT
#include "experiments/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace anmf::cli {

Verdict at_least(double value, double threshold) {
  if (value >= threshold) return Verdict::holds;
  return value * kTie >= threshold ? Verdict::undecided : Verdict::fails;
}

Verdict at_most(double value, double threshold) {
  if (value <= threshold) return Verdict::holds;
  return value <= threshold * kTie ? Verdict::undecided : Verdict::fails;
}

Verdict both(Verdict a, Verdict b) {
  if (a == Verdict::fails || b == Verdict::fails) return Verdict::fails;
  return a == Verdict::undecided ? a : b;
}

const FigureResult* find_figure(const std::vector<FigureResult>& figures, std::string_view id) {
  for (const FigureResult& figure : figures) {
    if (figure.id == id) return &figure;
  }
  return nullptr;
}

const CurveResult* find_curve(const PanelResult& panel, const Behaviour& behaviour) {
  for (const CurveResult& curve : panel.curves) {
    Behaviour found = curve.behaviour;
    found.rho = behaviour.rho;
    if (found == behaviour) return &curve;
  }
  return nullptr;
}

const CurveResult* find_curve(const PanelResult& panel, std::string_view method) {
  return find_curve(panel, behaviour(method));
}

double speedup(const CurveResult& fast, const CurveResult& slow) { return speedup(fast.judged, slow.judged); }

const CurveResult* best_of(const std::vector<const CurveResult*>& curves) {
  const CurveResult* best = nullptr;
  double best_margin = -1;
  for (const CurveResult* a : curves) {
    double margin = HUGE_VAL;
    for (const CurveResult* b : curves) {
      if (b != a) margin = std::min(margin, speedup(*a, *b));
    }
    if (margin > best_margin) {
      best_margin = margin;
      best = a;
    }
  }
  return best;
}

double early(const CurveResult& curve) {
  const Curve& judged = curve.judged;
  const double tenth = judged.x.back() / 10;
  const auto after = std::upper_bound(judged.x.begin(), judged.x.end(), tenth);
  return judged.mean[static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - judged.x.begin()) - 1)];
}

double final_gap(const CurveResult& curve) { return curve.judged.mean.back(); }

void Evidence::add(const PanelResult& panel, Verdict verdict, const std::string& numbers, int starts) {
  note(panel, numbers);
  conclude(panel.starts < starts ? Verdict::undecided : verdict);
}

void Evidence::note(const PanelResult& panel, const std::string& numbers) {
  claim_.numbers += fmt::format("{}{}: {}.", claim_.numbers.empty() ? "" : "\n", panel.title, numbers);
  claim_.data.insert(claim_.data.end(), panel.sets.begin(), panel.sets.end());
}

void Evidence::conclude(Verdict verdict) {
  any_ = true;
  failed_ |= verdict == Verdict::fails;
  undecided_ |= verdict == Verdict::undecided;
}

Claim Evidence::claim(std::string_view reason) const {
  Claim claim = claim_;
  claim.verdict = failed_ ? Verdict::fails : undecided_ || !any_ ? Verdict::undecided : Verdict::holds;
  if (!any_) claim.numbers = "None of the data it needs are there.";
  if (failed_) claim.reason = reason;
  return claim;
}

}  // namespace anmf::cli
