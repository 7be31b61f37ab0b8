// SPDX-License-Identifier: MIT
#include "experiments/curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace anmf::cli {

double smallest_error(const Trace& trace) {
  return *std::min_element(trace.error.begin(), trace.error.end());
}

double gap(double error, double start_error, double smallest) {
  return start_error > smallest ? (error - smallest) / (start_error - smallest) : 0;
}

Steps gap_steps(const std::vector<double>& x, const std::vector<double>& error, double smallest,
                double unit) {
  Steps steps{.x = x, .y = error};
  for (double& value : steps.x) value /= unit;
  for (double& value : steps.y) value = gap(value, error.front(), smallest);
  return steps;
}

double last_at(const Steps& steps, double x) {
  const auto after = std::upper_bound(steps.x.begin(), steps.x.end(), x);
  const auto index = std::max<std::ptrdiff_t>(0, after - steps.x.begin() - 1);
  return steps.y[static_cast<std::size_t>(index)];
}

std::vector<double> make_grid(double end, int intervals) {
  std::vector<double> grid;
  for (int k = 0; k <= intervals; ++k) grid.push_back(end * std::pow(static_cast<double>(k) / intervals, 2));
  return grid;
}

Curve average(std::span<const Steps> runs, std::vector<double> grid) {
  Curve curve{.x = std::move(grid)};
  for (const double x : curve.x) {
    double sum = 0;
    double low = HUGE_VAL;
    double high = -HUGE_VAL;
    for (const Steps& run : runs) {
      const double value = last_at(run, x);
      sum += value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    curve.mean.push_back(sum / static_cast<double>(runs.size()));
    curve.low.push_back(low);
    curve.high.push_back(high);
  }
  return curve;
}

std::optional<double> first_at_most(const Curve& curve, double level) {
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    if (curve.mean[k] <= level) return curve.x[k];
  }
  return std::nullopt;
}

double speedup(const Curve& a, const Curve& b) {
  const double level = std::max({kThere, a.mean.back(), b.mean.back()});
  const auto reached = [level](const Curve& curve) {
    // A run that is still where it began has reached nothing.
    if (curve.mean.back() >= curve.mean.front()) return curve.x.back();
    const double below_start = std::nextafter(curve.mean.front(), 0.0);
    return first_at_most(curve, std::min(level, below_start)).value_or(curve.x.back());
  };
  // Where one is there at once, the first step of the grid is what can be told.
  return std::max(reached(b), b.x[1]) / std::max(reached(a), a.x[1]);
}

double largest_rise(const Trace& trace, double norm) {
  double rise = 0;
  for (std::size_t k = 1; k < trace.error.size(); ++k) {
    const double before = trace.error[k - 1];
    const double after = trace.error[k];
    if (after > before) rise = std::max(rise, (after - before) * (after + before) / (norm * norm));
  }
  return rise;
}

}  // namespace anmf::cli
