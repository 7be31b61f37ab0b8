// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/claims.h"
#include "experiments/evidence.h"

namespace anmf::cli {
namespace {

using Names = std::vector<std::string_view>;

const Names kPaperMethods = {"mu", "a-mu", "hals", "a-hals", "pg", "a-pg", "anls"};

// "By far": this many times sooner than the next.
constexpr double kByFar = 1.5;
constexpr std::string_view kCheapAnls =
    "By flops ANLS is cheap: from a warm start an exact solution costs little more than a few sweeps. But it "
    "consists of "
    "many small systems of equations, which take several times as long as their flops in a matrix product.";
// "Slightly worse", "at least as fast": within these factors.
constexpr double kSlightly = 2;
constexpr double kAsFast = 1.1;

/// True if the panel has all of these.
bool has_all(const PanelResult& panel, const Names& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](std::string_view name) { return find_curve(panel, name) != nullptr; });
}

std::string title_of(std::string_view method) {
  std::string name(method);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// `fast` gets at least `times` as far as each of `slow` sooner, on every panel.
Claim beats(const FigureResult& figure, std::string id, std::string_view fast, const Names& slow,
            double times, std::string text) {
  Evidence evidence(std::move(id), figure.id, std::move(text));
  bool only_anls = true;  // stands in the way
  for (const PanelResult& panel : figure.panels) {
    if (!has_all(panel, slow) || find_curve(panel, fast) == nullptr) continue;
    Verdict verdict = Verdict::holds;
    std::string numbers;
    for (const std::string_view name : slow) {
      const double gain = speedup(*find_curve(panel, fast), *find_curve(panel, name));
      verdict = both(verdict, at_least(gain, times));
      only_anls &= name == "anls" || at_least(gain, times) != Verdict::fails;
      numbers +=
          fmt::format("{}{:.2f} times as fast as {}", numbers.empty() ? "" : ", ", gain, title_of(name));
    }
    evidence.add(panel, verdict, numbers);
  }
  return evidence.claim(only_anls ? kCheapAnls : "");
}

/// The given methods are the first of the paper's seven by `measure`, in any order.
template <class Measure>
Claim leads(const FigureResult& figure, std::string id, std::string text, const Names& leaders,
            const Measure& measure) {
  Evidence evidence(std::move(id), figure.id, std::move(text));
  bool only_anls = true;  // stands in the way
  for (const PanelResult& panel : figure.panels) {
    if (!has_all(panel, kPaperMethods)) continue;
    Names order = kPaperMethods;
    std::sort(order.begin(), order.end(), [&](std::string_view a, std::string_view b) {
      return measure(*find_curve(panel, a)) < measure(*find_curve(panel, b));
    });
    double last_leader = 0;
    double first_other = HUGE_VAL;
    double first_but_anls = HUGE_VAL;
    std::string numbers;
    for (const std::string_view name : order) {
      const double value = measure(*find_curve(panel, name));
      const bool leader = std::find(leaders.begin(), leaders.end(), name) != leaders.end();
      if (leader) last_leader = std::max(last_leader, value);
      if (!leader) first_other = std::min(first_other, value);
      if (!leader && name != "anls") first_but_anls = std::min(first_but_anls, value);
      numbers += fmt::format("{}{} {:.2e}", numbers.empty() ? "" : ", ", title_of(name), value);
    }
    evidence.add(panel, at_most(last_leader, first_other), numbers);
    only_anls &= at_most(last_leader, first_but_anls) != Verdict::fails;
  }
  return evidence.claim(only_anls ? kCheapAnls : "");
}

/// E of `a` is below that of `b` by `measure` on every panel; "much" asks for a factor.
template <class Measure>
Claim below(const FigureResult& figure, std::string id, std::string text, const Names& lower,
            std::string_view upper, double factor, const Measure& measure) {
  Evidence evidence(std::move(id), figure.id, std::move(text));
  for (const PanelResult& panel : figure.panels) {
    if (!has_all(panel, lower) || find_curve(panel, upper) == nullptr) continue;
    const double reference = measure(*find_curve(panel, upper));
    Verdict verdict = Verdict::holds;
    std::string numbers = fmt::format("{} {:.2e}", title_of(upper), reference);
    for (const std::string_view name : lower) {
      const double value = measure(*find_curve(panel, name));
      verdict = both(verdict, at_most(value * factor, reference));
      numbers += fmt::format(", {} {:.2e}", title_of(name), value);
    }
    evidence.add(panel, verdict, numbers);
  }
  return evidence.claim(upper == "anls" ? kCheapAnls : "");
}

/// On how many panels E of `a` ends below that of `b`.
Claim counts(const FigureResult& figure, std::string id, std::string text, std::string_view a,
             std::string_view b, double least, double most) {
  Evidence evidence(std::move(id), figure.id, std::move(text));
  int wins = 0;
  int panels = 0;
  bool enough_starts = true;
  for (const PanelResult& panel : figure.panels) {
    if (find_curve(panel, a) == nullptr || find_curve(panel, b) == nullptr) continue;
    const double of_a = final_gap(*find_curve(panel, a));
    const double of_b = final_gap(*find_curve(panel, b));
    evidence.note(panel, fmt::format("{} {:.2e}, {} {:.2e}", title_of(a), of_a, title_of(b), of_b));
    wins += of_a < of_b ? 1 : 0;
    enough_starts &= panel.starts >= 2;
    ++panels;
  }
  if (panels > 0) {
    const double share = static_cast<double>(wins) / panels;
    evidence.conclude(enough_starts ? verdict_of(share >= least && share <= most) : Verdict::undecided);
  }
  return evidence.claim(a == "anls" ? kCheapAnls : "");
}

/// A-MU against ANLS on images: not far behind, and often as fast at first.
void near_anls(const FigureResult& figure, std::vector<Claim>& claims) {
  Evidence behind(
      "a-mu-near-anls", figure.id,
      fmt::format("A-MU is only slightly slower than ANLS: ANLS is 1 to {} times as fast.", kSlightly));
  Evidence start(
      "a-mu-starts-like-anls", figure.id,
      fmt::format("A-MU often starts as fast as ANLS: after a tenth of the axis its E is at most {} times "
                  "that of ANLS on at least half of the sets.",
                  kAsFast));
  int as_fast = 0;
  int panels = 0;
  for (const PanelResult& panel : figure.panels) {
    if (!has_all(panel, {"a-mu", "anls"})) continue;
    const CurveResult& a_mu = *find_curve(panel, "a-mu");
    const CurveResult& anls = *find_curve(panel, "anls");
    const double ahead = speedup(anls, a_mu);
    behind.add(panel, both(at_least(ahead, 1), at_most(ahead, kSlightly)),
               fmt::format("ANLS is {:.2f} times as fast", ahead));
    start.note(panel, fmt::format("A-MU {:.2e}, ANLS {:.2e}", early(a_mu), early(anls)));
    as_fast += early(a_mu) <= kAsFast * early(anls) ? 1 : 0;
    ++panels;
  }
  if (panels > 0) start.conclude(verdict_of(2 * as_fast >= panels));
  claims.push_back(behind.claim(kCheapAnls));
  claims.push_back(start.claim(kCheapAnls));
}

/// The paper says of A-PG in general that it is slower than A-MU.
Claim a_pg_slower(const std::vector<FigureResult>& figures) {
  Evidence evidence("a-pg-slower-than-a-mu", "figure-8",
                    "A-PG is slower than A-MU: in geometric mean over the sets of figures 10 and 11.");
  double log_sum = 0;
  int panels = 0;
  for (const char* id : {"figure-10", "figure-11"}) {
    const FigureResult* figure = find_figure(figures, id);
    if (figure == nullptr) continue;
    for (const PanelResult& panel : figure->panels) {
      if (!has_all(panel, {"a-mu", "a-pg"})) continue;
      const double gain = speedup(*find_curve(panel, "a-mu"), *find_curve(panel, "a-pg"));
      evidence.note(panel, fmt::format("A-MU is {:.2f} times as fast", gain));
      log_sum += std::log(gain);
      ++panels;
    }
  }
  if (panels > 0) evidence.conclude(at_least(std::exp(log_sum / panels), 1));
  return evidence.claim();
}

void images(const FigureResult& figure, std::vector<Claim>& claims) {
  claims.push_back(beats(figure, "images-pg-beats-mu", "pg", {"mu"}, 1, "PG is faster than MU on images."));
  claims.push_back(beats(figure, "images-anls-beats-mu-pg", "anls", {"mu", "pg"}, 1,
                         "ANLS is faster than MU and PG on images."));
  claims.push_back(beats(figure, "images-hals-best-original", "hals", {"mu", "pg", "anls"}, 1,
                         "HALS is the fastest of the original methods on images."));
  claims.push_back(beats(figure, "images-a-mu-beats-mu", "a-mu", {"mu"}, 1.25,
                         "A-MU is clearly (1.25 times) faster than MU on every image set."));
  claims.push_back(beats(figure, "images-a-pg-beats-pg", "a-pg", {"pg"}, 1.25,
                         "A-PG is clearly (1.25 times) faster than PG on every image set."));
  claims.push_back(
      beats(figure, "images-a-mu-beats-a-pg", "a-mu", {"a-pg"}, 1, "A-MU is faster than A-PG on images."));
  near_anls(figure, claims);
  claims.push_back(beats(
      figure, "images-a-hals-best", "a-hals", {"mu", "a-mu", "hals", "pg", "a-pg", "anls"}, kByFar,
      fmt::format(
          "A-HALS is by far the fastest on images: at least {} times as fast as every other method of the "
          "paper.",
          kByFar)));
}

void text(const FigureResult& figure, std::vector<Claim>& claims) {
  claims.push_back(
      below(figure, "text-start-much-faster-than-anls",
            "A-MU and A-PG start much faster than ANLS on text: after a tenth of the axis their E is at "
            "most two thirds of that of ANLS.",
            {"a-mu", "a-pg"}, "anls", 1.5, early));
  claims.push_back(below(figure, "text-end-better-than-anls", "A-MU and A-PG end better than ANLS on text.",
                         {"a-mu", "a-pg"}, "anls", 1, final_gap));
  claims.push_back(counts(figure, "text-anls-not-above-mu",
                          "ANLS no longer outperforms MU on text: it ends better on some sets only.", "anls",
                          "mu", 0, 0.99));
  claims.push_back(counts(figure, "text-anls-not-above-pg",
                          "ANLS no longer outperforms PG on text: it ends better on some sets only.", "anls",
                          "pg", 0, 0.99));
  claims.push_back(
      leads(figure, "text-fastest-start",
            "A-MU, HALS and A-HALS start fastest on text: their E after a tenth of the axis is the "
            "smallest.",
            {"a-mu", "hals", "a-hals"}, early));
  claims.push_back(leads(figure, "text-hals-end-best", "HALS and A-HALS end best on every text set.",
                         {"hals", "a-hals"}, final_gap));
  claims.push_back(
      below(figure, "text-a-hals-start",
            "A-HALS starts at least as fast as HALS on every text set: E after a tenth of the axis.",
            {"a-hals"}, "hals", 1, early));
  claims.push_back(
      counts(figure, "text-a-hals-ends-better-half",
             "A-HALS ends better than HALS on about half of the text sets: between a quarter and three "
             "quarters.",
             "a-hals", "hals", 0.25, 0.75));
}

}  // namespace

