// SPDX-License-Identifier: MIT
#include "survey_files.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/io.h"
#include "anmf/version.h"
#include "entries.h"
#include "named_factors.h"
#include "output_folder.h"
#include "prepare.h"
#include "run_folder.h"
#include "survey_refit.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

/// Factors, and how they came about.
template <class T>
struct RankFactors {
  report::SurveyFactors<T> factors;
  std::string_view what;  ///< "consensus" or "start"
  std::optional<JobRecord> start;
  double error = 0;
};

template <class T>
class FactorWriter {
 public:
  FactorWriter(const SurveyArguments& arguments, const Input<T>& input, std::string source)
      : arguments_(arguments), input_(input), source_(std::move(source)) {}

  void operator()(const fs::path& folder, const RankConsensus<T>& consensus, const JobResult<T>& best) const {
    const Side side = arguments_.options.spectra;
    if (consensus.usages.size() > 0) {
      write(folder, {.factors = report::factors_of(consensus.spectra, consensus.usages, side),
                     .what = "consensus",
                     .start = std::nullopt,
                     .error = consensus.summary.consensus_error});
    }
    if (best.usages.size() > 0) {
      write(folder / "best", {.factors = report::factors_of(best.spectra, best.usages, side),
                              .what = "start",
                              .start = best.record,
                              .error = best.record.error});
    }
  }

 private:
  void write(const fs::path& path, const RankFactors<T>& rank) const {
    std::vector<std::string_view> names = {"W.npy", "H.npy", kPrepareFile};
    names.insert(names.end(), kNamedFiles.begin(), kNamedFiles.end());
    OutputFolder folder(path, names);
    io::write_npy<T>(folder.staged("W.npy"), rank.factors.W.view());
    io::write_npy<T>(folder.staged("H.npy"), rank.factors.H.view());
    if (input_.preparation.empty()) {
      folder.replace_by_nothing(kPrepareFile);
    } else {
      write_preparation(folder.staged(kPrepareFile), input_.preparation);
    }
    if (!rank.start) {  // made of other components
      for (const std::string_view name : kRefitFiles) folder.replace_by_nothing(name);
    }
    (void)stage_named_factors(folder, named(rank));
    Json description = describe(rank);
    folder.publish(description);
    folder.expect_complete();
  }

  [[nodiscard]] NamedFactors<T> named(const RankFactors<T>& rank) const {
    NamedFactors<T> named = {.W = rank.factors.W,
                             .H = rank.factors.H,
                             .labels = input_.labels,
                             .top = arguments_.report.top,
                             .anndata = input_.matrix.anndata,
                             .source = source_,
                             .transposed = arguments_.input.transpose};
    named.about = {{"what", std::string(rank.what)},
                   {"loss", loss_name(beta_of(arguments_.options.job.loss))},
                   {"rank", rank.factors.H.rows()},
                   {"error", rank.error},
                   {"version", std::string(kVersion)}};
    return named;
  }

  [[nodiscard]] Json describe(const RankFactors<T>& rank) const {
    Json json = {{"version", kVersion}, {"survey", rank.what}};
    InputSummary summary = summarize(arguments_.input.file, *input_.matrix.data);
    if (knows_entry_type(input_.matrix)) summary.entry_type = entry_type(input_.matrix);
    report::describe_input(json, summary, kPrecision<T>);
    json["transpose"] = arguments_.input.transpose;
    json["prepare"] = list_of(input_.preparation);
    json["loss"] = loss_name(beta_of(arguments_.options.job.loss));
    json["rank"] = rank.factors.H.rows();
    if (rank.start) {
      json["start"] = rank.start->key.number;
      json["seed"] = rank.start->seed;
    }
    json["error"] = std::isfinite(rank.error) ? Json(rank.error) : Json(nullptr);
    return json;
  }

  const SurveyArguments& arguments_;
  const Input<T>& input_;
  std::string source_;
};

}  // namespace

template <class T>
typename report::SurveyFolder<T>::WriteFactors write_factors_of(const SurveyArguments& arguments,
                                                                const Input<T>& input,
                                                                const std::string& source) {
  return FactorWriter<T>(arguments, input, source);
}

template report::SurveyFolder<float>::WriteFactors write_factors_of(const SurveyArguments&,
                                                                    const Input<float>&, const std::string&);
template report::SurveyFolder<double>::WriteFactors write_factors_of(const SurveyArguments&,
                                                                     const Input<double>&,
                                                                     const std::string&);

}  // namespace anmf::cli
