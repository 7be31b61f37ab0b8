// SPDX-License-Identifier: MIT
// anmf factorize: what a run leaves in its folder.
#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "anmf/option_table.h"
#include "anmf/version.h"
#include "program.h"
#include "report_page.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class Factorize : public ProgramTest {};

std::uint32_t naive_crc32(const std::string& bytes) {
  std::uint32_t rest = ~0U;
  for (const char c : bytes) {
    rest ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1U ^ (rest % 2 == 1 ? 0xEDB88320U : 0U);
  }
  return ~rest;
}

TEST_F(Factorize, WritesFactorsOfTheRightShapeWithoutNegativeEntries) {
  (void)short_run("out");

  const Matrix<double> W = io::read_npy<double>(file("out/W.npy"));
  const Matrix<double> H = io::read_npy<double>(file("out/H.npy"));
  EXPECT_EQ(W.rows(), 30);
  EXPECT_EQ(W.cols(), 4);
  EXPECT_EQ(H.rows(), 4);
  EXPECT_EQ(H.cols(), 20);
  for (const double value : W.values()) EXPECT_GE(value, 0);
  for (const double value : H.values()) EXPECT_GE(value, 0);
}

TEST_F(Factorize, WritesOneTraceRowForTheStartAndForEveryIteration) {
  const auto json = short_run("out", {"--max-iterations", "7"});

  const auto rows = read_trace(file("out/trace.csv"));
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(json["iterations"], 7);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ASSERT_EQ(rows[k].size(), 14U);
    EXPECT_EQ(rows[k][0], static_cast<double>(k));
    EXPECT_LE(rows[k][kTraceError], rows[k == 0 ? 0 : k - 1][kTraceError]);
  }
  EXPECT_EQ(rows.front()[kTraceInnerW], 0);
  EXPECT_EQ(rows.back()[kTraceError], json["error"].get<double>());
}

