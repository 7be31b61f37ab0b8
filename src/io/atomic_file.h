// SPDX-License-Identifier: MIT
// write_atomically() for libraries that want the name of a file and not a stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "anmf/io.h"

namespace anmf::io {

/// `write` fills the file of the name that it is given, or puts another in its place; afterwards the file is
/// synced, unless it need not be durable, and takes the place of `path`.
void write_atomically_by_name(const std::filesystem::path& path,
                              const std::function<void(const std::filesystem::path&)>& write,
                              Durable durable = Durable::yes);

/// What was written aside for one file, or the one behind a link, by processes that are no more.
void remove_leftovers(const std::filesystem::path& file);

/// Throws IoError, about `target`, if the file system has no room for so many bytes in `file`, for libraries
/// that do not survive a full disk. File systems that cannot tell have room.
void expect_room(const std::filesystem::path& file, std::uint64_t bytes, const std::filesystem::path& target);

}  // namespace anmf::io
