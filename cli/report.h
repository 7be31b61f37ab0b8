// SPDX-License-Identifier: MIT
// What a person is told at the end of a run.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/options.h"
#include "anmf/result.h"
#include "run_folder.h"

namespace anmf::cli {

/// `note: ...` lines on stderr.
void print_notes(const std::vector<std::string>& notes);

/// A few lines on stdout: the matrix, the method, how well it fits, why it ended and where the files are.
template <class T>
void print_summary(const InputSummary& input, const Options& options, const Result<T>& result,
                   const std::filesystem::path& folder, std::span<const std::string_view> files);

}  // namespace anmf::cli
