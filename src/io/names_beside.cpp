// SPDX-License-Identifier: MIT
#include "io/names_beside.h"

#include <string>
#include <string_view>

namespace anmf::io {

namespace {

std::filesystem::path without_gz(const std::filesystem::path& path) {
  std::filesystem::path result = path;
  if (result.extension() == ".gz") result.replace_extension();
  return result;
}

}  // namespace

std::filesystem::path vocabulary_beside(const std::filesystem::path& path) {
  constexpr std::string_view kPrefix = "docword";
  const std::string name = without_gz(path).filename().string();
  if (!name.starts_with(kPrefix)) return path.parent_path() / "vocab.txt";
  return path.parent_path() / ("vocab" + name.substr(kPrefix.size()));
}

std::filesystem::path cluto_labels_beside(const std::filesystem::path& path, char side) {
  std::filesystem::path result = without_gz(path);
  result += '.';
  result += side;
  result += "label";
  return result;
}

}  // namespace anmf::io
