// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "experiments/claims.h"
#include "experiments/evidence.h"

namespace anmf::cli {
namespace {

using enum InnerStopMode;
using Curves = std::vector<const CurveResult*>;

// "Clearly" and "significantly": this many times sooner.
constexpr double kClearly = 1.25;
// "The best value seems to be": no other one is this many times sooner.
constexpr double kNearBest = 1.1;
// "Nearly no difference".
constexpr double kNearlySame = 1.15;
constexpr std::array kAlphas = {0.5, 1.0, 2.0, 4.0};

constexpr std::string_view kNotMatlab =
    "A guess, not tested: a sweep of HALS is a slow loop in MATLAB, so that further inner iterations cost "
    "the paper "
    "more time than their flops, while here a sweep runs at the speed of a matrix product.";

/// The fixed variants with alpha > 0 that a panel has.
Curves fixed_curves(const PanelResult& panel, std::string_view rule) {
  Curves curves;
  for (const double alpha : kAlphas) {
    if (const CurveResult* c = find_curve(panel, with_inner_stop(rule, fixed, alpha, 0))) curves.push_back(c);
  }
  return curves;
}

Curves curves_where(const PanelResult& panel, InnerStopMode mode) {
  Curves curves;
  for (const CurveResult& c : panel.curves) {
    if (c.behaviour.inner_stop.mode == mode) curves.push_back(&c);
  }
  return curves;
}

const CurveResult* fixed_curve(const PanelResult& panel, std::string_view rule, double alpha) {
  return find_curve(panel, with_inner_stop(rule, fixed, alpha, 0));
}

/// The largest speedup of any of these over one curve.
double largest_speedup(const Curves& curves, const CurveResult& over) {
  double largest = 0;
  for (const CurveResult* c : curves) largest = std::max(largest, speedup(*c, over));
  return largest;
}

void mu_by_alpha(const FigureResult& figure, std::vector<Claim>& claims) {
  Evidence slowest(
      "mu-alpha-zero-slowest", figure.id,
      fmt::format("MU with alpha = 0 is clearly the slowest: every alpha > 0 gets as far at least "
                  "{} times sooner.",
                  kClearly));
  Evidence dense_most("mu-alpha-gain-dense", figure.id,
                      "The gain of MU by alpha > 0 is larger on dense data than on sparse data.");
  Evidence best(
      "mu-alpha-one-best", figure.id,
      fmt::format("The best alpha for MU is near 1: none is more than {} times as fast.", kNearBest));
  double gain[2] = {0, 0};  // sparse, dense
  for (const PanelResult& panel : figure.panels) {
    const CurveResult* zero = fixed_curve(panel, "mu", 0);
    const CurveResult* one = fixed_curve(panel, "mu", 1);
    const Curves others = fixed_curves(panel, "mu");
    if (zero == nullptr || one == nullptr) continue;
    double smallest = HUGE_VAL;
    for (const CurveResult* c : others) smallest = std::min(smallest, speedup(*c, *zero));
    slowest.add(panel, at_least(smallest, kClearly), fmt::format("at least {:.2f} times sooner", smallest));
    gain[panel.dense() ? 1 : 0] = largest_speedup(others, *zero);
    dense_most.note(panel, fmt::format("up to {:.2f} times sooner", gain[panel.dense() ? 1 : 0]));
    const CurveResult* winner = best_of(others);
    const double ahead = speedup(*winner, *one);
    best.add(panel, at_most(ahead, kNearBest),
             fmt::format("best is {}, {:.2f} times as fast as alpha = 1", winner->label, ahead));
  }
  if (gain[0] > 0 && gain[1] > 0) dense_most.conclude(at_least(gain[1] / gain[0], 1));
  claims.push_back(slowest.claim());
  claims.push_back(dense_most.claim());
  claims.push_back(best.claim());
}

void hals_by_alpha(const FigureResult& figure, std::vector<Claim>& claims) {
  Evidence best(
      "hals-alpha-half-best", figure.id,
      fmt::format("The best alpha for HALS is near 0.5: none is more than {} times as fast.", kNearBest));
  Evidence little(
      "hals-alpha-sparse-little", figure.id,
      fmt::format("On sparse data alpha makes little difference to HALS: alpha = 0.5 is at least as "
                  "fast as alpha = 0, and less than {} times.",
                  kClearly));
  bool larger = false;
  for (const PanelResult& panel : figure.panels) {
    const CurveResult* zero = fixed_curve(panel, "hals", 0);
    const CurveResult* half = fixed_curve(panel, "hals", 0.5);
    if (zero == nullptr || half == nullptr) continue;
    const CurveResult* winner = best_of(fixed_curves(panel, "hals"));
    const double ahead = speedup(*winner, *half);
    best.add(panel, at_most(ahead, kNearBest),
             fmt::format("best is {}, {:.2f} times as fast as alpha = 0.5", winner->label, ahead));
    const double gain = speedup(*half, *zero);
    const std::string numbers = fmt::format("alpha = 0.5 is {:.2f} times as fast as alpha = 0", gain);
    if (panel.dense()) {
      little.note(panel, numbers);
    } else {
      little.add(panel, both(at_least(gain, 1), at_most(gain, kClearly)), numbers);
      larger = gain > kClearly;
    }
  }
  claims.push_back(best.claim());
  claims.push_back(little.claim(larger ? kNotMatlab : ""));
}

void dynamic_alone(const FigureResult& figure, std::string_view rule, double alpha,
                   std::vector<Claim>& claims) {
  const bool hals = rule == "hals";
  Evidence never(
      hals ? "hals-dynamic-not-better" : "mu-dynamic-not-better", figure.id,
      fmt::format("Ending inner iterations by epsilon alone is for no epsilon faster than alpha = {} "
                  "for {}.",
                  alpha, hals ? "HALS" : "MU"));
  Evidence worse("hals-dynamic-sparse-worse", figure.id,
                 "On sparse data HALS with epsilon alone is for no epsilon faster than plain HALS.");
  for (const PanelResult& panel : figure.panels) {
    const CurveResult* reference = fixed_curve(panel, rule, alpha);
    const CurveResult* zero = fixed_curve(panel, rule, 0);
    const Curves dynamics = curves_where(panel, dynamic);
    if (reference == nullptr || zero == nullptr || dynamics.empty()) continue;
    const CurveResult* winner = best_of(dynamics);
    const double against_fixed = speedup(*winner, *reference);
    never.add(panel, at_most(against_fixed, 1),
              fmt::format("best is {}, {:.2f} times as fast", winner->label, against_fixed));
    if (!panel.dense()) {
      const double against_plain = speedup(*winner, *zero);
      worse.add(panel, at_most(against_plain, 1),
                fmt::format("best is {}, {:.2f} times as fast as alpha = 0", winner->label, against_plain));
    }
  }
  claims.push_back(never.claim(hals ? kNotMatlab : ""));
  if (hals) claims.push_back(worse.claim(kNotMatlab));
}

void hybrid_stop(const FigureResult& figure, std::string_view rule, double best_fixed, double best_hybrid,
                 std::vector<Claim>& claims) {
  const std::string name = rule == "hals" ? "HALS" : "MU";
  const std::string id(rule);
  Evidence better(
      id + "-hybrid-dense-better", figure.id,
      fmt::format("On dense data the best hybrid stop of {} is a little faster than the best fixed one: "
                  "1 to 1.5 times.",
                  name));
  Evidence moves(
      id + "-hybrid-alpha-moves", figure.id,
      fmt::format("On dense data the best alpha of {} moves up from {} to {}: with the hybrid stop no "
                  "alpha is more than {} times as fast as {}, and the best one is above the best of the "
                  "fixed ones.",
                  name, best_fixed, best_hybrid, kNearBest, best_hybrid));
  Evidence same(
      id + "-hybrid-sparse-same", figure.id,
      fmt::format("On sparse data the best hybrid and the best fixed stop of {} are nearly the same: within "
                  "a factor {}.",
                  name, kNearlySame));
  for (const PanelResult& panel : figure.panels) {
    const CurveResult* fixed_best = best_of(fixed_curves(panel, rule));
    const CurveResult* hybrid_best = best_of(curves_where(panel, hybrid));
    if (fixed_best == nullptr || hybrid_best == nullptr) continue;
    const double gain = speedup(*hybrid_best, *fixed_best);
    const std::string numbers =
        fmt::format("{} is {:.2f} times as fast as {} alone", hybrid_best->label, gain, fixed_best->label);
    if (!panel.dense()) {
      same.add(panel, at_most(std::max(gain, 1 / gain), kNearlySame), numbers);
      continue;
    }
    better.add(panel, both(at_least(gain, 1), at_most(gain, 1.5)), numbers);
    double ahead = HUGE_VAL;  // of the better of the curves with this alpha
    for (const CurveResult* c : curves_where(panel, hybrid)) {
      if (c->behaviour.inner_stop.alpha == best_hybrid) ahead = std::min(ahead, speedup(*hybrid_best, *c));
    }
    const double from = fixed_best->behaviour.inner_stop.alpha;
    const double to = hybrid_best->behaviour.inner_stop.alpha;
    moves.add(panel, both(at_most(ahead, kNearBest), verdict_of(to > from)),
              fmt::format("best fixed alpha {}, best hybrid alpha {}, {:.2f} times as fast as alpha {}", from,
                          to, ahead, best_hybrid));
  }
  claims.push_back(better.claim());
  claims.push_back(moves.claim());
  claims.push_back(same.claim());
}

void inside_half_step(const FigureResult& figure, std::vector<Claim>& claims) {
  Evidence removed(
      "half-step-one-sweep", figure.id,
      "One inner iteration of HALS removes more than 87 % of the gap to the exact half-step after one "
      "outer iteration, and more than 97 % after 20.");
  for (const PanelResult& panel : figure.panels) {
    for (const CurveResult& c : panel.curves) {
      if (c.behaviour.rule.name != "hals") continue;
      const double share = 1 - c.judged.mean[1];
      const bool early_one = c.label.ends_with("k = 1");
      removed.add(panel, verdict_of(share > (early_one ? 0.87 : 0.97)),
                  fmt::format("{}: {:.1f} %", c.label, 100 * share), 1);
    }
  }
  claims.push_back(removed.claim());
}

void projected_gradient_figure(const FigureResult& figure, std::vector<Claim>& claims) {
  Evidence faster(
      "a-pg-beats-pg", figure.id,
      fmt::format("The accelerated PG (alpha = 0.5) is significantly faster than PG: at least {} times.",
                  kClearly));
  Evidence best(
      "pg-alpha-half-best", figure.id,
      fmt::format("alpha = 0.5 is best for PG: no other variant is more than {} times as fast.", kNearBest));
  Evidence safeguard(
      "pg-safeguard-little", figure.id,
      fmt::format("For PG the safeguard epsilon hardly matters: within a factor {} at alpha = 0.5.",
                  kNearlySame));
  for (const PanelResult& panel : figure.panels) {
    const CurveResult* original = find_curve(panel, "pg");
    const CurveResult* half = fixed_curve(panel, "pg", 0.5);
    const CurveResult* guarded = find_curve(panel, with_inner_stop("pg", hybrid, 0.5, 0.1));
    if (original == nullptr || half == nullptr || guarded == nullptr) continue;
    const double gain = speedup(*half, *original);
    faster.add(panel, at_least(gain, kClearly), fmt::format("{:.2f} times as fast", gain));
    const CurveResult* winner = best_of(fixed_curves(panel, "pg"));
    const double ahead = speedup(*winner, *half);
    best.add(panel, at_most(ahead, kNearBest),
             fmt::format("best is {}, {:.2f} times as fast as alpha = 0.5", winner->label, ahead));
    const double change = speedup(*guarded, *half);
    safeguard.add(panel, at_most(std::max(change, 1 / change), kNearlySame),
                  fmt::format("{:.2f} times as fast with epsilon = 0.1", change));
  }
  claims.push_back(faster.claim());
  claims.push_back(best.claim());
  claims.push_back(safeguard.claim());
}

void clamp(const FigureResult& figure, std::vector<Claim>& claims) {
  constexpr double kParted = 1e-6;
  Evidence stuck(
      "delta-zero-stuck", figure.id,
      fmt::format("MU with delta = 0 gets stuck where delta = 1e-16 still improves: it ends with the larger "
                  "E (undecided while the two differ by less than {}).",
                  kParted));
  Evidence sparse("delta-sparse-most", figure.id,
                  "The difference that delta makes is larger on sparse data.");
  std::optional<double> of_dense;
  std::optional<double> of_sparse;
  for (const PanelResult& panel : figure.panels) {
    const CurveResult* zero = nullptr;
    const CurveResult* clamped = find_curve(panel, "mu");
    for (const CurveResult& c : panel.curves) {
      if (c.behaviour.delta == 0) zero = &c;
    }
    if (zero == nullptr || clamped == nullptr) continue;
    const double apart = final_gap(*zero) - final_gap(*clamped);
    (panel.dense() ? of_dense : of_sparse) = apart;
    stuck.add(panel, std::abs(apart) < kParted ? Verdict::undecided : verdict_of(apart > 0),
              fmt::format("final E {:.2e} with delta = 0 and {:.2e} with 1e-16", final_gap(*zero),
                          final_gap(*clamped)),
              1);
    sparse.note(panel, fmt::format("final E differs by {:.1e}", apart));
  }
  if (of_dense && of_sparse) {
    const bool parted = std::max(*of_dense, *of_sparse) > kParted;
    sparse.conclude(parted ? verdict_of(*of_sparse > *of_dense) : Verdict::undecided);
  }
  claims.push_back(stuck.claim());
  claims.push_back(sparse.claim());
}

}  // namespace

std::vector<Claim> inner_iteration_claims(const std::vector<FigureResult>& figures) {
  std::vector<Claim> claims;
  for (const FigureResult& figure : figures) {
    if (figure.id == "figure-1") mu_by_alpha(figure, claims);
    if (figure.id == "figure-2") hals_by_alpha(figure, claims);
    if (figure.id == "figure-3") dynamic_alone(figure, "mu", 1, claims);
    if (figure.id == "figure-4") dynamic_alone(figure, "hals", 0.5, claims);
    if (figure.id == "figure-5") hybrid_stop(figure, "mu", 1, 2, claims);
    if (figure.id == "figure-6") hybrid_stop(figure, "hals", 0.5, 1, claims);
    if (figure.id == "figure-7") inside_half_step(figure, claims);
    if (figure.id == "figure-8") projected_gradient_figure(figure, claims);
    if (figure.id == "figure-9") clamp(figure, claims);
  }
  return claims;
}

}  // namespace anmf::cli
