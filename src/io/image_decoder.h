// SPDX-License-Identifier: MIT
// Grey values of images in memory: PNG, JPEG, and PGM or PPM with binary data.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::io {

struct Image {
  Index height = 0;
  Index width = 0;
  /// Row by row, black is 0; of 16 bits if the file has more than 8. Colours become grey.
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>> pixels;
};

/// Throws std::runtime_error with the reason, without the file's name.
[[nodiscard]] Image decode_image(const std::string& bytes);

}  // namespace anmf::io
