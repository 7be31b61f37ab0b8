// SPDX-License-Identifier: MIT
// What the page of a survey is drawn from.
#include "survey_report.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "report_fixture.h"
#include "support/places.h"
#include "survey_columns.h"
#include "survey_report_fixture.h"

namespace anmf::test {
namespace {

using SurveyJson = nlohmann::ordered_json;

/// Of two components, whose spectra are those of `starts` in a store with others, too.
RankConsensus<double> made_up_consensus(const std::vector<Index>& starts) {
  RankConsensus<double> consensus;
  consensus.summary.rank = 2;
  consensus.summary.starts = static_cast<Index>(starts.size());
  consensus.starts = starts;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    consensus.clusters.labels.insert(consensus.clusters.labels.end(), {1, 0});
    consensus.density.insert(consensus.density.end(), {0.1 * static_cast<double>(s), 1.0});
    consensus.euclidean.of_spectra.insert(consensus.euclidean.of_spectra.end(), {0.5, 0.5});
  }
  consensus.spectra = drawn_spectra(2, kSurveyFeatures);
  consensus.usages = drawn_spectra(kSurveySamples, 2);
  consensus.consensus = Matrix<float>(3, 3, 1.0F);
  consensus.notes = {"A note."};
  return consensus;
}

RankSpectra made_up_spectra(const std::vector<Index>& starts) {
  return {.starts = starts,
          .spectra = drawn_spectra(2 * static_cast<Index>(starts.size()), kSurveyFeatures),
          .labels = {}};
}

TEST(SurveyPictures, ShowTheSpectraOfTheStartsThatTakePart) {
  report::SurveyPictures pictures({2, 3}, Side::H, {});
  const RankSpectra spectra = made_up_spectra({0, 1, 4, 9});

  pictures.add(made_up_consensus({1, 9}), spectra);

  const SurveyJson& distances = pictures.of(2).at("distances");
  EXPECT_EQ(distances["size"], 4);
  EXPECT_EQ(distances["groups"], SurveyJson::parse(R"([{"component": 1, "spectra": 2, "pixels": 2},
                            {"component": 2, "spectra": 2, "pixels": 2}])"));
  // Component 1 has the second spectra of starts 1 and 9, the third and the seventh of the store after the
  // first.
  const std::array<Index, 4> rows = {3, 7, 2, 6};
  const std::vector<int> bytes = decoded(distances["pixels"]);
  ASSERT_EQ(bytes.size(), 10U);
  const double max = distances["max"];
  std::size_t at = 0;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b <= a; ++b)
      EXPECT_NEAR(bytes[at++], 255 * cosine_distance(spectra.spectra, rows[a], rows[b]) / max, 0.51);
  }
  EXPECT_EQ(pictures.of(2).at("notes"), SurveyJson({"A note."}));
  EXPECT_EQ(pictures.of(2).at("consensus").at("samples"), 3);
  EXPECT_EQ(pictures.of(2).at("parts").at("components").size(), 2U);
  EXPECT_TRUE(pictures.of(3).is_null());
  EXPECT_TRUE(pictures.of(7).is_null());
}

TEST(SurveyPictures, HaveNoMapWhereSpectraAreMissing) {
  report::SurveyPictures pictures({2}, Side::H, {});

  pictures.add(made_up_consensus({1, 9}), made_up_spectra({0, 1, 4}));

  EXPECT_TRUE(pictures.of(2).at("distances").is_null());
  EXPECT_FALSE(pictures.of(2).at("density").is_null());
}

TEST(SurveyPictures, CountDensitiesUpToTheThreshold) {
  report::SurveyPictures pictures({2}, Side::H, {});
  RankConsensus<double> consensus = made_up_consensus({0, 1});
  consensus.density = {0.0, 0.5, RankSummary::kNone, 0.3};
  consensus.density_threshold = 0.4;

  pictures.add(consensus, made_up_spectra({0, 1}));

  const SurveyJson& density = pictures.of(2).at("density");
  EXPECT_EQ(density["most"], 0.5);
  EXPECT_EQ(density["threshold"], 0.4);
  EXPECT_EQ(density["spectra"], 3);
  EXPECT_EQ(density["beyond"], 1);
  const std::vector<Index> counts = density["counts"];
  ASSERT_EQ(counts.size(), 40U);
  EXPECT_EQ(counts[0], 1);
  EXPECT_EQ(counts[24], 1);  // 0.3 of 0.5
  EXPECT_EQ(counts[39], 1);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), Index{0}), 3);
}

