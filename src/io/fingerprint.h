// SPDX-License-Identifier: MIT
// Whether processes that were given the name of a file see the same file.
#pragma once

#include <filesystem>
#include <string>

namespace anmf::io {

/// "208928 bytes with the checksum 1a2b3c4d": of a file up to 4 MB that of all its bytes, of a larger one
/// that of 64 pieces of 64 kB from its beginning to its end. Of a folder, the names and sizes of its files
/// count. "missing", or another word, if there is nothing to look at: whoever reads the file will say why.
[[nodiscard]] std::string fingerprint(const std::filesystem::path& path);

}  // namespace anmf::io
