// SPDX-License-Identifier: MIT
// The options of a run with every default filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "anmf/options.h"
#include "anmf/result.h"
#include "loss/penalty.h"

namespace anmf {

struct Plan {
  double beta = 2;        // of the loss
  bool weighted = false;  // rows, columns or entries do not all count the same
  double reference = 0;   // the loss of the best model of rank one, for losses but least squares
  Method method;
  Index compressed_rank = 0;                  // of the stand-in for M that the run begins on; 0: none
  bool explore = false;                       // look for a lower minimum once the run has settled
  std::optional<std::uint64_t> shuffle_seed;  // of the order of the components; none: as they are
  InnerStop inner_stop;
  double delta = 0;  // 0 unless the rule clamps
  double alpha_H = 0;
  Penalties penalties;
};

/// The rank of the compression to begin on, or 0 (docs/performance.md has the experiment).
[[nodiscard]] Index choose_compression(const Options& options, Index rows, Index cols, Index nonzeros);

/// What weights make of a matrix: its rows and columns are as many as they count.
struct Weighing {
  MatrixKind kind;
  std::optional<double> rows;
  std::optional<double> columns;
};
template <class T>
[[nodiscard]] Weighing weighing_of(const Data<T>& data) {
  const auto sum = [&](Side side) {
    std::optional<double> total;
    for (const T weight : data.line_weights(side)) total = total.value_or(0) + static_cast<double>(weight);
    return total;
  };
  return {.kind = kind_of(data), .rows = sum(Side::W), .columns = sum(Side::H)};
}

/// scikit-learn's sizes: the penalty of W is multiplied by the columns of M (n), that of H by its rows (m),
/// which keeps their weight against the fit the same when M grows.
template <class T>
[[nodiscard]] Plan make_plan(const Options& options, Index rows, Index cols, Index nonzeros,
                             const Weighing& weighing = {}) {
  const double beta = beta_of(options.loss);
  const bool weighted = weighing.kind.weighted;
  // In double precision, since rows * cols of a sparse matrix may be beyond 64 bits.
  const bool sparse = static_cast<double>(nonzeros) < static_cast<double>(rows) * static_cast<double>(cols);
  const bool explores =
      options.explore == Explore::automatic && options.method == "auto" && beta == 2 && !weighted;
  MatrixKind kind = weighing.kind;
  kind.sparse = kind.sparse || sparse;
  Plan plan{.beta = beta,
            .weighted = weighted,
            .method = find_method(options.method, beta, kind),
            .compressed_rank = weighted ? 0 : choose_compression(options, rows, cols, nonzeros),
            .explore = options.explore == Explore::on || explores};
  if (options.shuffle && plan.method.rule.shuffles) plan.shuffle_seed = options.seed;
  plan.inner_stop = {.mode = options.inner_stop.value_or(plan.method.inner_stop.mode),
                     .alpha = options.alpha.value_or(plan.method.inner_stop.alpha),
                     .epsilon = options.epsilon.value_or(plan.method.inner_stop.epsilon)};
  if (plan.method.rule.clamps) {
    // Products of three clamped entries must not underflow: 1e-16 is too small for float. Other losses have
    // none.
    const double usual = beta != 2 ? 0 : std::is_same_v<T, float> ? 1e-12 : 1e-16;
    plan.delta = options.delta.value_or(usual);
  }
  plan.alpha_H = options.alpha_H.value_or(options.alpha_W);
  const double weight_W = options.alpha_W * weighing.columns.value_or(static_cast<double>(cols));
  const double weight_H = plan.alpha_H * weighing.rows.value_or(static_cast<double>(rows));
  plan.penalties.W = {.l1 = weight_W * options.l1_ratio, .l2 = weight_W * (1 - options.l1_ratio)};
  plan.penalties.H = {.l1 = weight_H * options.l1_ratio, .l2 = weight_H * (1 - options.l1_ratio)};
  return plan;
}

}  // namespace anmf
