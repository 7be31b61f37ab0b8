// SPDX-License-Identifier: MIT
#include "experiments/half_step.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "anmf/factorize.h"
#include "interrupt.h"
#include "kernels/gram.h"
#include "kernels/squared_error.h"
#include "rules/rule_table.h"

namespace anmf::cli {
namespace {

constexpr int kInnerIterations = 10;

/// The half-step of W: C = M H', G = H H'. The data must outlive it.
class WHalf {
 public:
  WHalf(const Data<double>& data, const Matrix<double>& H)
      : data_(data),
        Ht_(transposed(H)),
        cross_(data.rows(), H.rows()),
        no_penalty_(static_cast<std::size_t>(H.rows())) {
    data.cross(Side::W, std::as_const(Ht_).view(), cross_.view(), pool_);
    gram_ = gram<double>(std::as_const(Ht_).view(), workers_);
  }

  [[nodiscard]] HalfStep<double> problem() const {
    return {.gram = gram_.view(), .cross = cross_.view(), .linear = no_penalty_, .workers = workers_};
  }

  [[nodiscard]] double error(const Matrix<double>& W) const {
    const ErrorTerms terms = {.squared_norm = data_.norm() * data_.norm(),
                              .overlap = inner_product<double>(cross_.view(), W.view(), workers_),
                              .square = inner_product(gram_, gram<double>(W.view(), workers_))};
    return std::sqrt(squared_error(data_, terms, W.view(), Ht_.view(), pool_).value);
  }

  /// The errors after 0, 1, ..., `sweeps` inner iterations from W.
  [[nodiscard]] std::vector<double> errors(UpdateRule<double>& rule, const Matrix<double>& W,
                                           int sweeps) const {
    const HalfStep<double> half = problem();
    std::vector<double> result = {error(W)};
    Matrix<double> X = W;
    for (int l = 0; l < sweeps; ++l) {
      // A half-step of its own each time: only at its end is X what the rule has made of it.
      rule.begin_half(half, X.view());
      (void)rule.sweep(half, X.view());
      rule.end_half(half, X.view());
      result.push_back(error(X));
    }
    return result;
  }

 private:
  mutable ThreadPool pool_{1};
  Workers workers_{pool_};
  const Data<double>& data_;
  Matrix<double> Ht_;
  Matrix<double> cross_;
  Matrix<double> gram_;
  std::vector<double> no_penalty_;
};

/// E^k(l) of the half-step of W that comes next.
std::vector<double> gaps(const Data<double>& data, const Variant& variant, const Result<double>& result) {
  const Behaviour b = behaviour(variant);
  const WHalf half(data, result.H);
  std::vector<double> errors = half.errors(*make_rule<double>(b.rule, b.delta), result.W, kInnerIterations);
  const double smallest = half.errors(*make_bpp<double>(), result.W, 1).back();
  const double first = errors.front();
  for (double& error : errors) error = gap(error, first, smallest);
  return errors;
}

}  // namespace

std::vector<HalfStepCurve> half_step_curves(const Data<double>& data, Index rank,
                                            const Experiment& experiment) {
  std::vector<HalfStepCurve> curves;
  std::vector<double> inner;
  for (int l = 0; l <= kInnerIterations; ++l) inner.push_back(l);
  for (const Index outer : experiment.outer_iterations) {
    for (const Variant& variant : experiment.variants) {
      std::vector<Steps> starts;
      for (int start = 0; start < experiment.starts; ++start) {
        if (interrupt_requested())
          throw Failure(interrupt_code(),
                        "interrupted; the runs are kept, and the same command goes on from there.");
        Options options = engine_options(variant);
        options.rank = rank;
        options.seed = experiment.seed + static_cast<std::uint64_t>(start);
        options.threads = 1;
        options.max_iterations = outer;
        starts.push_back({.x = inner, .y = gaps(data, variant, factorize<double>(data, options))});
      }
      curves.push_back({.label = fmt::format("{}, k = {}", variant.label, outer),
                        .behaviour = behaviour(variant),
                        .method = variant.method,
                        .outer_iterations = outer,
                        .gap = average(starts, inner)});
    }
  }
  return curves;
}

PanelResult half_step_panel(const Case& c, const Experiment& experiment,
                            const std::vector<HalfStepCurve>& curves) {
  PanelResult panel{.title = case_name(c),
                    .data = c.data->name,
                    .rank = c.rank,
                    .rows = c.data->rows,
                    .cols = c.data->cols,
                    .nonzeros = c.data->nonzeros,
                    .storage = c.data->storage,
                    .sets = {case_name(c)},
                    .starts = experiment.starts,
                    .e_min = std::numeric_limits<double>::quiet_NaN(),  // each half-step has its own
                    .norm = c.data->norm,
                    .flops_label = "inner iterations"};
  for (const HalfStepCurve& curve : curves) {
    panel.curves.push_back({.label = curve.label,
                            .method = curve.method,
                            .behaviour = curve.behaviour,
                            .flops = curve.gap,
                            .fine_flops = curve.gap});
  }
  return panel;
}

}  // namespace anmf::cli
