// SPDX-License-Identifier: MIT
// What stb_image does not look at before it relies on it. Both throw std::runtime_error with the reason, and
// do nothing for bytes of another format.
#pragma once

#include <string_view>

namespace anmf::io {

[[nodiscard]] bool starts_as_png(std::string_view bytes);
[[nodiscard]] bool starts_as_jpeg(std::string_view bytes);

/// That the chunks of a PNG are as long as they say: room is made for them first.
void check_png_chunks(std::string_view bytes);

/// That no table of a JPEG has more codes than there are bytes, since they are written into an array of that
/// size, and that it has an end, since what is missing becomes grey.
void check_jpeg(std::string_view bytes);

}  // namespace anmf::io
