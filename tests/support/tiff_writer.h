// SPDX-License-Identifier: MIT
// TIFF files byte by byte, lowest byte first, so that anything in them may be wrong.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace anmf::io_test {

struct TiffPageBytes {
  std::string pixels;
  std::uint32_t height = 2;
  std::uint32_t width = 3;
  std::uint32_t bits = 8;
  std::uint32_t format = 1;  ///< 1 has no sign, 2 has one, 3 is a float
  std::uint32_t samples = 1;
  std::uint32_t photometric = 1;  ///< 0 is black
  std::uint32_t compression = 1;  ///< none
  std::string description = {};
};

/// Each page has one strip.
inline std::string tiff(const std::vector<TiffPageBytes>& pages) {
  std::string bytes("II*\0\0\0\0\0", 8);
  std::size_t link = 4;  // where the place of the next directory goes
  const auto number = [](std::uint32_t value, std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
  };
  for (const TiffPageBytes& page : pages) {
    const auto pixels = static_cast<std::uint32_t>(bytes.size());
    const auto pixel_bytes = static_cast<std::uint32_t>(page.pixels.size());
    bytes += page.pixels;
    const auto text = static_cast<std::uint32_t>(bytes.size());
    if (!page.description.empty()) bytes += page.description + '\0';
    if (bytes.size() % 2 != 0) bytes += '\0';
    bytes.replace(link, 4, number(static_cast<std::uint32_t>(bytes.size()), 4));
    // Tag and value, all of one number in 32 bits but for the text.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> tags = {{256, page.width},
                                                                 {257, page.height},
                                                                 {258, page.bits},
                                                                 {259, page.compression},
                                                                 {262, page.photometric}};
    if (!page.description.empty()) tags.emplace_back(270, text);
    for (const auto& tag : std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{
             {273, pixels}, {277, page.samples}, {278, page.height}, {279, pixel_bytes}, {339, page.format}})
      tags.push_back(tag);
    bytes += number(static_cast<std::uint32_t>(tags.size()), 2);
    for (const auto& [tag, value] : tags) {
      const bool is_text = tag == 270;
      const bool is_short = tag == 258 || tag == 259 || tag == 262 || tag == 277 || tag == 339;
      const auto count = is_text ? static_cast<std::uint32_t>(page.description.size() + 1) : 1U;
      bytes += number(tag, 2) +
               number(is_text    ? 2U
                      : is_short ? 3U
                                 : 4U,
                      2) +
               number(count, 4) + number(value, 4);
    }
    link = bytes.size();
    bytes += number(0, 4);
  }
  return bytes;
}

}  // namespace anmf::io_test
