// SPDX-License-Identifier: MIT
#include "open_input.h"

#include <fmt/format.h>

#include <utility>

#include "bytes.h"
#include "entries.h"
#include "estimate.h"
#include "failure.h"

namespace anmf::cli {
namespace {

[[noreturn]] void fail_not_in_blocks(const std::string& file, double limit, double needed, bool sparse) {
  throw Failure(
      ExitCode::usage,
      fmt::format("--memory {} is too little for '{}', which needs about {} and cannot be read in blocks; "
                  "anmf convert '{}' M{} makes a file that can. A limit of {} would do.",
                  format_bytes(limit), file, format_bytes(needed), file, sparse ? ".anmf" : ".npy",
                  recommended_limit(needed)));
}

/// Refuses a matrix whose format cannot be streamed before it is read, if the file tells its size.
template <class T>
void expect_room_to_read(const InputRequest& request) {
  const InputArguments& input = request.arguments;
  const auto sizes = with_header_advice([&] { return io::stored_sizes<T>(request.file, input.header); });
  if (!sizes) return;
  const auto entries = static_cast<double>(sizes->entries);
  const double bytes = sizes->sparse ? sparse_matrix_bytes<T>(sizes->rows, sizes->cols, entries)
                                     : entries * static_cast<double>(sizes->entry_bytes);
  // Of factors that belong to some rows or columns only, the size is not known yet.
  const bool all = !input.rows && !input.columns;
  const double needed =
      all ? estimate_run<T>(PlannedRun{sizes->rows, sizes->cols, sizes->entries, request.options}, bytes,
                            request.memory.extras)
                .peak_bytes
          : bytes;
  if (needed > request.memory.bytes())
    fail_not_in_blocks(input.file, request.memory.bytes(), needed, sizes->sparse);
}

/// The same once it has been read.
template <class T>
void expect_within(const Input<T>& input, const InputRequest& request) {
  const double peak = estimate_run(input, request.memory.extras).peak_bytes;
  if (peak > request.memory.bytes()) {
    fail_not_in_blocks(request.arguments.file, request.memory.bytes(), peak,
                       is_sparse(input.matrix.data->storage()));
  }
}

template <class T>
InputPlan plan_within_limit(const InputRequest& request) {
  if (!request.file.comes_in_blocks()) {
    expect_room_to_read<T>(request);
    return {};
  }
  const InputArguments& input = request.arguments;
  const OpenBlocks<T> open = [&](double most_bytes) {
    return io::open_blocks<T>(request.file, most_bytes, {input.negative, input.weighing.when_read()});
  };
  const auto whole = open(kWholeMatrix);
  InputPlan plan;
  plan.annotations = io::read_annotations(request.file);
  plan.run = PlannedRun{input.transpose ? whole->cols() : whole->rows(),
                        input.transpose ? whole->rows() : whole->cols(), whole->nonzeros(), request.options};
  MemoryBudget with_file = request.memory;
  with_file.extras.add(plan.annotations);
  plan.stream = plan_stream(input, plan.run, with_file, *whole, open);
  return plan;
}

}  // namespace

template <class T>
InputPlan plan_input(const InputRequest& request) {
  if (!request.memory.limit) return {};
  return in_phase(ExitCode::input, [&] { return plan_within_limit<T>(request); });
}

template <class T>
Input<T> open_input(const InputRequest& request, InputPlan plan) {
  if (request.memory.limit) return_memory_early();
  if (plan.stream) {
    Input<T> input = stream_input<T>(request.file, std::move(plan.annotations), request.arguments,
                                     request.report, *plan.stream);
    input.run = std::move(plan.run);
    return input;
  }
  plan = {};  // the names come once more with the matrix
  Input<T> input = read_input<T>(request.file, request.arguments, request.report,
                                 request.memory.limit ? OnDisk::no : OnDisk::possible);
  input.run = plan_run<T>(*input.matrix.data, request.options);
  if (request.memory.limit) expect_within(input, request);
  return input;
}

template InputPlan plan_input<float>(const InputRequest&);
template InputPlan plan_input<double>(const InputRequest&);
template Input<float> open_input(const InputRequest&, InputPlan);
template Input<double> open_input(const InputRequest&, InputPlan);

}  // namespace anmf::cli
