// SPDX-License-Identifier: MIT
// Runs whose factors are known, and what their report.html holds.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"
#include "report_page.h"

namespace anmf::test {

/// The data between the tags, as the page's own script reads them.
inline nlohmann::json data_of(const std::string& html) {
  constexpr std::string_view kOpening = R"(<script type="application/json" id="anmf-report">)";
  const std::size_t begin = html.find(kOpening) + kOpening.size();
  const std::size_t end = html.find("</script>", begin);
  return nlohmann::json::parse(html.substr(begin, end - begin));
}

inline std::vector<int> decoded(const std::string& base64) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> bytes;
  int bits = 0;
  int held = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<int>(kDigits.find(c));
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(bits >> held & 255);
    }
  }
  return bytes;
}

/// A folder with K.npy = W H for W (4 x 2) and H (2 x 6) below, and a run that ends where it starts.
class Report : public ProgramTest {
 protected:
  Report() {
    if (!report::has_report_page()) return;
    const std::vector<double> w = {4, 0, 2, 0, 0, 3, 1, 1};
    const std::vector<double> h = {0, 1, 2, 0, 4, 1, 5, 0, 0, 2.5, 0, 5};
    std::copy(w.begin(), w.end(), W_.data());
    std::copy(h.begin(), h.end(), H_.data());
    Matrix<double> K(4, 6);
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 6; ++j) K(i, j) = W_(i, 0) * H_(0, j) + W_(i, 1) * H_(1, j);
    }
    io::write_npy<double>(file("K.npy"), K.view());
    io::write_npy<double>(file("W0.npy"), W_.view());
    io::write_npy<double>(file("H0.npy"), H_.view());
  }
  void SetUp() override {
    if (!report::has_report_page()) GTEST_SKIP() << "built with ANMF_REPORT=OFF";
  }

  /// Runs nothing but the evaluation, so that the factors of the report are W_ and H_.
  [[nodiscard]] Outcome run(const Arguments& further, const std::string& input = "K.npy") const {
    return anmf(Arguments{"factorize", input, "--rank", "2", "--init-w", "W0.npy", "--init-h", "H0.npy",
                          "--max-iterations", "0", "--out", "out"} +
                further);
  }
  [[nodiscard]] nlohmann::json report(const Arguments& further, const std::string& input = "K.npy") const {
    const Outcome outcome = run(further, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? data_of(read_text(file("out/report.html"))) : nlohmann::json();
  }

  Matrix<double> W_ = Matrix<double>(4, 2);
  Matrix<double> H_ = Matrix<double>(2, 6);
};

}  // namespace anmf::test
