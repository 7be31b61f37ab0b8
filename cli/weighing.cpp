// SPDX-License-Identifier: MIT
#include "weighing.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "anmf/error.h"
#include "anmf/weights.h"
#include "failure.h"
#include "input.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace {

/// A matrix of weights or of places, in memory, of the size of M.
template <class T>
io::LoadedMatrix<T> read_beside(const std::string& option, const std::string& path,
                                const InputArguments& arguments, const io::LoadedMatrix<T>& matrix) {
  const Data<T>& M = *matrix.data;
  const io::Names names = {matrix.row_names, matrix.col_names};
  io::LoadedMatrix<T> read = [&] {
    try {
      return io::load<T>(std::filesystem::path(path));
    } catch (const NegativeEntry& error) {
      throw InvalidInput(fmt::format("{}: {}", option, error.what()));
    } catch (const MissingEntry& error) {
      throw InvalidInput(fmt::format("{}: {}", option, error.what()));
    }
  }();
  if (read.data->rows() != M.rows() || read.data->cols() != M.cols()) {
    throw InvalidInput(
        fmt::format("{}: '{}' is {} x {}, but '{}' is {} x {}; they must have the same size{}.", option, path,
                    read.data->rows(), read.data->cols(), arguments.file, M.rows(), M.cols(),
                    arguments.transpose ? ", that of the file before --transpose" : ""));
  }
  const auto differ = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return !a.empty() && !b.empty() && a != b;
  };
  if (differ(read.row_names, names.rows) || differ(read.col_names, names.cols)) {
    throw InvalidInput(
        fmt::format("{}: '{}' has other names of rows or columns, or another order of them, than '{}'.",
                    option, path, arguments.file));
  }
  return read;
}

/// What is not zero in a matrix.
template <class T>
Places places_of(const io::LoadedMatrix<T>& mask) {
  Places places{.rows = mask.data->rows(), .cols = mask.data->cols(), .offsets = {0}, .indices = {}};
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (std::is_same_v<View, std::monostate>) {
          const Csr<T>& stored = dynamic_cast<const SparseData<T>&>(*mask.data).by_row();
          places.offsets = stored.offsets;
          places.indices = stored.indices;
        } else {
          for (Index i = 0; i < view.rows; ++i) {
            for (Index j = 0; j < view.cols; ++j) {
              if (view(i, j) != 0) places.indices.push_back(static_cast<std::uint32_t>(j));
            }
            places.offsets.push_back(static_cast<Index>(places.indices.size()));
          }
        }
      },
      mask.dense);
  return places;
}

template <class T>
void set_entries(Weights<T>& weights, const io::LoadedMatrix<T>& read) {
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (std::is_same_v<View, std::monostate>) {
          weights.entries = dynamic_cast<const SparseData<T>&>(*read.data).by_row();
        } else {
          Matrix<T> dense(view.rows, view.cols);
          for (Index i = 0; i < view.rows; ++i) {
            for (Index j = 0; j < view.cols; ++j) dense(i, j) = static_cast<T>(view(i, j));
          }
          weights.entries = std::move(dense);
        }
      },
      read.dense);
}

std::vector<double> read_line_weights(const std::string& option, std::string_view lines,
                                      const std::string& path, const InputArguments& arguments, Index count) {
  std::vector<double> numbers = io::read_numbers(path);
  if (std::cmp_not_equal(numbers.size(), count)) {
    throw InvalidInput(
        fmt::format("{}: '{}' holds {} number{}, but '{}' has {} {}s; give one for each{}.", option, path,
                    numbers.size(), numbers.size() == 1 ? "" : "s", arguments.file, count, lines,
                    arguments.transpose ? ", as they are in the file before --transpose" : ""));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0 && numbers[i] <= std::numeric_limits<double>::max()) continue;
    throw InvalidInput(
        fmt::format("{}: '{}': the weight of {} {} is {} (counted from 0); weights must be finite and >= 0.",
                    option, path, lines, i, numbers[i]));
  }
  return numbers;
}

