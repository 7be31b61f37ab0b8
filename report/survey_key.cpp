// SPDX-License-Identifier: MIT
// What makes two surveys the same, so that one may go on where the other was.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "anmf/error.h"
#include "anmf/option_table.h"
#include "anmf/version.h"
#include "json_values.h"
#include "survey_tables.h"

namespace anmf::report {
namespace fs = std::filesystem;
namespace {

constexpr const char* kVersionKey = "version";

/// Those that the survey sets for every job, and those that change no bit.
constexpr std::array<std::string_view, 7> kNotInKey = {"rank",    "seed",         "explore",   "heldout",
                                                       "threads", "heldout_seed", "time_limit"};

template <class Value>
Json to_json(const Value& value) {
  return value;
}
template <class Value>
Json to_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json describe_resampling(const Resampling& resampling) {
  switch (resampling.kind) {
    case Resampling::Kind::none:
      return "none";
    case Resampling::Kind::poisson:
      return "poisson";
    case Resampling::Kind::multinomial:
      return "multinomial";
    case Resampling::Kind::uniform:
      return fmt::format("uniform:{}", resampling.width);
  }
  return nullptr;
}

std::string in_words(const Json& json, const std::string& name) {
  if (!json.contains(name)) return "not known";
  const Json& value = json.at(name);
  if (value.is_null()) return "left open";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

template <class T>
SurveyInput survey_input(std::string name, const Data<T>& data, ThreadPool& pool) {
  const auto entries = data.fingerprint(pool);
  if (!entries) {
    throw InvalidInput(
        "A survey in a folder needs a matrix that shows its entries, by which it is known again; keep the "
        "survey in memory.");
  }
  return {.name = std::move(name),
          .rows = data.rows(),
          .cols = data.cols(),
          .nonzeros = data.nonzeros(),
          .norm = data.norm(),
          .checksum = fmt::format("{:016x}", entries->of_matrix)};
}

Json survey_key(const SurveyOptions& options, std::string_view precision) {
  Json key = {{kVersionKey, kVersion},
              {"precision", precision},
              {"seed", options.seed},
              {"features", options.spectra == Side::H ? "columns" : "rows"},
              {"resample", describe_resampling(options.resampling)},
              {"heldout_fraction", options.heldout_fraction}};
  Options job = options.job;
  job.loss = loss_name(beta_of(job.loss));
  for (const OptionInfo& option : option_table()) {
    if (std::find(kNotInKey.begin(), kNotInKey.end(), option.name) != kNotInKey.end()) continue;
    key[option.key()] = with_value(option, job, [](const auto& value) { return to_json(value); });
  }
  return key;
}

void expect_same_survey(const fs::path& folder, const Json& description, const SurveyInput& input,
                        const Json& key, bool mix_versions) {
  const Json& before = description.at("input");
  const auto other_matrix = [&](const char* what, const Json& was, const Json& is) {
    throw InvalidInput(fmt::format(
        "The survey in '{}' is of another matrix ('{}'): its {} is {}, that of '{}' is {}. Choose another "
        "folder, or survey that matrix, read and prepared as it was.",
        folder.string(), before.at("name").is_string() ? before.at("name").get<std::string>() : "?", what,
        was.is_string() ? was.get<std::string>() : was.dump(), input.name,
        is.is_string() ? is.get<std::string>() : is.dump()));
  };
  if (before.at("rows") != input.rows) other_matrix("number of rows", before.at("rows"), input.rows);
  if (before.at("cols") != input.cols) other_matrix("number of columns", before.at("cols"), input.cols);
  const Json& key_before = description.at("key");
  if (!mix_versions && key_before.at(kVersionKey) != key.at(kVersionKey)) {
    throw InvalidInput(fmt::format(
        "The survey in '{}' was begun by anmf {}, and this is {}, which may give other bits: --mix-versions "
        "(mix_versions=True in Python) goes on all the same, or choose another folder.",
        folder.string(), in_words(key_before, kVersionKey), in_words(key, kVersionKey)));
  }
  const auto compare = [&](const std::string& name) {
    if (name == kVersionKey) return;
    // Numbers are compared as numbers: 1 in a file may be 1.0 here.
    if (key_before.contains(name) && key.contains(name) && key_before.at(name) == key.at(name)) return;
    throw InvalidInput(fmt::format(
        "The survey in '{}' has {} = {}, and here it is {}. Its jobs are others then: only ranks, starts, "
        "clusters, what is held out and how often, threads and outputs may differ. Choose another folder, or "
        "leave {} as it was.",
        folder.string(), name, in_words(key_before, name), in_words(key, name), name));
  };
  for (const auto& [name, value] : key.items()) compare(name);
  for (const auto& [name, value] : key_before.items()) {
    if (!mix_versions || key.contains(name)) compare(name);  // another version may have other options
  }
  if (before.at("checksum") != input.checksum)
    other_matrix("checksum of the entries", before.at("checksum"), input.checksum);
}

template SurveyInput survey_input(std::string, const Data<float>&, ThreadPool&);
template SurveyInput survey_input(std::string, const Data<double>&, ThreadPool&);

}  // namespace anmf::report
