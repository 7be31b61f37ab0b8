// SPDX-License-Identifier: MIT
// What goes wrong ends with the documented exit code and one sentence that helps.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "anmf/options.h"
#include "anmf/version.h"
#include "program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

class ProgramErrors : public ProgramTest {};

const Arguments kRun = {"factorize", "M.npy", "--out", "out"};

TEST_F(ProgramErrors, NoSubcommandIsAUsageError) { EXPECT_TRUE(contains(complaint(2, {}), "--help")); }

TEST_F(ProgramErrors, AnUnknownSubcommandOrOptionIsAUsageError) {
  EXPECT_TRUE(contains(complaint(2, {"factorise"}), "factorise"));
  EXPECT_TRUE(contains(complaint(2, kRun + Arguments{"--rank", "3", "--rnak", "4"}), "--rnak"));
}

TEST_F(ProgramErrors, RankOutAndInputAreRequired) {
  EXPECT_TRUE(contains(complaint(2, kRun), "--rank"));
  EXPECT_TRUE(contains(complaint(2, {"factorize", "M.npy", "--rank", "3"}), "--out"));
  EXPECT_TRUE(contains(complaint(2, {"factorize", "--rank", "3", "--out", "out"}), "INPUT"));
  EXPECT_FALSE(fs::exists(file("out")));
}

TEST_F(ProgramErrors, AValueOutOfRangeIsAUsageErrorThatNamesTheRange) {
  struct Case {
    const char* option;
    const char* value;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"--rank", "0", "in [1, 1000000]"},
      {"--rank", "1000001", "in [1, 1000000]"},
      {"--rank", "4.5", "whole number"},
      {"--rank", "many", "whole number"},
      {"--seed", "-1", "at least 0"},
      {"--threads", "-1", "in [0, 4096]"},
      {"--epsilon", "1", "in [0, 1)"},
      {"--epsilon", "nan", "in [0, 1)"},
      {"--alpha", "-0.5", "at least 0"},
      {"--alpha", "inf", "at least 0"},
      {"--delta", "-1", "at least 0"},
      {"--tolerance", "1e", "number"},
      {"--l1-ratio", "1.5", "in [0, 1]"},
      {"--time-limit", "-1", "at least 0"},
      {"--inner-stop", "soon", "hybrid"},
      {"--rho", "guessed", "measured"},
      {"--init", "lucky", "scaled-random|random|nndsvd|nndsvda|nndsvdar|spa"},
      {"--normalize", "l3", "l1|l2"},
      {"--precision", "float16", "float32|float64"},
      {"--max-inner-iterations", "0", "at least 1"},
  };
  for (const Case& c : cases) {
    const Arguments rank = std::string_view(c.option) == "--rank" ? Arguments{} : Arguments{"--rank", "3"};

    const std::string sentence = complaint(2, kRun + rank + Arguments{c.option, c.value});

    EXPECT_TRUE(contains(sentence, c.option));
    EXPECT_TRUE(contains(sentence, c.value));
    EXPECT_TRUE(contains(sentence, c.expected));
  }
}

TEST_F(ProgramErrors, AnUnknownMethodIsAUsageErrorThatNamesTheMethods) {
  const std::string sentence = complaint(2, kRun + Arguments{"--rank", "3", "--method", "fast"});

  EXPECT_TRUE(contains(sentence, "fast"));
  for (const Method& method : methods()) EXPECT_TRUE(contains(sentence, std::string(method.name)));
}

TEST_F(ProgramErrors, AMissingInputIsAnInputError) {
  const std::string sentence = complaint(3, {"factorize", "absent.npy", "--rank", "3", "--out", "out"});

  EXPECT_TRUE(contains(sentence, "absent.npy"));
  EXPECT_FALSE(fs::exists(file("out")));
}

TEST_F(ProgramErrors, AFileThatIsNoMatrixIsAnInputError) {
  write_text(file("notes.txt"), "some words\n");

  EXPECT_TRUE(contains(complaint(3, {"factorize", "notes.txt", "--rank", "3", "--out", "out"}), "notes.txt"));
  EXPECT_TRUE(contains(complaint(3, {"factorize", ".", "--rank", "3", "--out", "out"}), "."));
}

TEST_F(ProgramErrors, ABadEntryIsAnInputErrorThatNamesItsPosition) {
  struct Case {
    double value;
    const char* expected;
  };
  for (const Case& c : {Case{-0.125, "-0.125"}, Case{std::nan(""), "nan"},
                        Case{std::numeric_limits<double>::infinity(), "inf"}}) {
    Matrix<double> bad = M_;
    bad(7, 11) = c.value;
    io::write_npy<double>(file("bad.npy"), bad.view());

    const std::string sentence = complaint(3, {"factorize", "bad.npy", "--rank", "3", "--out", "out"});

    EXPECT_TRUE(contains(sentence, "bad.npy"));
    EXPECT_TRUE(contains(sentence, "[7, 11]"));
    EXPECT_TRUE(contains(sentence, c.expected));
  }
}

TEST_F(ProgramErrors, ANegativeEntryOfASparseFileIsAnInputError) {
  write_text(file("S.mtx"), "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 2\n2 3 -1.5\n");

  EXPECT_TRUE(contains(complaint(3, {"factorize", "S.mtx", "--rank", "1", "--out", "out"}), "-1.5"));
}

TEST_F(ProgramErrors, AStartFactorOfTheWrongShapeIsAUsageErrorThatNamesBothShapes) {
  io::write_npy<double>(file("W0.npy"), random_matrix(29, 3, 1).view());

  const std::string sentence = complaint(2, kRun + Arguments{"--rank", "3", "--init-w", "W0.npy"});

  EXPECT_TRUE(contains(sentence, "29 x 3"));
  EXPECT_TRUE(contains(sentence, "30 x 3"));
}

