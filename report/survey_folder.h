// SPDX-License-Identifier: MIT
// A survey in a folder, so that it goes on where it was after any end, and several processes share it:
//   survey.json           what it is of, its key, the suggestion (survey_tables.h)
//   survey.csv, jobs.csv, components.csv, report.html
//   jobs/k09/s0003.npz    a job that is done (h: held out, b: bcv): its record, and of a start spectra and
//                         labels; every member has a checksum, and a damaged file is no file
//   jobs/k09.npz          the records of a rank whose starts were summed up, with the checksums of
//   spectra/k09.npy       the spectra of these starts below one another, S k x features
//   labels/k09.npy        their labels, S x samples
//   factors/k09/s0003.npz both factors of the best start; of all with keep_usages
//   pages/k09.json        what the page shows of a rank
// Nothing that is needed goes before what takes its place is whole.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "anmf/survey.h"
#include "survey_report.h"
#include "survey_tables.h"

namespace anmf::report {

/// The options of the program that made the survey, beside what is listed above.
inline constexpr std::string_view kSurveySettings = "survey.toml";

struct SurveyFolderSettings {
  SurveyInput input;
  nlohmann::ordered_json key;  ///< survey_key()
  Side spectra = Side::H;      ///< SurveyOptions::spectra
  bool keep_usages = false;    ///< of every start, not only of the best
  bool mix_versions = false;   ///< jobs of other versions of the engine count, too
};

/// Throws InvalidInput if this is something else than the folder of a survey, or than a folder that is empty
/// or not there yet.
void expect_survey_or_nothing(const std::filesystem::path& folder);

/// W (m x k) and H (k x n) of spectra (k x features) and usages (samples x k).
template <class T>
struct SurveyFactors {
  Matrix<T> W;
  Matrix<T> H;
};
template <class T>
[[nodiscard]] SurveyFactors<T> factors_of(const Matrix<T>& spectra, const Matrix<T>& usages, Side side);

template <class T>
class SurveyFolder final : public SurveyStore<T> {
 public:
  /// Makes the folder, or goes on with the survey that is in it. Throws InvalidInput, with the difference, if
  /// that is another one, or something else; IoError if it cannot be written.
  SurveyFolder(std::filesystem::path folder, SurveyFolderSettings settings);
  ~SurveyFolder() override;
  SurveyFolder(const SurveyFolder&) = delete;
  SurveyFolder& operator=(const SurveyFolder&) = delete;

  /// Looks into the folder for jobs that others have made meanwhile, too.
  [[nodiscard]] std::optional<JobRecord> find(const JobKey& key) override;
  void keep(JobResult<T>&& result) override;
  /// Packs the starts of the rank.
  [[nodiscard]] RankSpectra spectra(Index rank) override;
  [[nodiscard]] JobResult<T> best(Index rank) override;
  void keep(RankConsensus<T>&& consensus) override;

  /// Writes kNN/ and kNN/best/; by default W.npy and H.npy in each.
  using WriteFactors = std::function<void(const std::filesystem::path& folder,
                                          const RankConsensus<T>& consensus, const JobResult<T>& best)>;
  void set_writer(WriteFactors write);
  /// Pictures of every rank that is kept from here on go to the page, and to pages/. They must outlive the
  /// store.
  void set_pictures(SurveyPictures* pictures);

  /// Writes the tables and survey.json, and report.html where there are pictures.
  void publish(const SurveyTable& table, double seconds, const std::string& title,
               const std::string& command);

  [[nodiscard]] const std::filesystem::path& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// pages/kNN.json, for a page that is written anew with another rank changed. Finds nothing where there is
/// none.
void keep_pictures(const std::filesystem::path& folder, const SurveyPictures& pictures, Index rank);
void find_pictures(const std::filesystem::path& folder, SurveyPictures& pictures, Index rank);

/// Writes report.html, where the program has the page. `document` is that of survey_report().
void write_survey_page(const std::filesystem::path& folder, const nlohmann::ordered_json& document);

}  // namespace anmf::report
