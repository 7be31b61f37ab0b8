// SPDX-License-Identifier: MIT
#include "io/image_decoder.h"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>

// The one place where the body of stb_image is compiled, for this file alone.
#ifndef __clang_analyzer__  // what the static checks find in that body is not ours to mend
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#endif
#define STBI_NO_STDIO
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_ONLY_PNM
#include <stb_image.h>

namespace anmf::io {

namespace {

struct Free {
  void operator()(void* memory) const { stbi_image_free(memory); }
};

template <class P>
std::vector<P> taken(P* pixels, std::size_t count) {
  const std::unique_ptr<P, Free> owned(pixels);
  if (!owned) throw std::runtime_error(stbi_failure_reason());
  return {owned.get(), owned.get() + count};
}

// A few bytes may claim thousands of millions of pixels.
void check_size(Index height, Index width, std::size_t bytes) {
  constexpr Index kLargestDeflateRatio = 1032;
  constexpr Index kPixelsPerByte = 8;
  const Index most = (static_cast<Index>(bytes) + 1) * kLargestDeflateRatio * kPixelsPerByte;
  Index pixels = 0;
  if (height < 1 || width < 1 || __builtin_mul_overflow(height, width, &pixels) || pixels > most) {
    throw std::runtime_error(fmt::format("it promises {} x {} pixels, but {} bytes can hold at most {}",
                                         height, width, bytes, most));
  }
}

}  // namespace

Image decode_image(const std::string& bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("it has more than 2 GiB");
  }
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
  if (stbi_is_16_bit_from_memory(data, size) != 0) {
    image.pixels = taken(stbi_load_16_from_memory(data, size, &width, &height, &channels, 1), count);
  } else {
    image.pixels = taken(stbi_load_from_memory(data, size, &width, &height, &channels, 1), count);
  }
  return image;
}

}  // namespace anmf::io