TEST_F(ProgramErrors, AnInitThatDoesNotGoWithTheRestIsAUsageErrorThatSaysWhatDoes) {
  io::write_npy<double>(file("W0.npy"), random_matrix(30, 3, 1).view());

  EXPECT_TRUE(contains(complaint(2, kRun + Arguments{"--rank", "21", "--init", "nndsvd"}),
                       "rank = 21 must be at most min(30, 20)"));
  EXPECT_TRUE(contains(complaint(2, kRun + Arguments{"--rank", "3", "--init", "spa", "--init-w", "W0.npy"}),
                       "give both"));
}

TEST_F(ProgramErrors, AMissingStartFactorIsAnInputError) {
  EXPECT_TRUE(
      contains(complaint(3, kRun + Arguments{"--rank", "3", "--init-h", "absent.npy"}), "absent.npy"));
}

TEST_F(ProgramErrors, ABadEntryOfAStartFactorIsAnInputErrorThatNamesTheFile) {
  Matrix<double> bad = random_matrix(3, 20, 1);
  bad(2, 5) = -1;
  io::write_npy<double>(file("H0.npy"), bad.view());

  const std::string sentence = complaint(3, kRun + Arguments{"--rank", "3", "--init-h", "H0.npy"});

  EXPECT_TRUE(contains(sentence, "H0.npy"));
  EXPECT_TRUE(contains(sentence, "[2, 5]"));
}

TEST_F(ProgramErrors, AFolderThatCannotBeMadeIsAnOutputError) {
  write_text(file("plain"), "a file");

  const std::string below = complaint(5, {"factorize", "M.npy", "--rank", "3", "--out", "plain/out"});
  const std::string itself = complaint(5, {"factorize", "M.npy", "--rank", "3", "--out", "plain"});

  EXPECT_TRUE(contains(below, "plain/out"));
  EXPECT_TRUE(contains(itself, "--out"));
  EXPECT_EQ(read_text(file("plain")), "a file");
}

TEST_F(ProgramErrors, AnOutputThatIsAFolderIsNoticedBeforeTheRun) {
  fs::create_directories(file("out/H.npy"));
  write_text(file("out/W.npy"), "precious");

  // An input that does not exist would be exit 3 if the program got so far.
  const std::string sentence = complaint(5, {"factorize", "absent.npy", "--rank", "3", "--out", "out"});

  EXPECT_TRUE(contains(sentence, "H.npy"));
  EXPECT_EQ(read_text(file("out/W.npy")), "precious");
}

TEST_F(ProgramErrors, AFailedRunLeavesAnOlderRunUntouched) {
  (void)short_run("out");
  const std::string factor = read_text(file("out/W.npy"));
  const std::string description = read_text(file("out/run.json"));
  const auto files = [&] {
    return std::distance(fs::directory_iterator(file("out")), fs::directory_iterator());
  };
  const auto files_before = files();
  Matrix<double> bad = M_;
  bad(0, 0) = -1;
  io::write_npy<double>(file("bad.npy"), bad.view());
  io::write_npy<double>(file("W0.npy"), random_matrix(2, 2, 1).view());

  (void)complaint(3, {"factorize", "bad.npy", "--rank", "3", "--out", "out"});
  (void)complaint(2, kRun + Arguments{"--rank", "3", "--init-w", "W0.npy"});

  EXPECT_EQ(read_text(file("out/W.npy")), factor);
  EXPECT_EQ(read_text(file("out/run.json")), description);
  EXPECT_EQ(files(), files_before);
}

TEST_F(ProgramErrors, AFailedRunRemovesTheFoldersItMade) {
  (void)complaint(3, {"factorize", "absent.npy", "--rank", "3", "--out", "a/b/c"});

  EXPECT_FALSE(fs::exists(file("a")));
}

TEST_F(ProgramErrors, HelpAndVersionAreNoErrors) {
  const Outcome version = anmf({"--version"});
  const Outcome help = anmf({"--help"});

  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, fmt::format("anmf {}\n", kVersion));
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"factorize", "transform", "info", "compare", "reproduce", "demo"}) {
    EXPECT_TRUE(contains(help.out, command));
    const Outcome own = anmf({command, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_TRUE(contains(own.out, "Example")) << command;
  }
}

TEST_F(ProgramErrors, AnAnswerThatNobodyGetsIsAnOutputError) {
  const Outcome lost = run_in(file(""), "/bin/sh", {"-c", "\"$0\" --version > /dev/full", kProgram});
  EXPECT_EQ(lost.exit_code, 5);
  EXPECT_EQ(lost.err, "anmf: cannot write to standard output.\n");
}

TEST_F(ProgramErrors, ResultsThatNoDiskHoldsAreNoticedBeforeTheComputation) {
  io::write_npy<float>(file("tall.npy"), Matrix<float>(4'000'000, 1).view());
  const std::string message = complaint(5, {"factorize", "tall.npy", "--rank", "1000000", "--out", "out"});
  EXPECT_TRUE(contains(message, "cannot write to the folder 'out': the results take about 32 TB, but only "));
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

TEST_F(ProgramErrors, NumbersOutOfRangeAreExitCodeFour) {
  Matrix<double> W(30, 2, 1.0);
  W(0, 0) = 1e200;  // its square is infinite
  io::write_npy<double>(file("W.npy"), W.view());
  EXPECT_TRUE(
      contains(complaint(4, {"factorize", "M.npy", "--rank", "2", "--init-w", "W.npy", "--out", "out"}),
               "the factors left the range of the number type"));
}

}  // namespace
}  // namespace anmf::test
