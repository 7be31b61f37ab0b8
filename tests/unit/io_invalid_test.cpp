// SPDX-License-Identifier: MIT
// Every broken input of tests/data/invalid, and every one that tests/unit/broken makes, with the exact
// message that tests/data/invalid/expected.tsv expects.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "anmf/error.h"
#include "anmf/io.h"
#include "support/broken_files.h"
#include "support/files_and_messages.h"
#include "support/places.h"

namespace anmf::io::invalid_test {
namespace {

using io_test::BrokenFiles;
using io_test::TemporaryFolder;
namespace fs = std::filesystem;

const fs::path kInvalid = fs::path(test::kSource) / "tests/data/invalid";

bool is_input(const fs::path& path) {
  return path.filename() != "expected.tsv" && path.filename() != "README.md";
}

BrokenFiles made_files() {
  BrokenFiles all;
  all.merge(io_test::broken_numpy_files());
  all.merge(io_test::broken_hdf5_files());
  all.merge(io_test::broken_matlab_files());
  all.merge(io_test::broken_tiff_files());
  all.merge(io_test::broken_containers());
  all.merge(io_test::broken_folders_and_others());
  return all;
}

// Lines "name, tab, exception: message" in which FILE stands for the path.
std::map<std::string, std::string> expectations() {
  std::map<std::string, std::string> result;
  std::ifstream in(kInvalid / "expected.tsv");
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    EXPECT_NE(tab, std::string::npos) << line;
    EXPECT_TRUE(result.emplace(line.substr(0, tab), line.substr(tab + 1)).second) << "twice: " << line;
  }
  return result;
}

std::string with_file(std::string message, const std::string& path) {
  for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path, at)) {
    message.replace(at, path.size(), "FILE");
  }
  return message;
}

std::string outcome(const fs::path& path) {
  try {
    static_cast<void>(load<double>(path));
  } catch (const InvalidInput& error) {
    return "InvalidInput: " + with_file(error.what(), path.string());
  } catch (const IoError& error) {
    return "IoError: " + with_file(error.what(), path.string());
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
  return "no exception";
}

TEST(InvalidFiles, AreRefusedWithTheExactReason) {
  const TemporaryFolder folder;
  const BrokenFiles made = made_files();
  const auto expected = expectations();
  ASSERT_GT(expected.size(), 150U);
  for (const auto& [name, message] : expected) {
    const auto maker = made.find(name);
    const fs::path path = (maker == made.end() ? kInvalid : folder.path()) / name;
    if (maker != made.end()) maker->second(path);
    ASSERT_TRUE(maker != made.end() || fs::exists(path)) << name << " is neither in the folder nor made";
    EXPECT_EQ(outcome(path), message) << name;
  }
}

TEST(InvalidFiles, HaveAllAnExpectation) {
  const auto expected = expectations();
  const BrokenFiles made = made_files();
  for (const auto& [name, make] : made) EXPECT_TRUE(expected.contains(name)) << name;
  for (const auto& entry : fs::directory_iterator(kInvalid)) {
    const std::string name = entry.path().filename().string();
    if (!is_input(entry.path())) continue;
    EXPECT_TRUE(expected.contains(name)) << name;
    EXPECT_FALSE(made.contains(name)) << name << " is made and checked in";
  }
}

}  // namespace
}  // namespace anmf::io::invalid_test
