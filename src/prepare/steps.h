// SPDX-License-Identifier: MIT
// Single steps of a preparation.
#pragma once

#include <string_view>
#include <vector>

#include "anmf/prepare.h"

namespace anmf {

[[nodiscard]] const PrepareKindInfo& info_of(PrepareKind kind);
/// For examples in messages.
[[nodiscard]] std::string_view usual_number(PrepareKind kind);
[[nodiscard]] std::vector<PrepareStep> parse_steps(std::string_view list);

/// Learns from M what the step needs to know of the columns, if anything.
template <class T>
void learn(PrepareStep& step, const OwnEntries<T>& M);

/// Prepares M by one step that has learnt.
template <class T>
void apply_step(const PrepareStep& step, OwnEntries<T>& M);

}  // namespace anmf
