// SPDX-License-Identifier: MIT
// Any format that can be written.
#include "io/save.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/dense_rows.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

constexpr std::array<std::pair<std::string_view, Target>, 10> kEndings = {{
    {".npy", Target::kNpy},
    {".npz", Target::kNpz},
    {".mtx", Target::kMatrixMarket},
    {".mtx.gz", Target::kMatrixMarket},
    {".csv", Target::kTable},
    {".csv.gz", Target::kTable},
    {".tsv", Target::kTable},
    {".tsv.gz", Target::kTable},
    {".h5ad", Target::kH5ad},
    {".anmf", Target::kContainer},
}};

}  // namespace

Target target_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  std::string list;
  for (const auto& [ending, target] : kEndings) {
    if (name.ends_with(ending) && name.size() > ending.size()) return target;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", ending);
  }
  throw InvalidInput(fmt::format("{}: the ending of the name says which format to write; choose one of {}.",
                                 path.string(), list));
}

template <class T>
void save(const std::filesystem::path& path, ConstMatrixView<T> matrix, const Names& names) {
  switch (target_of(path)) {
    case Target::kNpy:
      write_npy(path, matrix);
      break;
    case Target::kNpz:
      write_npz(path, matrix);
      break;
    case Target::kMatrixMarket:
      write_matrix_market_array(path, columns_of(matrix));
      break;
    case Target::kTable:
      write_table(path, rows_of(matrix), names);
      break;
    case Target::kH5ad:
      write_h5ad<T>(path, {matrix.rows, matrix.cols, rows_of(matrix), names, {}, {}, {}});
      break;
    case Target::kContainer:
      write_container(path, view_of(compressed(rows_of(matrix))), names);
      break;
  }
}

template <class T>
void save(const std::filesystem::path& path, const CsrView<T>& matrix, const Names& names) {
  switch (target_of(path)) {
    case Target::kNpz:
      write_npz(path, matrix);
      break;
    case Target::kMatrixMarket:
      write_matrix_market(path, matrix);
      break;
    case Target::kH5ad:
      write_h5ad<T>(path, {matrix.rows, matrix.cols, matrix, names, {}, {}, {}});
      break;
    case Target::kContainer:
      write_container(path, matrix, names);
      break;
    case Target::kNpy:
    case Target::kTable:
      throw InvalidInput(fmt::format(
          "{}: this format holds dense matrices; a sparse one goes to .npz, .mtx, .mtx.gz, .h5ad or "
          ".anmf.",
          path.string()));
  }
}

template void save<float>(const std::filesystem::path&, ConstMatrixView<float>, const Names&);
template void save<double>(const std::filesystem::path&, ConstMatrixView<double>, const Names&);
template void save<std::uint16_t>(const std::filesystem::path&, ConstMatrixView<std::uint16_t>, const Names&);
template void save<std::uint8_t>(const std::filesystem::path&, ConstMatrixView<std::uint8_t>, const Names&);
template void save<float>(const std::filesystem::path&, const CsrView<float>&, const Names&);
template void save<double>(const std::filesystem::path&, const CsrView<double>&, const Names&);
template void save<std::uint16_t>(const std::filesystem::path&, const CsrView<std::uint16_t>&, const Names&);
template void save<std::uint8_t>(const std::filesystem::path&, const CsrView<std::uint8_t>&, const Names&);

}  // namespace anmf::io
