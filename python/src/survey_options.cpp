// SPDX-License-Identifier: MIT
// What a survey is told, as Python sees it: words for what is chosen from.
#include "survey_options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/survey.h"

namespace anmf::python {
namespace {

namespace nb = nanobind;

template <class Value>
using Words = std::vector<std::pair<std::string_view, Value>>;

const Words<Side> kFeatures = {{"columns", Side::H}, {"rows", Side::W}};
const Words<Holdout> kHoldouts = {
    {"speckled", Holdout::speckled}, {"bcv", Holdout::bcv}, {"none", Holdout::none}};
const Words<ClusterKind> kClusters = {{"matched", ClusterKind::matched}, {"free", ClusterKind::free}};
const Words<Resampling::Kind> kResamplings = {{"none", Resampling::Kind::none},
                                              {"poisson", Resampling::Kind::poisson},
                                              {"multinomial", Resampling::Kind::multinomial},
                                              {"uniform", Resampling::Kind::uniform}};

template <class Value>
Value value_of(const Words<Value>& words, const char* option, const std::string& word) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known += (known.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  throw InvalidInput(std::string(option) + " = '" + word + "' is not allowed; choose one of " + known + ".");
}

template <class Value>
std::string word_of(const Words<Value>& words, Value value) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.second == value; });
  return std::string(found->first);
}

/// A property of SurveyOptions that is a word in Python; at(options) is where it is.
template <class Value, class At>
void bind_word(nb::class_<SurveyOptions>& options, const char* name, const Words<Value>& words,
               const At& at) {
  options.def_prop_rw(
      name, [&words, at](SurveyOptions& o) { return word_of(words, at(o)); },
      [&words, at, name](SurveyOptions& o, const std::string& word) { at(o) = value_of(words, name, word); });
}

}  // namespace

void bind_survey_options(nb::module_& module) {
  nb::class_<SurveyOptions> options(module, "SurveyOptions");
  options.def(nb::init<>())
      .def(nb::init<const SurveyOptions&>())
      .def_rw("ranks", &SurveyOptions::ranks)
      .def_rw("starts", &SurveyOptions::starts)
      .def_rw("seed", &SurveyOptions::seed)
      .def_rw("job", &SurveyOptions::job)
      .def_rw("heldout_fraction", &SurveyOptions::heldout_fraction)
      .def_rw("heldout_repeats", &SurveyOptions::heldout_repeats)
      .def_rw("consensus_rows", &SurveyOptions::consensus_rows)
      .def_rw("jobs", &SurveyOptions::jobs)
      .def_rw("retry_failed", &SurveyOptions::retry_failed)
      .def_prop_rw(
          "density_threshold", [](const SurveyOptions& o) { return o.clusters.density_threshold; },
          [](SurveyOptions& o, std::optional<double> value) { o.clusters.density_threshold = value; },
          nb::arg().none())
      .def_prop_rw(
          "neighbourhood", [](const SurveyOptions& o) { return o.clusters.neighbourhood; },
          [](SurveyOptions& o, double value) { o.clusters.neighbourhood = value; })
      .def_prop_rw(
          "resampling_width", [](const SurveyOptions& o) { return o.resampling.width; },
          [](SurveyOptions& o, double value) { o.resampling.width = value; });
  bind_word(options, "features", kFeatures, [](SurveyOptions& o) -> Side& { return o.spectra; });
  bind_word(options, "heldout", kHoldouts, [](SurveyOptions& o) -> Holdout& { return o.heldout; });
  bind_word(options, "clusters", kClusters, [](SurveyOptions& o) -> ClusterKind& { return o.clusters.kind; });
  bind_word(options, "resample", kResamplings,
            [](SurveyOptions& o) -> Resampling::Kind& { return o.resampling.kind; });
}

}  // namespace anmf::python
