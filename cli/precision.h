// SPDX-License-Identifier: MIT
// --precision, for every subcommand that computes factors.
#pragma once

#include "option_helpers.h"

namespace anmf::cli {

enum class Precision { float32, float64 };

inline void add_precision(CLI::App& app, Precision& target) {
  add_choice<Precision>(app, "--precision", target,
                        {{"float32", Precision::float32}, {"float64", Precision::float64}},
                        "Number type of the computation and of the factors (default float64)");
}

}  // namespace anmf::cli
