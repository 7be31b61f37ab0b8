// SPDX-License-Identifier: MIT
// A run as run.json and the report describe it: the input, the options in force and the outcome.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "anmf/data.h"
#include "anmf/options.h"
#include "anmf/result.h"

namespace anmf::report {

/// The matrix as run.json describes it.
struct InputSummary {
  std::string name;  ///< as the user gave it
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  Storage storage = Storage::dense;
  double observed = 0;          ///< entries that count at all
  std::string entry_type = {};  ///< of the entries as they are kept, in NumPy's words; empty: not known

  /// "uint8, computed in float64", or "float64" if that is all there is to say.
  [[nodiscard]] std::string types(std::string_view precision) const;
};

template <class T>
[[nodiscard]] InputSummary summarize(std::string name, const Data<T>& data) {
  return {std::move(name), data.rows(), data.cols(), data.nonzeros(), data.storage(), data.observed(), {}};
}

template <class T>
inline constexpr std::string_view kPrecision = sizeof(T) == sizeof(float) ? "float32" : "float64";

/// Says in a JSON object what the input is.
void describe_input(nlohmann::ordered_json& json, const InputSummary& input, std::string_view precision);

/// The content of run.json.
template <class T>
[[nodiscard]] nlohmann::ordered_json describe_run(const InputSummary& input, const Options& options,
                                                  const Result<T>& result);

}  // namespace anmf::report
