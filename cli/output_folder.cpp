// SPDX-License-Identifier: MIT
#include "output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>
#include <utility>

#include "anmf/error.h"
#include "anmf/files.h"
#include "bytes.h"
#include "failure.h"
#include "interrupt.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

/// The folder aside has a name as if it were for a file called so.
constexpr std::string_view kStaging = "anmf";

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

std::string json_text(const Json& json) {
  // A path need not be UTF-8, JSON must be; replacing odd bytes beats losing the run.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json describe_file(const fs::path& file) {
  const io::FileChecksum sum = io::checksum_of(file);
  return {{"bytes", sum.bytes}, {"crc32", fmt::format("{:08x}", sum.crc32)}};
}

OutputFolder::NewFolders::~NewFolders() {
  remove_when_ended(nullptr);
  for (const fs::path& path : paths) (void)rmdir(path.c_str());
}

OutputFolder::OutputFolder(const fs::path& folder, std::span<const std::string_view> names)
    : folder_(folder) {
  const InterruptsWait wait;
  std::error_code error;
  for (fs::path path = fs::absolute(folder, error);
       !error && !fs::exists(path, error) && path.has_relative_path(); path = path.parent_path()) {
    created_.paths.push_back(path);
  }
  remove_when_ended(&created_.paths);
  fs::create_directories(folder, error);
  if (error) fail(folder_, error.message());
  if (!fs::is_directory(folder, error)) fail(folder_, "it is a file");
  for (const std::string_view name : names) {
    if (fs::is_directory(folder_ / name, error)) fail(folder_, fmt::format("'{}' in it is a folder", name));
  }
  std::vector<std::string_view> aside(names.begin(), names.end());
  aside.push_back(kStaging);
  io::remove_leftovers(folder_, aside);
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
  std::string name = (folder_ / (io::aside_prefix(kStaging) + "XXXXXX")).string();
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

void OutputFolder::give_up(const std::string& name, std::string reason) {
  // People know the folder, not the one aside.
  if (const std::size_t at = reason.find(staging_.string()); at != std::string::npos)
    reason.replace(at, staging_.string().size(), folder_.string());
  std::error_code ignored;
  fs::remove(staging_ / name, ignored);
  std::erase(names_, name);
  replace_by_nothing(name);
  missing_.push_back({name, std::move(reason)});
}

bool OutputFolder::stage_extra(std::string_view name, const Write& write) {
  const fs::path path = staged(name);
  try {
    write(path);
  } catch (const IoError& error) {
    give_up(std::string(name), error.what());
    return false;
  } catch (const std::bad_alloc&) {
    give_up(std::string(name), "there is not enough memory to make it.");
    return false;
  }
  extras_.emplace_back(name);
  return true;
}

void OutputFolder::stage_description(Json& description) {
  Json files = Json::object();
  for (const std::string& name : names_) files[name] = describe_file(staging_ / name);
  description["files"] = std::move(files);
  const std::string text = json_text(description);
  io::write_atomically(staging_ / kDescriptionFile, [&](std::ostream& out) { out << text; });
}

void OutputFolder::remove(std::string_view name) const {
  std::error_code error;
  if (fs::is_regular_file(folder_ / name, error)) fs::remove(folder_ / name, error);
  if (error && fs::exists(folder_ / name)) fail(folder_, error.message());
}

void OutputFolder::put_in_place(std::string_view name) const {
  std::error_code error;
  fs::rename(staging_ / name, folder_ / name, error);
  if (error) fail(folder_, error.message());
}

void OutputFolder::publish(Json& description) {
  try {
    stage_description(description);
  } catch (const IoError& error) {
    if (extras_.empty()) throw;
    for (const std::string& name : extras_) give_up(name, error.what());  // they took the last of the room
    stage_description(description);
  }
  remove(kDescriptionFile);
  sync_folder(folder_);
  for (const std::string& name : outdated_) remove(name);
  for (const std::string& name : names_) put_in_place(name);
  sync_folder(folder_);
  put_in_place(kDescriptionFile);
  sync_folder(folder_);
  names_.clear();
}

void OutputFolder::expect_complete() const {
  if (missing_.empty()) return;
  std::vector<std::string> names;
  names.reserve(missing_.size());
  for (const Missing& file : missing_) names.push_back(file.name);
  throw Failure(ExitCode::output, fmt::format("the results are in '{}', but without {}: {}", folder_.string(),
                                              fmt::join(names, " and "), missing_.front().reason));
}

}  // namespace anmf::cli
