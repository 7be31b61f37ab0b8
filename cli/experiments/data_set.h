// SPDX-License-Identifier: MIT
// The matrices that a comparison runs on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "anmf/io.h"

namespace anmf::cli {

/// What must be known of a matrix before and after its runs.
struct DataSet {
  std::string name;
  std::filesystem::path path;
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  Storage storage = Storage::dense;
  double norm = 0;

  [[nodiscard]] bool dense() const { return is_dense(storage); }
};

/// The file of a data set: `folder`/NAME/NAME or `folder`/NAME with .npy, .mtx.gz, .mtx or nothing appended.
[[nodiscard]] std::optional<std::filesystem::path> find_data(const std::filesystem::path& folder,
                                                             const std::string& name);

/// "faces" for "some/faces.npy".
[[nodiscard]] std::string data_name(const std::filesystem::path& path);

/// Reads the matrix to learn all of this. Throws as io::load does.
[[nodiscard]] DataSet inspect(std::string name, const std::filesystem::path& path);

/// Flops of one outer iteration of plain HALS: the unit in which work is limited and shown.
[[nodiscard]] double hals_iteration(const DataSet& data, Index rank);

}  // namespace anmf::cli
