// SPDX-License-Identifier: MIT
// Whatever ends a survey, it goes on to the same tables.
#include <csignal>

#include "support/file_size_limit.h"
#include "support/killed_program.h"
#include "survey_fixture.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class SurveyResume : public SurveyTest {};

TEST_F(SurveyResume, MayBeKilledAtAnyMoment) {
  done(survey("whole"));
  int kills = 0;
  for (int n = 1;; n += 1 + n / 3) {
    ASSERT_LT(n, 10000);
    const Arguments arguments = kills % 2 == 0 || !fs::exists(file("s/survey.toml"))
                                    ? survey("s", {"--threads", "1"})
                                    : Arguments{"survey", "--resume", "s"};
    const End end = run_and_kill_at(n, file(""), kProgram, arguments);
    if (end == End::not_traced) GTEST_SKIP() << "processes cannot be traced here";
    if (end == End::finished) break;
    ++kills;
  }
  EXPECT_GE(kills, 8);
  done({"survey", "--resume", "s"});
  expect_same("whole", "s");
}

TEST_F(SurveyResume, IsSharedByProcessesAtTheSameTime) {
  done(survey("whole"));
  const auto part = [](const std::string& number) {
    return std::string(kProgram) +
           " survey P.npy --ranks 2-4 --starts 4 --heldout-repeats 2 --no-report --out s --part " + number +
           "/3 >/dev/null & ";
  };
  const Outcome outcome = run_in(file(""), "/bin/sh",
                                 {"-c", part("1") + "one=$!; " + part("2") + "two=$!; " + part("3") +
                                            "wait $! && wait $one && wait $two"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome summed = done({"survey", "--resume", "s"});
  EXPECT_TRUE(contains(summed.out, "0 made, 18 were there"));
  expect_same("whole", "s");
}

TEST_F(SurveyResume, ReadsAMatrixOnDiskInTheBlocksItBeganWith) {
  const Matrix<double> big = random_matrix(600, 500, 5);
  io::write_npy<double>(file("big.npy"), big.view());
  const Arguments of_disk = {
      "survey", "big.npy",          "--starts", "3",           "--heldout", "none", "--max-iterations",
      "10",     "--consensus-rows", "20",       "--no-report", "--threads", "1"};
  const auto with = [&](const std::string& ranks, const std::string& memory, const std::string& out) {
    return of_disk + Arguments{"--ranks", ranks, "--memory", memory, "--out", out};
  };
  const std::string refused = complaint(2, with("2-3", "1M", "s"));
  EXPECT_TRUE(
      contains(refused, "Fewer --consensus-rows, smaller --ranks, --precision float32 or a limit of "));
  const std::string limit = "23.5M";
  done(with("2", limit, "s"));
  const auto key = read_json(file("s/survey.json"))["key"];
  ASSERT_TRUE(key.contains("block_bytes")) << "the limit is too high for this test";
  // With a larger rank, and another limit, it would choose others.
  done({"survey", "--resume", "s", "--ranks", "3", "--memory", "23.6M"});
  EXPECT_EQ(read_json(file("s/survey.json"))["key"], key);
  const std::string in_memory = complaint(2, {"survey", "--resume", "s", "--memory", "1G"});
  EXPECT_TRUE(contains(in_memory, "has block_bytes = "));
  EXPECT_TRUE(contains(in_memory, ", and here it is not known"));
}

TEST_F(SurveyResume, MakesDamagedJobsAgain) {
  done(survey("whole"));
  done(survey("s", {"--part", "1/1"}));
  const std::string name = "s/jobs/k03/s0002.npz";
  const std::string job = read_text(file(name));
  write_text(file(name), job.substr(0, job.size() / 2));
  fs::remove(file("s/jobs/k04/h0001.npz"));
  const Outcome outcome = done({"survey", "--resume", "s"});
  EXPECT_TRUE(contains(outcome.out, "2 made, 16 were there"));
  expect_same("whole", "s");
  // Packed ones, too.
  write_text(file("s/spectra/k02.npy"), "damaged");
  const Outcome again = done({"survey", "--resume", "s"});
  EXPECT_TRUE(contains(again.out, "4 made, 14 were there"));
  expect_same("whole", "s");
}

TEST_F(SurveyResume, SumsUpWhatIsThereAfterASignal) {
  for (const auto& [name, code] : {std::pair("TERM", 143), std::pair("INT", 130)}) {
    const std::string script =
        std::string(kProgram) +
        " survey P.npy --ranks 2-3 --starts 1000 --tolerance 0 --out s --quiet --no-report &\n"
        "until [ -e s/jobs/k02/s0001.npz ]; do :; done\n"
        "kill -" +
        name + " $!; wait $!";
    EXPECT_EQ(run_in(file(""), "/bin/sh", {"-c", script}).exit_code, code);
    const auto json = read_json(file("s/survey.json"));
    EXPECT_EQ(json["ranks"].dump(), "[2,3]");
    EXPECT_TRUE(contains(json["notes"].dump(), "The survey has ended before all of its jobs were made"));
    const auto jobs = read_table(file("s/jobs.csv")).size();
    EXPECT_GE(jobs, 12U);
    EXPECT_LT(jobs, 2000U);
    EXPECT_TRUE(fs::exists(file("s/k02/H.npy")));
    fs::remove_all(file("s"));
  }
}

TEST_F(SurveyResume, SurvivesADiskThatIsFull) {
  done(survey("whole"));
  for (const rlim_t bytes : {300U, 1700U, 2000U}) {
    Outcome outcome;
    {
      const FileSizeLimit limit(bytes);
      outcome = anmf(survey("s"));
    }
    EXPECT_EQ(outcome.exit_code, 5) << bytes;
    EXPECT_TRUE(contains(outcome.err, "File too large")) << bytes;
  }
  done(survey("s"));
  expect_same("whole", "s");
  // What was there is there still.
  {
    const FileSizeLimit limit(2000);
    EXPECT_EQ(anmf({"survey", "--resume", "s", "--starts", "6"}).exit_code, 5);
  }
  done({"survey", "--resume", "s", "--starts", "4"});
}

TEST_F(SurveyResume, KeepsTheOthersWhereJobsFail) {
  // So few entries that some masks leave nothing to judge by.
  write_text(file("small.csv"), "1,2,0,2\n2,4,1,0\n0,1,3,1\n");
  const Arguments arguments = {"survey", "small.csv", "--header", "no",    "--ranks",
                               "1-2",    "--starts",  "3",        "--out", "s"};
  const Outcome outcome = anmf(arguments);
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_TRUE(contains(outcome.err, "jobs failed, the first one k 1, held out "));
  EXPECT_TRUE(contains(outcome.err, "--retry-failed makes them again."));
  const auto json = read_json(file("s/survey.json"));
  EXPECT_FALSE(json["failed"].empty());
  EXPECT_TRUE(contains(json["failed"][0]["message"], "it has too few of them"));
  EXPECT_TRUE(contains(read_text(file("s/jobs.csv")), ",failed,"));
  EXPECT_EQ(io::read_npy<double>(file("s/spectra/k02.npy")).rows(), 6);
  const Table before = read_table(file("s/jobs.csv"));
  EXPECT_TRUE(contains(anmf(arguments).out, "jobs            0 made, 16 were there\n"));
  const Outcome again = anmf(arguments + Arguments{"--retry-failed"});
  EXPECT_EQ(again.exit_code, 6);
  EXPECT_TRUE(contains(again.out, "jobs            " + std::to_string(json["failed"].size()) + " made"));
  EXPECT_EQ(read_table(file("s/jobs.csv")), before);
}

}  // namespace
}  // namespace anmf::test
