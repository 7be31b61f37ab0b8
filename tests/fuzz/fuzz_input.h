// SPDX-License-Identifier: MIT
// What the fuzz targets share: bytes become a file in memory, a reader reads it, and either what it returns
// makes sense or it refuses with a sentence. Everything else ends the program, which libFuzzer reports with
// the input.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/error.h"
#include "fuzz_target.h"
#include "io/text_fields.h"

namespace anmf::io_fuzz {

inline void require(bool condition, const char* what, std::string_view detail = {}) {
  if (condition) return;
  std::fprintf(stderr, "FINDING: %s %.*s\n", what, static_cast<int>(detail.size()), detail.data());
  std::abort();
}

/// A folder of this process. TMPDIR, which tests/fuzz/run sets and clears, says where.
inline const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "anmf-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "no temporary folder");
    return std::filesystem::path(name);
  }();
  return path;
}

/// Writes a file into the folder and returns its path.
inline std::filesystem::path written(const std::string& name, std::string_view bytes) {
  const std::filesystem::path path = folder() / name;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  require(out.good(), "no room for", path.string());
  return path;
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Several files in one input: what stands between lines of "=====".
inline std::vector<std::string_view> parts(std::string_view input) {
  constexpr std::string_view kMark = "=====\n";
  std::vector<std::string_view> result;
  for (;;) {
    const std::size_t at = input.find(kMark);
    result.push_back(input.substr(0, at));
    if (at == std::string_view::npos) return result;
    input.remove_prefix(at + kMark.size());
  }
}

/// A message is one line that names the file and ends as a sentence does, whatever bytes it quotes.
inline void check_message(std::string_view message) {
  require(message.find(folder().string()) != std::string_view::npos, "a message without the file:", message);
  require(message.ends_with('.') || message.ends_with("...") || message.ends_with('?'),
          "a message that is no sentence:", message);
  require(io::is_utf8(message), "a message that is not UTF-8:", message);
  for (const char c : message) {
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f,
            "a message with control characters:", message);
  }
}

/// Runs a reader that may refuse. What it throws besides ends the program, want of memory included: no small
/// file may ask for much of it.
template <class Act>
void may_refuse(const Act& act) {
  try {
    act();
  } catch (const InvalidInput& error) {
    check_message(error.what());
  } catch (const IoError& error) {
    check_message(error.what());
  }
}

}  // namespace anmf::io_fuzz
