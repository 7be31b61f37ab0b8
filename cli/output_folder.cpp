// SPDX-License-Identifier: MIT
#include "output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "failure.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& folder, std::string_view what) {
  throw Failure(ExitCode::output, fmt::format("cannot write to the folder '{}': {}; choose another --out.",
                                              folder.string(), what));
}

/// Renames are safe from a crash only once the folder itself is on disk. Not every file system can sync a
/// folder, and the files themselves are safe, so a refusal is no failure.
void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  (void)close(descriptor);
}

}  // namespace

OutputFolder::NewFolders::~NewFolders() {
  for (const fs::path& path : paths) (void)rmdir(path.c_str());
}

OutputFolder::OutputFolder(const fs::path& folder, std::span<const std::string_view> names)
    : folder_(folder) {
  std::error_code error;
  for (fs::path path = fs::absolute(folder, error);
       !error && !fs::exists(path, error) && path.has_relative_path(); path = path.parent_path()) {
    created_.paths.push_back(path);
  }
  fs::create_directories(folder, error);
  if (error) fail(folder_, error.message());
  if (!fs::is_directory(folder, error)) fail(folder_, "it is a file");
  for (const std::string_view name : names) {
    if (fs::is_directory(folder_ / name, error)) fail(folder_, fmt::format("'{}' in it is a folder", name));
  }
  make_staging();
  // An empty folder left behind by SIGKILL would puzzle people, so there is none while the run computes.
  fs::remove(staging_, error);
  staging_.clear();
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
}

void OutputFolder::make_staging() {
  std::string name = (folder_ / ".anmf-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail(folder_, std::generic_category().message(errno));
  staging_ = name;
}

fs::path OutputFolder::staged(std::string_view name) {
  if (staging_.empty()) make_staging();
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
  return staging_ / name;
}

void OutputFolder::replace_by_nothing(std::string_view name) { outdated_.emplace_back(name); }

void OutputFolder::publish() {
  for (const std::string& name : outdated_) {
    std::error_code error;
    if (fs::is_regular_file(folder_ / name, error)) fs::remove(folder_ / name, error);
    if (error && fs::exists(folder_ / name)) fail(folder_, error.message());
  }
  for (const std::string& name : names_) {
    std::error_code error;
    fs::rename(staging_ / name, folder_ / name, error);
    if (error) fail(folder_, error.message());
  }
  names_.clear();
  sync_folder(folder_);
}

}  // namespace anmf::cli
