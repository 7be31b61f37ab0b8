// SPDX-License-Identifier: MIT
// report.html: what factorize and demo put into it.
#include <algorithm>
#include <cmath>

#include "anmf/trace_columns.h"
#include "report_fixture.h"

namespace anmf::test {
namespace {

TEST_F(Report, JudgesTheFit) {
  const auto data = report({});  // W H is M itself

  EXPECT_LT(data["run"]["best_rank_error"].get<double>(), 1e-7);
  EXPECT_EQ(data["fit"]["rows"]["count"], 4);
  EXPECT_EQ(data["fit"]["columns"]["count"], 6);
  EXPECT_LT(data["fit"]["rows"]["most"].get<double>(), 1e-7);
  const auto& entries = data["fit"]["examples"][0]["entries"];
  ASSERT_FALSE(entries.empty());
  for (const auto& entry : entries)
    EXPECT_NEAR(entry["data"].get<double>(), entry["fit"].get<double>(), 1e-12);
  const auto unasked = report({"--no-bound"});
  EXPECT_TRUE(unasked["run"]["best_rank_error"].is_null());
  EXPECT_EQ(unasked["run"]["best_rank_note"], "It was not asked for, or --memory limits what may be held.");
}

TEST_F(Report, HoldsTheRunAndItsTrace) {
  auto json = short_run("out", {"--seed", "3"});
  json.erase("files");  // the page is one of them

  const auto data = read_report(file("out/report.html"));
  EXPECT_EQ(data["format"], 1);
  EXPECT_EQ(data["kind"], "factorization");
  EXPECT_EQ(data["title"], "M: 4 components");
  EXPECT_EQ(data["version"], json["version"]);
  EXPECT_EQ(data["command"],
            "anmf factorize M.npy --rank 4 --tolerance 0 --out out --max-iterations 5 --seed 3");
  EXPECT_EQ(data["run"], json);
  const auto rows = read_trace(file("out/trace.csv"));
  ASSERT_EQ(data["trace"].size(), trace_columns().size());
  for (std::size_t c = 0; c < trace_columns().size(); ++c) {
    const auto& column = data["trace"][std::string(trace_columns()[c].name)];
    ASSERT_EQ(column.size(), rows.size()) << trace_columns()[c].name;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (std::isnan(rows[k][c])) {
        EXPECT_TRUE(column[k].is_null());
      } else {
        EXPECT_EQ(column[k], rows[k][c]);
      }
    }
  }
}

TEST_F(Report, WeighsComponentsByTheNormsOfTheirFactors) {
  const auto data = report({});

  const double first = std::sqrt(21.0) * std::sqrt(22.0);
  const double second = std::sqrt(10.0) * std::sqrt(56.25);
  ASSERT_EQ(data["components"].size(), 2U);
  EXPECT_NEAR(data["components"][0]["weight"].get<double>(), first / (first + second), 1e-12);
  EXPECT_NEAR(data["components"][1]["weight"].get<double>(), second / (first + second), 1e-12);
  EXPECT_TRUE(data["components"][0]["top"].empty());
  EXPECT_TRUE(data["images"].is_null());
}

TEST_F(Report, WeighsTheSameWhenTheFactorsAreNormalised) {
  const auto plain = report({});
  const auto unit = report({"--normalize", "l2"});

  EXPECT_NEAR(unit["components"][0]["weight"].get<double>(), plain["components"][0]["weight"].get<double>(),
              1e-12);
}

TEST_F(Report, DrawsColumnsOfWWhereRowsArePixels) {
  const auto data = report({"--image-shape", "2x2"});

  EXPECT_EQ(data["images"]["height"], 2);
  EXPECT_EQ(data["images"]["width"], 2);
  EXPECT_EQ(data["images"]["side"], "rows");
  ASSERT_EQ(data["images"]["pixels"].size(), 2U);
  EXPECT_EQ(decoded(data["images"]["pixels"][0]), (std::vector<int>{255, 128, 0, 64}));
  EXPECT_EQ(decoded(data["images"]["pixels"][1]), (std::vector<int>{0, 0, 255, 85}));
}

TEST_F(Report, DrawsRowsOfHWhereColumnsArePixels) {
  const auto data = report({"--image-shape", "2x3"});

  EXPECT_EQ(data["images"]["side"], "columns");
  EXPECT_EQ(decoded(data["images"]["pixels"][0]), (std::vector<int>{0, 64, 128, 0, 255, 64}));
  EXPECT_EQ(decoded(data["images"]["pixels"][1]), (std::vector<int>{255, 0, 0, 128, 0, 255}));
}

TEST_F(Report, MapsBothFactors) {
  const auto data = report({});

  const auto& W = data["heatmaps"]["W"];
  EXPECT_EQ(W["rows"], 4);
  EXPECT_EQ(W["cols"], 2);
  EXPECT_EQ(W["max"], 4);
  EXPECT_EQ(W["bins"], false);
  EXPECT_EQ(W["source_rows"], 4);
  EXPECT_EQ(decoded(W["pixels"]), (std::vector<int>{255, 0, 128, 0, 0, 191, 64, 64}));
  const auto& H = data["heatmaps"]["H"];
  EXPECT_EQ(H["rows"], 6);
  EXPECT_EQ(H["max"], 5);
  EXPECT_EQ(decoded(H["pixels"]), (std::vector<int>{0, 255, 51, 0, 102, 0, 0, 128, 204, 0, 51, 255}));
}

TEST_F(Report, IsLeftOutOnRequestAndAnOlderOneGoes) {
  (void)report({});
  const Outcome outcome = run({"--no-report"});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(file("out/report.html")));
  EXPECT_TRUE(std::filesystem::exists(file("out/run.json")));
  EXPECT_EQ(outcome.out.find("report.html"), std::string::npos) << outcome.out;
}

