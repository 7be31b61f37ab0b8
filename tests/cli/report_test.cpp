// SPDX-License-Identifier: MIT
// report.html: what factorize and demo put into it, and the options that say what rows and columns are.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "anmf/trace_columns.h"
#include "program.h"
#include "report_page.h"

namespace anmf::test {
namespace {

std::vector<int> decoded(const std::string& base64) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> bytes;
  int bits = 0;
  int held = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<int>(kDigits.find(c));
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(bits >> held & 255);
    }
  }
  return bytes;
}

/// A folder with K.npy = W H for W (4 x 2) and H (2 x 6) below, and a run that ends where it starts.
class Report : public ProgramTest {
 protected:
  Report() {
    if (!report::has_report_page()) return;
    const std::vector<double> w = {4, 0, 2, 0, 0, 3, 1, 1};
    const std::vector<double> h = {0, 1, 2, 0, 4, 1, 5, 0, 0, 2.5, 0, 5};
    std::copy(w.begin(), w.end(), W_.data());
    std::copy(h.begin(), h.end(), H_.data());
    Matrix<double> K(4, 6);
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 6; ++j) K(i, j) = W_(i, 0) * H_(0, j) + W_(i, 1) * H_(1, j);
    }
    io::write_npy<double>(file("K.npy"), K.view());
    io::write_npy<double>(file("W0.npy"), W_.view());
    io::write_npy<double>(file("H0.npy"), H_.view());
  }
  void SetUp() override {
    if (!report::has_report_page()) GTEST_SKIP() << "built with ANMF_REPORT=OFF";
  }

  /// Runs nothing but the evaluation, so that the factors of the report are W_ and H_.
  [[nodiscard]] Outcome run(const Arguments& further) const {
    return anmf(Arguments{"factorize", "K.npy", "--rank", "2", "--init-w", "W0.npy", "--init-h", "H0.npy",
                          "--max-iterations", "0", "--out", "out"} +
                further);
  }
  [[nodiscard]] nlohmann::json report(const Arguments& further) const {
    const Outcome outcome = run(further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? read_report(file("out/report.html")) : nlohmann::json();
  }

  Matrix<double> W_ = Matrix<double>(4, 2);
  Matrix<double> H_ = Matrix<double>(2, 6);
};

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

TEST_F(Report, DrawsFeaturesThatHaveAnOrder) {
  const auto steps = report({"--feature-axis", "nm=400:2.5"})["curves"];
  EXPECT_EQ(steps["name"], "nm");
  EXPECT_EQ(steps["side"], "columns");
  EXPECT_EQ(steps["places"], nlohmann::json({400, 402.5, 405, 407.5, 410, 412.5}));
  EXPECT_EQ(steps["values"][1], nlohmann::json({5, 0, 0, 2.5, 0, 5}));

  write_text(file("four.txt"), "9\n4\n3.5\n-1\n");
  const auto listed = report({"--feature-axis", "four.txt"});
  EXPECT_EQ(listed["curves"]["side"], "rows");
  EXPECT_EQ(listed["curves"]["values"][0], nlohmann::json({4, 2, 0, 1}));
  EXPECT_EQ(listed["fit"]["examples"][0]["curve"]["data"].size(), 4);

  write_text(file("names.txt"), "1\n2\n3\n5\n8\n13\n");
  EXPECT_EQ(report({"--feature-names", "names.txt"})["curves"]["places"],
            nlohmann::json({1, 2, 3, 5, 8, 13}));
  write_text(file("names.txt"), "1\n2\n3\n5\n8\n8\n");
  EXPECT_TRUE(report({"--feature-names", "names.txt"})["curves"].is_null());
}

TEST_F(Report, RefusesPlacesThatAreNoAxis) {
  write_text(file("turn.txt"), "1\n2\n1.5\n4\n");
  write_text(file("word.txt"), "1\ntwo\n3\n4\n");
  write_text(file("three.txt"), "1\n2\n3\n");
  const auto refusal = [&](const std::string& axis) { return run({"--feature-axis", axis}).err; };

  EXPECT_TRUE(contains(refusal("turn.txt"), "line 3: 1.5 follows 2"));
  EXPECT_TRUE(contains(refusal("word.txt"), "line 2: 'two' is no number"));
  EXPECT_TRUE(contains(refusal("three.txt"), "has 3 lines, but the matrix is 4 x 6"));
  EXPECT_TRUE(contains(refusal("none.txt"), "cannot read 'none.txt', the file of --feature-axis"));
  EXPECT_TRUE(contains(refusal("400:0"), "a step that is not 0"));
}

TEST_F(Report, SummarisesLabelsAndNamesTypicalRows) {
  write_text(file("labels.txt"), "a\na\nb\nb\n");
  const auto first = report({})["components"][0];  // its column of W is 4, 2, 0, 1

  EXPECT_EQ(first["groups"][0]["top"][0]["name"], "a");
  EXPECT_NEAR(first["groups"][0]["top"][0]["share"].get<double>(), 6.0 / 7, 1e-12);
  EXPECT_EQ(first["typical"][0]["name"], "row 1");
  EXPECT_EQ(first["typical"][2]["group"], "b");
  EXPECT_EQ(first["typical"].size(), 3);
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

TEST_F(Report, ListsTheStrongestColumnsByName) {
  write_text(file("names.txt"), "ant\nbee\ncat\ndog\neel\nfox");  // no newline at the end

  const auto data = report({"--feature-names", "names.txt"});

  EXPECT_EQ(data["top_side"], "columns");
  const auto expected = nlohmann::json::parse(R"([{"name":"eel","value":4},{"name":"cat","value":2},
      {"name":"bee","value":1},{"name":"fox","value":1}])");
  EXPECT_EQ(data["components"][0]["top"], expected);          // zeros are no features
  EXPECT_EQ(data["components"][1]["top"][0]["name"], "ant");  // of equal ones the first comes first
}

