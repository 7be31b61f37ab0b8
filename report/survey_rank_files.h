// SPDX-License-Identifier: MIT
// What the folder of a survey has of one rank (survey_folder.h): files of single jobs, and the starts that
// were packed. Files that are damaged, or of another survey, do not count.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "anmf/survey.h"

namespace anmf::report {

/// What all ranks of a survey have in common.
struct SurveyPlace {
  std::filesystem::path folder;
  std::string survey;  ///< by which its files are known
  Index features = 0;
  Index samples = 0;
  bool keep_usages = false;
  bool mix_versions = false;
};

template <class T>
class RankFiles {
 public:
  /// `place` must outlive it.
  RankFiles(const SurveyPlace& place, Index rank);

  [[nodiscard]] std::optional<JobRecord> find(const JobKey& key);
  void keep(JobResult<T>&& result);
  [[nodiscard]] RankSpectra spectra();
  [[nodiscard]] JobResult<T> best();
  /// Of the engine, by which jobs were made.
  [[nodiscard]] std::set<std::string> versions() const;

 private:
  struct Known {
    JobRecord record;
    std::string version;
    bool packed = false;
  };

  [[nodiscard]] std::filesystem::path jobs() const;
  [[nodiscard]] std::filesystem::path job_file(const JobKey& key) const;
  [[nodiscard]] std::filesystem::path packed_jobs() const;
  [[nodiscard]] std::filesystem::path packed(const char* what, bool next = false) const;
  [[nodiscard]] std::filesystem::path factors_file(Index start) const;
  [[nodiscard]] std::optional<Known> known(const nlohmann::ordered_json& json) const;
  [[nodiscard]] std::optional<Known> read_job(const JobKey& key, JobResult<T>* result) const;
  [[nodiscard]] bool has_factors(Index start) const;
  [[nodiscard]] bool leads(const JobRecord& record) const;
  [[nodiscard]] bool put_in_place(const nlohmann::ordered_json& files) const;

  void load();
  void load_packed();
  void find_best();
  void gather(RankSpectra& all) const;
  void pack(const RankSpectra& all);

  const SurveyPlace& place_;
  Index rank_;
  bool loaded_ = false;
  std::map<JobKey, Known> jobs_;
  std::vector<Index> packed_;  // starts in spectra/, in its order
  std::set<JobKey> lost_;      // to be made again, whatever the files say
  std::optional<Index> best_;
};

}  // namespace anmf::report
