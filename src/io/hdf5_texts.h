// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "io/hdf5_bytes.h"
#include "io/hdf5_file.h"

namespace anmf::io {

/// The texts of a dataset, which must be `expected`; nothing if it is no dataset of texts.
[[nodiscard]] std::vector<std::string> read_hdf5_texts(const Hdf5File& file, const std::string& place,
                                                       Index expected);

/// The texts of any length to which these references lead. Messages name them `where`.
[[nodiscard]] std::vector<std::string> follow_references(const Hdf5Bytes& file, ByteSpan references,
                                                         std::size_t count, const std::string& where);

}  // namespace anmf::io
