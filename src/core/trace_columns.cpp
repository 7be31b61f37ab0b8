// SPDX-License-Identifier: MIT
#include "anmf/trace_columns.h"

#include <array>

namespace anmf {
namespace {

double objective_of(const IterationRecord& record) { return objective(record.error, record.penalty); }

double divergence_of(const IterationRecord& record) { return objective(record.error, 0); }

constexpr std::array kTraceColumns = {
    TraceColumn{"iteration", &IterationRecord::iteration, "0 is the start"},
    TraceColumn{"seconds", &IterationRecord::seconds,
                "solver time so far, without evaluating the error and without callbacks"},
    TraceColumn{"flops", &IterationRecord::flops, "work so far by the paper's cost model"},
    TraceColumn{"error", &IterationRecord::error, "||M - W H||; sqrt(2 divergence) for other losses"},
    TraceColumn{"relative_error", &IterationRecord::relative_error,
                "error / ||M||; for other losses over that of the best model of rank one"},
    TraceColumn{"inner_w", &IterationRecord::inner_w, "inner iterations of the W half"},
    TraceColumn{"inner_h", &IterationRecord::inner_h, "inner iterations of the H half"},
    TraceColumn{"penalty", &IterationRecord::penalty, "the penalty terms, apart from the fit"},
    TraceColumn{"objective", &objective_of, "error^2 / 2 + penalty"},
    TraceColumn{"compressed_iterations", &IterationRecord::compressed_iterations,
                "iterations on a compression of M that this one stands for"},
    TraceColumn{"promised_decrease", &IterationRecord::promised_decrease,
                "share of the objective that another pass over all entries promises to take off; empty where "
                "nobody has looked"},
    TraceColumn{"kkt", &IterationRecord::kkt,
                "projected gradient relative to the start; empty where nobody has looked"},
    TraceColumn{"divergence", &divergence_of, "the loss itself; error^2 / 2"},
    TraceColumn{"heldout", &IterationRecord::heldout,
                "the error of the entries that were held out; empty where none were"},
};

}  // namespace

std::span<const TraceColumn> trace_columns() { return kTraceColumns; }

}  // namespace anmf