/// The first few of these rows or columns, by their names if they have some.
std::string listed(std::span<const Index> places, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string list;
  for (std::size_t k = 0; k < std::min(kShown, places.size()); ++k) {
    list += list.empty() ? "" : ", ";
    list += names.empty() ? fmt::format("{}", places[k])
                          : fmt::format("'{}'", names[static_cast<std::size_t>(places[k])]);
  }
  return places.size() > kShown ? list + ", ..." : list;
}

}  // namespace

io::Missing WeightArguments::when_read() const {
  if (missing == "nan") return io::Missing::nan;
  return missing == "zeros" ? io::Missing::zeros : io::Missing::error;
}

std::optional<std::string> WeightArguments::mask() const {
  if (missing == "error" || when_read() != io::Missing::error) return std::nullopt;
  return missing;
}

std::vector<std::string> WeightArguments::files() const {
  std::vector<std::string> files;
  for (const auto& file : {mask(), weights, row_weights, column_weights}) {
    if (file) files.push_back(*file);
  }
  return files;
}

void add_weight_options(CLI::App& app, WeightArguments& arguments) {
  const std::string group = "What counts";
  CLI::Option* const missing =
      app.add_option(
             "--missing", arguments.missing,
             wrapped(
                 "Which entries nobody has observed: those that are NaN, or empty in a table (nan); all but "
                 "those that a sparse file stores, of a dense one the zeros (zeros); or those that are not "
                 "zero in this file, which has the size of the input (default error: NaN is an error)"))
          ->type_name("error|nan|zeros|FILE")
          ->group(group);
  set_words(*missing, {"error", "nan", "zeros"});
  app.add_option("--weights", arguments.weights,
                 wrapped("How much every entry counts, >= 0, in a file of the size of the input, sparse or "
                         "dense; 0 is missing (default: 1)"))
      ->type_name("FILE")
      ->group(group);
  app.add_option("--row-weights", arguments.row_weights,
                 wrapped("How much every row of the input counts, >= 0: a number on each line, or .npy; 2 is "
                         "as if the row were there twice (default: 1)"))
      ->type_name("FILE")
      ->group(group);
  app.add_option("--column-weights", arguments.column_weights, wrapped("The same for its columns"))
      ->type_name("FILE")
      ->group(group);
}

void check_weighing(const InputArguments& arguments, bool prepared) {
  const WeightArguments& weighing = arguments.weighing;
  if (const auto mask = weighing.mask()) {
    std::error_code ignored;
    const std::string file = mask->substr(0, mask->find("::"));
    if (!std::filesystem::exists(file, ignored) && !std::filesystem::exists(*mask, ignored)) {
      throw Failure(ExitCode::usage,
                    fmt::format("--missing must be error, nan, zeros, or a file whose entries above zero are "
                                "missing; there is no file '{}'.",
                                *mask));
    }
  }
  if (prepared && arguments.negative == io::Negative::allow) {
    throw Failure(
        ExitCode::usage,
        "preparation (--prepare, or that of the run) does not go with --negative allow: its steps are "
        "for entries >= 0.");
  }
  if (prepared && weighing.any()) {
    throw Failure(ExitCode::usage,
                  "preparation (--prepare, or that of the run) does not go with --missing, --weights, "
                  "--row-weights or --column-weights: its steps look at all entries, as if they counted the "
                  "same. anmf convert --prepare writes a file that is prepared.");
  }
}

template <class T>
void read_weights(io::LoadedMatrix<T>& matrix, const InputArguments& arguments) {
  const WeightArguments& weighing = arguments.weighing;
  const Data<T>& M = *matrix.data;
  Weights<T>& weights = matrix.weights;
  if (weighing.weights) {
    // What the reader has found comes on top of them.
    const auto found = std::exchange(weights.entries, {});
    set_entries(weights, read_beside<T>("--weights", *weighing.weights, arguments, matrix));
    if (const auto* const places = std::get_if<Places>(&found)) leave_out(weights, *places);
    if (std::holds_alternative<OnlyStored>(found)) keep_stored(weights, M);
  }
  if (const auto mask = weighing.mask())
    leave_out(weights, places_of(read_beside<T>("--missing", *mask, arguments, matrix)));
  if (weighing.row_weights) {
    weights.rows = read_line_weights("--row-weights", "row", *weighing.row_weights, arguments, M.rows());
  }
  if (weighing.column_weights) {
    weights.columns =
        read_line_weights("--column-weights", "column", *weighing.column_weights, arguments, M.cols());
  }
}

