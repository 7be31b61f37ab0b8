// SPDX-License-Identifier: MIT
// anmf consensus: one rank of a survey cut anew, and nothing else.
#include "survey_fixture.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class ConsensusCommand : public SurveyTest {
 protected:
  /// The line of a rank in survey.csv.
  [[nodiscard]] std::vector<std::string> row(const std::string& out, const std::string& rank) const {
    for (const auto& line : read_table(file(out + "/survey.csv")))
      if (line.front() == rank) return line;
    return {};
  }
  [[nodiscard]] std::map<std::string, std::string> contents(const std::string& out) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(file(out)))
      if (entry.is_regular_file()) files[entry.path().string()] = read_text(entry.path());
    return files;
  }
};

TEST_F(ConsensusCommand, CutsARankAsTheSurveyDid) {
  done(survey("s"));
  fs::copy(file("s"), file("before"), fs::copy_options::recursive);
  const Outcome outcome = done({"consensus", "s", "--rank", "3"});
  EXPECT_TRUE(contains(outcome.out,
                       "rank            3, 4 starts, 0 of 12 spectra left out\nclusters        matched\n"));
  for (const char* table : {"survey.csv", "jobs.csv", "components.csv"})
    EXPECT_EQ(read_text(file("s") / table), read_text(file("before") / table)) << table;
  for (const char* name : {"k03/W.npy", "k03/H.npy", "k03/best/H.npy", "spectra/k03.npy"})
    EXPECT_EQ(read_text(file("s") / name), read_text(file("before") / name)) << name;
  EXPECT_EQ(read_json(file("s/survey.json"))["notes"].dump(),
            R"(["Rank 3: cut anew with matched clusters, density threshold 2, neighbourhood 0.3."])");
}

TEST_F(ConsensusCommand, CutsARankAsASurveyOfFreeClustersDoes) {
  done(survey("matched"));
  done(survey("free", {"--clusters", "free", "--density-threshold", "1"}));
  const std::vector<std::string> before = row("matched", "2");
  done({"consensus", "matched", "--rank", "4", "--clusters", "free", "--density-threshold", "1"});
  EXPECT_EQ(row("matched", "4"), row("free", "4"));
  EXPECT_EQ(row("matched", "2"), before);
  for (const char* name : {"/k04/W.npy", "/k04/H.npy"})
    EXPECT_EQ(read_text(file(std::string("matched") + name)), read_text(file(std::string("free") + name)));
  // Free clusters come with a threshold of their own, which the survey's does not replace.
  done({"consensus", "free", "--rank", "4", "--clusters", "free"});
  EXPECT_TRUE(contains(read_text(file("free/survey.json")),
                       "Rank 4: cut anew with free clusters, density threshold 0.5, neighbourhood 0.3."));
  // The next survey cuts all ranks alike.
  done({"survey", "--resume", "matched"});
  EXPECT_FALSE(contains(read_text(file("matched/survey.json")), "cut anew"));
}

TEST_F(ConsensusCommand, FindsParentsOfThisRankAndTheNext) {
  done(survey("s"));
  const Table before = read_table(file("s/components.csv"));
  done({"consensus", "s", "--rank", "3", "--clusters", "free", "--density-threshold", "2"});
  const Table after = read_table(file("s/components.csv"));
  ASSERT_EQ(after.size(), before.size());
  const auto H = [&](int rank) {
    return io::read_npy<double>(file("s/k0" + std::to_string(rank) + "/H.npy"));
  };
  for (std::size_t k = 1; k < after.size(); ++k) {
    const int rank = std::stoi(after[k][0]);
    const Index component = std::stoi(after[k][1]) - 1;
    if (rank == 2) {
      EXPECT_EQ(after[k][6], "0");
      continue;
    }
    const Matrix<double> mine = H(rank);
    const Matrix<double> smaller = H(rank - 1);
    double best = -1;
    for (Index p = 0; p < smaller.rows(); ++p) {
      double product = 0, x = 0, y = 0;
      for (Index j = 0; j < mine.cols(); ++j) {
        product += mine(component, j) * smaller(p, j);
        x += mine(component, j) * mine(component, j);
        y += smaller(p, j) * smaller(p, j);
      }
      best = std::max(best, product / std::sqrt(x * y));
    }
    EXPECT_NEAR(std::stod(after[k][7]), best, 1e-12);
  }
}

