// SPDX-License-Identifier: MIT
#include "survey_rank_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "anmf/version.h"
#include "json_values.h"
#include "survey_records.h"

namespace anmf::report {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRecordName = "record.json";
constexpr std::array kPackedParts = {"spectra", "labels"};

/// What a file gives; nothing if it is not there, or damaged.
template <class Read>
auto if_whole(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InvalidInput&) {
    return std::nullopt;
  } catch (const IoError&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(fmt::format("{}: cannot be made: {}.", folder.string(), error.message()));
}

Json describe_checksum(const io::FileChecksum& sum) { return {{"bytes", sum.bytes}, {"crc32", sum.crc32}}; }

bool is_file(const fs::path& path, const Json& sum) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error || Json(bytes) != sum.at("bytes")) return false;
  return if_whole([&] { return describe_checksum(io::checksum_of(path)) == sum; }).value_or(false);
}

bool is_done_start(const JobRecord& record) {
  return record.key.kind == JobKind::start && record.status != JobStatus::failed;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void remove_file(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

}  // namespace

template <class T>
RankFiles<T>::RankFiles(const SurveyPlace& place, Index rank) : place_(place), rank_(rank) {}

template <class T>
fs::path RankFiles<T>::jobs() const {
  return place_.folder / "jobs" / rank_name(rank_);
}
template <class T>
fs::path RankFiles<T>::job_file(const JobKey& key) const {
  return jobs() / job_name(key);
}
template <class T>
fs::path RankFiles<T>::packed_jobs() const {
  return place_.folder / "jobs" / (rank_name(rank_) + ".npz");
}
template <class T>
fs::path RankFiles<T>::packed(const char* what, bool next) const {
  return place_.folder / what / (rank_name(rank_) + (next ? ".next.npy" : ".npy"));
}
template <class T>
fs::path RankFiles<T>::factors_file(Index start) const {
  return place_.folder / "factors" / rank_name(rank_) / job_name({.rank = rank_, .number = start});
}

template <class T>
std::optional<typename RankFiles<T>::Known> RankFiles<T>::known(const Json& json) const {
  Known known{.record = parse_record(json), .version = json.at("version").template get<std::string>()};
  const bool counts = place_.mix_versions || known.version == kVersion;
  if (!counts || known.record.key.rank != rank_) return std::nullopt;
  return known;
}

/// All of it is read, since only then its checksums have been compared.
template <class T>
std::optional<typename RankFiles<T>::Known> RankFiles<T>::read_job(const JobKey& key,
                                                                   JobResult<T>* result) const {
  const fs::path path = job_file(key);
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  const auto read = [&]() -> std::optional<Known> {
    const Json json = Json::parse(io::read_npz_text(path, kRecordName));
    if (json.at("survey") != place_.survey) return std::nullopt;
    std::optional<Known> job = known(json);
    if (!job || job->record.key != key) return std::nullopt;
    if (!is_done_start(job->record)) return job;
    Matrix<T> spectra = io::read_npz<T>(path, "spectra");
    const Matrix<std::uint16_t> labels = io::read_npz<std::uint16_t>(path, "labels");
    if (spectra.rows() != rank_ || spectra.cols() != place_.features || labels.size() != place_.samples)
      return std::nullopt;
    if (result != nullptr) {
      result->spectra = std::move(spectra);
      result->labels.assign(labels.values().begin(), labels.values().end());
    }
    return job;
  };
  return if_whole(read).value_or(std::nullopt);
}

template <class T>
bool RankFiles<T>::has_factors(Index start) const {
  return if_whole([&] {
           const Matrix<T> usages = io::read_npz<T>(factors_file(start), "usages");
           const Matrix<T> spectra = io::read_npz<T>(factors_file(start), "spectra");
           return usages.rows() == place_.samples && usages.cols() == rank_ && spectra.rows() == rank_ &&
                  spectra.cols() == place_.features;
         })
      .value_or(false);
}

/// Whether a start is better than the best so far: the first of equals is.
template <class T>
bool RankFiles<T>::leads(const JobRecord& record) const {
  if (!is_done_start(record) || std::isnan(record.error)) return false;
  if (!best_ || *best_ == record.key.number) return true;
  const JobRecord& best = jobs_.at({.rank = rank_, .number = *best_}).record;
  return std::pair(record.error, record.key.number) < std::pair(best.error, best.key.number);
}

/// Packed files are written beside those that they replace, then the records, which have their checksums, and
/// then they take their places. Whoever is ended between is made good here.
template <class T>
bool RankFiles<T>::put_in_place(const Json& files) const {
  for (const char* part : kPackedParts) {
    const Json& sum = files.at(part);
    if (is_file(packed(part), sum)) {
      remove_file(packed(part, true));
      continue;
    }
    if (!is_file(packed(part, true), sum)) return false;
    std::error_code error;
    fs::rename(packed(part, true), packed(part), error);
    if (error) return false;
  }
  return true;
}

template <class T>
void RankFiles<T>::load_packed() {
  std::error_code error;
  if (!fs::exists(packed_jobs(), error)) return;
  const auto json = if_whole([&] { return Json::parse(io::read_npz_text(packed_jobs(), kRecordName)); });
  const auto read = [&] {
    if (json->at("survey") != place_.survey) return false;
    auto starts = json->at("starts").template get<std::vector<Index>>();
    const bool whole = starts.empty() || put_in_place(json->at("files"));
    for (const Json& entry : json->at("jobs")) {
      std::optional<Known> job = known(entry);
      if (!job || (!whole && is_done_start(job->record))) continue;
      job->packed = true;
      jobs_.emplace(job->record.key, std::move(*job));
    }
    if (whole) packed_ = std::move(starts);
    return true;
  };
  if (json && !if_whole(read)) {
    jobs_.clear();
    packed_.clear();
  }
}

template <class T>
void RankFiles<T>::find_best() {
  best_.reset();
  for (const auto& [key, job] : jobs_) {
    if (!lost_.contains(key) && leads(job.record)) best_ = key.number;
  }
  if (!best_ || has_factors(*best_)) return;
  // Its usages are wanted, so that it is made again. Till then the best is who has them.
  lost_.insert({.rank = rank_, .number = *best_});
  best_.reset();
  for (const auto& [key, job] : jobs_) {
    if (!lost_.contains(key) && leads(job.record) && has_factors(key.number)) best_ = key.number;
  }
}

template <class T>
void RankFiles<T>::load() {
  jobs_.clear();
  packed_.clear();
  lost_.clear();
  load_packed();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(jobs(), error)) {
    const auto key = parse_job_name(rank_, entry.path().filename().string());
    if (!key) continue;
    if (std::optional<Known> job = read_job(*key, nullptr)) jobs_[*key] = std::move(*job);
  }
  find_best();
  loaded_ = true;
}

