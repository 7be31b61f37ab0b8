// SPDX-License-Identifier: MIT
#include "io/matlab_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "anmf/error.h"
#include "io/input_file.h"

namespace anmf::io {

std::string matlab_where(const std::filesystem::path& file, const std::string& name) {
  return fmt::format("{}::{}", file.string(), printable(name));
}

std::string only_matlab_matrix(const std::filesystem::path& file, std::vector<MatlabMatrix> found) {
  // Settings stand beside the data: what is 1 x 1 is meant only where there is nothing else.
  const bool all_single = std::all_of(found.begin(), found.end(), [](const auto& m) { return m.single; });
  std::vector<std::string> matrices;
  for (MatlabMatrix& matrix : found) {
    if (all_single || !matrix.single) matrices.push_back(std::move(matrix.name));
  }
  if (matrices.size() == 1) return matrices[0];
  if (matrices.empty()) {
    throw InvalidInput(fmt::format("{}: there is no real matrix in it.", file.string()));
  }
  for (std::string& name : matrices) name = printable(name);
  throw InvalidInput(fmt::format("{}: holds the matrices {}; choose one, as in {}::{}.", file.string(),
                                 fmt::join(matrices, ", "), file.filename().string(), matrices[0]));
}

void fail_no_variable(const std::string& where) {
  throw InvalidInput(fmt::format("{}: there is no variable of that name.", where));
}

void fail_no_matrix(const std::string& where) {
  throw InvalidInput(
      fmt::format("{}: is no real array of numbers with 2 or 3 dimensions, expected one.", where));
}

}  // namespace anmf::io
