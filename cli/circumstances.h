// SPDX-License-Identifier: MIT
// Under what circumstances a run was made: when, where, what it took, and of which file.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace anmf::cli {

/// What identifies an input for people: bytes, time of its last change and, up to 256 MB, the CRC-32 that
/// `crc32`, `7z h` and Python's zlib.crc32 give; to read a larger file once more would take too long. Null
/// for a folder, or if the file is gone.
[[nodiscard]] nlohmann::ordered_json describe_input_file(const std::filesystem::path& file);

/// Adds date (UTC, when the program began), host, processor, wall_seconds since then and peak_memory_bytes.
void describe_circumstances(nlohmann::ordered_json& run);

}  // namespace anmf::cli
