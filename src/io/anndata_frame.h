// SPDX-License-Identifier: MIT
// Data frames in AnnData files: groups with a dataset or a group for each column.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5_file.h"

namespace anmf::io {

/// The name of the column that holds the names of the rows.
[[nodiscard]] std::string index_column(const Hdf5File& file, const std::string& frame);

/// The names of the other columns in their order; nothing if the frame has none, or does not tell.
[[nodiscard]] std::vector<std::string> frame_columns(const Hdf5File& file, const std::string& frame);

/// The numbers behind truth values, which are one byte each; nothing if a dataset of one dimension holds
/// something else.
[[nodiscard]] std::vector<unsigned char> read_truth_values(const Hdf5File& file, const std::string& place,
                                                           hid_t dataset, hid_t type, Index count);

}  // namespace anmf::io
