// SPDX-License-Identifier: MIT
#include "io/image_decoder.h"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "io/image_check.h"
#include "io/input_file.h"
#include "io/pnm_decoder.h"

// The one place where the body of stb_image is compiled, for this file alone.
#ifndef __clang_analyzer__  // what the static checks find in that body is not ours to mend
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#endif
#define STBI_NO_STDIO
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#include <stb_image.h>

namespace anmf::io {

namespace {

struct Free {
  void operator()(void* memory) const { stbi_image_free(memory); }
};

template <class P>
std::vector<P> taken(P* pixels, std::size_t count, bool same_size) {
  const std::unique_ptr<P, Free> owned(pixels);
  if (!owned) throw std::runtime_error(stbi_failure_reason());
  if (!same_size) throw std::runtime_error("it has one size in one place and another in another");
  return {owned.get(), owned.get() + count};
}

// A few bytes may claim thousands of millions of pixels.
void check_size(Index height, Index width, std::size_t bytes) {
  constexpr Index kLargestDeflateRatio = 1032;
  constexpr Index kPixelsPerByte = 8;
  const Index most = (static_cast<Index>(bytes) + 1) * kLargestDeflateRatio * kPixelsPerByte;
  if (height < 1 || width < 1) {
    throw std::runtime_error(fmt::format("it has {} x {} pixels, expected at least one", height, width));
  }
  Index pixels = 0;
  if (__builtin_mul_overflow(height, width, &pixels) || pixels > most) {
    throw std::runtime_error(fmt::format("it promises {} x {} pixels, but {} bytes can hold at most {}",
                                         height, width, bytes, most));
  }
}

}  // namespace

Image decode_image(const std::string& bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("it has more than 2 GiB");
  }
  if (starts_as_pnm(bytes)) return decode_pnm(bytes);
  // stb_image would take some others too, around the checks.
  if (!starts_as_png(bytes) && !starts_as_jpeg(bytes)) {
    throw std::runtime_error(
        bytes.empty() ? "it is empty" : "it begins with " + in_quotes(std::string_view(bytes).substr(0, 16)));
  }
  check_png_chunks(bytes);
  check_jpeg(bytes);
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  int width = 0;
  int height = 0;
  int channels = 0;
  if (stbi_info_from_memory(data, size, &width, &height, &channels) == 0) {
    throw std::runtime_error(stbi_failure_reason());
  }
  check_size(height, width, bytes.size());
  Image image{.height = height, .width = width, .pixels = {}};
  const std::size_t count = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  int loaded_width = 0;
  int loaded_height = 0;
  if (stbi_is_16_bit_from_memory(data, size) != 0) {
    stbi_us* pixels = stbi_load_16_from_memory(data, size, &loaded_width, &loaded_height, &channels, 1);
    image.pixels = taken(pixels, count, loaded_width == width && loaded_height == height);
  } else {
    stbi_uc* pixels = stbi_load_from_memory(data, size, &loaded_width, &loaded_height, &channels, 1);
    image.pixels = taken(pixels, count, loaded_width == width && loaded_height == height);
  }
  return image;
}

}  // namespace anmf::io