TEST_F(Factorize, DescribesTheCircumstancesAndTheFile) {
  const auto json = short_run("out");

  EXPECT_TRUE(
      std::regex_match(json["date"].get<std::string>(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  EXPECT_FALSE(json["host"].get<std::string>().empty());
  EXPECT_FALSE(json["processor"].get<std::string>().empty());
  EXPECT_GE(json["wall_seconds"], json["seconds"]);
  EXPECT_GT(json["peak_memory_bytes"], 1'000'000);
  const std::string bytes = read_text(file("M.npy"));
  EXPECT_EQ(json["input_file"]["bytes"], bytes.size());
  EXPECT_EQ(json["input_file"]["crc32"], fmt::format("{:08x}", naive_crc32(bytes)));
}

TEST_F(Factorize, NamesTheTypeOfTheEntriesAsInfoDoes) {
  io::write_npy<float>(file("single.npy"), Matrix<float>(9, 7, 2.0F).view());
  const Outcome info = anmf({"info", "single.npy"});
  const Outcome run = anmf({"factorize", "single.npy", "--rank", "2", "--out", "out"});
  EXPECT_TRUE(contains(info.out, "dense float32"));
  EXPECT_TRUE(contains(run.out, "9 x 7 dense float32, computed in float64"));
  EXPECT_EQ(read_json(file("out/run.json"))["entry_type"], "float32");
}

TEST_F(Factorize, DescribesTheRunInJson) {
  const auto json = short_run("out", {"--seed", "18446744073709551615", "--threads", "2"});

  EXPECT_EQ(json["method"], "e-a-hals");
  EXPECT_EQ(json["rank"], 4);
  EXPECT_EQ(json["rows"], 30);
  EXPECT_EQ(json["cols"], 20);
  EXPECT_EQ(json["nonzeros"], nullptr);  // not counted in a dense matrix
  EXPECT_EQ(json["entry_type"], "float64");
  EXPECT_EQ(json["storage"], "dense");
  EXPECT_EQ(json["precision"], "float64");
  EXPECT_EQ(json["seed"], 18446744073709551615U);
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["alpha"], 1.0);
  EXPECT_EQ(json["epsilon"], 0.1);
  EXPECT_TRUE(json["delta"].is_null());
  EXPECT_EQ(json["inner_stop"], "block");
  EXPECT_EQ(json["status"], "iteration_limit");
  EXPECT_FALSE(json["message"].get<std::string>().empty());
  EXPECT_EQ(json["version"], kVersion);
  EXPECT_EQ(json["input"], "M.npy");
  EXPECT_TRUE(json["time_limit"].is_null());
  EXPECT_FALSE(json.contains("scale"));
  for (const char* key : {"seconds", "error", "relative_error", "kkt", "penalty", "alpha_w", "alpha_h",
                          "l1_ratio", "tolerance", "change_tolerance", "max_iterations"}) {
    EXPECT_TRUE(json[key].is_number()) << key;
  }
  EXPECT_TRUE(json["notes"].is_array());
  for (const OptionInfo& option : option_table()) EXPECT_TRUE(json.contains(option.key())) << option.name;
}

TEST_F(Factorize, TracesThePenaltyAndTheObjectiveThatItMinimises) {
  const auto json = short_run("out", {"--alpha-w", "0.01", "--l1-ratio", "1"});
  const auto rows = read_trace(file("out/trace.csv"));
  const Matrix<double> W = io::read_npy<double>(file("out/W.npy"));
  const Matrix<double> H = io::read_npy<double>(file("out/H.npy"));
  double penalty = 0;
  for (const double w : W.values()) penalty += 0.01 * 20 * w;
  for (const double h : H.values()) penalty += 0.01 * 30 * h;
  const std::size_t last = kTraceObjective;
  EXPECT_NEAR(rows.back()[kTracePenalty], penalty, 1e-9 * penalty);
  EXPECT_NEAR(rows.back()[last], std::pow(dense_error(M_, W, H), 2) / 2 + penalty, 1e-9 * penalty);
  EXPECT_EQ(json["objective"].get<double>(), rows.back()[last]);
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_LE(rows[k][last], rows[k - 1][last]);
}

TEST_F(Factorize, ReportsTheErrorOfTheFactorsItWrote) {
  for (const char* method :
       {"auto", "mu", "a-mu", "e-a-mu", "hals", "a-hals", "e-a-hals", "pg", "a-pg", "anls"}) {
    const auto json = short_run(method, {"--method", method});

    const Matrix<double> W = io::read_npy<double>(file(fmt::format("{}/W.npy", method)));
    const Matrix<double> H = io::read_npy<double>(file(fmt::format("{}/H.npy", method)));
    const double expected = dense_error(M_, W, H);
    const double norm = dense_error(M_, Matrix<double>(30, 1), Matrix<double>(1, 20));
    EXPECT_NEAR(json["error"].get<double>(), expected, 1e-9 * expected) << method;
    EXPECT_NEAR(json["relative_error"].get<double>(), expected / norm, 1e-9 * expected / norm) << method;
  }
}

TEST_F(Factorize, GivesTheSameBytesForAnyNumberOfThreads) {
  (void)short_run("one", {"--threads", "1"});
  (void)short_run("three", {"--threads", "3"});

  EXPECT_EQ(read_text(file("one/W.npy")), read_text(file("three/W.npy")));
  EXPECT_EQ(read_text(file("one/H.npy")), read_text(file("three/H.npy")));
}

TEST_F(Factorize, ReadsSparseMatrixMarket) {
  write_text(
      file("S.mtx"),
      "%%MatrixMarket matrix coordinate real general\n3 4 5\n1 1 2\n2 3 1.5\n3 4 4\n1 2 1\n3 1 0.25\n");
  Matrix<double> S(3, 4);
  S(0, 0) = 2, S(1, 2) = 1.5, S(2, 3) = 4, S(0, 1) = 1, S(2, 0) = 0.25;

  const Outcome outcome = anmf({"factorize", "S.mtx", "--rank", "2", "--out", "out"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("out/run.json"));
  EXPECT_EQ(json["storage"], "sparse");
  EXPECT_EQ(json["nonzeros"], 5);
  const double expected =
      dense_error(S, io::read_npy<double>(file("out/W.npy")), io::read_npy<double>(file("out/H.npy")));
  EXPECT_NEAR(json["error"].get<double>(), expected, 1e-9 * expected);
}

TEST_F(Factorize, ComputesAndWritesInSinglePrecision) {
  const auto json = short_run("out", {"--precision", "float32"});

  EXPECT_EQ(json["precision"], "float32");
  EXPECT_NE(read_text(file("out/W.npy")).find("'<f4'"), std::string::npos);
  const double expected =
      dense_error(M_, io::read_npy<float>(file("out/W.npy")), io::read_npy<float>(file("out/H.npy")));
  EXPECT_NEAR(json["error"].get<double>(), expected, 1e-5 * expected);
}

TEST_F(Factorize, StartsFromGivenFactors) {
  const Matrix<double> W = random_matrix(30, 4, 2);
  const Matrix<double> H = random_matrix(4, 20, 3);
  io::write_npy<double>(file("W0.npy"), W.view());
  io::write_npy<double>(file("H0.npy"), H.view());

  (void)short_run("out", {"--init-w", "W0.npy", "--init-h", "H0.npy", "--max-iterations", "0"});

  EXPECT_EQ(read_trace(file("out/trace.csv")).size(), 1U);
  const double expected = dense_error(M_, W, H);
  EXPECT_NEAR(read_json(file("out/run.json"))["error"].get<double>(), expected, 1e-9 * expected);
}

TEST_F(Factorize, ContinuesWhereAnotherRunEnded) {
  (void)short_run("ten", {"--method", "hals", "--max-iterations", "10"});
  (void)short_run("five", {"--method", "hals"});
  const auto resumed =
      short_run("more", {"--method", "hals", "--init-w", "five/W.npy", "--init-h", "five/H.npy"});

  const double expected = read_json(file("ten/run.json"))["error"];
  EXPECT_NEAR(resumed["error"].get<double>(), expected, 1e-9 * expected);
}

TEST_F(Factorize, TellsTheReaderWhatCameOut) {
  const Outcome outcome =
      anmf({"factorize", "M.npy", "--rank", "4", "--max-iterations", "5", "--out", "some/new/folder"});

  ASSERT_EQ(outcome.exit_code, 0);
  for (const char* word :
       {"30 x 20", "dense", "e-a-hals", "rank 4", "relative error", "some/new/folder", "W.npy"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
  }
  EXPECT_EQ(outcome.err, "");  // too short a run for a line of progress
}

TEST_F(Factorize, PrintsNotesOnStderr) {
  Matrix<double> with_empty_row = M_;
  for (Index j = 0; j < with_empty_row.cols(); ++j) with_empty_row(3, j) = 0;
  io::write_npy<double>(file("E.npy"), with_empty_row.view());

  const Outcome outcome = anmf({"factorize", "E.npy", "--rank", "4", "--out", "out"});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err.substr(0, 6), "note: ") << outcome.err;
  EXPECT_FALSE(read_json(file("out/run.json"))["notes"].empty());
}

TEST_F(Factorize, LeavesNothingButTheRunInItsFolder) {
  (void)short_run("out");

  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(file("out"))) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  std::vector<std::string> expected = {"H.npy", "W.npy", "run.json", "trace.csv"};
  if (report::has_report_page()) expected.insert(expected.begin() + 2, "report.html");
  EXPECT_EQ(names, expected);
}

TEST_F(Factorize, ReplacesAnOlderRunInTheSameFolder) {
  (void)short_run("out", {"--seed", "1"});
  const std::string before = read_text(file("out/W.npy"));

  const auto json = short_run("out", {"--seed", "2"});

  EXPECT_EQ(json["seed"], 2);
  EXPECT_NE(read_text(file("out/W.npy")), before);
}

TEST_F(Factorize, ReadsTheDataSetsOfThePaper) {
  const fs::path faces = fs::path(kDataSets) / "cbcl/cbcl.npy";
  const fs::path words = fs::path(kDataSets) / "classic/classic.mtx.gz";
  if (!fs::exists(faces) || !fs::exists(words)) GTEST_SKIP() << "no data sets in " << kDataSets;

  for (const fs::path& input : {faces, words}) {
    const Outcome outcome =
        anmf({"factorize", input.string(), "--rank", "5", "--max-iterations", "3", "--out", "out"});

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_LT(read_json(file("out/run.json"))["relative_error"].get<double>(), 1);
  }
}

}  // namespace
}  // namespace anmf::test
