// SPDX-License-Identifier: MIT
// The matrix that a user asks for: a file, perhaps some of its rows and columns, perhaps its transpose, with
// what is known about its rows and columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anmf/io.h"
#include "anmf/stream.h"
#include "report_labels.h"

namespace CLI {
class App;
}

namespace anmf::cli {

/// As typed.
struct InputArguments {
  std::string file;
  std::optional<std::string> rows;  ///< names, or @ and a file of names
  std::optional<std::string> columns;
  io::Negative negative = io::Negative::error;
  bool transpose = false;
};

/// Adds INPUT, --transpose, --rows, --columns and --negative. `arguments` must outlive the parsing.
void add_input_options(CLI::App& app, InputArguments& arguments);

template <class T>
struct Input {
  io::LoadedMatrix<T> matrix;
  MatrixLabels labels;                      ///< of `matrix` as it is
  std::vector<std::string> notes;           ///< what was done to the entries
  const StreamedData<T>* stream = nullptr;  ///< the matrix, if it stays on disk
};

/// A matrix with what is known about it, as it stands in the file.
template <class T>
[[nodiscard]] Input<T> label_input(io::LoadedMatrix<T> matrix, const InputArguments& arguments,
                                   const ReportArguments& report);

/// Sizes that `report` speaks of are those in the file, which the user knows. Throws Failure.
template <class T>
[[nodiscard]] Input<T> read_input(const InputArguments& arguments, const ReportArguments& report);

/// The same with a matrix that stays on disk and is read in blocks of at most so many bytes.
template <class T>
[[nodiscard]] Input<T> stream_input(const InputArguments& arguments, const ReportArguments& report,
                                    double block_bytes);

}  // namespace anmf::cli
