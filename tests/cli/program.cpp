// SPDX-License-Identifier: MIT
#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace anmf::test {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "anmf-cli-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

int shell_exit_code(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Outcome run_anmf(const fs::path& folder, const Arguments& arguments) {
  return run_in(folder, kProgram, arguments);
}

Outcome run_in(const fs::path& folder, const std::string& program, const Arguments& arguments) {
  // Into files and not through pipes: no reader has to keep up with the program.
  const TemporaryFolder captured;
  const fs::path out = captured.path() / "stdout";
  const fs::path err = captured.path() / "stderr";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);

  Arguments owned = Arguments{program} + arguments;
  std::vector<char*> argv;
  for (std::string& argument : owned) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + program);
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("lost the program");
  return {shell_exit_code(status), read_text(out), read_text(err),
          1024 * static_cast<double>(usage.ru_maxrss)};
}

int signal_anmf(const fs::path& folder, const Arguments& arguments, int signal, double seconds) {
  Arguments owned = Arguments{kProgram} + arguments;
  std::vector<char*> argv;
  for (std::string& argument : owned) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  EXPECT_EQ(posix_spawn(&child, kProgram, &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd end = {.fd = handle, .events = POLLIN, .revents = 0};
  const timespec wait = {.tv_sec = static_cast<time_t>(seconds),
                         .tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
  ppoll(&end, 1, &wait, nullptr);
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  close(handle);
  return shell_exit_code(status);
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

nlohmann::json read_json(const fs::path& path) { return nlohmann::json::parse(read_text(path)); }

nlohmann::json read_report(const fs::path& path) {
  const std::string html = read_text(path);
  constexpr std::string_view kOpening = R"(<script type="application/json" id="anmf-report">)";
  const std::size_t begin = html.find(kOpening) + kOpening.size();
  const std::size_t end = html.find("</script>", begin);
  return nlohmann::json::parse(html.substr(begin, end - begin));
}

std::vector<std::vector<double>> read_trace(const fs::path& path) {
  std::istringstream lines(read_text(path));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "iteration,seconds,flops,error,relative_error,inner_w,inner_h,penalty,objective,"
            "compressed_iterations,promised_decrease,kkt,divergence,heldout");
  std::vector<std::vector<double>> rows;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    std::vector<double>& row = rows.emplace_back();
    while (std::getline(fields, field, ',')) row.push_back(field.empty() ? kNotLooked : std::stod(field));
    if (line.ends_with(',')) row.push_back(kNotLooked);
  }
  return rows;
}

Matrix<double> random_matrix(Index rows, Index cols, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  Matrix<double> matrix(rows, cols);
  // The distributions of the standard library differ between implementations; the generator does not.
  for (double& value : matrix.values()) value = static_cast<double>(generator() >> 11) * 0x1p-53;
  return matrix;
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in: " << text;
}

ProgramTest::ProgramTest() { io::write_npy<double>(file("M.npy"), M_.view()); }

std::string ProgramTest::complaint(int exit_code, const Arguments& arguments) const {
  const Outcome outcome = anmf(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.substr(0, 6), "anmf: ") << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  return outcome.err;
}

nlohmann::json ProgramTest::short_run(const std::string& out, const Arguments& further) const {
  const Arguments base = {"factorize", "M.npy", "--rank", "4", "--tolerance", "0", "--out", out};
  bool limits_iterations = false;
  for (const std::string& argument : further) limits_iterations |= argument == "--max-iterations";
  const Arguments limit = limits_iterations ? Arguments{} : Arguments{"--max-iterations", "5"};
  const Outcome outcome = anmf(base + limit + further);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? read_json(file(out + "/run.json")) : nlohmann::json();
}

}  // namespace anmf::test
