// SPDX-License-Identifier: MIT
// The paper's measure of progress (its equation 3.1) and its averages:
//
//     E(t) = (e(t) - e_min) / (e(0) - e_min),   e = ||M - W H||_F
//
// with e_min the smallest error over all methods and starts of one data set and rank. A run is a step
// function: between two iterations the error is that of the last one. Pure functions of traces.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace anmf::cli {

/// One run, an entry per outer iteration; entry 0 is the start.
struct Trace {
  std::vector<double> seconds;
  std::vector<double> flops;
  std::vector<double> error;
};

/// A step function: y[k] from x[k] on.
struct Steps {
  std::vector<double> x;
  std::vector<double> y;
};

/// Averages over runs on a common grid, with the smallest and the largest run.
struct Curve {
  std::vector<double> x;
  std::vector<double> mean;
  std::vector<double> low;
  std::vector<double> high;
};

[[nodiscard]] double smallest_error(const Trace& trace);

/// E of a run whose error is `error`. 0 if the start is as good as e_min: there is nothing to gain.
[[nodiscard]] double gap(double error, double start_error, double smallest);

/// E(x) of one run over seconds or flops; every x is divided by `unit`.
[[nodiscard]] Steps gap_steps(const std::vector<double>& x, const std::vector<double>& error, double smallest,
                              double unit = 1);

/// The value of the last step at or before x.
[[nodiscard]] double last_at(const Steps& steps, double x);

/// 0 ... end, denser towards 0, where the curves fall.
[[nodiscard]] std::vector<double> make_grid(double end, int intervals);

[[nodiscard]] Curve average(std::span<const Steps> runs, std::vector<double> grid);

/// The first point of the grid where the mean is at most `level`.
[[nodiscard]] std::optional<double> first_at_most(const Curve& curve, double level);

/// E that counts as there: below it curves tell rather which local minimum was found than how fast.
inline constexpr double kThere = 0.01;

/// How many times sooner the mean of `a` reaches a level; above 1 if a is the faster. The level is kThere, or
/// the worse of the two final values if that is larger.
[[nodiscard]] double speedup(const Curve& a, const Curve& b);

/// The largest rise of the squared error from one iteration to the next, relative to ||M||^2; 0 if none.
[[nodiscard]] double largest_rise(const Trace& trace, double norm);

}  // namespace anmf::cli
