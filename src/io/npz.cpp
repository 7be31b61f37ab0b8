// SPDX-License-Identifier: MIT
#include "io/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/input_file.h"
#include "io/npy_header.h"
#include "io/npy_reader.h"

namespace anmf::io {

namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::size_t kMostKeysShown = 12;

std::vector<std::string> keys(const ZipArchive& archive) {
  std::vector<std::string> result;
  for (const auto& [name, number] : archive.members()) {
    if (name.ends_with(kSuffix)) result.push_back(name.substr(0, name.size() - kSuffix.size()));
  }
  return result;
}

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    if (quoted.size() == kMostKeysShown) {
      quoted.emplace_back("...");
      break;
    }
    quoted.push_back(in_quotes(name));
  }
  return fmt::format("{}", fmt::join(quoted, ", "));
}

// Arrays of other numbers of dimensions and of other types than numbers do not count.
bool is_matrix(const ZipArchive& archive, const std::filesystem::path& path, const std::string& key) {
  const std::unique_ptr<ByteSource> source = archive.open(key + std::string(kSuffix));
  try {
    return read_npy_array_header(*source, npz_array_name(path, key)).shape.size() == 2;
  } catch (const InvalidInput&) {
    return false;
  }
}

std::string only_matrix(const ZipArchive& archive, const std::filesystem::path& path,
                        const std::vector<std::string>& all) {
  if (all.empty()) throw InvalidInput(fmt::format("{}: the archive holds no array (.npy).", path.string()));
  if (all.size() == 1) return all[0];
  std::vector<std::string> matrices;
  for (const std::string& key : all) {
    if (is_matrix(archive, path, key)) matrices.push_back(key);
  }
  if (matrices.size() == 1) return matrices[0];
  if (matrices.empty()) {
    throw InvalidInput(
        fmt::format("{}: none of the arrays {} is a matrix of numbers.", path.string(), listed(all)));
  }
  throw InvalidInput(fmt::format("{}: holds the matrices {}; choose one, as in {}::{}.", path.string(),
                                 listed(matrices), path.filename().string(), printable(matrices[0])));
}

}  // namespace

bool npz_is_sparse(const ZipArchive& archive) {
  return archive.has("format.npy") && archive.has("shape.npy") && archive.has("data.npy");
}

std::filesystem::path npz_array_name(const std::filesystem::path& path, const std::string& key) {
  return path.string() + "::" + printable(key);
}

std::string choose_npz_key(const ZipArchive& archive, const std::filesystem::path& path,
                           const std::string& wanted) {
  const std::vector<std::string> all = keys(archive);
  if (wanted.empty()) return only_matrix(archive, path, all);
  if (archive.has(wanted + std::string(kSuffix))) return wanted;
  throw InvalidInput(fmt::format("{}: there is no array {}, expected {}{}.", path.string(), in_quotes(wanted),
                                 all.size() > 1 ? "one of " : "", all.empty() ? "none at all" : listed(all)));
}

template <class T>
Matrix<T> read_npz(const std::filesystem::path& path, const std::string& key) {
  const ZipArchive archive(path);
  const std::string chosen = choose_npz_key(archive, path, key);
  return read_npy<T>(*archive.open(chosen + std::string(kSuffix)), npz_array_name(path, chosen));
}

template Matrix<float> read_npz<float>(const std::filesystem::path&, const std::string&);
template Matrix<double> read_npz<double>(const std::filesystem::path&, const std::string&);

}  // namespace anmf::io
