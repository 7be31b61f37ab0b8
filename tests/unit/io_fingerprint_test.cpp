// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "anmf/files.h"
#include "support/files_and_messages.h"

namespace anmf::io::fingerprint_test {
namespace {

using io_test::TemporaryFolder;
using io_test::write_bytes;
namespace fs = std::filesystem;

TEST(Fingerprint, IsTheSizeAndTheChecksumOfAllBytes) {
  const TemporaryFolder folder;
  // The check value that comes with the definition of CRC-32.
  const fs::path path = write_bytes(folder, "digits", "123456789");
  EXPECT_EQ(fingerprint(path), "9 bytes with the checksum cbf43926");
  EXPECT_EQ(fingerprint(path.string() + "::inside"), fingerprint(path));
  EXPECT_EQ(fingerprint(write_bytes(folder, "empty", "")), "0 bytes with the checksum 00000000");
  EXPECT_EQ(fingerprint(folder.path() / "none"), "missing");
}

TEST(Fingerprint, SeesEveryByteUpToFourMegabytes) {
  const TemporaryFolder folder;
  std::string bytes(std::size_t{64} << 16, 'a');
  const std::string first = fingerprint(write_bytes(folder, "file", bytes));
  for (const std::size_t place : {std::size_t{0}, (std::size_t{1} << 16) + 3, bytes.size() - 1}) {
    bytes[place] = 'b';
    EXPECT_NE(fingerprint(write_bytes(folder, "file", bytes)), first) << place;
    bytes[place] = 'a';
  }
  EXPECT_EQ(fingerprint(write_bytes(folder, "file", bytes)), first);
}

TEST(Fingerprint, SeesBothEndsOfALongFile) {
  const TemporaryFolder folder;
  std::string bytes((std::size_t{65} << 16) + 1, 'a');
  const std::string first = fingerprint(write_bytes(folder, "file", bytes));
  for (const std::size_t place : {std::size_t{0}, bytes.size() - 1}) {
    bytes[place] = 'b';
    EXPECT_NE(fingerprint(write_bytes(folder, "file", bytes)), first) << place;
    bytes[place] = 'a';
  }
}

TEST(Fingerprint, OfAFolderDependsOnNamesAndSizes) {
  const TemporaryFolder folder;
  write_bytes(folder, "one", "1");
  const std::string one = fingerprint(folder.path());
  EXPECT_TRUE(one.starts_with("a folder of 1 file with the checksum ")) << one;
  write_bytes(folder, "two", "22");
  const std::string two = fingerprint(folder.path());
  EXPECT_TRUE(two.starts_with("a folder of 2 files with the checksum ")) << two;
  write_bytes(folder, "two", "2");
  EXPECT_NE(fingerprint(folder.path()), two);
  fs::remove(folder.path() / "two");
  EXPECT_EQ(fingerprint(folder.path()), one);
}

}  // namespace
}  // namespace anmf::io::fingerprint_test
