// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <string>

#include "anmf/options.h"

namespace anmf::python {

namespace nb = nanobind;

inline constexpr std::array kInits = {Init::scaled_random, Init::random,   Init::nndsvd,
                                      Init::nndsvda,       Init::nndsvdar, Init::spa};

[[nodiscard]] Init init_from_word(const std::string& word);

void bind_options(nb::module_& module);

}  // namespace anmf::python
