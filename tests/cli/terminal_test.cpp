// SPDX-License-Identifier: MIT
// The program in a real terminal: the live line, and Ctrl-C.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "program.h"

namespace anmf::test {
namespace {

/// The program in a pseudo-terminal of its own.
class Terminal {
 public:
  Terminal(const std::filesystem::path& folder, Arguments arguments) {
    // Nothing may allocate between fork and exec, so everything is ready before.
    arguments.insert(arguments.begin(), kProgram);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    child_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ < 0) throw std::runtime_error("cannot open a pseudo-terminal");
    if (child_ == 0) {
      if (chdir(folder.c_str()) == 0) execv(kProgram, argv.data());
      _exit(127);
    }
  }

  ~Terminal() {
    if (!ended_) {
      kill(child_, SIGKILL);
      (void)wait();
    }
    close(terminal_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Reads until the screen has shown `text` or the program has closed the terminal.
  bool shows(const std::string& text) {
    while (screen_.find(text) == std::string::npos) {
      if (!read_some()) return false;
    }
    return true;
  }

  /// Presses Ctrl-C: the terminal itself sends the signal.
  void press_interrupt() const { ASSERT_EQ(write(terminal_, "\x03", 1), 1); }

  /// Waits until the program has taken the first interrupt, after which the next one has its default action:
  /// the kernel keeps only one of two that are waiting.
  void await_interrupt_taken() const {
    constexpr unsigned long kInterruptBit = 1UL << (SIGINT - 1);
    unsigned long caught = kInterruptBit;
    while ((caught & kInterruptBit) != 0) {
      const std::string status = read_text("/proc/" + std::to_string(child_) + "/status");
      caught = std::stoul(status.substr(status.find("SigCgt:") + 7), nullptr, 16);
    }
  }

  /// Waits for the end of the program and returns its exit code.
  int wait() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(child_, &status, 0);
    ended_ = true;
    return shell_exit_code(status);
  }

  [[nodiscard]] const std::string& screen() const { return screen_; }

 private:
  bool read_some() {
    char buffer[4096];
    const ssize_t count = read(terminal_, buffer, sizeof buffer);
    if (count <= 0) return false;
    screen_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  int terminal_ = -1;
  pid_t child_ = -1;
  bool ended_ = false;
  std::string screen_;
};

class InATerminal : public ProgramTest {
 protected:
  const Arguments endless_ = {"factorize",        "M.npy",     "--rank",    "4", "--tolerance", "0",
                              "--max-iterations", "100000000", "--threads", "1", "--out",       "out"};
  [[nodiscard]] std::filesystem::path folder() const { return file("M.npy").parent_path(); }
};

TEST_F(InATerminal, InterruptKeepsTheResultSoFar) {
  Terminal terminal(folder(), endless_);
  ASSERT_TRUE(terminal.shows("relative error")) << terminal.screen();

  terminal.press_interrupt();

  EXPECT_EQ(terminal.wait(), 130) << terminal.screen();
  const auto json = read_json(file("out/run.json"));
  EXPECT_EQ(json["status"], "stopped_by_observer");
  const auto rows = read_trace(file("out/trace.csv"));
  EXPECT_EQ(rows.size(), json["iterations"].get<std::size_t>() + 1);
  const double expected =
      dense_error(M_, io::read_npy<double>(file("out/W.npy")), io::read_npy<double>(file("out/H.npy")));
  EXPECT_NEAR(json["error"].get<double>(), expected, 1e-9 * expected);
}

TEST_F(InATerminal, TheLiveLineShowsRateElapsedTimeAndEta) {
  Terminal terminal(folder(), endless_);

  for (const char* part : {"iteration ", "relative error 0.", " it/s", " s", "ETA "}) {
    EXPECT_TRUE(terminal.shows(part)) << part << " in " << terminal.screen();
  }
  EXPECT_EQ(terminal.screen().find('\n'), std::string::npos);

  terminal.press_interrupt();
  EXPECT_EQ(terminal.wait(), 130);
}

TEST_F(InATerminal, TheSummaryFollowsOnAClearedLine) {
  Terminal terminal(folder(), {"factorize", "M.npy", "--rank", "4", "--out", "out"});

  EXPECT_EQ(terminal.wait(), 0);
  const std::size_t summary = terminal.screen().find("matrix ");
  ASSERT_NE(summary, std::string::npos);
  ASSERT_GT(summary, 0U);
  EXPECT_EQ(terminal.screen()[summary - 1], '\r');
}

TEST_F(InATerminal, QuietShowsNothing) {
  Terminal quiet(folder(), {"factorize", "M.npy", "--rank", "4", "--tolerance", "0", "--max-iterations",
                            "20000", "--quiet", "--out", "quiet"});

  EXPECT_EQ(quiet.wait(), 0);
  EXPECT_EQ(quiet.screen(), "");
  EXPECT_EQ(read_json(file("quiet/run.json"))["iterations"], 20000);
}

TEST_F(InATerminal, ASecondInterruptStopsAtOnce) {
  // An iteration takes so long that the second comes before the first one is heard.
  io::write_npy<double>(file("large.npy"), random_matrix(900, 900, 3).view());
  Terminal terminal(file(""), {"factorize", "large.npy", "--rank", "150", "--method", "anls", "--threads",
                               "1", "--tolerance", "0", "--out", "out"});
  ASSERT_TRUE(terminal.shows("iteration 0/"));
  terminal.press_interrupt();
  terminal.await_interrupt_taken();
  terminal.press_interrupt();
  EXPECT_EQ(terminal.wait(), 130);
  EXPECT_FALSE(std::filesystem::exists(file("out/W.npy")));
}

}  // namespace
}  // namespace anmf::test
