// SPDX-License-Identifier: MIT
// anmf factorize in other forms: of the transpose, silent, for programs, and only as a plan.
#include <fmt/format.h>

#include <cmath>

#include "bytes.h"
#include "program.h"
#include "report_page.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class FactorizeForms : public ProgramTest {
 protected:
  [[nodiscard]] nlohmann::json dry_run(const std::string& input, const Arguments& further) const {
    const Outcome outcome =
        anmf(Arguments{"factorize", input, "--rank", "4", "--out", "out", "--dry-run", "--json"} + further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(fs::exists(file("out")));
    return outcome.exit_code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
  }
};

constexpr const char* kSparse =
    "%%MatrixMarket matrix coordinate real general\n3 4 6\n1 1 2\n2 3 1.5\n3 4 4\n1 2 1\n3 1 0.25\n2 2 3\n";
constexpr const char* kSparseTransposed =
    "%%MatrixMarket matrix coordinate real general\n4 3 6\n1 1 2\n3 2 1.5\n4 3 4\n2 1 1\n1 3 0.25\n2 2 3\n";

TEST_F(FactorizeForms, TransposeGivesTheFactorsOfTheTransposedFile) {
  io::write_npy<double>(file("Mt.npy"), transposed(M_).view());
  write_text(file("S.mtx"), kSparse);
  write_text(file("St.mtx"), kSparseTransposed);
  struct Case {
    const char* input;
    const char* transposed_input;
    const char* init = "scaled-random";
  };
  for (const Case& c : {Case{"M.npy", "Mt.npy"}, Case{"S.mtx", "St.mtx"}, Case{"M.npy", "Mt.npy", "spa"},
                        Case{"S.mtx", "St.mtx", "spa"}}) {
    const auto run = [&](const char* input, const char* out, const Arguments& further) {
      const Outcome outcome = anmf(Arguments{"factorize", input, "--rank", "2", "--max-iterations", "20",
                                             "--tolerance", "0", "--init", c.init, "--out", out} +
                                   further);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    };
    run(c.transposed_input, "expected", {});
    run(c.input, "out", {"--transpose"});

    const auto json = read_json(file("out/run.json"));
    const auto expected = read_json(file("expected/run.json"));
    EXPECT_EQ(json["transpose"], true);
    EXPECT_EQ(expected["transpose"], false);
    EXPECT_EQ(json["rows"], expected["rows"]);
    EXPECT_EQ(json["cols"], expected["cols"]);
    EXPECT_NEAR(json["error"].get<double>(), expected["error"].get<double>(), 1e-9);
    for (const char* factor : {"W.npy", "H.npy"}) {
      const Matrix<double> X = io::read_npy<double>(file("out") / factor);
      const Matrix<double> Y = io::read_npy<double>(file("expected") / factor);
      ASSERT_EQ(X.rows(), Y.rows());
      ASSERT_EQ(X.cols(), Y.cols());
      for (Index i = 0; i < X.rows(); ++i) {
        for (Index j = 0; j < X.cols(); ++j)
          EXPECT_NEAR(X(i, j), Y(i, j), 1e-9) << c.input << c.init << factor;
      }
    }
  }
}

TEST_F(FactorizeForms, TransposeMovesTheNamesToTheOtherSide) {
  if (!report::has_report_page()) GTEST_SKIP() << "built without the report page";
  io::write_npy<double>(file("Q.npy"), random_matrix(3, 3, 4).view());  // its sizes do not tell the sides
  write_text(file("names.txt"), "apple\npear\nplum\n");
  const auto report_of = [&](const char* input, const Arguments& further) {
    const Outcome outcome = anmf(Arguments{"factorize", input, "--rank", "2", "--max-iterations", "3",
                                           "--feature-names", "names.txt", "--out", "out"} +
                                 further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_text(file("out/report.html"));
  };

  const std::string plain = report_of("Q.npy", {});
  const std::string turned = report_of("Q.npy", {"--transpose"});

  EXPECT_NE(plain.find("apple"), std::string::npos);
  EXPECT_NE(turned.find("apple"), std::string::npos);
  EXPECT_NE(plain.find(R"("top_side":"columns")"), std::string::npos);
  EXPECT_NE(turned.find(R"("top_side":"rows")"), std::string::npos);
}

TEST_F(FactorizeForms, QuietPrintsNothing) {
  Matrix<double> with_empty_row = M_;
  for (Index j = 0; j < with_empty_row.cols(); ++j) with_empty_row(3, j) = 0;  // would be a note
  io::write_npy<double>(file("E.npy"), with_empty_row.view());

  const Outcome outcome = anmf({"factorize", "E.npy", "--rank", "4", "--quiet", "--out", "out"});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_FALSE(read_json(file("out/run.json"))["notes"].empty());
}

TEST_F(FactorizeForms, QuietStillTellsOfErrors) {
  EXPECT_TRUE(contains(complaint(3, {"factorize", "absent.npy", "--rank", "4", "--quiet", "--out", "out"}),
                       "absent.npy"));
}

TEST_F(FactorizeForms, JsonPrintsTheContentOfRunJsonAndNothingElse) {
  for (const Arguments& further : {Arguments{"--json"}, Arguments{"--json", "--quiet"}}) {
    const Outcome outcome = anmf(Arguments{"factorize", "M.npy", "--rank", "4", "--out", "out"} + further);

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, read_text(file("out/run.json")));
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["rank"], 4);
  }
}