std::vector<Claim> method_claims(const std::vector<FigureResult>& figures) {
  std::vector<Claim> claims;
  const FigureResult* dense = find_figure(figures, "figure-10");
  const FigureResult* sparse = find_figure(figures, "figure-11");
  if (dense != nullptr || sparse != nullptr) claims.push_back(a_pg_slower(figures));
  if (dense != nullptr) images(*dense, claims);
  if (sparse != nullptr) text(*sparse, claims);
  return claims;
}

std::vector<Claim> figure_claims(const std::vector<FigureResult>& figures) {
  const auto claims_by = [&figures](Cost cost) {
    const std::vector<FigureResult> judged = judged_by(cost, figures);
    std::vector<Claim> claims = inner_iteration_claims(judged);
    for (Claim& claim : method_claims(judged)) claims.push_back(std::move(claim));
    return claims;
  };
  std::vector<Claim> claims = claims_by(Cost::flops);
  for (const Claim& by_time : claims_by(Cost::seconds)) {
    for (Claim& claim : claims) {
      if (claim.id != by_time.id) continue;
      claim.seconds_verdict = by_time.verdict;
      claim.seconds_numbers = by_time.numbers;
    }
  }
  return claims;
}

std::vector<Claim> monotone_claims(const std::vector<FigureResult>& figures) {
  constexpr double kRounding = 1e-13;  // of the squared error, which is a difference of larger numbers
  std::vector<Claim> claims;
  Evidence evidence(
      "errors-never-rise", "all figures",
      fmt::format("The error never rises, for every method and every setting (by more than {} ||M||^2 "
                  "in its square, which is rounding).",
                  kRounding));
  double largest = 0;
  int curves = 0;
  std::vector<std::string> data;
  for (const FigureResult& figure : figures) {
    for (const PanelResult& panel : figure.panels) {
      for (const CurveResult& c : panel.curves) {
        if (c.seconds.x.empty()) continue;  // not made of whole runs
        largest = std::max(largest, c.largest_rise);
        ++curves;
      }
      for (const std::string& set : panel.sets) {
        if (std::find(data.begin(), data.end(), set) == data.end()) data.push_back(set);
      }
    }
  }
  if (curves == 0) return claims;
  evidence.conclude(verdict_of(largest <= kRounding));
  Claim claim = evidence.claim();
  claim.numbers = fmt::format("The largest rise in {} curves is {:.1e} ||M||^2.", curves, largest);
  claim.data = data;
  claims.push_back(std::move(claim));
  return claims;
}

}  // namespace anmf::cli
