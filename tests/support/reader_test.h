// SPDX-License-Identifier: MIT
// What the tests of readers share: a folder for their files, and how a file is refused.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "anmf/error.h"
#include "anmf/io.h"
#include "support/files_and_messages.h"
#include "support/loaded.h"

namespace anmf::io_test {

/// The message with which a file is refused, when it is recognised or when it is read.
inline std::string load_failure(const std::filesystem::path& path,
                                io::TextLines lines = io::TextLines::automatic,
                                io::Cube cube = io::Cube::automatic) {
  return message_of<InvalidInput>([&] { static_cast<void>(io::load<double>(io::open(path, lines, cube))); });
}

class ReaderTest : public testing::Test {
 protected:
  /// A file with these bytes; one of that name is replaced.
  [[nodiscard]] std::filesystem::path written(const std::string& name, std::string_view bytes) const {
    return write_bytes(folder_, name, bytes);
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

 private:
  TemporaryFolder folder_;
};

}  // namespace anmf::io_test
