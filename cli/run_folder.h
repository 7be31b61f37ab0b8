// SPDX-License-Identifier: MIT
// What a run leaves behind: W.npy (m x r), H.npy (r x n), trace.csv (one row per outer iteration, row 0 is
// the start) and run.json (options in force and outcome).
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "anmf/data.h"
#include "anmf/options.h"
#include "anmf/result.h"
#include "output_folder.h"

namespace anmf::cli {

/// In the order in which they are put in place: run.json last, so that it never describes older factors.
inline constexpr std::array<std::string_view, 4> kRunFiles = {"W.npy", "H.npy", "trace.csv", "run.json"};

/// The matrix as run.json describes it.
struct InputSummary {
  std::string name;  ///< as the user gave it
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  std::string storage;
};

template <class T>
[[nodiscard]] InputSummary summarize(std::string name, const Data<T>& data) {
  return {std::move(name), data.rows(), data.cols(), data.nonzeros(), std::string(data.storage())};
}

template <class T>
inline constexpr std::string_view kPrecision = sizeof(T) == sizeof(float) ? "float32" : "float64";

/// The content of run.json.
template <class T>
[[nodiscard]] nlohmann::ordered_json describe_run(const InputSummary& input, const Options& options,
                                                  const Result<T>& result);

/// Stages the files of kRunFiles; the caller publishes them. `run` is what describe_run() gave.
template <class T>
void stage_run(OutputFolder& folder, const nlohmann::ordered_json& run, const Result<T>& result);

}  // namespace anmf::cli
