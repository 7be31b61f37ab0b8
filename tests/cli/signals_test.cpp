// SPDX-License-Identifier: MIT
// Signals that ask the program to end: whenever they come, nothing is lost.
#include <chrono>
#include <csignal>
#include <random>

#include "interrupt.h"
#include "program.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class Signals : public ProgramTest {
 protected:
  Signals() { io::write_npy<double>(file("faces.npy"), random_matrix(361, 500, 9).view()); }

  [[nodiscard]] Arguments run(const std::string& out) const {
    return {"factorize",   "faces.npy", "--rank", "10", "--max-iterations",   "60",
            "--tolerance", "0",         "--out",  out,  "--checkpoint-every", "1000"};
  }

  /// A shell that runs the program in the background on an endless task, waits until it computes, does what
  /// `then` says to the process $!, and returns its exit code.
  [[nodiscard]] Outcome in_background(const std::string& then) const {
    const std::string script = std::string(kProgram) +
                               " factorize M.npy --rank 4 --tolerance 0 --max-iterations 100000000 --quiet "
                               "--checkpoint-every 1000 --out out &\n"
                               "until [ -e out/checkpoint.npz ]; do :; done\n" +
                               then + "\nwait $!";
    return run_in(file(""), "/bin/sh", {"-c", script});
  }

  /// W and H are those that run.json and the trace speak of.
  void expect_whole_result(const std::string& out, const Matrix<double>& M) const {
    const auto json = read_json(file(out + "/run.json"));
    const double error = dense_error(M, io::read_npy<double>(file(out + "/W.npy")),
                                     io::read_npy<double>(file(out + "/H.npy")));
    EXPECT_NEAR(json["error"].get<double>(), error, 1e-9 * error);
    EXPECT_EQ(read_trace(file(out + "/trace.csv")).size(), json["iterations"].get<std::size_t>() + 1);
  }

  void expect_no_leftovers(const std::string& out) const {
    for (const auto& entry : fs::directory_iterator(file(out))) {
      EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
    }
  }
};

TEST_F(Signals, LoseNothingAtAnyMoment) {
  const Matrix<double> M = io::read_npy<double>(file("faces.npy"));
  ASSERT_EQ(anmf(run("whole")).exit_code, 0);
  const auto begin = Clock::now();
  ASSERT_EQ(anmf(run("timed")).exit_code, 0);
  const double duration = std::chrono::duration<double>(Clock::now() - begin).count();
  std::mt19937_64 generator(2026);
  const char* const asked = std::getenv("ANMF_SIGNAL_MOMENTS");
  const int moments = asked == nullptr ? 8 : std::stoi(asked);
  int ended_early = 0;
  int resumed = 0;
  for (int k = 0; k < moments; ++k) {
    const std::string out = "run" + std::to_string(k);
    const double moment = duration * static_cast<double>(generator() >> 11U) * 0x1p-53;
    const int signal = k % 4 == 2 ? SIGUSR1 : k % 4 == 3 ? SIGINT : SIGTERM;
    const int code = signal_anmf(file(""), run(out), signal, moment);
    if (code != 0) {
      // A process that has not come to its first line yet dies of the signal itself, and leaves nothing.
      const bool unborn = code == 128 + signal && !fs::exists(file(out));
      EXPECT_TRUE(code == (signal == SIGINT ? 130 : 143) || unborn) << code << " after " << moment;
      ++ended_early;
    }
    if (!fs::exists(file(out))) {  // there was no result yet
      ASSERT_NE(code, 0);
      continue;
    }
    ++resumed;
    expect_whole_result(out, M);
    expect_no_leftovers(out);
    const Outcome outcome = anmf({"factorize", "--resume", out});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const char* name : {"W.npy", "H.npy"})
      ASSERT_EQ(read_text(file("whole") / name), read_text(file(out) / name)) << out << " " << moment;
  }
  EXPECT_GE(ended_early, moments / 4);
  EXPECT_GE(resumed, moments / 4);
}

TEST_F(Signals, EndARunWithItsResultAndACheckpoint) {
  for (const auto& [name, code] : {std::pair("TERM", 143), std::pair("USR1", 143)}) {
    EXPECT_EQ(in_background(std::string("kill -") + name + " $!").exit_code, code);
    EXPECT_EQ(read_json(file("out/run.json"))["status"], "stopped_by_observer");
    expect_whole_result("out", M_);
    expect_no_leftovers("out");
    const Outcome more = anmf({"factorize", "--resume", "out", "--max-iterations", "1", "--out", "more"});
    EXPECT_EQ(more.exit_code, 0) << more.err;
    fs::remove_all(file("out"));
  }
}

TEST_F(Signals, AreHeardWhereAShellHasSigintIgnored) {
  EXPECT_EQ(in_background("kill -INT $!").exit_code,
            130);  // sh ignores it for what it puts in the background
  expect_whole_result("out", M_);
}

TEST_F(Signals, ThatComeTwiceToAProcessAndItsGroupAreOneRequest) {
  EXPECT_EQ(in_background("kill -TERM $!; kill -TERM $!").exit_code, 143);
  expect_whole_result("out", M_);
}

TEST_F(Signals, EndAComparisonThatKeepsItsRuns) {
  const std::string script = std::string(kProgram) +
                             " compare M.npy --rank 3 --methods hals,mu --starts 1000 --work 50 --out out &\n"
                             "until ls out/runs/*.json; do :; done >/dev/null 2>&1\n"
                             "kill -TERM $!; wait $!";
  const Outcome outcome = run_in(file(""), "/bin/sh", {"-c", script});
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_TRUE(contains(outcome.err, "of 2000 runs are kept, and the same command goes on from there."));
}

TEST(Interrupts, ChangeNothingOnceTheEndIsDecided) {
  const auto hear_one = [](bool decided) {
    cli::hear_interrupts("anmf");
    if (decided) cli::ignore_interrupts();
    (void)std::raise(SIGTERM);
    std::_Exit(3);
  };
  EXPECT_EXIT(hear_one(false), testing::ExitedWithCode(143),
              "anmf: ended by SIGTERM before there was a result");
  EXPECT_EXIT(hear_one(true), testing::ExitedWithCode(3), "^$");
}

}  // namespace
}  // namespace anmf::test