TEST_F(FactorizeForms, DryRunCountsTheFlopsOfARun) {
  write_text(file("S.mtx"), kSparse);
  for (const char* input : {"M.npy", "S.mtx"}) {
    for (const char* method : {"hals", "mu", "a-hals", "a-mu", "e-a-hals", "a-pg", "pg", "anls"}) {
      const Arguments further = {"--method", method};
      const auto plan = dry_run(input, further);

      const Outcome outcome = anmf(Arguments{"factorize", input, "--rank", "4", "--tolerance", "0", "--out",
                                             "real", "--max-iterations", "3"} +
                                   further);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      const auto rows = read_trace(file("real/trace.csv"));
      const double least = plan["least_flops_per_iteration"];
      const auto& most = plan["most_flops_per_iteration"];
      const std::string_view name = method;
      EXPECT_EQ(most.is_null(), name.find("pg") != std::string_view::npos || name == "anls") << method;
      for (std::size_t k = 1; k < rows.size(); ++k) {
        const double flops = rows[k][2] - rows[k - 1][2];
        EXPECT_GE(flops, least * (1 - 1e-12)) << method << " on " << input;
        EXPECT_LE(flops, (most.is_null() ? flops : most.get<double>()) * (1 + 1e-12)) << method;
      }
      const bool one_sweep = name == "hals" || name == "mu";
      EXPECT_NEAR(rows[1][2] - rows[0][2], one_sweep ? least : rows[1][2], 1e-9 * least) << method;
    }
  }
}

TEST_F(FactorizeForms, DryRunSaysWhatTheMatrixIsAndGrowsWithIt) {
  const auto json = dry_run("M.npy", {"--transpose"});
  io::write_npy<double>(file("large.npy"), Matrix<double>(1000, 2000, 1.0).view());
  const auto large = dry_run("large.npy", {"--method", "hals"});
  const auto small = dry_run("M.npy", {"--method", "hals"});

  EXPECT_EQ(json["rows"], 20);
  EXPECT_EQ(json["cols"], 30);
  EXPECT_EQ(json["nonzeros"], nullptr);
  EXPECT_EQ(json["method"], "e-a-hals");
  EXPECT_EQ(json["rank"], 4);
  // M, both factors, and H beside its transpose for the report: what the loop had is free by then.
  const double entries = 2e6 - 600 + 4 * (3000 - 50 + 2000 - 20);
  EXPECT_EQ(large["peak_bytes"].get<double>() - small["peak_bytes"].get<double>(), 8 * entries);
}

TEST_F(FactorizeForms, DryRunLeavesAnOlderRunAlone) {
  (void)short_run("out");
  const std::string before = read_text(file("out/run.json"));
  const auto time = fs::last_write_time(file("out"));

  const Outcome outcome = anmf({"factorize", "M.npy", "--rank", "9", "--dry-run", "--out", "out"});

  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* word : {"30 x 20", "dense", "rank 9", "flops", "memory", "MB"}) {
    EXPECT_TRUE(contains(outcome.out, word));
  }
  EXPECT_EQ(read_text(file("out/run.json")), before);
  EXPECT_EQ(fs::last_write_time(file("out")), time);
}

TEST(FormatBytes, RoundsToThreeDigits) {
  EXPECT_EQ(cli::format_bytes(0), "0 bytes");
  EXPECT_EQ(cli::format_bytes(999), "999 bytes");
  EXPECT_EQ(cli::format_bytes(1000), "1 KB");
  EXPECT_EQ(cli::format_bytes(999'600), "1 MB");
  EXPECT_EQ(cli::format_bytes(20'123'456), "20.1 MB");
  EXPECT_EQ(cli::format_bytes(3.2e9), "3.2 GB");
}

}  // namespace
}  // namespace anmf::test
