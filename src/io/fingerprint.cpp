// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "anmf/error.h"
#include "anmf/files.h"
#include "io/checksum.h"
#include "io/location.h"
#include "io/steady_file.h"

namespace anmf::io {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kPieces = 64;
constexpr std::uint64_t kPieceBytes = 1 << 16;

std::string file_fingerprint(const fs::path& path) {
  const SteadyFile file(path);
  std::string piece(kPieceBytes, '\0');
  std::uint32_t sum = 0;
  const std::uint64_t bytes = file.bytes();
  const auto offset = [bytes](std::uint64_t k) {
    return bytes <= kPieces * kPieceBytes ? k * kPieceBytes : (bytes - kPieceBytes) * k / (kPieces - 1);
  };
  for (std::uint64_t k = 0; k < kPieces && offset(k) < bytes; ++k) {
    sum = checksum({piece.data(), file.read(offset(k), piece.data(), piece.size())}, sum);
  }
  return fmt::format("{} with the checksum {:08x}", counted(static_cast<std::int64_t>(bytes), "byte"), sum);
}

std::string folder_fingerprint(const fs::path& path) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file())
      lines.push_back(fmt::format("{}\n{}\n", entry.path().filename().string(), entry.file_size()));
  }
  std::sort(lines.begin(), lines.end());
  std::uint32_t sum = 0;
  for (const std::string& line : lines) sum = checksum(line, sum);
  return fmt::format("a folder of {} with the checksum {:08x}",
                     counted(static_cast<std::int64_t>(lines.size()), "file"), sum);
}

}  // namespace

std::string fingerprint(const fs::path& path) {
  const fs::path file = split_location(path).file;
  try {
    if (!fs::exists(file)) return "missing";
    return fs::is_directory(file) ? folder_fingerprint(file) : file_fingerprint(file);
  } catch (const fs::filesystem_error& error) {
    return error.code().message();
  } catch (const IoError&) {
    return "not readable";
  }
}

}  // namespace anmf::io