TEST_F(Report, ListsTheStrongestRowsWhereOnlyTheirNumberFits) {
  write_text(file("names.txt"), "p\r\nq\r\nr\r\ns\r\n");

  const auto data = report({"--feature-names", "names.txt"});

  EXPECT_EQ(data["top_side"], "rows");
  EXPECT_EQ(data["components"][1]["top"],
            nlohmann::json::parse(R"([{"name":"r","value":3},{"name":"s","value":1}])"));
}

TEST_F(Report, UsesWhatLiesBesideTheInputIfItFits) {
  write_text(file("meta.json"), R"({"name": "K", "image_height": 2, "image_width": 2})");
  write_text(file("vocab.txt"), "a\nb\nc\nd\ne\nf\n");

  const auto data = report({});

  EXPECT_EQ(data["images"]["height"], 2);
  EXPECT_EQ(data["components"][0]["top"][0]["name"], "e");
}

TEST_F(Report, PrefersWhatWasAskedFor) {
  write_text(file("meta.json"), R"({"image_height": 2, "image_width": 2})");
  write_text(file("vocab.txt"), "a\nb\nc\nd\ne\nf\n");
  write_text(file("names.txt"), "A\nB\nC\nD\nE\nF\n");

  const auto data = report({"--image-shape", "4x1", "--feature-names", "names.txt"});

  EXPECT_EQ(data["images"]["height"], 4);
  EXPECT_EQ(data["components"][0]["top"][0]["name"], "E");
}

TEST_F(Report, PassesOverWhatDoesNotFitBesideTheInput) {
  for (const char* description :
       {R"({"image_height": 7, "image_width": 9})", R"({"image_height": "2", "image_width": 2})",
        R"({"image_height": 2})", R"({"image_height": -2, "image_width": -2})", "[2, 2]", "no JSON", ""}) {
    write_text(file("meta.json"), description);
    write_text(file("vocab.txt"), "too\nfew\n");

    const auto data = report({});

    EXPECT_TRUE(data["images"].is_null()) << description;
    EXPECT_TRUE(data["components"][0]["top"].empty());
  }
}

TEST_F(Report, NeedsAnImageShapeThatFits) {
  const Outcome outcome = run({"--image-shape", "3x3"});

  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(
      outcome.err,
      "anmf: --image-shape 3x3 has 9 pixels, but the matrix is 4 x 6: its rows or its columns must be the "
      "pixels.\n");
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

TEST_F(Report, NeedsAnImageShapeOfTwoNumbers) {
  for (const char* shape : {"4", "4x", "x4", "2x2x1", "2 x2", "-2x-2", "0x4", "2.0x2", "2X2",
                            "99999999999999999999x1", "1000001x1", ""}) {
    const Outcome outcome = run({fmt::format("--image-shape={}", shape)});

    EXPECT_EQ(outcome.exit_code, 2) << shape;
    EXPECT_NE(outcome.err.find("--image-shape"), std::string::npos) << outcome.err;
  }
}

TEST_F(Report, NeedsAFileOfNamesThatFits) {
  write_text(file("names.txt"), "one\ntwo\nthree\n");

  const Outcome wrong = run({"--feature-names", "names.txt"});
  const Outcome absent = run({"--feature-names", "nothing.txt"});
  const Outcome folder = run({"--feature-names", "."});

  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_EQ(wrong.err,
            "anmf: 'names.txt' has 3 lines, but the matrix is 4 x 6: --feature-names needs one line for each "
            "column, or one for each row.\n");
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_EQ(absent.err, "anmf: cannot read 'nothing.txt', the file of --feature-names.\n");
  EXPECT_EQ(folder.exit_code, 3);
  EXPECT_EQ(folder.err, "anmf: cannot read '.', the file of --feature-names.\n");
}

TEST_F(Report, KeepsNamesFromEndingTheirElement) {
  const std::string quotes = R"("quoted" 'and' \ back)";
  const std::string script = "</script><script>alert(1)</script>";
  const std::string comment = "<!-- <script>";
  write_text(file("names.txt"), fmt::format("{}\n{}\n{}\n\nlast\nmore\n", quotes, script, comment));

  const auto data = report({"--feature-names", "names.txt"});

  EXPECT_EQ(data["components"][0]["top"][1]["name"], comment);
  EXPECT_EQ(data["components"][0]["top"][2]["name"], script);
  EXPECT_EQ(data["components"][1]["top"][0]["name"], quotes);
  // The page has the scripts it came with and no more.
  const std::string html = read_text(file("out/report.html"));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
}

TEST_F(Report, CutsEndlessNamesAndReplacesBytesThatAreNoText) {
  std::string umlauts;
  for (int k = 0; k < 5000; ++k) umlauts += "\xC3\xA4";
  write_text(file("names.txt"), fmt::format("\xFF\xFE name\nx{}\n{}\nd\ne\nf\n", umlauts, umlauts));

  const auto data = report({"--feature-names", "names.txt"});

  const std::string odd = data["components"][1]["top"][0]["name"];
  EXPECT_EQ(odd, "\uFFFD\uFFFD name");
  const std::string even_cut = data["components"][0]["top"][1]["name"];
  const std::string odd_cut = data["components"][0]["top"][2]["name"];
  EXPECT_EQ(even_cut, umlauts.substr(0, 200) + "\u2026");
  EXPECT_EQ(odd_cut, fmt::format("x{}\u2026", umlauts.substr(0, 198)));  // never half a character
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
