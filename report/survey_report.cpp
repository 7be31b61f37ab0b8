// SPDX-License-Identifier: MIT
#include "survey_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "anmf/version.h"
#include "component_report.h"
#include "factor_pictures.h"
#include "json_values.h"
#include "square_map.h"
#include "survey_columns.h"

namespace anmf::report {
namespace {

constexpr Index kLargestMap = 400;
constexpr Index kSmallestMap = 60;
constexpr std::size_t kDensityBins = 40;
constexpr std::size_t kFailuresNamed = 20;
// For all ranks of a page together, so that twenty ranks are a few megabytes.
constexpr double kMapPixels = 3e6;
constexpr Index kImagePixels = 3'000'000;
constexpr Index kCurveNumbers = 250'000;

/// As many digits as a chart can show; the rest only fills the page.
Json brief(double value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.7g", value);
  return std::strtod(text.data(), nullptr);
}

template <class Row>
Json describe_columns(const Row& row) {
  Json json;
  for_each_column(row, [&](const char* name, const auto& value) { json[name] = number(value); });
  return json;
}

/// How the local densities spread. The last bin ends at `most`, which is 0 where all spectra are equal.
Json describe_density(const std::vector<double>& density, double threshold) {
  double most = 0;
  std::size_t known = 0;
  for (const double value : density) {
    if (!std::isfinite(value)) continue;
    ++known;
    most = std::max(most, value);
  }
  if (known == 0) return nullptr;
  const bool filtered = threshold < 2;
  const double end = filtered ? std::max(most, threshold) : most;
  std::array<Index, kDensityBins> counts{};
  Index beyond = 0;
  for (const double value : density) {
    if (!std::isfinite(value)) continue;
    const auto bin =
        end > 0 ? static_cast<std::size_t>(value / end * static_cast<double>(kDensityBins)) : std::size_t{0};
    ++counts[std::min(bin, kDensityBins - 1)];
    if (filtered && value >= threshold) ++beyond;
  }
  return {{"most", brief(end)},
          {"threshold", filtered ? number(threshold) : Json(nullptr)},
          {"spectra", known},
          {"beyond", beyond},
          {"counts", counts}};
}

/// Spectra as the consensus counts them become their rows in the store. False if one is not there.
bool take_rows(std::vector<SpectraGroup>& groups, const std::vector<Index>& starts,
               const RankSpectra& spectra, Index k) {
  std::vector<Index> rows;
  for (const Index start : starts) {
    const auto place = std::lower_bound(spectra.starts.begin(), spectra.starts.end(), start);
    if (place == spectra.starts.end() || *place != start) return false;
    for (Index p = 0; p < k; ++p) rows.push_back((place - spectra.starts.begin()) * k + p);
  }
  for (SpectraGroup& group : groups) {
    for (Index& member : group.members) member = rows[static_cast<std::size_t>(member)];
  }
  return true;
}

template <class T>
Json describe_distances(const RankConsensus<T>& consensus, const RankSpectra& spectra, Index k, Index most,
                        int threads) {
  const std::vector<Index>& labels = consensus.clusters.labels;
  if (labels.size() < 2 || labels.size() != consensus.starts.size() * static_cast<std::size_t>(k))
    return nullptr;
  auto groups = spectra_groups(labels, consensus.euclidean.of_spectra, k, most);
  if (!take_rows(groups, consensus.starts, spectra, k)) return nullptr;
  const SquareMap map = distance_map(spectra.spectra.view(), groups, threads);
  Json list = Json::array();
  for (const SpectraGroup& group : groups) {
    list.push_back({{"component", group.cluster == kNoCluster ? 0 : group.cluster + 1},
                    {"spectra", group.members.size()},
                    {"pixels", group.pixels}});
  }
  return {{"size", map.size},
          {"max", brief(map.max)},
          {"groups", std::move(list)},
          {"pixels", base64(map.triangle)}};
}

Json describe_shares(const Matrix<float>& consensus, Index most) {
  if (consensus.rows() < 2) return nullptr;
  const SquareMap map = share_map(consensus, most);
  return {{"size", map.size}, {"samples", consensus.rows()}, {"pixels", base64(map.triangle)}};
}

/// The jobs of a kind and a rank, side by side.
Json describe_jobs(const std::vector<JobRecord>& jobs, Index rank, JobKind kind) {
  Json numbers = Json::array();
  Json errors = Json::array();
  Json status = Json::array();
  for (const JobRecord& job : jobs) {
    if (job.key.rank != rank || job.key.kind != kind) continue;
    numbers.push_back(job.key.number);
    errors.push_back(job.status == JobStatus::failed ? Json(nullptr) : brief(job.relative_error));
    status.push_back(to_string(job.status));
  }
  return {
      {"number", std::move(numbers)}, {"relative_error", std::move(errors)}, {"status", std::move(status)}};
}

Json describe_failures(const std::vector<JobRecord>& jobs) {
  std::size_t count = 0;
  Json named = Json::array();
  for (const JobRecord& job : jobs) {
    if (job.status != JobStatus::failed || count++ >= kFailuresNamed) continue;
    named.push_back({{"rank", job.key.rank},
                     {"kind", to_string(job.key.kind)},
                     {"number", job.key.number},
                     {"message", shortened(job.message)}});
  }
  return {{"count", count}, {"jobs", std::move(named)}};
}

}  // namespace

Json describe_suggestion(const RankSuggestion& suggestion) {
  return {{"rank", suggestion.rank > 0 ? Json(suggestion.rank) : Json(nullptr)},
          {"rule", suggestion.rule},
          {"reasons", suggestion.reasons},
          {"alternatives", suggestion.alternatives},
          {"edge", suggestion.edge}};
}

/// What one rank may take of the page.
struct SurveyPictures::Room {
  Index map_side;
  Index image_pixels;
  std::size_t curve_points;
};

SurveyPictures::SurveyPictures(std::vector<Index> ranks, Side spectra, ReportLabels labels, int threads)
    : ranks_(std::move(ranks)),
      spectra_(spectra),
      labels_(std::move(labels)),
      threads_(threads),
      pictures_(ranks_.size()) {}

SurveyPictures::~SurveyPictures() = default;

SurveyPictures::Room SurveyPictures::room(Index rank) const {
  const auto maps = std::max<double>(1, static_cast<double>(ranks_.size()));
  const auto side = static_cast<Index>(std::sqrt(kMapPixels / maps));
  const Index components = std::max<Index>(rank, std::accumulate(ranks_.begin(), ranks_.end(), Index{0}));
  return {.map_side = std::clamp(side, kSmallestMap, kLargestMap),
          .image_pixels = std::max(rank, kImagePixels / components * rank),
          .curve_points = static_cast<std::size_t>(
              std::clamp<Index>(kCurveNumbers / components, 40, static_cast<Index>(kCurvePoints)))};
}

template <class T>
void SurveyPictures::add(const RankConsensus<T>& consensus, const RankSpectra& spectra) {
  const Index rank = consensus.summary.rank;
  if (place_of(rank) == ranks_.size()) return;
  const Room room_here = room(rank);
  Json picture = {{"notes", consensus.notes},
                  {"distances", describe_distances(consensus, spectra, rank, room_here.map_side, threads_)},
                  {"density", describe_density(consensus.density, consensus.density_threshold)},
                  {"consensus", describe_shares(consensus.consensus, room_here.map_side)},
                  {"parts", nullptr}};
  if (consensus.spectra.rows() == rank && consensus.usages.cols() == rank) {
    const bool columns = spectra_ == Side::H;
    const TallView<T> features = turned(consensus.spectra);
    const TallView<T> samples = tall(consensus.usages);
    const TallFactors<T> factors = {columns ? samples : features, columns ? features : samples};
    const std::vector<double> scale(static_cast<std::size_t>(rank), 1.0);
    picture["parts"] = {{"components", describe_components(factors, scale, labels_)},
                        {"images", describe_images(factors, labels_, room_here.image_pixels)},
                        {"curves", describe_curves(factors, labels_, room_here.curve_points)}};
  }
  put(rank, std::move(picture));
}

std::size_t SurveyPictures::place_of(Index rank) const {
  return static_cast<std::size_t>(std::find(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
}

const Json& SurveyPictures::of(Index rank) const {
  static const Json none;
  const std::size_t place = place_of(rank);
  return place < pictures_.size() ? pictures_[place] : none;
}

void SurveyPictures::put(Index rank, Json pictures) {
  const std::size_t place = place_of(rank);
  if (place < pictures_.size()) pictures_[place] = std::move(pictures);
}

Json survey_report(const std::string& title, const std::string& command, const Json& survey,
                   const SurveyTable& table, const SurveyPictures& pictures) {
  Json ranks = Json::array();
  for (const RankSummary& summary : table.ranks) {
    Json components = Json::array();
    for (const ComponentSummary& component : table.components) {
      if (component.rank == summary.rank) components.push_back(describe_columns(component));
    }
    ranks.push_back({{"summary", describe_columns(summary)},
                     {"components", std::move(components)},
                     {"starts", describe_jobs(table.jobs, summary.rank, JobKind::start)},
                     {"heldout", describe_jobs(table.jobs, summary.rank, JobKind::heldout)},
                     {"pictures", pictures.of(summary.rank)}});
  }
  Json described = survey;
  described.erase("failed");  // the page names the first of them
  const ReportLabels& labels = pictures.labels();
  return {{"format", 1},
          {"kind", "survey"},
          {"title", title},
          {"version", kVersion},
          {"command", command},
          {"survey", std::move(described)},
          {"suggestion", describe_suggestion(table.suggestion)},
          {"ranks", std::move(ranks)},
          {"failed", describe_failures(table.jobs)},
          {"notes", table.notes},
          {"stopped", table.stopped},
          {"top_side", name_of(labels.name_axis)},
          {"sample_side", name_of(labels.sample_axis())},
          {"groupings", labels.groupings.size()}};
}

template void SurveyPictures::add(const RankConsensus<float>&, const RankSpectra&);
template void SurveyPictures::add(const RankConsensus<double>&, const RankSpectra&);

}  // namespace anmf::report