template <class T>
std::optional<JobRecord> RankFiles<T>::find(const JobKey& key) {
  if (!loaded_) load();
  if (lost_.contains(key)) return std::nullopt;
  if (const auto found = jobs_.find(key); found != jobs_.end()) return found->second.record;
  std::optional<Known> job = read_job(key, nullptr);  // others may have made it
  if (!job) return std::nullopt;
  const bool better = leads(job->record) && has_factors(key.number);
  jobs_[key] = *job;
  if (better) best_ = key.number;
  return job->record;
}

template <class T>
void RankFiles<T>::keep(JobResult<T>&& result) {
  if (!loaded_) load();
  const JobRecord& record = result.record;
  const JobKey key = record.key;
  const bool start = is_done_start(record);
  const bool leading = leads(record) && result.usages.size() > 0;
  const ConstMatrixView<T> spectra = std::as_const(result.spectra).view();
  const ConstMatrixView<std::uint16_t> labels{result.labels.data(), 1,
                                              static_cast<Index>(result.labels.size())};
  make_folder(jobs());
  if (start && (leading || place_.keep_usages)) {
    make_folder(factors_file(0).parent_path());
    const std::array<io::NpzMember, 2> factors = {
        {{"spectra", spectra}, {"usages", std::as_const(result.usages).view()}}};
    io::write_npz(factors_file(key.number), factors, io::Durable::no);
  }
  Json json = describe_record(record);
  json["version"] = kVersion;
  json["survey"] = place_.survey;
  std::vector<io::NpzMember> members = {{kRecordName, text_of(json)}};
  if (start) {
    members.push_back({"spectra", spectra});
    members.push_back({"labels", labels});
  }
  io::write_npz(job_file(key), members, io::Durable::no);
  lost_.erase(key);
  jobs_[key] = {.record = record, .version = kVersion};
  if (!leading) return;
  const auto before = std::exchange(best_, key.number);
  if (before && *before != key.number && !place_.keep_usages) remove_file(factors_file(*before));
}

