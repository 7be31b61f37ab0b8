// SPDX-License-Identifier: MIT
// How good the fit is, for the report page: the residual by row and by column, and samples beside what the
// factors make of them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "anmf/data.h"
#include "anmf/result.h"
#include "labels.h"

namespace anmf::report {

/// Takes three products with M. Null if the data does not know the norms of its rows and columns. The keys
/// are in web/src/document.ts. What the interrupt throws ends it.
template <class T>
[[nodiscard]] nlohmann::ordered_json describe_fit(const Data<T>& M, const Result<T>& result,
                                                  const ReportLabels& labels, int threads,
                                                  Interrupt interrupt = {});

}  // namespace anmf::report
