// SPDX-License-Identifier: MIT
// MATLAB's .mat files, version 5 (up to -v7) and 7.3.
#pragma once

#include <string_view>

#include "anmf/io.h"
#include "io/location.h"

namespace anmf::io {

/// True for both versions; version 4 has no mark to know it by.
[[nodiscard]] bool starts_as_matlab(std::string_view text);

/// The variable that is named, or the only matrix; sparse ones stay sparse.
template <class T>
[[nodiscard]] LoadedMatrix<T> load_matlab(const Location& at, const Reading& reading);

}  // namespace anmf::io
