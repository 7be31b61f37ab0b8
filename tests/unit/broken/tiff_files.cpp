// SPDX-License-Identifier: MIT
#include <limits>
#include <string>
#include <utility>

#include "support/broken_files.h"
#include "support/files_and_messages.h"
#include "support/tiff_writer.h"

namespace anmf::io_test {

BrokenFiles broken_tiff_files() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::string pixels = "abcdef";
  const std::string good = tiff({{.pixels = pixels}, {.pixels = pixels}});
  const auto page = [](TiffPageBytes bytes) { return file(tiff({std::move(bytes)})); };
  const auto second = [&](TiffPageBytes bytes) { return file(tiff({{.pixels = pixels}, std::move(bytes)})); };
  return {
      {"tiff_magic_only.tif", file(good.substr(0, 4))},
      {"tiff_cut_in_pixels.tif", file(good.substr(0, 10))},
      {"tiff_cut_in_directory.tif", file(good.substr(0, 30))},
      {"tiff_cut_in_second_directory.tif", file(good.substr(0, good.size() - 20))},
      {"tiff_colours.tif", page({.pixels = std::string(18, 'a'), .samples = 3, .photometric = 2})},
      {"tiff_one_colour.tif", page({.pixels = pixels, .photometric = 2})},
      {"tiff_white_is_0.tif", page({.pixels = pixels, .photometric = 0})},
      {"tiff_jpeg.tif", page({.pixels = pixels, .compression = 7})},
      {"tiff_unknown_compression.tif", page({.pixels = pixels, .compression = 12345})},
      {"tiff_one_bit.tif", page({.pixels = "ab", .bits = 1})},
      {"tiff_signed.tif", page({.pixels = std::string(12, '\1'), .bits = 16, .format = 2})},
      {"tiff_complex.tif", page({.pixels = std::string(48, '\1'), .bits = 64, .format = 6})},
      {"tiff_without_pixels.tif", page({.pixels = pixels, .height = 0})},
      {"tiff_huge_promise.tif", page({.pixels = pixels, .height = 60000, .width = 60000})},
      {"tiff_damaged_lzw.tif", page({.pixels = pixels, .compression = 5})},
      {"tiff_of_two_sizes.tif", second({.pixels = "abcdef", .height = 3, .width = 2})},
      {"tiff_of_two_types.tif", second({.pixels = "abcdefabcdef", .bits = 16})},
      {"tiff_second_in_colour.tif", second({.pixels = pixels, .photometric = 2})},
      {"tiff_imagej_without_pages.tif", page({.pixels = pixels, .description = "ImageJ=1.53\nimages=7\n"})},
      {"tiff_nan.tif", page({.pixels = stored<float>({1, kNan, 1, 1, 1, 1}), .bits = 32, .format = 3})},
      {"tiff_compressed.tif.gz", file(gzip(good))},
  };
}

}  // namespace anmf::io_test
