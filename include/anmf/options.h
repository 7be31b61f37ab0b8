// SPDX-License-Identifier: MIT
// Everything a caller can choose, with its meaning, range and default.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "anmf/data.h"

namespace anmf {

/// When the inner iterations of a half-step end (the paper, section 3).
enum class InnerStopMode {
  fixed,               ///< after floor(1 + alpha * rho) of them
  dynamic,             ///< when a step is at most epsilon times the first step of this half
  hybrid,              ///< whichever comes first
  block,               ///< the same for every block of rows on its own; for hals and mu
  projected_gradient,  ///< Lin's rule: the projected gradient is below a tolerance that tightens itself
};

/// rho, the cost of the first inner iteration relative to the next ones.
enum class RhoSource {
  flops,     ///< counted: the same on every machine
  measured,  ///< timed in every half-step, as the paper does for HALS; runs then differ in their bits
};

/// The measure that `tolerance` is compared with (docs/algorithms.md).
enum class StopRule {
  promised_decrease,  ///< what one more pass over all entries of both factors promises to take off the
                      ///< objective, as a share of it
  gradient,           ///< the norm of the projected gradient, as a share of that at the start
};

enum class Normalize { none, l1, l2, max };

/// Whether a run begins on a randomised compression of M, whose products are cheap, before it turns to M
/// itself. The result and its errors are those of M either way.
enum class Compress {
  automatic,  ///< with the method "auto", where it pays: for large dense matrices
  off,
  on,
};

/// Whether a run that has settled in a local minimum, and is not asked to end there, looks for a lower one.
enum class Explore {
  automatic,  ///< with the method "auto"
  off,
  on,
};

/// How the factors are made that a run starts from (docs/algorithms.md).
enum class Init {
  scaled_random,  ///< uniform, scaled so that the best multiple of W H is 1
  random,         ///< sqrt(mean(M) / r) |N(0, 1)|, as in scikit-learn
  nndsvd,         ///< from the r leading singular triplets of M; has zeros, which MU cannot leave
  nndsvda,        ///< the same, zeros replaced by a constant
  nndsvdar,       ///< the same, zeros replaced by small random numbers
  spa,            ///< W is r columns of M found by successive projection, H fits M best
};

/// Every member has a row in the table of options (anmf/option_table.h).
struct Options {
  /// Number of components r, at least 1. There is no default.
  Index rank = 0;
  /// One of the names of methods(), or "auto": the fastest one for the loss and the kind of data
  /// (docs/performance.md).
  std::string method = "auto";
  /// What is minimised, a beta-divergence of M from W H: "frobenius" (1/2 ||M - W H||^2), "kullback-leibler"
  /// or "kl", "itakura-saito" or "is", or the number beta itself, which is 2, 1 and 0 for these
  /// (docs/losses.md).
  std::string loss = "frobenius";

  /// Share of the cost of the products to spend on further inner iterations, >= 0; default by method.
  std::optional<double> alpha;
  /// Relative step below which inner iterations end, in [0, 1); 0 never ends early; default by method.
  std::optional<double> epsilon;
  /// Smallest entry that MU keeps, >= 0; default 1e-16 (float64), 1e-12 (float32). 0 is Lee and Seung's MU.
  std::optional<double> delta;
  std::optional<InnerStopMode> inner_stop;
  RhoSource rho = RhoSource::flops;
  /// Cap on the inner iterations of one half-step where the rule itself has none (dynamic, Lin's), >= 1.
  Index max_inner_iterations = 1000;

  /// Seed of the random start, of the compression, of the exploration and of the shuffling.
  std::uint64_t seed = 0;
  /// The start, unless both factors are given.
  Init init = Init::scaled_random;
  Compress compress = Compress::automatic;
  Explore explore = Explore::automatic;

  Index max_iterations = 500;
  /// Seconds of solver time, as in the trace: evaluating the error and observers do not count.
  double time_limit = std::numeric_limits<double>::infinity();
  /// Stop when the measure of `stop_rule` is at most this; 0 is never.
  double tolerance = 1e-6;
  StopRule stop_rule = StopRule::promised_decrease;
  /// Stop when one iteration lowers the objective's root by at most this multiple of itself; 0 is never.
  double change_tolerance = 0;

  /// Penalties as in scikit-learn: alpha_W * n * (l1_ratio * sum(W) + (1 - l1_ratio) / 2 * ||W||^2), and
  /// alpha_H * m * (...) of H, are added to ||M - WH||^2 / 2. alpha_H is alpha_W unless given.
  double alpha_W = 0;
  std::optional<double> alpha_H;
  double l1_ratio = 0;

  /// Scale every column of W and row of H to norm 1; the lost scale is returned: M ~ W diag(scale) H.
  Normalize normalize = Normalize::none;
  /// Sort components by ||w_p|| ||h_p||, largest first. By default they keep their place.
  bool sort_components = false;

