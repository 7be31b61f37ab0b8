// SPDX-License-Identifier: MIT
// Which entries of the matrix count, and how much: --missing, --weights, --row-weights and --column-weights.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "anmf/matrix_file.h"

namespace CLI {
class App;
}

namespace anmf::cli {

struct InputArguments;
template <class T>
struct Input;

/// As typed.
struct WeightArguments {
  std::string missing = "error";  ///< error, nan, zeros, or a file
  std::optional<std::string> weights;
  std::optional<std::string> row_weights;
  std::optional<std::string> column_weights;

  /// What the reader of the matrix is to do.
  [[nodiscard]] io::Missing when_read() const;
  /// The file of --missing, if it names one.
  [[nodiscard]] std::optional<std::string> mask() const;
  [[nodiscard]] bool of_lines() const { return row_weights || column_weights; }
  [[nodiscard]] bool of_entries() const { return missing != "error" || weights; }
  [[nodiscard]] bool any() const { return of_lines() || of_entries(); }
  /// All files that are named.
  [[nodiscard]] std::vector<std::string> files() const;
};

/// Adds the four options. `arguments` must outlive the parsing.
void add_weight_options(CLI::App& app, WeightArguments& arguments);

/// Throws Failure for options that do not go together, before anything is read. `prepared`: the entries are
/// going to be.
void check_weighing(const InputArguments& arguments, bool prepared);

/// Reads the files, which speak of the matrix as its file has it, and joins them with what its reader found.
template <class T>
void read_weights(io::LoadedMatrix<T>& matrix, const InputArguments& arguments);

/// Puts the weights into the matrix, whose rows and columns have been chosen. The reducer is that of
/// processes that share it, which all call this at once.
template <class T>
void weigh(io::LoadedMatrix<T>& matrix, Reducer* reducer = nullptr);

/// Which of the options were given, and how many entries were observed.
template <class T>
void describe_weighing(nlohmann::ordered_json& json, const WeightArguments& arguments, const Data<T>& data);

/// Over how many entries the error is, where so many of the observed ones are held out, and which rows and
/// columns nobody has observed; nothing if all entries count the same.
template <class T>
[[nodiscard]] std::vector<std::string> notes_on_weighing(const Input<T>& input, Index held_out = 0);

}  // namespace anmf::cli
