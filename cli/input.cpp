// SPDX-License-Identifier: MIT
#include "input.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "entries.h"
#include "option_helpers.h"
#include "prepare.h"

namespace anmf::cli {
namespace {

using ChosenPlaces = std::optional<std::vector<Index>>;

/// "a,b,c", or "@FILE" with a name on each line.
std::vector<std::string> wanted_names(const std::string& option, const std::string& text) {
  if (text.starts_with('@')) {
    auto lines = read_names(text.substr(1));
    if (!lines)
      throw Failure(ExitCode::input,
                    fmt::format("cannot read '{}', the file of {}.", text.substr(1), option));
    return *lines;
  }
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return names;
}

/// Where the names of an option are among those of the file.
ChosenPlaces find_places(const std::string& option, const std::optional<std::string>& text,
                         const std::string& file, const std::vector<std::string>& names) {
  if (!text) return std::nullopt;
  if (names.empty()) {
    throw Failure(ExitCode::usage,
                  fmt::format("{} needs names, but '{}' has none there (see anmf info).", option, file));
  }
  std::unordered_map<std::string_view, Index> place;
  std::unordered_set<std::string_view> repeated;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!place.emplace(names[k], static_cast<Index>(k)).second) repeated.insert(names[k]);
  }
  std::vector<Index> places;
  std::unordered_set<Index> taken;
  for (const std::string& name : wanted_names(option, *text)) {
    const auto found = place.find(name);
    if (found == place.end()) {
      throw Failure(ExitCode::usage, fmt::format("{}: '{}' is not among the {} names in '{}'.", option, name,
                                                 names.size(), file));
    }
    if (repeated.contains(name)) {
      throw Failure(ExitCode::usage,
                    fmt::format("{}: '{}' occurs more than once in '{}'.", option, name, file));
    }
    if (!taken.insert(found->second).second)
      throw Failure(ExitCode::usage, fmt::format("{}: '{}' is asked for twice.", option, name));
    places.push_back(found->second);
  }
  return places;
}

template <class T>
void select_in(Input<T>& input, const InputArguments& arguments) {
  if (!arguments.rows && !arguments.columns) return;
  io::Names& names = input.labels.names;
  const ChosenPlaces rows = find_places("--rows", arguments.rows, arguments.file, names.rows);
  const ChosenPlaces cols = find_places("--columns", arguments.columns, arguments.file, names.cols);
  // Names may also have come from a file beside the matrix.
  input.matrix.row_names = std::move(names.rows);
  input.matrix.col_names = std::move(names.cols);
  input.matrix = io::select(input.matrix, rows, cols);
  names = {input.matrix.row_names, input.matrix.col_names};
  select(input.labels, rows, cols);
}

/// The rows and columns, or the transpose, that are asked for, prepared.
template <class T>
Input<T> chosen_part(Input<T> input, const InputArguments& arguments) {
  if (arguments.weighing.any()) read_weights(input.matrix, arguments);
  select_in(input, arguments);
  if (arguments.weighing.any()) weigh(input.matrix);
  if (arguments.transpose) {
    transpose(input.matrix);
    transpose(input.labels);
  }
  input.preparation = arguments.prepare;
  learn_and_prepare(input, input.preparation);
  return input;
}

}  // namespace

void add_file_options(CLI::App& app, FileArguments& arguments) {
  add_choice<io::Header>(
      app, "--header", arguments.header,
      {{"auto", io::Header::automatic}, {"yes", io::Header::yes}, {"no", io::Header::no}},
      "Whether the first line of a table in text holds the names of its columns: as it looks like, which is "
      "an error where it could be either, or yes, or no (default auto)");
  add_choice<io::TextLines>(
      app, "--triplets", arguments.lines,
      {{"auto", io::TextLines::automatic}, {"yes", io::TextLines::triplets}, {"no", io::TextLines::rows}},
      "Whether the lines of a text are triplets ROW COLUMN VALUE, perhaps with a time "
      "behind them, and not rows: as it looks like, or yes, or no (default auto)");
  add_choice<io::Cube>(
      app, "--cube", arguments.cube,
      {{"auto", io::Cube::automatic},
       {"pixels-first", io::Cube::pixels_first},
       {"pixels-last", io::Cube::pixels_last}},
      "Which axes of an array of three (.npy, .npz, .mat, .h5) are the pixels of images: the first two, as "
      "in "
      "height x width x bands, or the last two, as in frames x height x width. Pixels become rows, bands or "
      "frames columns (default auto: the first two, with a note)");
}

