// SPDX-License-Identifier: MIT
// Dense files that need not be held in memory as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "anmf/io.h"
#include "anmf/matrix_file.h"

namespace anmf::io {

struct DenseStream {
  /// The rows of M as they are stored, or of M' (the columns of M) if `by_columns`.
  std::variant<DenseRows<double>, DenseRows<float>, DenseRows<std::uint16_t>, DenseRows<std::uint8_t>> lines;
  bool by_columns = false;
  Names names;       ///< of M
  Images images;     ///< in the columns of M
  std::string name;  ///< for messages
};

/// The rows (or columns) of a .npy file or of a dense dataset of HDF5, read block by block in every pass and
/// checked: a negative entry, NaN or infinity throws InvalidInput. Nothing if the file is something else.
[[nodiscard]] std::optional<DenseStream> open_dense_stream(const MatrixFile& file);

/// The rows (or columns) of a .npy file, whose entries are not checked. Nothing if it comes as a whole only.
[[nodiscard]] std::optional<DenseStream> stream_npy(const Location& at);

}  // namespace anmf::io
