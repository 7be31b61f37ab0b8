// SPDX-License-Identifier: MIT
#include "circumstances.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "anmf/error.h"
#include "anmf/files.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ProgramBegin {
  std::time_t date = std::time(nullptr);
  std::chrono::steady_clock::time_point clock = std::chrono::steady_clock::now();
};
const ProgramBegin program_begin;  // made before main()

/// ISO 8601.
std::string in_utc(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/// As the system names it, or the kind of machine where it names none.
std::string processor(const utsname& machine) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t value = line.find(": ");
    if (line.starts_with("model name") && value != std::string::npos) return line.substr(value + 2);
  }
  return machine.machine;
}

}  // namespace

Json describe_input_file(const std::filesystem::path& file) {
  constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
  struct stat status{};
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  Json json = {{"bytes", status.st_size}, {"modified", in_utc(status.st_mtime)}};
  if (status.st_size > kMostBytes) return json;
  try {
    json["crc32"] = fmt::format("{:08x}", io::checksum_of(file).crc32);
  } catch (const IoError&) {  // what was to be read has been read
    return nullptr;
  }
  return json;
}

void describe_circumstances(Json& run) {
  utsname machine{};
  uname(&machine);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  run["date"] = in_utc(program_begin.date);
  run["host"] = machine.nodename;
  run["processor"] = processor(machine);
  run["wall_seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - program_begin.clock).count();
  run["peak_memory_bytes"] = std::int64_t{1024} * usage.ru_maxrss;
}

}  // namespace anmf::cli
