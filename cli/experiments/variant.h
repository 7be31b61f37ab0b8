// SPDX-License-Identifier: MIT
// One way to factorize: a method and its parameters, as written and as it acts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "anmf/options.h"

namespace anmf::cli {

struct Variant {
  std::string label;
  std::string method;
  std::optional<double> alpha;
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<InnerStopMode> inner_stop;
  RhoSource rho = RhoSource::flops;
  std::optional<std::string> loss;  ///< that of all variants of a comparison; frobenius where none is said
};

/// What a variant does. Two variants that act alike are equal here, however they are written: "a-mu" is
/// "mu" with inner_stop hybrid, alpha 2 and epsilon 0.1, and their runs are the same.
struct Behaviour {
  Rule rule;
  bool extrapolated = false;
  InnerStop inner_stop;
  double delta = 0;
  RhoSource rho = RhoSource::flops;

  [[nodiscard]] bool operator==(const Behaviour& other) const;
};

[[nodiscard]] Behaviour behaviour(const Variant& variant);
[[nodiscard]] Behaviour behaviour(std::string_view method);
/// A method with another inner stop, for the claims.
[[nodiscard]] Behaviour with_inner_stop(std::string_view method, InnerStopMode mode, double alpha,
                                        double epsilon);

/// "alpha 0.5, epsilon 0.1": the parameters in force, in words.
[[nodiscard]] std::string describe(const Behaviour& behaviour);

/// The names of the options of the command line. Throw InvalidInput with the list of names.
[[nodiscard]] InnerStopMode parse_inner_stop(std::string_view name);
[[nodiscard]] RhoSource parse_rho(std::string_view name);

/// Parses "a-hals:alpha=1:epsilon=0.1". Throws InvalidInput with a sentence.
[[nodiscard]] Variant parse_variant(std::string_view text);
/// Throws InvalidInput where the engine would. Without a loss, one that the method can minimise is taken.
void check(const Variant& variant);

/// The options of one run; rank, seed and limits are for the caller to add.
[[nodiscard]] Options engine_options(const Variant& variant);

}  // namespace anmf::cli
