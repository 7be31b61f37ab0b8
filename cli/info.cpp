// SPDX-License-Identifier: MIT
// anmf info: what a file holds, and what memory it needs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "anmf/io.h"
#include "bytes.h"
#include "command.h"
#include "entries.h"
#include "input.h"
#include "option_helpers.h"
#include "run_folder.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments : FileArguments {
  std::string input;
  bool json = false;
};

struct MatrixInfo {
  InputSummary input;
  std::optional<EntrySummary> entries;  ///< nothing if M is sparse and zero everywhere
  std::string entry_type;
  Index empty_rows = 0;
  Index empty_cols = 0;
  bool row_names = false;
  bool col_names = false;
  io::Images images;
  double matrix_bytes = 0;
  double component_bytes = 0;  ///< a column of W and a row of H

  [[nodiscard]] Index nonzeros() const { return entries ? entries->nonzeros : 0; }
  [[nodiscard]] double density() const {
    return static_cast<double>(nonzeros()) / static_cast<double>(input.rows) /
           static_cast<double>(input.cols);
  }
};

MatrixInfo look_at(const io::MatrixFile& file, const std::string& input, io::Header header) {
  const io::LoadedMatrix<double> loaded =
      with_header_advice([&] { return io::load<double>(file, io::Negative::error, header); });
  const Data<double>& data = *loaded.data;
  return {.input = summarize(input, data),
          .entries = summarize_entries(loaded),
          .entry_type = std::string(cli::entry_type(loaded)),
          .empty_rows = data.empty_rows(),
          .empty_cols = data.empty_cols(),
          .row_names = !loaded.row_names.empty(),
          .col_names = !loaded.col_names.empty(),
          .images = loaded.images,
          .matrix_bytes = cli::matrix_bytes(loaded),
          .component_bytes = static_cast<double>(data.rows() + data.cols()) * sizeof(double)};
}

Json describe(const MatrixInfo& info) {
  Json json;
  json["input"] = info.input.name;
  json["rows"] = info.input.rows;
  json["cols"] = info.input.cols;
  json["nonzeros"] = info.nonzeros();
  json["density"] = info.density();
  json["min"] = info.entries ? Json(info.entries->min) : Json(nullptr);
  json["max"] = info.entries ? Json(info.entries->max) : Json(nullptr);
  json["empty_rows"] = info.empty_rows;
  json["empty_cols"] = info.empty_cols;
  json["storage"] = to_string(info.input.storage);
  json["entry_type"] = info.entry_type;
  json["row_names"] = info.row_names;
  json["col_names"] = info.col_names;
  json["image_shape"] = info.images.height > 0 ? Json{info.images.height, info.images.width} : Json(nullptr);
  json["matrix_bytes"] = static_cast<std::uint64_t>(info.matrix_bytes);
  json["component_bytes"] = static_cast<std::uint64_t>(info.component_bytes);
  return json;
}

std::string names(const MatrixInfo& info) {
  if (info.row_names && info.col_names) return "of rows and columns";
  if (info.row_names) return "of rows";
  return info.col_names ? "of columns" : "none";
}

void print_table(const MatrixInfo& info) {
  fmt::print("matrix          {} ({} x {})\n", info.input.name, info.input.rows, info.input.cols);
  fmt::print("nonzeros        {} ({:.3g} %)\n", info.nonzeros(), 100 * info.density());
  if (info.entries) {
    fmt::print("stored entries  from {:.6g} to {:.6g}\n", info.entries->min, info.entries->max);
  } else {
    fmt::print("stored entries  none\n");
  }
  fmt::print("only zeros      rows: {}, columns: {}\n", info.empty_rows, info.empty_cols);
  fmt::print("storage         {} {}\n", to_string(info.input.storage), info.entry_type);
  fmt::print("names           {}\n", names(info));
  if (info.images.height > 0) {
    fmt::print("images          of {} x {} pixels, a column each{}\n", info.images.height, info.images.width,
               info.images.guessed ? ": the first two axes (--cube pixels-last takes the last two)" : "");
  }
  fmt::print("memory          {}, and {} for each component\n", format_bytes(info.matrix_bytes),
             format_bytes(info.component_bytes));
}

ExitCode run(const InfoArguments& arguments) {
  const io::MatrixFile file = open_file(arguments.input, arguments);
  const MatrixInfo info = in_phase(
      ExitCode::input, [&] { return look_at(file, arguments.input, arguments.header); },
      [&] { return fmt::format(" for the matrix in '{}'.", arguments.input); });
  if (arguments.json) {
    fmt::print("{}", json_text(describe(info)));
  } else {
    print_table(info);
  }
  return ExitCode::done;
}

}  // namespace

Command add_info(CLI::App& program) {
  const auto arguments = std::make_shared<InfoArguments>();
  CLI::App* app = program.add_subcommand("info", "Tell what a file holds and what memory it needs");
  app->add_option("INPUT", arguments->input, "A matrix in a file of a known format, no entry negative")
      ->required()
      ->type_name("");
  add_file_options(*app, *arguments);
  app->add_flag("--json", arguments->json, wrapped("Print one JSON object"));
  app->footer(
      "Examples:\n"
      "  anmf info words.mtx.gz\n"
      "  anmf info cells.h5ad --json\n"
      "The memory is that of float64; --precision float32 of factorize needs about half.");
  return {app, [arguments] { return run(*arguments); }};
}

}  // namespace anmf::cli
