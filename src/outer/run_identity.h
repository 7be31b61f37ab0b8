// SPDX-License-Identifier: MIT
// What must be the same where a run goes on from a checkpoint, as text by name.
#pragma once

#include <map>
#include <string>

#include "anmf/data.h"
#include "anmf/options.h"
#include "core/workers.h"
#include "outer/plan.h"

namespace anmf {

using RunIdentity = std::map<std::string, std::string>;

/// All that the course of a run depends on, apart from its state. Numbers are written to the last bit. All
/// workers must call it, since they may have to multiply or to add up together.
template <class T>
[[nodiscard]] RunIdentity run_identity(const Data<T>& data, const Options& options, const Plan& plan,
                                       const Workers& workers);

/// Throws InvalidInput with the first difference that matters, also if `saved` says too little.
template <class T>
void check_identity(const RunIdentity& saved, const RunIdentity& here);

}  // namespace anmf
