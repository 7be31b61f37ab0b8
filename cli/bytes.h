// SPDX-License-Identifier: MIT
// Numbers of bytes as people read and type them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anmf::cli {

/// 512 bytes, 1.5 KB, 20.1 MB, 3.2 GB: powers of 1000.
[[nodiscard]] std::string format_bytes(double bytes);

/// "2G", "500M", "1.5Gi", "64KB", "1e9": powers of 1000, or of 1024 with an i. Nothing for any other text.
[[nodiscard]] std::optional<double> parse_bytes(std::string_view text);

}  // namespace anmf::cli
