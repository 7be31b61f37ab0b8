// SPDX-License-Identifier: MIT
// Surveys of a small matrix, and when two of them are the same.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace anmf::test {

using Table = std::vector<std::vector<std::string>>;

/// The fields of a table without quotes; those of the column `seconds` are left out.
inline Table read_table(const std::filesystem::path& path) {
  Table table;
  std::istringstream lines(read_text(path));
  std::size_t seconds = std::string::npos;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::string field;
    for (std::istringstream text(line + ','); std::getline(text, field, ',');) fields.push_back(field);
    for (std::size_t k = 0; k < fields.size() && table.empty(); ++k)
      if (fields[k] == "seconds") seconds = k;
    if (seconds < fields.size()) fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(seconds));
    table.push_back(std::move(fields));
  }
  return table;
}

/// P.npy (24 x 15) is a product of rank 3 with some noise.
class SurveyTest : public ProgramTest {
 protected:
  SurveyTest() {
    constexpr Index kRank = 3;
    const Matrix<double> W = random_matrix(24, kRank, 11);
    const Matrix<double> H = random_matrix(kRank, 15, 12);
    const Matrix<double> noise = random_matrix(24, 15, 13);
    Matrix<double> P(24, 15);
    for (Index i = 0; i < P.rows(); ++i) {
      for (Index j = 0; j < P.cols(); ++j) {
        P(i, j) = 0.05 * noise(i, j);
        for (Index p = 0; p < kRank; ++p) P(i, j) += W(i, p) * W(i, p) * H(p, j) * H(p, j);
      }
    }
    io::write_npy<double>(file("P.npy"), P.view());
  }

  /// Ranks 2 to 4, and few starts, of P.npy.
  [[nodiscard]] static Arguments survey(const std::string& out, const Arguments& further = {}) {
    return Arguments{"survey", "P.npy", "--ranks",           "2-4", "--starts",   "4",
                     "--out",  out,     "--heldout-repeats", "2",   "--no-report"} +
           further;
  }
  Outcome done(const Arguments& arguments, int exit_code = 0) const {
    Outcome outcome = anmf(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    return outcome;
  }

  /// Tables but for the seconds, and all factors, spectra and labels, bit by bit.
  void expect_same(const std::string& a, const std::string& b,
                   const std::vector<std::string>& ranks = {"k02", "k03", "k04"}) const {
    for (const char* table : {"survey.csv", "jobs.csv", "components.csv"})
      EXPECT_EQ(read_table(file(a) / table), read_table(file(b) / table)) << table;
    const auto json = [&](const std::string& out) {
      auto whole = read_json(file(out) / "survey.json");
      whole.erase("seconds");
      return whole;
    };
    EXPECT_EQ(json(a), json(b));
    for (const std::string& rank : ranks) {
      for (const char* name : {"/W.npy", "/H.npy", "/best/W.npy", "/best/H.npy"})
        EXPECT_EQ(read_text(file(a + "/" + rank + name)), read_text(file(b + "/" + rank + name)))
            << rank << name;
      for (const char* folder : {"/spectra/", "/labels/"}) {
        EXPECT_EQ(read_text(file(a + folder + rank + ".npy")), read_text(file(b + folder + rank + ".npy")))
            << folder << rank;
      }
    }
  }
};

}  // namespace anmf::test
