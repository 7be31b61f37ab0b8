// SPDX-License-Identifier: MIT
#include "output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "estimate.h"
#include "failure.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStagingPrefix = ".anmf-";

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

/// The process that made a file aside: the number after a prefix. Nothing if there is none.
std::optional<pid_t> maker_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  pid_t process = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, process);
  if (error != std::errc{} || stop == end || *stop != '-' || process <= 0) return std::nullopt;
  return process;
}

/// What a process that was killed had begun to write aside in this folder would pile up.
void remove_leftovers(const fs::path& folder, std::span<const std::string_view> names) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    std::optional<pid_t> maker = maker_of(name, kStagingPrefix);
    for (const std::string_view file : names) {
      if (!maker) maker = maker_of(name, fmt::format(".{}.", file));
    }
    if (maker && kill(*maker, 0) != 0 && errno == ESRCH) leftovers.push_back(entry.path());
  }
  for (const fs::path& path : leftovers) fs::remove_all(path, error);
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
  remove_leftovers(folder_, names);
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
  std::string name = (folder_ / fmt::format("{}{}-XXXXXX", kStagingPrefix, getpid())).string();
  if (mkdtemp(name.data()) == nullptr) fail(folder_, std::generic_category().message(errno));
  staging_ = name;
}

void OutputFolder::expect_room(double bytes) const {
  std::error_code unknown;
  const fs::space_info disk = fs::space(folder_, unknown);
  if (unknown || bytes <= static_cast<double>(disk.available)) return;
  fail(folder_, fmt::format("the results take about {}, but only {} are free on its disk",
                            format_bytes(bytes), format_bytes(static_cast<double>(disk.available))));
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