io::MatrixFile open_file(const std::string& file, const FileArguments& arguments) {
  io::MatrixFile opened =
      in_phase(ExitCode::input, [&] { return io::open(file, arguments.lines, arguments.cube); });
  if (arguments.header != io::Header::automatic && !opened.is_table()) {
    throw Failure(ExitCode::usage,
                  fmt::format("--header is for tables in text (.csv, .tsv), and '{}' is none.", file));
  }
  return opened;
}

void add_input_options(CLI::App& app, InputArguments& arguments) {
  app.add_option("INPUT", arguments.file, "The matrix M in a file of a known format, no entry negative")
      ->required()
      ->type_name("");
  app.add_flag("--transpose", arguments.transpose,
               wrapped("Take the transpose of the file: W has a row for each of its columns, H a column "
                       "for each of its rows"));
  app.add_option("--rows", arguments.rows,
                 wrapped("Take only these rows of the file, by their names: a,b,c, or @FILE with a name on "
                         "each line (default: all)"))
      ->type_name("NAMES");
  app.add_option("--columns", arguments.columns, wrapped("The same for its columns"))->type_name("NAMES");
  add_choice<io::Negative>(
      app, "--negative", arguments.negative,
      {{"error", io::Negative::error}, {"clip", io::Negative::clip}, {"allow", io::Negative::allow}},
      "What to do with negative entries: stop and name the first, take zeros for them, "
      "or keep them, which least squares by the methods of hals, pg and anls can fit "
      "(default error)");
  add_file_options(app, arguments);
  add_weight_options(app, arguments.weighing);
}

template <class T>
Input<T> label_input(const io::MatrixFile& file, io::LoadedMatrix<T> matrix,
                     const ReportArguments& report_arguments) {
  Input<T> input{.matrix = std::move(matrix), .labels = {}, .notes = {}};
  ReportArguments report = report_arguments;
  const io::Images& images = input.matrix.images;
  if (!report.image_shape && images.height > 0) report.image_shape = ImageShape{images.height, images.width};
  io::Annotations known{.names = {input.matrix.row_names, input.matrix.col_names},
                        .anndata = input.matrix.anndata};
  input.labels =
      find_labels(report, file, std::move(known), input.matrix.data->rows(), input.matrix.data->cols());
  if (images.guessed) {
    input.notes.push_back(fmt::format(
        "The array of {} x {} x {} is taken for images of {} x {} pixels, its first two axes; --cube "
        "pixels-last takes the last two, and pixels-first goes without this note.",
        images.height, images.width, input.matrix.data->cols(), images.height, images.width));
  }
  if (const Index count = input.matrix.repeated; count > 0) {
    input.notes.push_back(
        fmt::format("{} triplet{} at places that had one before; values at the same place are added.", count,
                    count == 1 ? " is" : "s are"));
  }
  if (looks_like_positions(input.matrix)) {
    input.notes.push_back(fmt::format(
        "The matrix has only {} columns, and the first two look like numbers of rows and columns. If its "
        "lines "
        "are triplets ROW COLUMN VALUE, it must be read as such; of text, --triplets yes does so.",
        input.matrix.data->cols()));
  }
  if (const Index count = input.matrix.clipped; count > 0) {
    input.notes.push_back(fmt::format("{} entr{} of the file {} negative and taken for zero.", count,
                                      count == 1 ? "y" : "ies", count == 1 ? "is" : "are"));
  }
  return input;
}

