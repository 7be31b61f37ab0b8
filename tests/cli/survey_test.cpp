// SPDX-License-Identifier: MIT
// anmf survey: what it leaves behind, and that nothing of it hangs on threads, parts and order.
#include "rank_list.h"
#include "survey_fixture.h"
#include "survey_progress.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class Survey : public SurveyTest {};

TEST_F(Survey, LeavesTheFilesThatAreDocumented) {
  write_text(file("t.csv"), "id,a,b,c,d\nu,1,2,0,4\nv,2,4,1,0\nw,0,1,3,1\nx,5,1,0,2\ny,1,1,2,3\n");
  const Outcome outcome =
      done({"survey", "t.csv", "--ranks", "1-2", "--starts", "3", "--heldout", "none", "--out", "s"});
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(file("s"))) {
    const std::string name = fs::relative(entry.path(), file("s")).string();
    const bool internal =
        name.starts_with("jobs/") || name.starts_with("factors/") || name.starts_with("pages/");
    if (entry.is_regular_file() && !internal) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> expected = {"components.csv", "jobs.csv"};
  for (const char* rank : {"k01", "k02"}) {
    for (const char* name : {"H.npy", "H.tsv", "W.npy", "W.tsv", "run.json", "top.tsv"}) {
      expected.push_back(std::string(rank) + "/" + name);
      expected.push_back(std::string(rank) + "/best/" + name);
    }
    expected.push_back("labels/" + std::string(rank) + ".npy");
    expected.push_back("spectra/" + std::string(rank) + ".npy");
  }
  for (const char* name : {"survey.csv", "survey.json", "survey.toml"}) expected.emplace_back(name);
  if (report::has_report_page()) expected.emplace_back("report.html");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(files, expected);
  EXPECT_TRUE(contains(outcome.out, "survey          ranks 1-2, 3 starts each\n"));
  EXPECT_TRUE(contains(outcome.out, "jobs            6 made, 0 were there\n"));
  EXPECT_TRUE(contains(outcome.out, "suggestion      none"));
  EXPECT_TRUE(contains(outcome.out, "go on with      anmf consensus s --rank "));
  EXPECT_TRUE(contains(read_text(file("s/k02/H.tsv")), "\ta\tb\tc\td\n"));
  EXPECT_EQ(done({"transform", "t.csv", "--components", "s/k02", "--out", "fitted"}).exit_code, 0);
}

TEST_F(Survey, HasTheSameTablesForAnyNumberOfThreads) {
  done(survey("one", {"--threads", "1"}));
  done(survey("two", {"--threads", "2"}));
  done(survey("eight", {"--threads", "8", "--jobs", "3"}));
  expect_same("one", "two");
  expect_same("one", "eight");
}

TEST_F(Survey, HasTheSameTablesInParts) {
  done(survey("whole", {"--threads", "2"}));
  for (const char* part : {"3/3", "1/3", "2/3"}) {
    const Outcome outcome = done(survey("parts", {"--part", part}));
    EXPECT_TRUE(contains(outcome.out, "6 jobs made"));
    EXPECT_FALSE(fs::exists(file("parts/survey.csv")));
  }
  const Outcome outcome = done({"survey", "--resume", "parts"});
  EXPECT_TRUE(contains(outcome.out, "jobs            0 made, 18 were there\n"));
  expect_same("whole", "parts");
}

TEST_F(Survey, IsExtendedByRanksAndStarts) {
  done(survey("whole"));
  done({"survey", "P.npy", "--ranks", "2-3", "--starts", "2", "--heldout-repeats", "2", "--no-report",
        "--out", "s"});
  const Outcome outcome = done({"survey", "--resume", "s", "--ranks", "4", "--starts", "4"});
  EXPECT_TRUE(contains(outcome.out, "survey          ranks 2-4, 4 starts each\n"));
  EXPECT_TRUE(contains(outcome.out, "jobs            10 made, 8 were there\n"));
  expect_same("whole", "s");
  EXPECT_EQ(read_text(file("s/survey.toml")).substr(0, 14), "ranks = \"2-4\"\n");
  // The command that began it goes on with it, too.
  const Outcome again = done(survey("s", {"--json"}));
  EXPECT_EQ(nlohmann::json::parse(again.out), read_json(file("s/survey.json")));
  expect_same("whole", "s");
}

TEST_F(Survey, GoesOnFromElsewhereAndWithItsMatrixElsewhere) {
  done(survey("s"));
  fs::create_directory(file("elsewhere"));
  EXPECT_EQ(run_in(file("elsewhere"), kProgram, {"survey", "--resume", "../s", "--quiet"}).exit_code, 0);
  fs::rename(file("P.npy"), file("elsewhere/Q.npy"));
  EXPECT_TRUE(contains(complaint(3, {"survey", "--resume", "s"}),
                       "The survey in 's' is of this file; if it has moved, name it before the options."));
  done({"survey", "elsewhere/Q.npy", "--resume", "s"});
}

TEST_F(Survey, MakesJobsThatFactorizeRepeats) {
  done(survey("s", {"--seed", "7"}));
  const Table jobs = read_table(file("s/jobs.csv"));
  ASSERT_EQ(jobs.size(), 19U);
  const std::vector<std::string>& job = jobs.at(9);
  ASSERT_EQ(job[0], "3");
  ASSERT_EQ(job[1], "2");
  done({"factorize", "P.npy", "--rank", "3", "--seed", job[4], "--explore", "off", "--max-iterations", "5000",
        "--out", "run"});
  EXPECT_EQ(std::stod(job[7]), read_json(file("run/run.json"))["error"].get<double>());
  EXPECT_EQ(std::stoi(job[6]), read_json(file("run/run.json"))["iterations"].get<int>());
  done(survey("other", {"--seed", "8"}));
  EXPECT_NE(read_table(file("other/jobs.csv")).at(9)[4], job[4]);
}

