// SPDX-License-Identifier: MIT
// --prepare: what is done to the entries of a matrix before it is used, and prepare.json, in which a run
// keeps what was learnt from its matrix for the rows that anmf transform is given later.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "anmf/io.h"
#include "anmf/prepare.h"
#include "input.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace anmf::cli {

inline constexpr std::string_view kPrepareFile = "prepare.json";

/// Adds --prepare, which `assign` receives.
CLI::Option* add_prepare(CLI::App& app, std::function<void(Preparation)> assign, std::string_view help);

/// Learns from the matrix and prepares it, or prepares it as was learnt. The names of columns that do not
/// stay go with them. Throws Failure(input).
template <class T>
void learn_and_prepare(io::LoadedMatrix<T>& matrix, Preparation& preparation);
template <class T>
void learn_and_prepare(Input<T>& input, Preparation& preparation);
template <class T>
void prepare(Input<T>& input, const Preparation& preparation);

/// For run.json: the steps in words.
[[nodiscard]] nlohmann::ordered_json list_of(const Preparation& preparation);

/// Writes the content of prepare.json.
void write_preparation(const std::filesystem::path& path, const Preparation& preparation);

/// What the run prepared its matrix with whose folder, or H.npy, this is: no step if it did not, or if there
/// is no run.json beside the file. Throws Failure(input).
[[nodiscard]] Preparation preparation_of_run(const std::filesystem::path& components);

}  // namespace anmf::cli