TEST(SurveyPictures, HaveNoThresholdWhereThereIsNoFilter) {
  report::SurveyPictures pictures({2}, Side::H, {});
  RankConsensus<double> consensus = made_up_consensus({0, 1});
  consensus.density.assign(4, 0.0);

  pictures.add(consensus, made_up_spectra({0, 1}));
  const SurveyJson& density = pictures.of(2).at("density");
  EXPECT_EQ(density["most"], 0);
  EXPECT_TRUE(density["threshold"].is_null());
  EXPECT_EQ(density["counts"][0], 4);

  consensus.density.assign(4, RankSummary::kNone);
  pictures.add(consensus, made_up_spectra({0, 1}));
  EXPECT_TRUE(pictures.of(2).at("density").is_null());
}

TEST(SurveyPictures, AreOfTheFeaturesWhereverTheyLie) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  report::SurveyPictures columns({2}, Side::H, {.names = names, .name_axis = report::Axis::columns});
  report::SurveyPictures rows({2}, Side::W, {.names = names, .name_axis = report::Axis::rows});
  const RankConsensus<double> consensus = made_up_consensus({0, 1});

  columns.add(consensus, made_up_spectra({0, 1}));
  rows.add(consensus, made_up_spectra({0, 1}));

  const SurveyJson& top = columns.of(2).at("parts").at("components")[1].at("top");
  EXPECT_EQ(top, rows.of(2).at("parts").at("components")[1].at("top"));
  Index strongest = 0;
  for (Index j = 1; j < kSurveyFeatures; ++j) {
    if (consensus.spectra(1, j) > consensus.spectra(1, strongest)) strongest = j;
  }
  EXPECT_EQ(top[0]["name"], names[static_cast<std::size_t>(strongest)]);
}

TEST(SurveyPictures, OfManyRanksAreAFewMegabytes) {
  std::vector<Index> ranks(20);
  std::iota(ranks.begin(), ranks.end(), Index{2});
  constexpr Index kStarts = 200;
  constexpr Index kSamples = 600;
  report::SurveyPictures pictures(
      ranks, Side::H,
      {.image_shape = report::ImageShape{.height = 100, .width = 80}, .image_axis = report::Axis::columns});
  const Matrix<float> shares(kSamples, kSamples, 0.5F);
  std::size_t size = 0;
  for (const Index rank : {ranks.front(), ranks.back()}) {
    RankConsensus<float> consensus;
    consensus.summary.rank = rank;
    RankSpectra spectra{
        .starts = std::vector<Index>(kStarts), .spectra = drawn_spectra(kStarts * rank, 3), .labels = {}};
    std::iota(spectra.starts.begin(), spectra.starts.end(), Index{0});
    consensus.starts = spectra.starts;
    for (Index i = 0; i < kStarts * rank; ++i) consensus.clusters.labels.push_back(i % rank);
    consensus.spectra = Matrix<float>(rank, 100 * 80, 1.0F);
    consensus.usages = Matrix<float>(kSamples, rank, 1.0F);
    consensus.consensus = shares;
    pictures.add(consensus, spectra);
    const SurveyJson& picture = pictures.of(rank);
    EXPECT_LE(picture.at("distances").at("size").get<Index>(), 400);
    EXPECT_GE(picture.at("distances").at("size").get<Index>(), 300);
    EXPECT_LE(picture.at("consensus").at("size").get<Index>(), 400);
    size += picture.dump().size();
  }
  // Both ends of the range; all twenty are ten times as much.
  EXPECT_LT(10 * size, 9'000'000U);
}

SurveyTable made_up_survey_table() {
  SurveyTable table;
  table.ranks.push_back({.rank = 2, .starts = 2, .failed = 1, .silhouette = 0.75, .suggested = true});
  table.ranks.push_back({.rank = 3});
  table.components.push_back({.rank = 2, .component = 1, .members = 2, .silhouette = 0.5, .usage = 0.25});
  table.components.push_back({.rank = 3, .component = 1, .parent = 1, .parent_cosine = 0.125});
  for (Index number = 0; number < 3; ++number)
    table.jobs.push_back(made_up<double>({2, JobKind::start, number}, 1.0 / 3 + static_cast<double>(number),
                                         number == 1 ? JobStatus::failed : JobStatus::converged)
                             .record);
  table.jobs.push_back(made_up<double>({2, JobKind::heldout, 0}, 4).record);
  for (Index number = 0; number < 30; ++number)
    table.jobs.push_back(
        made_up<double>({3, JobKind::start, number}, RankSummary::kNone, JobStatus::failed).record);
  table.suggestion = {.rank = 2, .rule = "heldout-1", .reasons = {"Why."}, .alternatives = {3}, .edge = true};
  table.notes = {"A note."};
  return table;
}

