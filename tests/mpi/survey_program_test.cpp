// SPDX-License-Identifier: MIT
// anmf-mpi survey under mpirun: the tables of anmf survey, whoever makes the jobs.
#include "mpi_program.h"
#include "survey_fixture.h"

namespace anmf::test {
namespace {

class MpiSurvey : public SurveyTest {
 protected:
  MpiSurvey() { set_mpi_environment(); }

  [[nodiscard]] Outcome mpi(int ranks, const Arguments& arguments) const {
    return run_in(file(""), kMpirun, Arguments{"-n", std::to_string(ranks), kMpiProgram} + arguments);
  }
};

TEST_F(MpiSurvey, HasTheTablesOfOneProcess) {
  done(survey("one"));
  const Outcome outcome = mpi(3, survey("three", {"--threads", "2"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_same("one", "three");
  // One rank speaks.
  const std::string word = "suggestion";
  const auto first = outcome.out.find(word);
  EXPECT_NE(first, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(word, first + 1), std::string::npos) << outcome.out;
}

TEST_F(MpiSurvey, GoesOnWithWhatOneProcessBegan) {
  done(survey("one"));
  done(survey("s", {"--part", "1/2"}));
  const Outcome outcome = mpi(2, {"survey", "--resume", "s"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_same("one", "s");
}

TEST_F(MpiSurvey, FailsOnceAndEverywhere) {
  const Outcome outcome = mpi(2, survey("s", {"--init", "spa"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "anmf-mpi: --init must be scaled-random or random in a survey"));
  const Outcome large = mpi(2, {"survey", "P.npy", "--ranks", "40", "--out", "s"});
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(file("s")));
}

}  // namespace
}  // namespace anmf::test
