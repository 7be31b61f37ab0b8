// SPDX-License-Identifier: MIT
// The matrix that a user asks for: a file, perhaps some of its rows and columns, perhaps its transpose, with
// what is known about its rows and columns.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "anmf/prepare.h"
#include "anmf/stream.h"
#include "failure.h"
#include "planned_run.h"
#include "report_labels.h"
#include "weighing.h"

namespace CLI {
class App;
}

namespace anmf::cli {

/// What is said of a file of which its content leaves a choice. As typed.
struct FileArguments {
  io::Header header = io::Header::automatic;
  io::TextLines lines = io::TextLines::automatic;
  io::Cube cube = io::Cube::automatic;
};

/// As typed.
struct InputArguments : FileArguments {
  std::string file;
  std::optional<std::string> rows;  ///< names, or @ and a file of names
  std::optional<std::string> columns;
  io::Negative negative = io::Negative::error;
  bool transpose = false;
  WeightArguments weighing;
  Preparation prepare;  ///< of the matrix as the options above have made it
};

/// Adds --header, --triplets and --cube. `arguments` must outlive the parsing.
void add_file_options(CLI::App& app, FileArguments& arguments);

/// Opens a file and recognises its format. Throws Failure if that fails, or if --header is given for a file
/// that is no table in text, --triplets for one that is no text, or --cube for one that holds no cubes.
[[nodiscard]] io::MatrixFile open_file(const std::string& file, const FileArguments& arguments);

/// Adds INPUT, --transpose, --rows, --columns, --negative, and what add_file_options() and
/// add_weight_options() do. `arguments` must
/// outlive the parsing.
void add_input_options(CLI::App& app, InputArguments& arguments);

/// How a matrix that stays on disk is read, within a limit of memory.
struct StreamPlan {
  double block_bytes = 0;  ///< of a block in memory, at most
  double pass_bytes = 0;   ///< read from the file in every pass
  Index blocks = 0;
  double peak_bytes = 0;  ///< of the whole program
  bool sparse = false;
};

template <class T>
struct Input {
  io::LoadedMatrix<T> matrix;
  MatrixLabels labels;                      ///< of `matrix` as it is
  std::vector<std::string> notes;           ///< what was done to the entries
  const StreamedData<T>* stream = nullptr;  ///< the matrix, or this process's part of it, if it stays on disk
  std::optional<StreamPlan> plan;           ///< of the stream
  PlannedRun run;                           ///< what is planned for the matrix
  Preparation preparation;                  ///< what was done to it, with what was learnt
  double preparing_bytes = 0;               ///< of the matrix while that was done
  bool shared = false;                      ///< by several processes: one alone cannot multiply with it
};

/// Reads, and says of a first line of a table that may hold names or entries how to go on.
template <class Read>
auto with_header_advice(const Read& read) {
  try {
    return read();
  } catch (const AmbiguousHeader& error) {
    throw Failure(ExitCode::input,
                  fmt::format("{} --header yes takes it for names, --header no for entries.", error.what()));
  }
}

/// The same, and of an entry that is negative or NaN how to go on without another program.
template <class Read>
auto with_advice(const Read& read) {
  try {
    return with_header_advice(read);
  } catch (const NegativeEntry& error) {
    throw Failure(ExitCode::input,
                  fmt::format("{} --negative clip takes zeros for such entries.", error.what()));
  } catch (const MissingEntry& error) {
    throw Failure(ExitCode::input,
                  fmt::format("{} --missing nan takes such entries for not observed.", error.what()));
  }
}

/// A matrix with what is known about it, as it stands in the file.
template <class T>
[[nodiscard]] Input<T> label_input(const io::MatrixFile& file, io::LoadedMatrix<T> matrix,
                                   const ReportArguments& report);

/// Whether a command has --memory, by which a matrix may stay in its file.
enum class OnDisk { no, possible };

/// How a sentence on a lack of memory ends: " for `what`; --precision float32 takes less.", say, and that
/// --memory leaves the matrix in its file, if it does. `smaller` is what else would take less.
template <class T>
[[nodiscard]] std::string memory_advice(const std::string& what, const io::MatrixFile& file, OnDisk on_disk,
                                        std::vector<std::string> smaller = {});

/// The matrix of `file` in memory. Sizes that `report` speaks of are those in the file, which the user knows.
/// Throws Failure.
template <class T>
[[nodiscard]] Input<T> read_input(const io::MatrixFile& file, const InputArguments& arguments,
                                  const ReportArguments& report, OnDisk on_disk = OnDisk::no);

/// The same with a matrix that stays on disk, whose annotations have been read.
template <class T>
[[nodiscard]] Input<T> stream_input(const io::MatrixFile& file, io::Annotations annotations,
                                    const InputArguments& arguments, const ReportArguments& report,
                                    const StreamPlan& plan);

/// Where memory is limited: large blocks that are freed go back to the system at once.
void return_memory_early();

/// The system gets what is free now: blocks of threads that have ended would stay with the program.
void return_memory();

/// A matrix without entries, of which this is known.
template <class T>
[[nodiscard]] io::LoadedMatrix<T> annotated(io::Annotations annotations);

}  // namespace anmf::cli
