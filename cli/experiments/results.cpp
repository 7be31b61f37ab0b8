// SPDX-License-Identifier: MIT
#include "experiments/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace anmf::cli {
namespace {

constexpr int kShownIntervals = 100;
constexpr int kFineIntervals = 2000;

RunSpec spec_of(const Experiment& experiment, const Case& c, const Variant& variant, int start) {
  return {.data = c.data,
          .rank = c.rank,
          .variant = variant,
          .seed = experiment.seed + static_cast<std::uint64_t>(start),
          .limit = c.limit};
}

/// The runs behind one panel: by variant, then by case and start.
class PanelBuilder {
 public:
  PanelBuilder(const Experiment& experiment, const std::vector<Case>& cases, const Runs& runs, bool raw_flops)
      : experiment_(experiment), cases_(cases), raw_flops_(raw_flops) {
    for (const Case& c : cases) {
      double& smallest = smallest_.emplace_back(HUGE_VAL);
      for (const Variant& variant : experiment.variants) {
        for (int start = 0; start < experiment.starts; ++start) {
          const Trace& trace = runs.at(run_file_name(spec_of(experiment, c, variant, start))).trace;
          traces_.push_back(&trace);
          smallest = std::min(smallest, smallest_error(trace));
        }
      }
    }
  }

  [[nodiscard]] double e_min() const { return smallest_.front(); }

  [[nodiscard]] CurveResult curve(std::size_t variant) const {
    const Variant& v = experiment_.variants[variant];
    CurveResult result{.label = v.label, .method = v.method, .behaviour = behaviour(v)};
    result.seconds = average(variant, Cost::seconds, kShownIntervals, false);
    result.flops = average(variant, Cost::flops, kShownIntervals, raw_flops_);
    result.fine_seconds = average(variant, Cost::seconds, kFineIntervals, false);
    result.fine_flops = average(variant, Cost::flops, kFineIntervals, false);
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      for (int start = 0; start < experiment_.starts; ++start) {
        const Trace& t = trace(c, variant, start);
        const double unit = experiment_.loss == loss_name(2) ? cases_[c].data->norm : t.error.front();
        result.largest_rise = std::max(result.largest_rise, largest_rise(t, unit));
      }
    }
    return result;
  }

 private:
  [[nodiscard]] const Trace& trace(std::size_t c, std::size_t variant, int start) const {
    const auto starts = static_cast<std::size_t>(experiment_.starts);
    return *traces_[(c * experiment_.variants.size() + variant) * starts + static_cast<std::size_t>(start)];
  }

  [[nodiscard]] double unit(std::size_t c, Cost cost, bool raw) const {
    return cost == Cost::seconds || raw ? 1 : hals_iteration(*cases_[c].data, cases_[c].rank);
  }

  [[nodiscard]] double end(Cost cost, bool raw) const {
    double end = HUGE_VAL;
    for (const Case& c : cases_) {
      const Limit& limit = c.limit;
      const double raw_unit = raw ? hals_iteration(*c.data, c.rank) : 1;
      const double given = cost == Cost::seconds ? limit.seconds : limit.work * raw_unit;
      end = std::min(end, given);
    }
    if (std::isfinite(end)) return end;
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      for (std::size_t v = 0; v < experiment_.variants.size(); ++v) {
        for (int start = 0; start < experiment_.starts; ++start) {
          const Trace& t = trace(c, v, start);
          const double last = cost == Cost::seconds ? t.seconds.back() : t.flops.back();
          end = std::min(end, last / unit(c, cost, raw));
        }
      }
    }
    return end;
  }

  [[nodiscard]] Curve average(std::size_t variant, Cost cost, int intervals, bool raw) const {
    std::vector<Steps> steps;
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      for (int start = 0; start < experiment_.starts; ++start) {
        const Trace& t = trace(c, variant, start);
        steps.push_back(gap_steps(cost == Cost::seconds ? t.seconds : t.flops, t.error, smallest_[c],
                                  unit(c, cost, raw)));
      }
    }
    return cli::average(steps, make_grid(end(cost, raw), intervals));
  }

  const Experiment& experiment_;
  const std::vector<Case>& cases_;
  bool raw_flops_;
  std::vector<const Trace*> traces_;
  std::vector<double> smallest_;
};

PanelResult make_panel(const Experiment& experiment, const std::string& title, const std::vector<Case>& cases,
                       const Runs& runs) {
  const bool single = cases.size() == 1;
  const DataSet& first = *cases.front().data;
  const PanelBuilder builder(experiment, cases, runs, single);
  PanelResult panel{.title = title.empty() ? case_name(cases.front()) : title,
                    .data = single ? first.name : title,
                    .storage = first.storage,
                    .starts = experiment.starts,
                    .flops_label = single ? "flops" : "work, in flops of one HALS iteration"};
  if (single) {
    panel.rank = cases.front().rank;
    panel.rows = first.rows;
    panel.cols = first.cols;
    panel.nonzeros = first.nonzeros;
    panel.e_min = builder.e_min();
    panel.norm = first.norm;
  }
  for (const Case& c : cases) {
    panel.sets.push_back(case_name(c));
    if (std::isfinite(c.limit.seconds)) panel.limited_by = Cost::seconds;
  }
  for (std::size_t v = 0; v < experiment.variants.size(); ++v) {
    panel.curves.push_back(builder.curve(v));
  }
  return panel;
}

}  // namespace

std::vector<const CurveResult*> PanelResult::ranking() const {
  std::vector<const CurveResult*> order;
  order.reserve(curves.size());
  for (const CurveResult& c : curves) order.push_back(&c);
  std::stable_sort(order.begin(), order.end(), [this](const CurveResult* a, const CurveResult* b) {
    return whole(*a).mean.back() < whole(*b).mean.back();
  });
  return order;
}

std::string case_name(const Case& c) { return fmt::format("{} r = {}", c.data->name, c.rank); }

std::vector<RunSpec> plan_runs(const Experiment& experiment, const std::vector<CaseGroup>& groups) {
  std::vector<RunSpec> specs;
  for (const CaseGroup& group : groups) {
    for (const Case& c : group.cases) {
      for (int start = 0; start < experiment.starts; ++start) {
        for (const Variant& variant : experiment.variants) {
          specs.push_back(spec_of(experiment, c, variant, start));
        }
      }
    }
  }
  return specs;
}

FigureResult collect(const Experiment& experiment, const std::vector<CaseGroup>& groups, const Runs& runs) {
  FigureResult figure{
      .id = experiment.id, .title = experiment.title, .caption = experiment.caption, .loss = experiment.loss};
  for (const CaseGroup& group : groups) {
    if (group.cases.empty()) continue;
    if (experiment.pooled) {
      figure.panels.push_back(make_panel(experiment, group.title, group.cases, runs));
    } else {
      for (const Case& c : group.cases) figure.panels.push_back(make_panel(experiment, "", {c}, runs));
    }
  }
  return figure;
}

std::vector<FigureResult> judged_by(Cost cost, std::vector<FigureResult> figures) {
  const auto lacks_it = [cost](const FigureResult& figure) {
    return cost == Cost::seconds &&
           std::any_of(figure.panels.begin(), figure.panels.end(),
                       [](const auto& panel) { return panel.curves.front().seconds.x.empty(); });
  };
  std::erase_if(figures, lacks_it);
  for (FigureResult& figure : figures) {
    for (PanelResult& panel : figure.panels) {
      for (CurveResult& c : panel.curves) c.judged = cost == Cost::seconds ? c.fine_seconds : c.fine_flops;
    }
  }
  return figures;
}

}  // namespace anmf::cli
