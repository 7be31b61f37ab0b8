// SPDX-License-Identifier: MIT
// The table of update rules: what each can do stands in its row, and whoever needs to know asks the row.
#pragma once

#include <array>
#include <memory>

#include "anmf/options.h"
#include "core/cost_model.h"
#include "rules/update_rule.h"

namespace anmf {

/// The flops of a sweep that hang on the entries alone: nothing is known beforehand.
[[nodiscard]] inline double unknown_flops(Index /*rows*/, Index /*rank*/) { return 0; }

inline constexpr Rule kHals{.name = "hals",
                            .sweep_flops = cost::hals_sweep,
                            .row_local = true,
                            .shuffles = true,
                            .revives = true,
                            .signed_products = true};
inline constexpr Rule kMu{
    .name = "mu", .sweep_flops = cost::mu_sweep, .row_local = true, .clamps = true, .only_grows = true};
inline constexpr Rule kPg{.name = "pg",
                          .sweep_flops = cost::pg_gradient,  // and the trials of its line search
                          .flops_vary = true,
                          .knows_gradient = true,
                          .signed_products = true};
inline constexpr Rule kBpp{.name = "bpp",
                           .sweep_flops = unknown_flops,
                           .flops_vary = true,
                           .exact = true,
                           .revives = true,
                           .signed_products = true};

inline constexpr std::array kRules = {kHals, kMu, kPg, kBpp};

/// The rule of a row, ready to work.
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_rule(const Rule& rule, double delta);

}  // namespace anmf