SurveyJson survey_document(const SurveyTable& table, const report::SurveyPictures& pictures) {
  return report::survey_report("title", "anmf survey",
                               SurveyJson{{"input", {{"name", "M"}}}, {"failed", {1, 2}}}, table, pictures);
}

TEST(SurveyReport, HasTheTablesRankByRank) {
  const report::SurveyPictures pictures({2, 3}, Side::H, {});

  const SurveyJson document = survey_document(made_up_survey_table(), pictures);

  EXPECT_EQ(document["kind"], "survey");
  EXPECT_EQ(document["suggestion"], SurveyJson::parse(R"({"rank": 2, "rule": "heldout-1", "reasons": ["Why."],
                                                    "alternatives": [3], "edge": true})"));
  const SurveyJson& rank = document["ranks"][0];
  EXPECT_EQ(rank["summary"]["silhouette"], 0.75);
  EXPECT_EQ(rank["summary"]["suggested"], true);
  EXPECT_TRUE(rank["summary"]["heldout"].is_null());
  EXPECT_EQ(rank["components"].size(), 1U);
  EXPECT_EQ(rank["components"][0]["usage"], 0.25);
  EXPECT_TRUE(rank["components"][0]["parent_cosine"].is_null());
  EXPECT_EQ(rank["starts"], SurveyJson::parse(R"({"number": [0, 1, 2],
      "relative_error": [0.04166667, null, 0.2916667], "status": ["converged", "failed", "converged"]})"));
  EXPECT_EQ(rank["heldout"]["relative_error"], SurveyJson({0.5}));
  EXPECT_TRUE(rank["pictures"].is_null());
  EXPECT_EQ(document["ranks"][1]["components"][0]["parent"], 1);
  EXPECT_EQ(document["failed"]["count"], 31);
  EXPECT_EQ(document["failed"]["jobs"].size(), 20U);
  EXPECT_EQ(document["failed"]["jobs"][0]["rank"], 2);
  EXPECT_EQ(document["survey"], SurveyJson::parse(R"({"input": {"name": "M"}})"));
  EXPECT_EQ(document["notes"], SurveyJson({"A note."}));
  EXPECT_EQ(document["stopped"], false);
}

TEST(SurveyReport, HasNoRankWhereNothingIsDecided) {
  SurveyTable table = made_up_survey_table();
  table.suggestion.rank = 0;
  table.stopped = true;

  const SurveyJson document = survey_document(table, report::SurveyPictures({2, 3}, Side::H, {}));

  EXPECT_TRUE(document["suggestion"]["rank"].is_null());
  EXPECT_EQ(document["stopped"], true);
}

TEST(SurveyReport, OfNothingIsADocument) {
  const SurveyJson document = survey_document({}, report::SurveyPictures({}, Side::H, {}));

  EXPECT_EQ(document["ranks"], SurveyJson::array());
  EXPECT_EQ(document["failed"]["count"], 0);
}

/// The names of the members of an interface of web/src/document.ts.
std::vector<std::string> members_in_page(const std::string& interface) {
  const std::string source = read_text(std::filesystem::path(kSource) / "web/src/document.ts");
  const std::string opening = "export interface " + interface + " {\n";
  const std::size_t found = source.find(opening);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + opening.size();
  const std::string body = source.substr(begin, source.find("\n}", begin) - begin);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < body.size(); at = body.find('\n', at) + 1) {
    const std::string line = body.substr(at, body.find('\n', at) - at);
    names.push_back(line.substr(2, line.find(':') - 2));
    if (body.find('\n', at) == std::string::npos) break;
  }
  return names;
}

template <class Row>
std::vector<std::string> columns_in_tables() {
  std::vector<std::string> names;
  const Row row{};
  report::for_each_column(row, [&](const char* name, const auto& /*value*/) { names.emplace_back(name); });
  return names;
}

TEST(SurveyReport, HasTheColumnsThatThePageReads) {
  EXPECT_EQ(members_in_page("RankSummary"), columns_in_tables<RankSummary>());
  EXPECT_EQ(members_in_page("ComponentSummary"), columns_in_tables<ComponentSummary>());
}

}  // namespace
}  // namespace anmf::test
