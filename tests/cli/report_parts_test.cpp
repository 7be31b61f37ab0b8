// SPDX-License-Identifier: MIT
// Parts of the report that can be looked at alone: bytes, images and the command line.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "command_line.h"
#include "factor_pictures.h"
#include "report_page.h"
#include "tall_view.h"

namespace anmf::cli {
namespace {

using namespace report;

std::string base64_of(std::string_view text) {
  return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
}

TEST(Base64, GivesTheVectorsOfItsStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::vector<std::uint8_t>{255, 254, 253}), "//79");
}

TEST(ComponentImage, IsScaledToItsOwnMaximum) {
  Matrix<float> factor(4, 2);
  factor(0, 1) = 1, factor(3, 1) = 4, factor(2, 0) = 100;

  EXPECT_EQ(component_image(tall(factor), 1, {2, 2}, 1), (std::vector<std::uint8_t>{64, 0, 0, 255}));
}

TEST(ComponentImage, OfZerosIsBlack) {
  const Matrix<double> factor(6, 1);

  EXPECT_EQ(component_image(tall(factor), 0, {2, 3}, 1), std::vector<std::uint8_t>(6, 0));
}

TEST(ComponentImage, ShrinksByMeansAlsoAtTheEdges) {
  Matrix<double> factor(9, 1);
  for (Index k = 0; k < 9; ++k) factor(k, 0) = static_cast<double>(k);
  // 0 1 | 2
  // 3 4 | 5
  // ---------
  // 6 7 | 8      means 2, 3.5, 6.5, 8

  EXPECT_EQ(component_image(tall(factor), 0, {3, 3}, 2), (std::vector<std::uint8_t>{64, 112, 207, 255}));
}

TEST(ComponentImage, IsTheSameOfARowOfHAndAColumnOfItsTranspose) {
  Matrix<float> H(2, 6);
  for (Index k = 0; k < H.size(); ++k) H.data()[k] = static_cast<float>(k * k % 7);
  const Matrix<float> Ht = transposed(H);

  for (Index p = 0; p < 2; ++p)
    EXPECT_EQ(component_image(turned(H), p, {2, 3}, 1), component_image(tall(Ht), p, {2, 3}, 1));
  EXPECT_EQ(heat_map(turned(H), 4).pixels, heat_map(tall(Ht), 4).pixels);
  EXPECT_EQ(heat_map(turned(H), 4).rows, 4);
}

TEST(ComponentImage, ShrinksOnlyWhereAllTogetherWouldBeTooLarge) {
  EXPECT_EQ(shrink_to_fit({112, 92}, 200), 1);
  EXPECT_EQ(shrink_to_fit({1000, 1000}, 16), 1);
  EXPECT_EQ(shrink_to_fit({1000, 1000}, 17), 2);
  EXPECT_EQ(shrink_to_fit({1000, 1}, 100'000'000), 1000);
}

TEST(ShellCommand, QuotesWhatAShellWouldRead) {
  const std::array<const char*, 6> words = {"/usr/bin/anmf", "factorize", "it's here.npy",
                                            "--out",         "$HOME",     ""};

  EXPECT_EQ(shell_command(words), R"(anmf factorize 'it'\''s here.npy' --out '$HOME' '')");
}

TEST(ReportPage, CarriesItsDataUnharmed) {
  if (!has_report_page()) GTEST_SKIP() << "built with ANMF_REPORT=OFF";
  const nlohmann::ordered_json data = {{"title", "a < b </script> {{data}} & \u2028"}};

  const std::string html = report_page(data);

  EXPECT_EQ(html.find("a < b"), std::string::npos);
  const std::size_t begin = html.find(R"({"title")");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = html.find("</script>", begin);
  EXPECT_EQ(nlohmann::ordered_json::parse(html.substr(begin, end - begin)), data);
}

}  // namespace
}  // namespace anmf::cli
