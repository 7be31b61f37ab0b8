// SPDX-License-Identifier: MIT
// PGM and PPM with binary data (P5 and P6).
#pragma once

#include <string_view>

#include "io/image_decoder.h"

namespace anmf::io {

[[nodiscard]] bool starts_as_pnm(std::string_view bytes);

/// Throws std::runtime_error with the reason.
[[nodiscard]] Image decode_pnm(std::string_view bytes);

}  // namespace anmf::io