template <class T>
void weigh(io::LoadedMatrix<T>& matrix, Reducer* reducer) {
  matrix.data = weighted(std::move(matrix.data), std::exchange(matrix.weights, {}), reducer);
  // Of a dense matrix there may be a copy now, in another form.
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (!std::is_same_v<View, std::monostate>) {
          bool used = false;
          matrix.data->for_each_block(Side::W, [&](const EntryBlock<T>& block) {
            std::visit(
                [&]<class Lines>(const Lines& lines) {
                  if constexpr (std::is_same_v<Lines, View>) used = used || lines.data == view.data;
                },
                block.lines);
          });
          if (used) return;
          matrix.dense = std::monostate{};
          matrix.entries.reset();
        }
      },
      io::DenseEntries(matrix.dense));
}

template <class T>
void describe_weighing(nlohmann::ordered_json& json, const WeightArguments& arguments, const Data<T>& data) {
  const auto name = [](const std::optional<std::string>& file) {
    return file ? nlohmann::ordered_json(*file) : nlohmann::ordered_json(nullptr);
  };
  json["missing"] = arguments.missing;
  json["weights"] = name(arguments.weights);
  json["row_weights"] = name(arguments.row_weights);
  json["column_weights"] = name(arguments.column_weights);
  json["observed"] = static_cast<std::int64_t>(data.observed());
}

template <class T>
std::vector<std::string> notes_on_weighing(const Input<T>& input, Index held_out) {
  const Data<T>& data = *input.matrix.data;
  std::vector<std::string> notes;
  const auto observed = static_cast<std::int64_t>(data.observed());
  const Index all = data.rows() * data.cols();
  if (observed < all) {
    notes.push_back(fmt::format("{} of {} entries are observed, and the error is that of these alone{}.",
                                observed, all,
                                held_out > 0 ? fmt::format(", less {} that are held out", held_out) : ""));
  }
  if (data.counted() == Counted::each || !data.line_weights(Side::W).empty() ||
      !data.line_weights(Side::H).empty()) {
    notes.emplace_back("Entries are weighted, and so is the error.");
  }
  const io::Names& names = input.labels.names;
  const auto unobserved = [&](Side side, const char* lines, const char* factor, Index count,
                              const std::vector<std::string>& names_of) {
    const std::span<const T> weights = data.line_weights(side);
    std::vector<Index> empty;
    std::vector<Index> without_weight;
    for (const Index i : data.unobserved(side)) {
      const bool counts = weights.empty() || weights[static_cast<std::size_t>(i)] > T{0};
      (counts ? empty : without_weight).push_back(i);
    }
    const auto note = [&](const std::vector<Index>& places, const std::string& what) {
      if (places.empty()) return;
      notes.push_back(fmt::format("{} of {} {}s {} {}: {}{}.", places.size(), count, lines,
                                  places.size() == 1 ? "has" : "have", what, listed(places, names_of),
                                  names_of.empty() ? " (counted from 0)" : ""));
    };
    note(empty, fmt::format("no observed entry that counts, and a {} of zeros in {}", lines, factor));
    note(without_weight, "weight 0, to be fitted to what the others give");
  };
  unobserved(Side::W, "row", "W", data.rows(), names.rows);
  unobserved(Side::H, "column", "H", data.cols(), names.cols);
  return notes;
}

template void read_weights(io::LoadedMatrix<float>&, const InputArguments&);
template void read_weights(io::LoadedMatrix<double>&, const InputArguments&);
template void weigh(io::LoadedMatrix<float>&, Reducer*);
template void weigh(io::LoadedMatrix<double>&, Reducer*);
template void describe_weighing(nlohmann::ordered_json&, const WeightArguments&, const Data<float>&);
template void describe_weighing(nlohmann::ordered_json&, const WeightArguments&, const Data<double>&);
template std::vector<std::string> notes_on_weighing(const Input<float>&, Index);
template std::vector<std::string> notes_on_weighing(const Input<double>&, Index);

}  // namespace anmf::cli
