// SPDX-License-Identifier: MIT
// The types of NumPy as this machine stores them.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <string>
#include <type_traits>

#include "io/npy_header.h"

namespace anmf::io {

/// "<f8" is double where the lowest byte comes first.
template <class T>
[[nodiscard]] std::string npy_type() {
  const char order = sizeof(T) == 1 ? '|' : (std::endian::native == std::endian::little ? '<' : '>');
  const char kind = std::is_floating_point_v<T> ? 'f' : (std::is_signed_v<T> ? 'i' : 'u');
  return fmt::format("{}{}{}", order, kind, sizeof(T));
}

}  // namespace anmf::io
