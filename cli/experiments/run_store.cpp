// SPDX-License-Identifier: MIT
#include "experiments/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ostream>

#include "anmf/io.h"
#include "anmf/version.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool sound(const Trace& trace) {
  const auto finite = [](double x) { return std::isfinite(x); };
  const std::size_t size = trace.error.size();
  if (size == 0 || trace.seconds.size() != size || trace.flops.size() != size) return false;
  for (const std::vector<double>* column : {&trace.seconds, &trace.flops, &trace.error}) {
    if (!std::all_of(column->begin(), column->end(), finite)) return false;
  }
  return std::is_sorted(trace.seconds.begin(), trace.seconds.end()) &&
         std::is_sorted(trace.flops.begin(), trace.flops.end());
}

}  // namespace

Json run_key(const RunSpec& spec) {
  const Behaviour b = behaviour(spec.variant);
  Json key = {{"version", kVersion},
              {"data", spec.data->name},
              {"rows", spec.data->rows},
              {"cols", spec.data->cols},
              {"nonzeros", spec.data->nonzeros},
              {"norm", spec.data->norm},
              {"rank", spec.rank},
              {"rule", b.rule.name},
              {"extrapolated", b.extrapolated},
              {"inner_stop", to_string(b.inner_stop.mode)},
              {"alpha", b.inner_stop.alpha},
              {"epsilon", b.inner_stop.epsilon},
              {"delta", b.delta},
              {"rho", to_string(b.rho)},
              {"seed", spec.seed},
              {"seconds_limit", number(spec.limit.seconds)},
              {"work_limit", number(spec.limit.work)}};
  // Runs of least squares keep the names that they had before there was another loss.
  if (spec.variant.loss && beta_of(*spec.variant.loss) != 2) key["loss"] = *spec.variant.loss;
  return key;
}

std::string run_file_name(const RunSpec& spec) {
  std::string name = fmt::format("{}-r{}-{}-s{}", spec.data->name, spec.rank, spec.variant.method, spec.seed);
  // A data set may be named by anything; a file may not.
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    if (!plain) c = '_';
  }
  const std::string key = run_key(spec).dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("{}-{:016x}.json", name, fnv1a(key));
}

std::optional<Run> RunStore::find(const RunSpec& spec) const {
  std::ifstream in(folder_ / run_file_name(spec), std::ios::binary);
  if (!in) return std::nullopt;
  try {
    const Json json = Json::parse(in);
    if (json.at("key") != run_key(spec)) return std::nullopt;
    Run run{.trace = {.seconds = json.at("seconds").get<std::vector<double>>(),
                      .flops = json.at("flops").get<std::vector<double>>(),
                      .error = json.at("error").get<std::vector<double>>()},
            .jobs = json.at("jobs").get<int>()};
    if (!sound(run.trace)) return std::nullopt;
    return run;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void RunStore::keep(const RunSpec& spec, const Run& run) const {
  const Json json = {{"key", run_key(spec)},
                     {"jobs", run.jobs},
                     {"seconds", run.trace.seconds},
                     {"flops", run.trace.flops},
                     {"error", run.trace.error}};
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  io::write_atomically(folder_ / run_file_name(spec), [&](std::ostream& out) { out << text << '\n'; });
}

}  // namespace anmf::cli
