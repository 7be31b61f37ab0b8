// SPDX-License-Identifier: MIT
// A survey in a folder whose jobs are made up.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program.h"
#include "survey_folder.h"

namespace anmf::test {

inline constexpr Index kSurveyFeatures = 5;
inline constexpr Index kSurveySamples = 7;

/// A number for each of these, the same at every time.
inline double drawn(Index rank, Index start, Index entry) {
  const double x = std::sin(static_cast<double>(1 + rank * 7919 + start * 104729 + entry * 1299709)) * 4096;
  return x - std::floor(x);
}

/// What a job with this error finds; a start of a rank and a number has always the same factors.
template <class T>
JobResult<T> made_up(const JobKey& key, double error, JobStatus status = JobStatus::converged) {
  JobResult<T> result;
  result.record = {.key = key,
                   .seed = (std::uint64_t{1} << 53U) - 1 - static_cast<std::uint64_t>(key.number),
                   .status = status,
                   .iterations = 10 + key.number,
                   .seconds = 0.125,
                   .error = error,
                   .relative_error = error / 8,
                   .kkt = 1e-5};
  if (status == JobStatus::failed)
    result.record.message = "The arithmetic overflowed, \"too\" early.\nTwice.";
  if (key.kind != JobKind::start || status == JobStatus::failed) return result;
  result.spectra = Matrix<T>(key.rank, kSurveyFeatures);
  result.usages = Matrix<T>(kSurveySamples, key.rank);
  for (Index e = 0; e < result.spectra.size(); ++e)
    result.spectra.data()[e] = static_cast<T>(drawn(key.rank, key.number, e));
  for (Index e = 0; e < result.usages.size(); ++e)
    result.usages.data()[e] = static_cast<T>(drawn(key.rank, key.number, 1000 + e));
  for (Index i = 0; i < kSurveySamples; ++i) {
    const double label = drawn(key.rank, key.number, 2000 + i) * static_cast<double>(key.rank + 1);
    result.labels.push_back(static_cast<std::uint16_t>(label));
  }
  return result;
}

/// NaN is the same as NaN.
inline bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

inline bool same_record(const JobRecord& a, const JobRecord& b) {
  return a.key == b.key && a.seed == b.seed && a.status == b.status && a.iterations == b.iterations &&
         same_number(a.seconds, b.seconds) && same_number(a.error, b.error) &&
         same_number(a.relative_error, b.relative_error) && same_number(a.kkt, b.kkt) &&
         a.message == b.message;
}

/// A folder, and how it is opened.
class SurveyFolderTest : public testing::Test {
 protected:
  using Folder = report::SurveyFolder<double>;

  [[nodiscard]] static report::SurveyFolderSettings settings() {
    return {.input = {.name = "M.npy",
                      .rows = kSurveySamples,
                      .cols = kSurveyFeatures,
                      .nonzeros = kSurveySamples * kSurveyFeatures,
                      .norm = 1.5,
                      .checksum = "00000000000000aa"},
            .key = report::survey_key(options(), "float64")};
  }
  [[nodiscard]] static SurveyOptions options() { return {.ranks = {2, 3}, .job = {}}; }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "s"; }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return path() / name; }
  [[nodiscard]] std::filesystem::path aside(const std::string& name) const { return folder_.path() / name; }

  static JobKey start(Index rank, Index number) { return {rank, JobKind::start, number}; }

  void keep_starts(Folder& folder, Index rank, const std::vector<std::pair<Index, double>>& errors) {
    for (const auto& [number, error] : errors) keep(folder, made_up<double>(start(rank, number), error));
  }
  void keep(Folder& folder, JobResult<double> result) {
    kept_[result.record.key] = result;
    folder.keep(std::move(result));
  }

  /// What a store finds is what was kept, or nothing. Returns how many of those kept it finds.
  [[nodiscard]] Index found_as_kept(Folder& folder) const {
    Index found = 0;
    for (const auto& [key, result] : kept_) {
      const auto record = folder.find(key);
      if (!record) continue;
      EXPECT_TRUE(same_record(*record, result.record)) << key.rank << " " << key.number;
      ++found;
    }
    return found;
  }
  /// The same of spectra, labels and the best start. Returns how many starts there are.
  [[nodiscard]] Index summed_up_as_kept(Folder& folder, Index rank) const {
    const RankSpectra all = folder.spectra(rank);
    const auto starts = static_cast<Index>(all.starts.size());
    EXPECT_EQ(all.spectra.rows(), starts * rank);
    EXPECT_EQ(all.labels.rows(), starts);
    for (Index s = 0; s < starts; ++s) {
      const JobResult<double>& result = kept_.at(start(rank, all.starts[static_cast<std::size_t>(s)]));
      EXPECT_TRUE(std::equal(result.spectra.values().begin(), result.spectra.values().end(),
                             all.spectra.data() + s * result.spectra.size()));
      EXPECT_TRUE(
          std::equal(result.labels.begin(), result.labels.end(), all.labels.data() + s * kSurveySamples));
    }
    const JobResult<double> best = folder.best(rank);
    if (best.usages.size() > 0) {
      const JobResult<double>& result = kept_.at(best.record.key);
      EXPECT_TRUE(same_record(best.record, result.record));
      EXPECT_EQ(best.spectra, result.spectra);
      EXPECT_EQ(best.usages, result.usages);
    }
    return starts;
  }

  [[nodiscard]] std::vector<std::string> files_in(const std::string& name) const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(path(name), none))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::map<JobKey, JobResult<double>> kept_;

 private:
  TemporaryFolder folder_;
};

}  // namespace anmf::test