TEST_F(Report, IsNamedAmongTheFiles) {
  const Outcome outcome = run({});

  EXPECT_NE(outcome.out.find("run.json, report.html"), std::string::npos) << outcome.out;
}

TEST_F(Report, ThinsALongTraceAndBandsTallFactors) {
  io::write_npy<double>(file("T.npy"), random_matrix(1000, 3, 5).view());
  const Outcome outcome = anmf(
      {"factorize", "T.npy", "--rank", "1", "--tolerance", "0", "--max-iterations", "9000", "--out", "out"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto data = read_report(file("out/report.html"));
  const auto& iterations = data["trace"]["iteration"];
  const Index last = read_json(file("out/run.json"))["iterations"];
  EXPECT_LE(iterations.size(), 4001U);
  EXPECT_EQ(iterations.front(), 0);
  EXPECT_EQ(iterations.back(), last);
  const auto& map = data["heatmaps"]["W"];
  EXPECT_EQ(map["rows"], 400);
  EXPECT_EQ(map["source_rows"], 1000);
  EXPECT_EQ(map["bins"], true);
  const Matrix<double> W = io::read_npy<double>(file("out/W.npy"));
  const auto pixels = decoded(map["pixels"]);
  ASSERT_EQ(pixels.size(), 400U);
  // Band 0 holds rows 0 to 2, band 1 rows 3 and 4, and so on.
  const double max = map["max"];
  EXPECT_EQ(max, *std::max_element(W.data(), W.data() + 1000));
  EXPECT_EQ(pixels[0], std::lround(255 * *std::max_element(W.data(), W.data() + 3) / max));
  EXPECT_EQ(pixels[1], std::lround(255 * *std::max_element(W.data() + 3, W.data() + 5) / max));
}

TEST_F(Report, OfTheDemoShowsItsParts) {
  const Outcome outcome = anmf({"demo"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("demo-out/report.html"), std::string::npos);
  const auto data = read_report(file("demo-out/report.html"));
  EXPECT_EQ(data["command"], "anmf demo");
  EXPECT_EQ(data["images"]["height"], 32);
  EXPECT_EQ(data["images"]["width"], 32);
  ASSERT_EQ(data["images"]["pixels"].size(), 17U);
  const Matrix<double> W = io::read_npy<double>(file("demo-out/W.npy"));
  const auto torso = decoded(data["images"]["pixels"][0]);
  ASSERT_EQ(torso.size(), 1024U);
  double largest = 0;
  for (Index i = 0; i < 1024; ++i) largest = std::max(largest, W(i, 0));
  for (Index i = 0; i < 1024; ++i) {
    EXPECT_EQ(torso[static_cast<std::size_t>(i)], std::lround(255 * W(i, 0) / largest));
  }
}

}  // namespace
}  // namespace anmf::test
