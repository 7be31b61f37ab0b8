// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "anmf/error.h"
#include "anmf/io.h"
#include "support/files_and_messages.h"

namespace anmf::io_test {

/// The message with which a file is refused.
inline std::string load_failure(const std::filesystem::path& path) {
  return message_of<InvalidInput>([&] { static_cast<void>(io::load<double>(path)); });
}

}  // namespace anmf::io_test
