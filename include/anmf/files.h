// SPDX-License-Identifier: MIT
// Files as such, whatever they hold, and names in files of text: for programs that write files of their own
// beside those of anmf/io.h, and want to know them again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace anmf::io {

/// Writes a file aside, syncs it and renames it, so that `path` is either whole or as it was before.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// How the name of what this process writes aside begins, for a file of this name.
[[nodiscard]] std::string aside_prefix(std::string_view name);

/// Removes from a folder what was written aside for files of these names by processes that are no more: one
/// that is killed leaves it behind.
void remove_leftovers(const std::filesystem::path& folder, std::span<const std::string_view> names);

/// What a file is: its size, and the CRC-32 of its bytes.
struct FileChecksum {
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;

  bool operator==(const FileChecksum&) const = default;
};

/// Reads the file. Throws IoError.
[[nodiscard]] FileChecksum checksum_of(const std::filesystem::path& file);

/// Whether processes that were given the name of a file see the same file, at a glance:
/// "208928 bytes with the checksum 1a2b3c4d". The checksum of a file up to 4 MB is that of all its bytes, of
/// a larger one that of 64 pieces of 64 kB from its beginning to its end; of a folder, the names and sizes of
/// its files count. "missing", or another word, if there is nothing to look at: whoever reads it will say
/// why.
[[nodiscard]] std::string fingerprint(const std::filesystem::path& path);

[[nodiscard]] bool is_utf8(std::string_view text);

/// A name as a field of a table in text. It stands in quotes where it must: beyond what separates fields,
/// where a reader would strip it, skip it as a comment, or take the file for one of another format. If it is
/// `alone` in its line, blanks separate fields.
[[nodiscard]] std::string as_field(std::string_view name, bool alone = false);

}  // namespace anmf::io
