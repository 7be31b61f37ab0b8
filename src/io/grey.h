// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace anmf::io {

/// The brightness of a colour, by the weights of ITU-R BT.601 in 256ths, as stb_image takes them.
[[nodiscard]] constexpr std::uint32_t grey(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return (77 * red + 150 * green + 29 * blue) >> 8;
}

}  // namespace anmf::io