template <class T>
void RankFiles<T>::gather(RankSpectra& all) const {
  const auto starts = static_cast<Index>(all.starts.size());
  const auto is_packed = [&](Index start) { return jobs_.at({.rank = rank_, .number = start}).packed; };
  const bool any_packed = std::any_of(all.starts.begin(), all.starts.end(), is_packed);
  RankSpectra before;
  if (any_packed) {
    before.spectra = io::read_npy<double>(packed("spectra"));
    before.labels = io::read_npy<std::uint16_t>(packed("labels"));
    if (all.starts == packed_ && std::all_of(all.starts.begin(), all.starts.end(), is_packed)) {
      all.spectra = std::move(before.spectra);
      all.labels = std::move(before.labels);
      return;
    }
  }
  all.spectra = Matrix<double>(starts * rank_, place_.features);
  all.labels = SampleLabels(starts, place_.samples);
  const Index size = rank_ * place_.features;
  for (Index s = 0; s < starts; ++s) {
    const JobKey key{.rank = rank_, .number = all.starts[static_cast<std::size_t>(s)]};
    double* const spectra = all.spectra.data() + s * size;
    std::uint16_t* const labels = all.labels.data() + s * place_.samples;
    if (is_packed(key.number)) {
      const Index row = std::find(packed_.begin(), packed_.end(), key.number) - packed_.begin();
      std::copy_n(before.spectra.data() + row * size, size, spectra);
      std::copy_n(before.labels.data() + row * place_.samples, place_.samples, labels);
      continue;
    }
    JobResult<T> result;
    if (!read_job(key, &result))
      throw IoError(
          fmt::format("{}: has gone, or is damaged, since it was looked at.", job_file(key).string()));
    std::copy_n(result.spectra.data(), size, spectra);
    std::copy_n(result.labels.data(), place_.samples, labels);
  }
}

template <class T>
void RankFiles<T>::pack(const RankSpectra& all) {
  Json json = {{"survey", place_.survey}, {"starts", all.starts}, {"files", Json::object()}};
  const Index size = rank_ * place_.features;
  if (!all.starts.empty()) {
    for (const char* part : kPackedParts) make_folder(packed(part).parent_path());
    const auto each_start = [&](const typename io::DenseRows<T>::Visit& visit) {
      Matrix<T> block(rank_, place_.features);
      for (Index s = 0; s < static_cast<Index>(all.starts.size()); ++s) {
        std::transform(all.spectra.data() + s * size, all.spectra.data() + (s + 1) * size, block.data(),
                       [](double value) { return static_cast<T>(value); });
        visit(std::as_const(block).view());
      }
    };
    io::write_npy<T>(packed("spectra", true), {all.spectra.rows(), all.spectra.cols(), each_start});
    io::write_npy<std::uint16_t>(packed("labels", true), all.labels.view());
    for (const char* part : kPackedParts)
      json["files"][part] = describe_checksum(io::checksum_of(packed(part, true)));
  }
  std::vector<fs::path> single;
  Json& records = json["jobs"] = Json::array();
  for (auto& [key, job] : jobs_) {
    if (lost_.contains(key)) continue;
    Json record = describe_record(job.record);
    record["version"] = job.version;
    records.push_back(std::move(record));
    if (!job.packed) single.push_back(job_file(key));
    job.packed = true;
  }
  const std::array<io::NpzMember, 1> members = {{{kRecordName, text_of(json)}}};
  io::write_npz(packed_jobs(), members);
  if (!all.starts.empty() && !put_in_place(json["files"]))
    throw IoError(fmt::format("{}: cannot take its place.", packed("spectra", true).string()));
  packed_ = all.starts;
  for (const fs::path& file : single) remove_file(file);
}

template <class T>
RankSpectra RankFiles<T>::spectra() {
  load();
  RankSpectra all;
  bool changed = false;
  for (const auto& [key, job] : jobs_) {
    if (lost_.contains(key)) continue;
    changed = changed || !job.packed;
    if (is_done_start(job.record)) all.starts.push_back(key.number);
  }
  changed = changed || all.starts != packed_;
  gather(all);
  if (changed) pack(all);
  return all;
}

template <class T>
JobResult<T> RankFiles<T>::best() {
  if (!loaded_) load();
  JobResult<T> result;
  result.record.key.rank = rank_;
  if (!best_) return result;
  const JobKey key{.rank = rank_, .number = *best_};
  result.record = jobs_.at(key).record;
  result.spectra = io::read_npz<T>(factors_file(*best_), "spectra");
  result.usages = io::read_npz<T>(factors_file(*best_), "usages");
  return result;
}

template <class T>
std::set<std::string> RankFiles<T>::versions() const {
  std::set<std::string> versions;
  for (const auto& [key, job] : jobs_) versions.insert(job.version);
  return versions;
}

template class RankFiles<float>;
template class RankFiles<double>;

}  // namespace anmf::report
