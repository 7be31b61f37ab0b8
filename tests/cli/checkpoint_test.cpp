// SPDX-License-Identifier: MIT
// anmf factorize --checkpoint-every and --resume: whatever ends a run, it can go on to the same bits.
#include <chrono>
#include <csignal>
#include <random>

#include "program.h"
#include "support/file_size_limit.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class Checkpoints : public ProgramTest {
 protected:
  /// A run of 40 iterations that takes a moment: on a matrix like that of faces.
  Checkpoints() { io::write_npy<double>(file("faces.npy"), random_matrix(361, 500, 9).view()); }

  [[nodiscard]] Arguments run(const std::string& out, const Arguments& further = {}) const {
    return Arguments{"factorize", "faces.npy",   "--rank", "10", "--max-iterations", "40", "--tolerance",
                     "0",         "--no-report", "--out",  out} +
           further;
  }

  void expect_same_factors(const std::string& a, const std::string& b) const {
    for (const char* name : {"/W.npy", "/H.npy"}) {
      ASSERT_EQ(read_text(file(a + name)), read_text(file(b + name))) << b << name;
    }
  }
};

TEST_F(Checkpoints, DoNotChangeTheResult) {
  ASSERT_EQ(anmf(run("plain")).exit_code, 0);
  ASSERT_EQ(anmf(run("kept", {"--checkpoint-every", "0"})).exit_code, 0);
  expect_same_factors("plain", "kept");
  EXPECT_TRUE(fs::exists(file("kept/checkpoint.npz")));
  EXPECT_FALSE(fs::exists(file("plain/checkpoint.npz")));
}

