// SPDX-License-Identifier: MIT
#include "survey_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "json_values.h"
#include "report_page.h"
#include "survey_rank_files.h"
#include "survey_records.h"

namespace anmf::report {
namespace fs = std::filesystem;
namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// By which files of single jobs are known: their folder may hold those of another survey, copied there.
std::string survey_mark(const SurveyInput& input, Json key) {
  key.erase("version");
  return fmt::format("{:016x}", fnv1a(input.checksum + key.dump()));
}

/// What is hidden was written aside.
bool holds_nothing(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return std::all_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return name.starts_with('.') || name == kSurveySettings;
  });
}

template <class T>
void write_factors(const fs::path& folder, const SurveyFactors<T>& factors) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(fmt::format("{}: cannot be made: {}.", folder.string(), error.message()));
  io::write_npy<T>(folder / "W.npy", factors.W.view());
  io::write_npy<T>(folder / "H.npy", factors.H.view());
}

}  // namespace

void expect_survey_or_nothing(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error))
    throw InvalidInput(fmt::format("'{}' is a file, and a survey needs a folder.", folder.string()));
  if (fs::exists(folder / kSurveyFile, error)) {
    (void)read_survey_description(folder);
  } else if (!holds_nothing(folder)) {
    throw InvalidInput(
        fmt::format("'{}' holds something else than a survey: it is not empty and has no {}. Choose another "
                    "folder.",
                    folder.string(), kSurveyFile));
  }
}

template <class T>
SurveyFactors<T> factors_of(const Matrix<T>& spectra, const Matrix<T>& usages, Side side) {
  if (side == Side::H) return {.W = usages, .H = spectra};
  return {.W = transposed(spectra), .H = transposed(usages)};
}

template <class T>
struct SurveyFolder<T>::Impl {
  SurveyFolderSettings settings;
  SurveyPlace place;
  Json key;  // of the folder
  std::map<Index, RankFiles<T>> ranks;
  WriteFactors write;
  SurveyPictures* pictures = nullptr;

  RankFiles<T>& of(Index rank) { return ranks.try_emplace(rank, place, rank).first->second; }
};

template <class T>
SurveyFolder<T>::SurveyFolder(fs::path folder, SurveyFolderSettings settings)
    : impl_(std::make_unique<Impl>()) {
  expect_survey_or_nothing(folder);
  const bool columns = settings.spectra == Side::H;
  const SurveyInput& input = settings.input;
  impl_->place = {.folder = std::move(folder),
                  .survey = survey_mark(input, settings.key),
                  .features = columns ? input.cols : input.rows,
                  .samples = columns ? input.rows : input.cols,
                  .keep_usages = settings.keep_usages,
                  .mix_versions = settings.mix_versions};
  impl_->key = settings.key;
  impl_->settings = std::move(settings);
  std::error_code error;
  fs::create_directories(path(), error);
  if (error)
    throw IoError(fmt::format("cannot write to the folder '{}': {}.", path().string(), error.message()));
  if (fs::exists(path() / kSurveyFile, error)) {
    const Json description = read_survey_description(path());
    expect_same_survey(path(), description, impl_->settings.input, impl_->key, impl_->settings.mix_versions);
    impl_->key = description.at("key");
  } else {
    write_survey_description(path(), describe_survey(impl_->settings.input, impl_->key, {}, 0));
  }
}

template <class T>
SurveyFolder<T>::~SurveyFolder() = default;

template <class T>
std::optional<JobRecord> SurveyFolder<T>::find(const JobKey& key) {
  return impl_->of(key.rank).find(key);
}

template <class T>
void SurveyFolder<T>::keep(JobResult<T>&& result) {
  impl_->of(result.record.key.rank).keep(std::move(result));
}

template <class T>
RankSpectra SurveyFolder<T>::spectra(Index rank) {
  return impl_->of(rank).spectra();
}

template <class T>
JobResult<T> SurveyFolder<T>::best(Index rank) {
  return impl_->of(rank).best();
}

template <class T>
void SurveyFolder<T>::keep(RankConsensus<T>&& consensus) {
  const Index rank = consensus.summary.rank;
  const JobResult<T> best_start = best(rank);
  const fs::path folder = path() / rank_name(rank);
  if (impl_->write) {
    impl_->write(folder, consensus, best_start);
  } else {
    const Side side = impl_->settings.spectra;
    if (consensus.usages.size() > 0)
      write_factors(folder, factors_of(consensus.spectra, consensus.usages, side));
    if (best_start.usages.size() > 0)
      write_factors(folder / "best", factors_of(best_start.spectra, best_start.usages, side));
  }
  if (impl_->pictures == nullptr) return;
  impl_->pictures->add(consensus, spectra(rank));
  keep_pictures(path(), *impl_->pictures, rank);
}

template <class T>
void SurveyFolder<T>::set_writer(WriteFactors write) {
  impl_->write = std::move(write);
}

template <class T>
void SurveyFolder<T>::set_pictures(SurveyPictures* pictures) {
  impl_->pictures = pictures;
}

template <class T>
void SurveyFolder<T>::publish(const SurveyTable& table, double seconds, const std::string& title,
                              const std::string& command) {
  std::set<std::string> versions;
  for (const auto& [rank, files] : impl_->ranks) versions.merge(files.versions());
  SurveyTable noted = table;
  if (versions.size() > 1) {
    std::string note = fmt::format("Jobs were made by several versions of anmf, whose bits may differ: {}.",
                                   fmt::join(versions, ", "));
    if (std::ranges::find(noted.notes, note) == noted.notes.end()) noted.notes.push_back(std::move(note));
  }
  const Json description = describe_survey(impl_->settings.input, impl_->key, noted, seconds);
  write_survey_tables(path(), description, noted);
  if (impl_->pictures != nullptr)
    write_survey_page(path(), survey_report(title, command, description, noted, *impl_->pictures));
}

template <class T>
const fs::path& SurveyFolder<T>::path() const {
  return impl_->place.folder;
}

void keep_pictures(const fs::path& folder, const SurveyPictures& pictures, Index rank) {
  const fs::path path = folder / "pages" / (rank_name(rank) + ".json");
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    throw IoError(fmt::format("{}: cannot be made: {}.", path.parent_path().string(), error.message()));
  const std::string text = pictures.of(rank).dump(-1, ' ', false, Json::error_handler_t::replace);
  io::write_atomically(path, [&](std::ostream& out) { out << text; });
}

void find_pictures(const fs::path& folder, SurveyPictures& pictures, Index rank) {
  std::ifstream in(folder / "pages" / (rank_name(rank) + ".json"), std::ios::binary);
  if (!in) return;
  Json json = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) pictures.put(rank, std::move(json));
}

void write_survey_page(const fs::path& folder, const Json& document) {
  if (!has_report_page()) return;
  const std::string page = report_page(document);
  io::write_atomically(folder / kReportFile, [&](std::ostream& out) { out << page; });
}

template class SurveyFolder<float>;
template class SurveyFolder<double>;
template SurveyFactors<float> factors_of(const Matrix<float>&, const Matrix<float>&, Side);
template SurveyFactors<double> factors_of(const Matrix<double>&, const Matrix<double>&, Side);

}  // namespace anmf::report
