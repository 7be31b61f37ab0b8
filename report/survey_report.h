// SPDX-License-Identifier: MIT
// The data of the report page for a survey.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "anmf/survey.h"
#include "labels.h"

namespace anmf::report {

/// What the page shows of the ranks: maps, histograms and components. It is taken from each rank as it comes,
/// and all of it is a few megabytes, whatever the size of the matrix and the number of starts.
class SurveyPictures {
 public:
  /// `ranks` are all that there will be: they share the room on the page. `spectra` is the factor that they
  /// are in (SurveyOptions::spectra).
  SurveyPictures(std::vector<Index> ranks, Side spectra, ReportLabels labels, int threads = 1);
  ~SurveyPictures();
  SurveyPictures(const SurveyPictures&) = delete;
  SurveyPictures& operator=(const SurveyPictures&) = delete;

  /// For SurveyStore::keep(RankConsensus&&). `spectra` are those of SurveyStore::spectra(), which may have
  /// more starts; where some are missing, a rank has no map of their distances. A rank that comes again takes
  /// the place of what it was.
  template <class T>
  void add(const RankConsensus<T>& consensus, const RankSpectra& spectra);

  /// Null for a rank that has not come. It may be kept in a file and put back, for a page with another rank
  /// changed.
  [[nodiscard]] const nlohmann::ordered_json& of(Index rank) const;
  void put(Index rank, nlohmann::ordered_json pictures);
  [[nodiscard]] const ReportLabels& labels() const { return labels_; }

 private:
  struct Room;
  [[nodiscard]] Room room(Index rank) const;
  [[nodiscard]] std::size_t place_of(Index rank) const;

  std::vector<Index> ranks_;
  Side spectra_;
  ReportLabels labels_;
  int threads_;
  std::vector<nlohmann::ordered_json> pictures_;  // beside ranks_
};

/// The object `suggestion` of survey.json and of the page.
[[nodiscard]] nlohmann::ordered_json describe_suggestion(const RankSuggestion& suggestion);

/// `survey` is what survey.json holds, `command` what was typed, if anything. web/src/document.ts has the
/// keys. Ranks of the table of which there are no pictures are in the plots and the tables only.
[[nodiscard]] nlohmann::ordered_json survey_report(const std::string& title, const std::string& command,
                                                   const nlohmann::ordered_json& survey,
                                                   const SurveyTable& table, const SurveyPictures& pictures);

}  // namespace anmf::report
