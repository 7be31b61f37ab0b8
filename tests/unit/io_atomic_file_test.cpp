// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <ostream>
#include <stdexcept>
#include <string>

#include "anmf/io.h"
#include "support/file_size_limit.h"
#include "support/files_and_messages.h"

namespace anmf::io::atomic_file_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;
using io_test::read_bytes;
using io_test::TemporaryFolder;
using io_test::write_bytes;
using test::FileSizeLimit;
namespace fs = std::filesystem;

TEST(WriteAtomically, CreatesAFileWithTheWrittenBytesAndNothingBesideIt) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "result.txt";

  write_atomically(path, [](std::ostream& out) { out << "one " << 2 << '\n'; });

  EXPECT_EQ(read_bytes(path), "one 2\n");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteAtomically, ReplacesTheOldContent) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder, "result.txt", "a longer old content");

  write_atomically(path, [](std::ostream& out) { out << "new"; });

  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteAtomically, WritesPiecesOfEverySizeInOrder) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "pieces";
  std::string expected;
  for (const std::size_t size : {1U, 0U, 262143U, 1U, 262144U, 1000000U, 7U}) {
    expected.append(size, static_cast<char>('a' + expected.size() % 26));
  }

  write_atomically(path, [&](std::ostream& out) {
    std::size_t at = 0;
    for (const std::size_t size : {1U, 0U, 262143U, 1U, 262144U, 1000000U, 7U}) {
      out.write(expected.data() + at, static_cast<std::streamsize>(size));
      at += size;
    }
  });

  EXPECT_EQ(read_bytes(path), expected);
}

TEST(WriteAtomically, WritesSingleCharactersAcrossTheBuffer) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "characters";
  constexpr std::size_t kCount = 600000;

  write_atomically(path, [&](std::ostream& out) {
    for (std::size_t i = 0; i < kCount; ++i) out.put(static_cast<char>('a' + i % 26));
  });

  const std::string bytes = read_bytes(path);
  ASSERT_EQ(bytes.size(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(bytes[i], static_cast<char>('a' + i % 26)) << i;
}

TEST(WriteAtomically, KeepsTheOldFileWhenTheWriterThrows) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder, "result.txt", "old");

  const std::string message = message_of<std::logic_error>([&] {
    write_atomically(path, [](std::ostream& out) {
      out << "half";
      throw std::logic_error("stop");
    });
  });

  EXPECT_EQ(message, "stop");
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteAtomically, KeepsTheOldFileWhenTheWriterMarksTheStreamAsFailed) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder, "result.txt", "old");

  const std::string message = message_of<IoError>(
      [&] { write_atomically(path, [](std::ostream& out) { out.setstate(std::ios::failbit); }); });

  expect_phrase(message, path.string() + ": cannot be written");
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteAtomically, KeepsTheOldFileAndGivesTheReasonWhenTheDiskTakesNoMore) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder, "result.txt", "old");
  std::string message;

  {
    const FileSizeLimit limit(1000);
    message = message_of<IoError>(
        [&] { write_atomically(path, [](std::ostream& out) { out << std::string(5000, 'x'); }); });
  }

  EXPECT_EQ(message, path.string() + ": cannot be written: File too large.");
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriteAtomically, GivesTheReasonOfTheDiskWhenTheStreamThrows) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "result.txt";
  std::string message;

  {
    const FileSizeLimit limit(1000);
    message = message_of<IoError>([&] {
      write_atomically(path, [](std::ostream& out) {
        out.exceptions(std::ios::badbit);
        out << std::string(500000, 'x');
      });
    });
  }

  expect_phrase(message, "File too large");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(WriteAtomically, NamesThePathAndTheReasonWhenTheFolderIsMissing) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "missing" / "result.txt";

  const std::string message = message_of<IoError>([&] { write_atomically(path, [](std::ostream&) {}); });

  EXPECT_EQ(message, path.string() + ": cannot be created: No such file or directory.");
}

TEST(WriteAtomically, RefusesToReplaceAFolder) {
  const TemporaryFolder folder;

  const std::string message =
      message_of<IoError>([&] { write_atomically(folder.path(), [](std::ostream&) {}); });

  expect_phrase(message, "not a regular file");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(WriteAtomically, RefusesToReplaceADevice) {
  const std::string message =
      message_of<IoError>([] { write_atomically("/dev/null", [](std::ostream&) {}); });

  expect_phrase(message, "not a regular file");
}

TEST(WriteAtomically, WritesThroughASymbolicLink) {
  const TemporaryFolder folder;
  const fs::path target = write_bytes(folder, "target.txt", "old");
  const fs::path link = folder.path() / "link.txt";
  fs::create_symlink(target, link);

  write_atomically(link, [](std::ostream& out) { out << "new"; });

  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_bytes(target), "new");
}

TEST(WriteAtomically, KeepsThePermissionsOfTheReplacedFile) {
  const TemporaryFolder folder;
  const fs::path path = write_bytes(folder, "private.txt", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);

  write_atomically(path, [](std::ostream& out) { out << "new"; });

  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WriteAtomically, GivesANewFileThePermissionsOfTheUmask) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "new.txt";
  const mode_t old_mask = umask(027);

  write_atomically(path, [](std::ostream& out) { out << "new"; });

  umask(old_mask);
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0640));
}

TEST(WriteAtomically, TakesTheLongestNameThatTheFileSystemAllows) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / std::string(255, 'n');

  write_atomically(path, [](std::ostream& out) { out << "new"; });

  EXPECT_EQ(read_bytes(path), "new");
}

TEST(WriteAtomically, WritesIntoTheCurrentFolder) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());

  write_atomically("plain-name.txt", [](std::ostream& out) { out << "new"; });

  fs::current_path(before);
  EXPECT_EQ(read_bytes(folder.path() / "plain-name.txt"), "new");
}

}  // namespace
}  // namespace anmf::io::atomic_file_test
