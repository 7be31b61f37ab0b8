// SPDX-License-Identifier: MIT
// What a survey holds is what --dry-run says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "program.h"

namespace anmf::test {
namespace {

class SurveyMemoryPeak : public ProgramTest {
 protected:
  /// The same lines again and again: the tests themselves stay small, as the peak of who starts a program
  /// counts as that of the program.
  void write_dense(const std::string& name, Index rows, Index cols) const {
    const Matrix<double> random = random_matrix(100, cols, 5);
    std::string header =
        fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
    header.resize(117, ' ');
    std::ofstream out(file(name), std::ios::binary);
    out << std::string_view("\x93NUMPY\1\0\x76\0", 10) << header << '\n';
    for (Index i = 0; i < rows; ++i)
      out.write(reinterpret_cast<const char*>(random.view().row(i % 100)),
                static_cast<std::streamsize>(8 * cols));
  }

  /// The peak over what was said.
  void expect_what_was_said(const Arguments& more, double least = 0.9) const {
#ifdef ANMF_SAMPLE_SLOW_TESTS
    GTEST_SKIP() << "A sanitizer takes several times the memory of the program.";
#endif
    const Arguments survey =
        Arguments{"survey", "M.npy",   "--out",     "s", "--max-iterations", "2", "--tolerance",
                  "0",      "--quiet", "--threads", "2"} +
        more;
    const Outcome said = anmf(survey + Arguments{"--dry-run", "--json"});
    ASSERT_EQ(said.exit_code, 0) << said.err;
    const double expected = nlohmann::json::parse(said.out)["peak_bytes"].get<double>();
    const Outcome outcome = anmf(survey);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_LT(outcome.peak_bytes, 1.1 * expected);
    EXPECT_GT(outcome.peak_bytes, least * expected);
  }
};

TEST_F(SurveyMemoryPeak, OfJobsThatHoldOutEntries) {
  write_dense("M.npy", 30'000, 200);  // one at a time: two of them need not have their peaks together
  expect_what_was_said({"--ranks", "8", "--starts", "2", "--heldout-repeats", "2", "--jobs", "1"});
}

TEST_F(SurveyMemoryPeak, OfARankThatIsSummedUp) {
  write_dense("M.npy", 2500, 300);
  expect_what_was_said({"--ranks", "5", "--starts", "20", "--heldout", "none"});
}

TEST_F(SurveyMemoryPeak, OfAMatrixOnDisk) {
  write_dense("M.npy", 80'000, 80);
  constexpr double kRoundedBlocks = 0.7;  // they fill what the limit leaves, and no more
  expect_what_was_said(
      {"--ranks", "10", "--starts", "4", "--heldout", "none", "--memory", "90M", "--consensus-rows", "500"},
      kRoundedBlocks);
}

}  // namespace
}  // namespace anmf::test
