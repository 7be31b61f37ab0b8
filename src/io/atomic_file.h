// SPDX-License-Identifier: MIT
// write_atomically() for libraries that want the name of a file and not a stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace anmf::io {

/// `write` fills the file of the name that it is given, or puts another in its place; afterwards the file is
/// synced and takes the place of `path`.
void write_atomically_by_name(const std::filesystem::path& path,
                              const std::function<void(const std::filesystem::path&)>& write);

/// How the name of what this process writes aside begins, for a file of this name.
[[nodiscard]] std::string aside_prefix(std::string_view name);

/// Removes from a folder what was written aside for files of these names by processes that are no more: one
/// that is killed leaves it behind.
void remove_leftovers(const std::filesystem::path& folder, std::span<const std::string_view> names);
/// The same for one file, or the one behind a link.
void remove_leftovers(const std::filesystem::path& file);

/// Throws IoError, about `target`, if the file system has no room for so many bytes in `file`, for libraries
/// that do not survive a full disk. File systems that cannot tell have room.
void expect_room(const std::filesystem::path& file, std::uint64_t bytes, const std::filesystem::path& target);

}  // namespace anmf::io
