// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/io.h"
#include "io/location.h"

namespace anmf::io {

/// The variable that is named, or the only matrix, of a file of version 7.3, which is HDF5.
template <class T>
[[nodiscard]] LoadedMatrix<T> load_matlab_73(const Location& at, const Reading& reading);

}  // namespace anmf::io