TEST_F(ConsensusCommand, WritesComponentsInOtherUnits) {
  write_text(file("t.csv"), "id,a,b,c,d\nu,1,2,0,4\nv,2,4,1,0\nw,0,1,3,1\nx,5,1,0,2\ny,1,1,2,3\n");
  write_text(
      file("all.csv"),
      "id,a,b,c,d,e\nu,10,20,0,40,1\nv,20,40,10,0,1\nw,0,10,30,10,1\nx,50,10,0,20,1\ny,10,10,20,30,1\n");
  done({"survey", "t.csv", "--ranks", "1-2", "--starts", "3", "--heldout", "none", "--no-report", "--out",
        "s"});
  done({"consensus", "s", "--rank", "2", "--refit", "all.csv"});
  const Matrix<double> refit = io::read_npy<double>(file("s/k02/refit.npy"));
  EXPECT_EQ(refit.rows(), 2);
  EXPECT_EQ(refit.cols(), 5);
  // Shares of a sample sum to 1, so what is 1 everywhere is 1 in every component, and tells none from
  // another.
  const Matrix<double> scores = io::read_npy<double>(file("s/k02/scores.npy"));
  for (Index p = 0; p < 2; ++p) {
    EXPECT_NEAR(refit(p, 4), 1, 1e-12);
    EXPECT_EQ(scores(p, 4), 0);
  }
  EXPECT_TRUE(contains(read_text(file("s/k02/refit.tsv")), "\ta\tb\tc\td\te\ncomponent_1\t"));
  EXPECT_TRUE(fs::exists(file("s/k02/scores.tsv")));
  // Of other components, they would be wrong.
  done({"consensus", "s", "--rank", "2"});
  for (const char* name : {"refit.npy", "refit.tsv", "scores.npy", "scores.tsv"})
    EXPECT_FALSE(fs::exists(file("s/k02") / name)) << name;

  const auto before = contents("s");
  write_text(file("other.csv"), "id,a\nu,1\nv,2\nW,3\nx,4\ny,5\n");
  EXPECT_TRUE(contains(complaint(3, {"consensus", "s", "--rank", "2", "--refit", "other.csv"}),
                       "number 3 is 'W' there, and 'w' here"));
  write_text(file("few.csv"), "id,a\nu,1\nv,2\n");
  EXPECT_TRUE(contains(complaint(3, {"consensus", "s", "--rank", "2", "--refit", "few.csv"}),
                       "'few.csv' has 2 samples, and the matrix of the survey has 5"));
  (void)complaint(3, {"consensus", "s", "--rank", "2", "--refit", "absent.csv"});
  EXPECT_EQ(contents("s"), before);
}

TEST_F(ConsensusCommand, NeedsTheMatrixOfTheSurvey) {
  done(survey("s"));
  fs::rename(file("P.npy"), file("Q.npy"));
  const auto before = contents("s");
  EXPECT_TRUE(contains(complaint(3, {"consensus", "s", "--rank", "3"}), "The survey in 's' is of this file"));
  EXPECT_TRUE(
      contains(complaint(2, {"consensus", "s", "--rank", "3", "--input", "M.npy"}), "is of another matrix"));
  EXPECT_EQ(contents("s"), before);
  done({"consensus", "s", "--rank", "3", "--input", "Q.npy"});
  EXPECT_EQ(read_json(file("s/survey.json"))["input"]["name"], file("Q.npy").string());
}

TEST_F(ConsensusCommand, ChangesNothingWhereItFails) {
  done(survey("s"));
  const auto before = contents("s");
  EXPECT_EQ(complaint(2, {"consensus", "s", "--rank", "7"}),
            "anmf: the survey in 's' has no rank 7; it has 2-4. anmf survey --resume s --ranks 7 adds it.\n");
  EXPECT_TRUE(contains(complaint(2, {"consensus", "s", "--rank", "3", "--density-threshold", "1e-9"}),
                       "0 of 12 spectra of rank 3 have a local density below 1e-09, too few for 3 clusters"));
  EXPECT_TRUE(contains(complaint(2, {"consensus", "s"}), "--rank"));
  EXPECT_TRUE(
      contains(complaint(2, {"consensus", "s", "--rank", "0"}), "--rank must be a whole number at least 1"));
  EXPECT_TRUE(contains(complaint(2, {"consensus", "s", "--rank", "3", "--clusters", "fre"}),
                       "--clusters must be one of matched|free, not 'fre'; did you mean free?"));
  EXPECT_TRUE(contains(complaint(3, {"consensus", "absent", "--rank", "3"}),
                       "'absent' is no folder of a survey to go on with: it has no survey.toml."));
  EXPECT_EQ(contents("s"), before);
  done(survey("part", {"--part", "1/2"}));
  EXPECT_TRUE(contains(complaint(3, {"consensus", "part", "--rank", "3"}),
                       "has no tables yet; anmf survey --resume 'part' goes on with it and writes them"));
}

}  // namespace
}  // namespace anmf::test