TEST_F(Checkpoints, LetARunGoOnWithAHigherLimitFromAnotherFolder) {
  ASSERT_EQ(anmf(run("whole")).exit_code, 0);
  ASSERT_EQ(anmf(run("part", {"--max-iterations", "40"})).exit_code, 2);  // given twice
  ASSERT_EQ(anmf({"factorize", "faces.npy", "--rank", "10", "--max-iterations", "13", "--tolerance", "0",
                  "--checkpoint-every", "1000", "--no-report", "--out", "part"})
                .exit_code,
            0);
  fs::create_directory(file("elsewhere"));
  const Outcome outcome =
      run_anmf(file("elsewhere"), {"factorize", "--resume", "../part", "--max-iterations", "40"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_same_factors("whole", "part");
  EXPECT_EQ(read_json(file("part/run.json"))["iterations"], 40);
  EXPECT_EQ(read_trace(file("part/trace.csv")).size(), 41U);
}

TEST_F(Checkpoints, GoOnIntoAnotherFolderAndWithFloats) {
  const Arguments single = {"--precision", "float32", "--shuffle", "--method", "a-hals"};
  ASSERT_EQ(anmf(run("whole", single)).exit_code, 0);
  ASSERT_EQ(anmf(run("first", single + Arguments{"--checkpoint-every", "0"})).exit_code, 0);
  const Outcome outcome = anmf({"factorize", "--resume", "first", "--out", "second"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_same_factors("whole", "second");
}

TEST_F(Checkpoints, SurviveSigkillAtFiftyMoments) {
  ASSERT_EQ(anmf(run("whole")).exit_code, 0);
  const Arguments often = {"--checkpoint-every", "0"};
  const auto begin = Clock::now();
  ASSERT_EQ(anmf(run("timed", often)).exit_code, 0);
  const double duration = std::chrono::duration<double>(Clock::now() - begin).count();

  std::mt19937_64 generator(2026);
  int killed = 0;
  int resumed = 0;
#ifdef ANMF_SAMPLE_SLOW_TESTS
  constexpr int kMoments = 5;
#else
  constexpr int kMoments = 50;
#endif
  for (int k = 0; k < kMoments; ++k) {
    const std::string out = "run" + std::to_string(k);
    const double moment = duration * static_cast<double>(generator() >> 11U) * 0x1p-53;
    killed += signal_anmf(file(""), run(out, often), SIGKILL, moment) == 128 + SIGKILL ? 1 : 0;
    // Before the first checkpoint there is nothing to go on from, and nothing is lost.
    const bool has_checkpoint = fs::exists(file(out + "/checkpoint.npz"));
    resumed += has_checkpoint ? 1 : 0;
    const Outcome outcome = has_checkpoint ? anmf({"factorize", "--resume", out}) : anmf(run(out, often));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_same_factors("whole", out);
    // What a killed process was writing goes away with the next one.
    for (const auto& entry : fs::directory_iterator(file(out))) {
      ASSERT_NE(entry.path().filename().string().front(), '.') << entry.path();
    }
  }
  EXPECT_GE(killed, kMoments / 2);
  EXPECT_GE(resumed, kMoments / 4);
}

TEST_F(Checkpoints, OfAnOlderRunGoAwayWithTheResultsOfANewOne) {
  ASSERT_EQ(anmf(run("out", {"--checkpoint-every", "0"})).exit_code, 0);
  ASSERT_EQ(anmf(run("out")).exit_code, 0);
  EXPECT_FALSE(fs::exists(file("out/checkpoint.npz")));
}

TEST_F(Checkpoints, ThatAreMissingDamagedOrOfAnotherRunAreRefused) {
  EXPECT_EQ(
      complaint(3, {"factorize", "--resume", "nowhere"}),
      "anmf: nowhere: there is no checkpoint.npz to go on from; only runs with --checkpoint-every write "
      "one.\n");
  ASSERT_EQ(anmf(run("out", {"--checkpoint-every", "0"})).exit_code, 0);
  EXPECT_EQ(
      complaint(2, {"factorize", "--resume", "out", "--rank", "9"}),
      "anmf: The checkpoint is of another run: its rank is 10, here it is 9. Resume with the matrix and "
      "the options that the run began with; only threads, limits and tolerances may change.\n");
  EXPECT_TRUE(
      contains(complaint(2, {"factorize", "M.npy", "--resume", "out"}), "The checkpoint is of another run"));
  EXPECT_TRUE(contains(complaint(2, {"factorize", "--resume", "out", "--init-w", "W.npy"}),
                       "do not go with --resume"));

  const std::string whole = read_text(file("out/checkpoint.npz"));
  write_text(file("out/checkpoint.npz"), whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(contains(complaint(3, {"factorize", "--resume", "out"}), "checkpoint.npz"));
  std::string flipped = whole;
  flipped[whole.find("matrices/W.X.npy") + 5000] ^= 1;
  write_text(file("out/checkpoint.npz"), flipped);
  EXPECT_TRUE(contains(complaint(3, {"factorize", "--resume", "out"}), "checkpoint.npz"));
  fs::copy_file(file("out/W.npy"), file("out/checkpoint.npz"), fs::copy_options::overwrite_existing);
  EXPECT_TRUE(contains(complaint(3, {"factorize", "--resume", "out"}), "checkpoint.npz"));
}

TEST_F(Checkpoints, OfAnotherMatrixOfTheSameSizesAndNormAreRefused) {
  const Matrix<double> M = random_matrix(40, 40, 5);
  Matrix<double> reversed(40, 40);
  for (Index i = 0; i < 40; ++i) std::copy_n(M.view().row(i), 40, reversed.view().row(39 - i));
  io::write_npy<double>(file("square.npy"), M.view());
  io::write_npy<double>(file("turned.npy"), transposed(M).view());
  const Arguments resume = {"factorize", "--resume", "out", "--max-iterations", "12"};
  ASSERT_EQ(anmf({"factorize", "square.npy", "--rank", "3", "--max-iterations", "9", "--tolerance", "0",
                  "--checkpoint-every", "0", "--no-report", "--out", "out"})
                .exit_code,
            0);

  EXPECT_EQ(
      complaint(2, resume + Arguments{"--transpose"}),
      "anmf: --transpose is true here, but the run was begun with false: that is another matrix. Resume "
      "without --transpose, or begin a new run.\n");
  EXPECT_TRUE(contains(complaint(2, resume + Arguments{"--negative", "clip"}),
                       "--negative is clip here, but the run was begun with error"));
  EXPECT_TRUE(contains(complaint(2, resume + Arguments{"--precision", "float32"}),
                       "--precision is float32 here, but the run was begun with float64"));
  EXPECT_TRUE(contains(complaint(2, resume + Arguments{"--rows", "a"}),
                       "--rows is a here, but the run was begun with all"));
  EXPECT_TRUE(contains(complaint(2, resume + Arguments{"turned.npy"}), "of another matrix"));
  io::write_npy<double>(file("square.npy"), reversed.view());
  EXPECT_TRUE(contains(complaint(2, resume), "of another matrix: its fingerprint of the entries is "));

  // The same entries in another file, read in blocks, are the same matrix.
  io::write_npy<double>(file("same.npy"), M.view());
  ASSERT_EQ(anmf({"convert", "same.npy", "same.csv"}).exit_code, 0);
  for (const char* name : {"same.csv", "same.npy"}) {
    const Outcome outcome = anmf(resume + Arguments{name, "--precision", "float64", "--out", "more"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(read_json(file("more/run.json"))["iterations"], 12);
  }
}

TEST_F(Checkpoints, KnowAFileByTheBytesOfItsName) {
  const std::string name = "caf\xe9 50%.npy";  // Latin-1
  fs::copy_file(file("M.npy"), file(name));
  ASSERT_EQ(anmf({"factorize", name, "--rank", "2", "--max-iterations", "3", "--tolerance", "0",
                  "--checkpoint-every", "0", "--no-report", "--out", "out"})
                .exit_code,
            0);
  const Outcome outcome = anmf({"factorize", "--resume", "out", "--max-iterations", "6"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_json(file("out/run.json"))["iterations"], 6);
}

TEST_F(Checkpoints, ThatDoNotFitAreNoticedBeforeTheComputation) {
  ASSERT_EQ(anmf(run("out", {"--checkpoint-every", "0"})).exit_code, 0);
  const std::string before = read_text(file("out/checkpoint.npz"));
  Outcome outcome;
  {
    const FileSizeLimit limit(20'000);
    outcome = anmf(run("out", {"--checkpoint-every", "0"}));
  }
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_TRUE(contains(outcome.err, "checkpoint.npz: cannot be written: File too large."));
  EXPECT_EQ(read_text(file("out/checkpoint.npz")), before);
}

}  // namespace
}  // namespace anmf::test
