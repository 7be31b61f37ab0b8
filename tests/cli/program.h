// SPDX-License-Identifier: MIT
// Runs the real program in a folder of its own and looks at what it leaves behind.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "anmf/matrix.h"
#include "support/places.h"

namespace anmf::test {

/// A new empty folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int exit_code = -1;  ///< 128 + signal if a signal ended the program
  std::string out;
  std::string err;
  double peak_bytes = 0;  ///< that were resident
};

using Arguments = std::vector<std::string>;

[[nodiscard]] Arguments operator+(Arguments left, const Arguments& right);

/// Runs `program arguments...` in `folder` and waits for it.
[[nodiscard]] Outcome run_in(const std::filesystem::path& folder, const std::string& program,
                             const Arguments& arguments);
/// Runs `anmf arguments...` in `folder` and waits for it.
[[nodiscard]] Outcome run_anmf(const std::filesystem::path& folder, const Arguments& arguments);

/// Runs `anmf arguments...` in `folder`, sends it the signal after so many seconds unless it has ended, and
/// returns its exit code.
[[nodiscard]] int signal_anmf(const std::filesystem::path& folder, const Arguments& arguments, int signal,
                              double seconds);

/// The exit code of a process that has ended, as a shell reports it.
[[nodiscard]] int shell_exit_code(int wait_status);

[[nodiscard]] std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, std::string_view text);
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path);
/// The data of a report page, as its own script reads them.
[[nodiscard]] nlohmann::json read_report(const std::filesystem::path& path);

/// The rows of a trace.csv as numbers. Fails the test if the header is not the documented one.
[[nodiscard]] std::vector<std::vector<double>> read_trace(const std::filesystem::path& path);
/// Columns of a trace.
inline constexpr std::size_t kTraceError = 3;
inline constexpr std::size_t kTraceInnerW = 5;
inline constexpr std::size_t kTracePenalty = 7;
inline constexpr std::size_t kTraceObjective = 8;
/// The measures of convergence where nobody has looked at them: an empty field.
inline constexpr double kNotLooked = std::numeric_limits<double>::quiet_NaN();

/// Uniform entries in [0, 1), the same on every machine.
[[nodiscard]] Matrix<double> random_matrix(Index rows, Index cols, std::uint64_t seed);

/// ||M - W diag(scale) H||_F entry by entry; no scale means ones.
template <class T>
[[nodiscard]] double dense_error(const Matrix<double>& M, const Matrix<T>& W, const Matrix<T>& H,
                                 const std::vector<double>& scale = {}) {
  double sum = 0;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      double entry = M(i, j);
      for (Index p = 0; p < W.cols(); ++p) {
        const double factor = scale.empty() ? 1.0 : scale[static_cast<std::size_t>(p)];
        entry -= factor * static_cast<double>(W(i, p)) * static_cast<double>(H(p, j));
      }
      sum += entry * entry;
    }
  }
  return std::sqrt(sum);
}

[[nodiscard]] testing::AssertionResult contains(const std::string& text, const std::string& part);

/// A folder with a random matrix in M.npy (30 x 20), and shorthands for runs on it.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest();

  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] Outcome anmf(const Arguments& arguments) const { return run_anmf(folder_.path(), arguments); }
  /// Runs and expects this exit code, nothing on stdout and one line on stderr that begins with "anmf: ",
  /// and returns that line.
  [[nodiscard]] std::string complaint(int exit_code, const Arguments& arguments) const;
  /// Five iterations on M.npy at rank 4 into `out` with further arguments; expects success.
  [[nodiscard]] nlohmann::json short_run(const std::string& out, const Arguments& further = {}) const;

  Matrix<double> M_ = random_matrix(30, 20, 1);

 private:
  TemporaryFolder folder_;
};

}  // namespace anmf::test
