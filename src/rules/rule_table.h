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
                            .weighs = true,
                            .signed_products = true};
inline constexpr Rule kMu{.name = "mu",
                          .losses = RuleLosses::all,
                          .sweep_flops = cost::mu_sweep,
                          .row_local = true,
                          .clamps = true,
                          .keeps = 1,
                          .weighs = true};
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

// These look at entries themselves (loss/row_method.h). A model that is zero where M is not has no way back,
// so that what extrapolation takes from an entry leaves a part of it.
inline constexpr Rule kSpn{.name = "spn",
                           .losses = RuleLosses::all_but_least_squares,
                           .sweep_flops = cost::hals_sweep,
                           .flops_vary = true,
                           .row_local = true,
                           .keeps = 0.01,
                           .weighs = true};
inline constexpr Rule kCcd{.name = "ccd",
                           .losses = RuleLosses::kullback_leibler,
                           .sweep_flops = unknown_flops,
                           .flops_vary = true,
                           .row_local = true,
                           .keeps = 0.01,
                           .weighs = true};

/// Those with an UpdateRule; the others improve their factors while they look at the entries.
inline constexpr std::array kRules = {kHals, kMu, kPg, kBpp};
inline constexpr std::array kEntryRules = {kSpn, kCcd};

/// The rule of a row, ready to work.
template <class T>
[[nodiscard]] std::unique_ptr<UpdateRule<T>> make_rule(const Rule& rule, double delta);

}  // namespace anmf
