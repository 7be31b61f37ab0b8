// SPDX-License-Identifier: MIT
#include "io/ten_x.h"

#include <fmt/format.h>

#include <system_error>

#include "anmf/error.h"
#include "io/name_list.h"
#include "io/text_formats.h"

namespace anmf::io {

std::optional<std::filesystem::path> ten_x_matrix(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* name : {"matrix.mtx", "matrix.mtx.gz"}) {
    if (std::filesystem::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return std::nullopt;
}

template <class T>
LoadedMatrix<T> load_ten_x(const std::filesystem::path& folder, const Reading& reading) {
  const auto matrix = ten_x_matrix(folder);
  if (!matrix) {
    throw InvalidInput(fmt::format("{}: there is no matrix.mtx or matrix.mtx.gz.", folder.string()));
  }
  LoadedMatrix<T> result = load<T>(*matrix, reading);
  constexpr int kSymbol = 1;  // identifier, symbol, kind of feature
  result.row_names = read_names_if_there(folder / "features.tsv", result.data->rows(), kSymbol);
  if (result.row_names.empty()) {
    result.row_names = read_names_if_there(folder / "genes.tsv", result.data->rows(), kSymbol);
  }
  result.col_names = read_names_if_there(folder / "barcodes.tsv", result.data->cols());
  return result;
}

std::optional<StoredSizes> ten_x_sizes(const std::filesystem::path& folder) {
  const auto matrix = ten_x_matrix(folder);
  return matrix ? std::optional(matrix_market_sizes(*matrix)) : std::nullopt;
}

template LoadedMatrix<float> load_ten_x<float>(const std::filesystem::path&, const Reading&);
template LoadedMatrix<double> load_ten_x<double>(const std::filesystem::path&, const Reading&);

}  // namespace anmf::io