TEST_F(Survey, FindsThePlantedRank) {
  const Outcome outcome =
      done({"survey", "P.npy", "--ranks", "2-5", "--starts", "10", "--no-report", "--out", "s"});
  const auto json = read_json(file("s/survey.json"));
  EXPECT_EQ(json["suggestion"]["rank"], 3);
  EXPECT_EQ(json["ranks"].dump(), "[2,3,4,5]");
  EXPECT_TRUE(contains(outcome.out, "suggestion      rank 3\n"));
  EXPECT_TRUE(contains(outcome.out, "go on with      anmf consensus s --rank 3\n"));
}

TEST_F(Survey, HasSpectraInWWhereFeaturesAreRows) {
  done({"convert", "P.npy", "T.npy", "--transpose"});
  done({"survey", "T.npy", "--ranks", "2-4", "--starts", "4", "--features", "rows", "--no-report",
        "--heldout-repeats", "2", "--out", "rows"});
  const auto H = io::read_npy<double>(file("rows/k03/H.npy"));
  EXPECT_EQ(H.rows(), 3);
  EXPECT_EQ(H.cols(), 24);
  EXPECT_EQ(io::read_npy<double>(file("rows/spectra/k03.npy")).cols(), 15);
  EXPECT_EQ(io::read_npy<std::uint16_t>(file("rows/labels/k03.npy")).cols(), 24);
}

TEST_F(Survey, TakesTheOptionsOfTheEngineAndTheInput) {
  done(survey("s", {"--loss", "kl", "--method", "e-a-mu", "--max-iterations", "20", "--precision", "float32",
                    "--prepare", "sqrt", "--keep", "all", "--heldout", "none"}));
  const auto key = read_json(file("s/survey.json"))["key"];
  EXPECT_EQ(key["loss"], "kullback-leibler");
  EXPECT_EQ(key["method"], "e-a-mu");
  EXPECT_EQ(key["max_iterations"], 20);
  EXPECT_EQ(key["precision"], "float32");
  EXPECT_TRUE(fs::exists(file("s/factors/k03/s0000.npz")));
  EXPECT_TRUE(fs::exists(file("s/factors/k03/s0003.npz")));
  EXPECT_TRUE(fs::exists(file("s/k03/prepare.json")));
  EXPECT_EQ(read_table(file("s/jobs.csv")).size(), 13U);
  const Outcome outcome = done({"survey", "--resume", "s", "--quiet"});
  EXPECT_EQ(outcome.out, "");
}

TEST_F(Survey, JudgesByBlocksAndDrawsEntriesAnew) {
  done(survey("bcv", {"--heldout", "bcv"}));
  EXPECT_TRUE(contains(read_text(file("bcv/jobs.csv")), ",bcv,1,"));
  EXPECT_NE(read_table(file("bcv/survey.csv")).at(1).at(19), "");
  EXPECT_EQ(read_table(file("bcv/survey.csv")).at(1).at(17), "");  // heldout
  for (const char* kind : {"poisson", "uniform:0.1"}) {
    done(survey(kind, {"--resample", kind}));
    EXPECT_EQ(read_json(file(kind) / "survey.json")["key"]["resample"], kind);
  }
}

TEST_F(Survey, TellsWhatItWouldTake) {
  const Outcome outcome = done(survey("s", {"--dry-run"}));
  EXPECT_TRUE(contains(outcome.out, "survey          18 jobs, "));
  EXPECT_TRUE(contains(outcome.out, "time            about "));
  EXPECT_TRUE(contains(outcome.out, "memory          about "));
  EXPECT_FALSE(fs::exists(file("s")));
  const auto json = nlohmann::json::parse(done(survey("s", {"--dry-run", "--json"})).out);
  EXPECT_EQ(json["jobs"], 18);
  EXPECT_GT(json["seconds"], 0);
  EXPECT_GT(json["peak_bytes"], 1e6);
}

TEST(RankList, IsReadAndWritten) {
  const auto ranks = [](const std::string& text) {
    return cli::format_ranks(cli::parse_ranks("--ranks", text));
  };
  EXPECT_EQ(ranks("2-15"), "2-15");
  EXPECT_EQ(ranks("5-20:5"), "5,10,15,20");
  EXPECT_EQ(ranks("5-22:5"), "5,10,15,20");
  EXPECT_EQ(ranks("16,4,8"), "4,8,16");
  EXPECT_EQ(ranks("7-8,1,2-3"), "1-3,7-8");
  EXPECT_EQ(ranks("3"), "3");
  EXPECT_EQ(ranks("3-3"), "3");
}

TEST(SurveyLine, SaysHowFarItIs) {
  const SurveyProgress progress = {
      .done = 312, .total = 1000, .made = 38, .at_a_time = 4, .seconds = 20, .seconds_left = 362};
  EXPECT_EQ(cli::survey_line({.key = {9, JobKind::start, 12}}, progress),
            "job 312/1000 | k 9, start 12 | 4 at a time | 1.9 jobs/s | ETA 6m 02s");
  EXPECT_EQ(cli::survey_line({.key = {9, JobKind::heldout, 1}}, {.done = 1, .total = 2}),
            "job 1/2 | k 9, held out 1 | 1 at a time");
}

}  // namespace
}  // namespace anmf::test