template <class T>
std::string memory_advice(const std::string& what, const io::MatrixFile& file, OnDisk on_disk,
                          std::vector<std::string> smaller) {
  if (std::is_same_v<T, double>) smaller.emplace_back("--precision float32");
  std::string advice;
  if (!smaller.empty())
    advice = fmt::format("; {} take{} less", fmt::join(smaller, " and "), smaller.size() == 1 ? "s" : "");
  if (on_disk == OnDisk::possible) {
    advice += file.comes_in_blocks()
                  ? "; --memory leaves the matrix in its file"
                  : "; anmf convert makes an .npy or .anmf file of it, where there is more memory if "
                    "need be, and --memory leaves the matrix in that";
  }
  return fmt::format(" for {}{}.", what, advice);
}

template <class T>
Input<T> read_input(const io::MatrixFile& file, const InputArguments& arguments,
                    const ReportArguments& report, OnDisk on_disk) {
  const auto read = [&] {
    auto matrix = with_advice([&] {
      return io::load<T>(file, {arguments.negative, arguments.weighing.when_read()}, arguments.header);
    });
    return chosen_part(label_input(file, std::move(matrix), report), arguments);
  };
  return in_phase(ExitCode::input, read, [&] {
    return memory_advice<T>(fmt::format("the matrix in '{}'", arguments.file), file, on_disk);
  });
}

// Whichever thread asked for them, and whatever lies behind them.
void return_memory_early() { mallopt(M_MMAP_THRESHOLD, 1 << 17); }

void return_memory() { malloc_trim(0); }

template <class T>
io::LoadedMatrix<T> annotated(io::Annotations annotations) {
  io::LoadedMatrix<T> matrix;
  matrix.row_names = std::move(annotations.names.rows);
  matrix.col_names = std::move(annotations.names.cols);
  matrix.images = annotations.images;
  matrix.anndata = annotations.anndata;
  return matrix;
}

template <class T>
Input<T> stream_input(const io::MatrixFile& file, io::Annotations annotations,
                      const InputArguments& arguments, const ReportArguments& report,
                      const StreamPlan& plan) {
  return in_phase(ExitCode::input, [&] {
    auto matrix = annotated<T>(std::move(annotations));
    auto data = with_advice([&] {
      return std::make_unique<StreamedData<T>>(io::open_blocks<T>(
          file, plan.block_bytes, io::Reading(arguments.negative, arguments.weighing.when_read())));
    });
    const StreamedData<T>* const stream = data.get();
    matrix.clipped = data->clipped();
    matrix.data = std::move(data);
    if (arguments.weighing.when_read() == io::Missing::zeros) {
      if (!plan.sparse) {
        throw InvalidInput(
            "--missing zeros goes with --memory for sparse files only; this one is dense and stays in its "
            "file.");
      }
      matrix.weights.entries = OnlyStored{};
    }
    if (arguments.weighing.when_read() == io::Missing::nan && plan.sparse) {
      throw InvalidInput(
          "--missing nan goes with --memory for dense files only; this one is sparse and stays in its file.");
    }
    Input<T> input = chosen_part(label_input(file, std::move(matrix), report), arguments);
    input.stream = stream;
    input.plan = plan;
    return input;
  });
}

template Input<float> label_input(const io::MatrixFile&, io::LoadedMatrix<float>, const ReportArguments&);
template Input<double> label_input(const io::MatrixFile&, io::LoadedMatrix<double>, const ReportArguments&);
template std::string memory_advice<float>(const std::string&, const io::MatrixFile&, OnDisk,
                                          std::vector<std::string>);
template std::string memory_advice<double>(const std::string&, const io::MatrixFile&, OnDisk,
                                           std::vector<std::string>);
template Input<float> read_input(const io::MatrixFile&, const InputArguments&, const ReportArguments&,
                                 OnDisk);
template Input<double> read_input(const io::MatrixFile&, const InputArguments&, const ReportArguments&,
                                  OnDisk);
template Input<float> stream_input(const io::MatrixFile&, io::Annotations, const InputArguments&,
                                   const ReportArguments&, const StreamPlan&);
template Input<double> stream_input(const io::MatrixFile&, io::Annotations, const InputArguments&,
                                    const ReportArguments&, const StreamPlan&);
template io::LoadedMatrix<float> annotated(io::Annotations);
template io::LoadedMatrix<double> annotated(io::Annotations);

}  // namespace anmf::cli