  /// Visit the components in a new random order in every half-step; for the methods of hals.
  bool shuffle = false;
  /// Give a component that has become zero a tiny value, from which it can come back; for the methods of hals
  /// and anls, where nothing is penalised. Without it a component may stay lost, as in other implementations.
  bool revive = true;
  /// Share of the entries that the run does not see, and is judged by; 0: none. They are 1 of round(1 /
  /// share) in every row, the same ones for every rank and method.
  double heldout = 0;
  std::uint64_t heldout_seed = 0;
  /// The half-step that comes first in every outer iteration.
  Side first = Side::W;
  /// 0 takes every core this process may use. The result does not depend on it.
  int threads = 0;
};

/// Throws InvalidInput where factorize() would: an option is out of its range, or does not go with the
/// method.
void check(const Options& options);

/// How the inner iterations of one method end.
struct InnerStop {
  InnerStopMode mode = InnerStopMode::fixed;
  double alpha = 0;
  double epsilon = 0;
};

/// The losses that an update rule can minimise.
enum class RuleLosses {
  least_squares,     ///< beta = 2
  kullback_leibler,  ///< beta = 1
  all_but_least_squares,
  all,
};

/// One row of the table of update rules: how an inner iteration improves a factor, and what it can do.
struct Rule {
  std::string_view name;
  RuleLosses losses = RuleLosses::least_squares;
  /// Flops of an inner iteration on a factor with so many rows.
  double (*sweep_flops)(Index rows, Index rank) = nullptr;
  bool flops_vary = false;      ///< sweep_flops is the least: the rule searches, or exchanges variables
  bool row_local = false;       ///< rows do not need each other, so that blocks of them may stop on their own
  bool exact = false;           ///< one inner iteration solves the half-step, whatever the inner stop says
  bool knows_gradient = false;  ///< has the gradient at hand, for the inner stop of Lin
  bool shuffles = false;        ///< visits one component after the other, in any order
  bool revives = false;         ///< a component that became zero is given a tiny value
  bool clamps = false;          ///< keeps entries at delta or above
  double keeps = 0;  ///< an extrapolation must not lower an entry below this multiple of it; 0: nor below 0
  bool weighs = false;           ///< entries of M need not all count the same
  bool signed_products = false;  ///< products may have negative entries, as those with a compression of M do
};

/// One row of the method table.
struct Method {
  std::string_view name;
  Rule rule;
  InnerStop inner_stop;
  bool extrapolated;  ///< the factors are extrapolated between half-steps
  std::string_view summary;
};

/// Every method, in the order in which they are listed to people.
[[nodiscard]] std::span<const Method> methods();
/// The method of this name, that behind "auto" for least squares included. Throws InvalidInput with the list
/// of names if there is none.
[[nodiscard]] const Method& find_method(std::string_view name);
/// What a matrix is like, as far as methods hang on it.
struct MatrixKind {
  bool sparse = false;
  bool weighted = false;  ///< rows, columns or entries do not all count the same
  Counted counted = Counted::all;
};
template <class T>
[[nodiscard]] MatrixKind kind_of(const Data<T>& data) {
  return {.sparse = is_sparse(data.storage()),
          .weighted = data.counted() != Counted::all || !data.line_weights(Side::W).empty() ||
                      !data.line_weights(Side::H).empty(),
          .counted = data.counted()};
}

/// The same for a loss and a kind of matrix, on which the one behind "auto" depends. Throws InvalidInput,
/// with the list of those that can, if the method cannot minimise the loss.
[[nodiscard]] const Method& find_method(std::string_view name, double beta, const MatrixKind& kind);
[[nodiscard]] bool minimises(const Method& method, double beta, const MatrixKind& kind = {});

/// beta of a loss by its name ("frobenius", "kullback-leibler" or "kl", "itakura-saito" or "is") or as a
/// number. Throws InvalidInput with what is allowed.
[[nodiscard]] double beta_of(std::string_view loss);
/// The name of a loss, or its number where it has none.
[[nodiscard]] std::string loss_name(double beta);

/// For messages: "hals and mu", the rules whose rows have this, ...
[[nodiscard]] std::string rules_that(bool Rule::* can);
/// ... and "mu, a-mu and e-a-mu", the methods of such rules.
[[nodiscard]] std::string methods_that(bool Rule::* can);

[[nodiscard]] std::string_view to_string(InnerStopMode mode);
[[nodiscard]] std::string_view to_string(RhoSource source);
[[nodiscard]] std::string_view to_string(StopRule rule);
[[nodiscard]] std::string_view to_string(Normalize normalize);
[[nodiscard]] std::string_view to_string(Compress compress);
[[nodiscard]] std::string_view to_string(Explore explore);
[[nodiscard]] std::string_view to_string(Init init);

}  // namespace anmf
