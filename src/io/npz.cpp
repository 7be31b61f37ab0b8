// SPDX-License-Identifier: MIT
#include "io/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/input_file.h"
#include "io/npy_header.h"
#include "io/npy_reader.h"
#include "io/own.h"

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

// Arrays of other numbers of dimensions than two and three and of other types than numbers do not count.
bool is_matrix(const ZipArchive& archive, const std::filesystem::path& path, const std::string& key) {
  const std::unique_ptr<ByteSource> source = archive.open(key + std::string(kSuffix));
  try {
    const std::size_t axes = read_npy_array_header(*source, npz_array_name(path, key)).shape.size();
    return axes == 2 || axes == 3;
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

std::string read_npz_text(const std::filesystem::path& path, const std::string& name) {
  return ZipArchive(path).text(name);
}

bool starts_as_zip(std::string_view start) {
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");  // the latter is empty
}

bool holds_sparse_npz(const Location& at) { return at.inside.empty() && npz_is_sparse(ZipArchive(at.file)); }

template <class T>
LoadedMatrix<T> load_npz(const Location& at, const Reading& reading) {
  const ZipArchive archive(at.file);
  if (at.inside.empty() && npz_is_sparse(archive)) {
    expect_no_cube(at.file.string(), at.cube);
    return own_sparse(at.file, read_npz_sparse<T>(at.file), reading);
  }
  const std::string key = choose_npz_key(archive, at.file, at.inside);
  return own_npy<T>(npz_array_name(at.file, key), *archive.open(key + std::string(kSuffix)), at.cube,
                    reading);
}

template <class T>
StoredSizes npz_sizes(const Location& at) {
  const ZipArchive archive(at.file);
  if (at.inside.empty() && npz_is_sparse(archive)) return npz_sparse_sizes(archive, at.file);
  const std::string key = choose_npz_key(archive, at.file, at.inside);
  const NpyHeader header =
      read_npy_header(*archive.open(key + std::string(kSuffix)), npz_array_name(at.file, key), at.cube);
  return npy_sizes<T>(header);
}

template Matrix<float> read_npz<float>(const std::filesystem::path&, const std::string&);
template Matrix<double> read_npz<double>(const std::filesystem::path&, const std::string&);
template Matrix<std::uint16_t> read_npz<std::uint16_t>(const std::filesystem::path&, const std::string&);
template LoadedMatrix<float> load_npz(const Location&, const Reading&);
template LoadedMatrix<double> load_npz(const Location&, const Reading&);
template StoredSizes npz_sizes<float>(const Location&);
template StoredSizes npz_sizes<double>(const Location&);

}  // namespace anmf::io
