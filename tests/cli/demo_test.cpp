// SPDX-License-Identifier: MIT
// anmf demo: the first thing a newcomer runs.
#include <algorithm>
#include <cmath>

#include "program.h"
#include "swimmer.h"

namespace anmf::test {
namespace {

class Demo : public ProgramTest {};

struct PngSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// From the IHDR chunk, which follows the 8 bytes of magic, a length and the chunk's name.
PngSize png_size(const std::string& bytes) {
  if (bytes.size() < 24 || bytes.substr(0, 8) != "\x89PNG\r\n\x1a\n" || bytes.substr(12, 4) != "IHDR")
    return {};
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
  };
  return {word(16), word(20)};
}

/// Of the angle between a column of W and an image.
double cosine(const Matrix<double>& W, Index column, const Matrix<double>& image) {
  double product = 0;
  double squares_W = 0;
  double squares_image = 0;
  for (Index pixel = 0; pixel < image.size(); ++pixel) {
    product += W(pixel, column) * image.data()[pixel];
    squares_W += W(pixel, column) * W(pixel, column);
    squares_image += image.data()[pixel] * image.data()[pixel];
  }
  return squares_W > 0 ? product / std::sqrt(squares_W * squares_image) : 0;
}

// One run for all of this: it takes seconds under a sanitizer.
TEST_F(Demo, FindsAndDrawsEveryPartOfTheSwimmer) {
  const Outcome outcome = anmf({"demo"});

  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = read_json(file("demo-out/run.json"));
  EXPECT_EQ(json["rows"], 1024);
  EXPECT_EQ(json["cols"], 256);
  EXPECT_EQ(json["rank"], 17);
  EXPECT_EQ(json["method"], "a-hals");
  EXPECT_LT(json["relative_error"].get<double>(), 0.05);
  EXPECT_EQ(read_trace(file("demo-out/trace.csv")).size(), json["iterations"].get<std::size_t>() + 1);

  const Matrix<double> W = io::read_npy<double>(file("demo-out/W.npy"));
  for (const Matrix<double>& part : cli::swimmer_parts()) {
    double best = 0;
    for (Index p = 0; p < W.cols(); ++p) best = std::max(best, cosine(W, p, part));
    EXPECT_GT(best, 0.99);
  }

  // Tiles of 32 x 32 entries, four pixels each, two pixels between and around them.
  const PngSize images = png_size(read_text(file("demo-out/swimmer.png")));
  EXPECT_EQ(images.width, 8U * (32 * 4 + 2) + 2);
  EXPECT_EQ(images.height, 2U * (32 * 4 + 2) + 2);
  const PngSize components = png_size(read_text(file("demo-out/components.png")));
  EXPECT_EQ(components.width, 6U * (32 * 4 + 2) + 2);
  EXPECT_EQ(components.height, 3U * (32 * 4 + 2) + 2);
}

TEST_F(Demo, TellsTheReaderWhereToLook) {
  const Outcome outcome = anmf({"demo", "--out", "pictures", "--seed", "3"});

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("pictures/components.png"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("relative error"), std::string::npos);
  // Where it takes long there are lines of progress, but no complaint.
  EXPECT_EQ(outcome.err.find("anmf:"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("note:"), std::string::npos) << outcome.err;
}

TEST_F(Demo, NeedsAFolderItCanWriteTo) {
  write_text(file("plain"), "a file");

  EXPECT_EQ(anmf({"demo", "--out", "plain/pictures"}).exit_code, 5);
}

}  // namespace
}  // namespace anmf::test
