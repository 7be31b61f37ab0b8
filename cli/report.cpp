// SPDX-License-Identifier: MIT
#include "report.h"

#include <fmt/format.h>

#include <cstdio>

#include "progress.h"

namespace anmf::cli {
namespace {

std::string describe_matrix(const InputSummary& input, std::string_view precision) {
  const std::string size = fmt::format("{} x {}", input.rows, input.cols);
  const std::string matrix = fmt::format("{} {} {}", size, to_string(input.storage), input.types(precision));
  return is_dense(input.storage) ? matrix : fmt::format("{}, {} nonzeros", matrix, input.nonzeros);
}

}  // namespace

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
}

template <class T>
void print_summary(const InputSummary& input, const Options& options, const Result<T>& result,
                   const std::filesystem::path& folder, std::span<const std::string_view> files) {
  fmt::print("matrix          {} ({})\n", input.name, describe_matrix(input, kPrecision<T>));
  const double all = static_cast<double>(input.rows) * static_cast<double>(input.cols);
  if (input.observed < all)
    fmt::print("observed        {:.0f} entries, {:.3g} % of all\n", input.observed,
               100 * input.observed / all);
  fmt::print("method          {}, rank {}\n", result.effective.method, options.rank);
  const std::string duration =
      result.seconds < 60 ? fmt::format("{:.3g} s", result.seconds) : format_duration(result.seconds);
  const EffectiveOptions& effective = result.effective;
  if (effective.compressed_rank > 0) {
    fmt::print("start           {} iterations on a compression to rank {}\n", effective.compressed_iterations,
               effective.compressed_rank);
  }
  fmt::print("iterations      {} in {}\n", result.iterations, duration);
  if (effective.beta == 2) {
    fmt::print("relative error  {:.6g}\n", result.relative_error);
  } else {
    fmt::print("loss            {}, D = {:.6g}\n", loss_name(effective.beta),
               0.5 * result.error * result.error);
    fmt::print("relative error  {:.6g} of the best model of rank one\n", result.relative_error);
  }
  if (result.heldout_entries > 0) {
    fmt::print("held out        {} entries, {:.6g} of the error of their mean\n", result.heldout_entries,
               result.heldout_relative_error);
  }
  fmt::print("status          {}\n", result.status == Status::stopped_by_observer
                                         ? "Interrupted; this is the result so far."
                                         : result.message);
  fmt::print("files           {}: {}\n", folder.string(), fmt::join(files, ", "));
}

template void print_summary(const InputSummary&, const Options&, const Result<float>&,
                            const std::filesystem::path&, std::span<const std::string_view>);
template void print_summary(const InputSummary&, const Options&, const Result<double>&,
                            const std::filesystem::path&, std::span<const std::string_view>);

}  // namespace anmf::cli
