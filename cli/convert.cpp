// SPDX-License-Identifier: MIT
// anmf convert: a matrix M (m x n) from any format that can be read to any that can be written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/io.h"
#include "bytes.h"
#include "command.h"
#include "converted_file.h"
#include "entries.h"
#include "input.h"
#include "io/atomic_file.h"
#include "io/dense_rows.h"
#include "io/dense_stream.h"
#include "option_helpers.h"
#include "precision.h"
#include "prepare.h"
#include "progress.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

using io::DenseRows;
using io::Target;

struct ConvertArguments : FileArguments {
  std::string input;
  std::string output;
  std::optional<Precision> precision;  ///< nothing: that of the input
  Preparation prepare;
  bool transpose = false;
  bool sparse = false;
  bool dense = false;
  bool quiet = false;
};

/// What can be known to fail before anything is read.
void check(const ConvertArguments& arguments, const ConvertedFile& output) {
  if (arguments.sparse && !io::holds_sparse(output.target())) {
    throw Failure(ExitCode::usage,
                  fmt::format("--sparse does not go with '{}', a format of dense matrices; choose .npz, "
                              ".mtx, .mtx.gz, .h5ad or .anmf.",
                              arguments.output));
  }
  if (arguments.dense && !io::holds_dense(output.target())) {
    throw Failure(ExitCode::usage,
                  fmt::format("--dense does not go with '{}', a format of sparse matrices; choose .npy.",
                              arguments.output));
  }
}

/// Writing aside and renaming would spare the input itself, but nobody means that.
void expect_another_file(const ConvertArguments& arguments, const io::MatrixFile& input) {
  std::error_code ignored;
  if (!fs::equivalent(input.location().file, arguments.output, ignored)) return;
  throw Failure(ExitCode::usage, fmt::format("'{}' is the input itself; choose another name for the output.",
                                             arguments.output));
}

/// From a file to another, by the way that holds least of M in memory.
class Conversion {
 public:
  Conversion(const ConvertArguments& arguments, const io::MatrixFile& input, ConvertedFile& output,
             StatusLine& line)
      : arguments_(arguments), input_(input), output_(output), line_(line) {}

  Written run() {
    Written written = convert();
    written.images = images_;
    return written;
  }

 private:
  Written convert() {
    if (!arguments_.prepare.empty()) return single() ? convert_prepared<float>() : convert_prepared<double>();
    // The container takes lines in either order, so that no file that comes in blocks need be in memory.
    if (output_.target() == Target::kContainer && input_.comes_in_blocks())
      return single() ? convert_blocks<float>() : convert_blocks<double>();
    if (output_.target() != Target::kContainer) {
      auto stream = in_phase(ExitCode::input, [&] { return io::open_dense_stream(input_); });
      if (stream && streams(*stream)) return convert_stream(*stream);
    }
    return single() ? convert_loaded<float>() : convert_loaded<double>();
  }

  [[nodiscard]] bool single() const { return arguments_.precision == Precision::float32; }

  /// Whether the entries of a dense M are needed column by column.
  [[nodiscard]] bool wants_columns() const { return output_.by_columns() && !arguments_.sparse; }

  /// Whether the lines of the file come in the order in which they are written, without any need to hold all.
  [[nodiscard]] bool streams(const io::DenseStream& stream) const {
    // A writer of HDF5 would wait for the reader, which holds the library; libzip wants all at once.
    if (!arguments_.sparse && (output_.target() == Target::kH5ad || output_.target() == Target::kNpz))
      return false;
    const bool gives_columns = stream.by_columns != arguments_.transpose;
    return gives_columns == wants_columns();
  }

  [[nodiscard]] io::Names as_written(io::Names names) const {
    if (arguments_.transpose) std::swap(names.rows, names.cols);
    return names;
  }

  template <class T>
  Written convert_blocks() {
    constexpr double kBlockBytes = 1 << 24;
    auto source = in_phase(ExitCode::input, [&] { return io::open_blocks<T>(input_, kBlockBytes); });
    io::Annotations annotations = in_phase(ExitCode::input, [&] { return io::read_annotations(input_); });
    images_ = annotations.images;
    const io::Names names = as_written(std::move(annotations.names));
    if (arguments_.transpose) source = io::transposed(std::move(source));
    return output_.write_blocks(*source, names);
  }

  Written convert_stream(io::DenseStream& stream) {
    images_ = stream.images;
    const io::Names names = as_written(std::move(stream.names));
    const auto convert_lines = [&]<class S>(const DenseRows<S>& lines) {
      const DenseRows<S> sizes = {lines.cols, lines.rows, {}};
      return convert_dense<S>({.rows = wants_columns() ? sizes : lines,
                               .columns = wants_columns() ? lines : sizes,
                               .whole = std::nullopt},
                              names);
    };
    return std::visit(convert_lines, stream.lines);
  }

  template <class T>
  io::LoadedMatrix<T> loaded_matrix() {
    line_.show(fmt::format("reading {}", arguments_.input));
    io::LoadedMatrix<T> loaded = in_phase(
        ExitCode::input,
        [&] {
          return with_header_advice(
              [&] { return io::load<T>(input_, io::Negative::error, arguments_.header); });
        },
        [&] {
          return memory_advice<T>(fmt::format("the matrix in '{}'", arguments_.input), input_, OnDisk::no);
        });
    images_ = loaded.images;
    return loaded;
  }

  template <class T>
  Written convert_loaded() {
    io::LoadedMatrix<T> loaded = loaded_matrix<T>();
    const io::Names names = as_written({std::move(loaded.row_names), std::move(loaded.col_names)});
    const auto convert = [&]<class View>(const View& view) {
      if constexpr (std::is_same_v<View, std::monostate>) {
        const auto& M = dynamic_cast<const SparseData<T>&>(*loaded.data);
        const bool narrow = loaded.single_precision && !arguments_.precision;
        return arguments_.transpose ? convert_sparse(M.by_col(), M.by_row(), narrow, names)
                                    : convert_sparse(M.by_row(), M.by_col(), narrow, names);
      } else {
        return convert_view(view, names);
      }
    };
    return std::visit(convert, loaded.dense);
  }

  /// What is prepared is what would be written otherwise, so its transpose if that is asked for. Numbers of
  /// 32 bits stay so; whole numbers become float64.
  template <class T>
  Written convert_prepared() {
    io::LoadedMatrix<T> loaded = loaded_matrix<T>();
    const bool single =
        loaded.single_precision || std::holds_alternative<ConstMatrixView<float>>(loaded.dense);
    const bool narrow = single && !arguments_.precision;
    if (arguments_.transpose) transpose(loaded);
    line_.show(fmt::format("preparing {}", arguments_.input));
    Preparation preparation = arguments_.prepare;
    learn_and_prepare(loaded, preparation);
    const io::Names names = {std::move(loaded.row_names), std::move(loaded.col_names)};
    if (const auto* const view = std::get_if<ConstMatrixView<T>>(&loaded.dense)) {
      const DenseSource<T> source = {io::rows_of<T>(*view), io::columns_of<T>(*view), *view};
      return narrow ? write_dense(converted<float>(source), names) : write_dense(source, names);
    }
    const auto& M = dynamic_cast<const SparseData<T>&>(*loaded.data);
    return convert_sparse(M.by_row(), M.by_col(), narrow, names);
  }

  template <class S>
  Written convert_view(MatrixView<const S> view, const io::Names& names) {
    const DenseRows<S> rows = io::rows_of<S>(view);
    const DenseRows<S> columns = io::columns_of<S>(view);
    if (arguments_.transpose) return convert_dense<S>({columns, rows, std::nullopt}, names);
    return convert_dense<S>({rows, columns, view}, names);
  }

  template <class T>
  Written convert_sparse(const Csr<T>& rows, const Csr<T>& columns, bool narrow, const io::Names& names) {
    const io::CsrView<T> by_row = io::view_of(rows);
    const io::CsrView<T> by_col = io::view_of(columns);
    if (arguments_.dense || !io::holds_sparse(output_.target())) {
      output_.expect_room(by_row.rows, by_row.cols, narrow ? sizeof(float) : sizeof(T));
      const DenseSource<T> source = {io::rows_of(by_row), io::rows_of(by_col), std::nullopt};
      return narrow ? output_.write(converted<float>(source), names) : output_.write(source, names);
    }
    if (!narrow) return output_.write(by_row, names);
    const std::vector<float> values(by_row.values.begin(), by_row.values.end());
    return output_.write<float>({by_row.rows, by_row.cols, by_row.offsets, by_row.indices, values}, names);
  }

  template <class T, class S>
  static DenseSource<T> converted(const DenseSource<S>& source) {
    if constexpr (std::is_same_v<S, T>) {
      return source;
    } else {
      return {io::converted<T>(source.rows), io::converted<T>(source.columns), std::nullopt};
    }
  }

  template <class S>
  Written convert_dense(const DenseSource<S>& source, const io::Names& names) {
    if (!arguments_.precision) return write_dense(source, names);
    return single() ? write_dense(converted<float>(source), names)
                    : write_dense(converted<double>(source), names);
  }

  /// As it is, or without its zeros.
  template <class T>
  Written write_dense(const DenseSource<T>& source, const io::Names& names) {
    if (!arguments_.sparse && io::holds_dense(output_.target())) return output_.write(source, names);
    const Csr<T> sparse = in_phase(
        ExitCode::input, [&] { return io::compressed(output_.watched(source.rows, arguments_.input)); });
    return output_.write(io::view_of(sparse), names);
  }

  const ConvertArguments& arguments_;
  const io::MatrixFile& input_;
  ConvertedFile& output_;
  StatusLine& line_;
  io::Images images_;  // in the columns of what was read
};

Written convert(const ConvertArguments& arguments) {
  StatusLine line(!arguments.quiet);
  ConvertedFile output(arguments.input, arguments.output, line);
  check(arguments, output);
  const io::MatrixFile input = open_file(arguments.input, arguments);
  expect_another_file(arguments, input);
  output.expect_folder();
  io::remove_leftovers(output.path());
  return Conversion(arguments, input, output, line).run();
}

ExitCode run(const ConvertArguments& arguments) {
  const Written written = convert(arguments);
  if (arguments.quiet) return ExitCode::done;
  std::error_code unknown;
  const auto bytes = static_cast<double>(fs::file_size(arguments.output, unknown));
  fmt::print("matrix          {} x {}\n", written.rows, written.cols);
  fmt::print("written         {} ({} {}, {})\n", arguments.output, written.storage, written.type,
             format_bytes(bytes));
  if (written.names_lost)
    fmt::print("names           not written; .csv, .tsv, .h5ad and .anmf have a place for them\n");
  if (const auto [height, width, guessed] = written.images; height > 0) {
    fmt::print(
        "images          of {0} x {1} pixels{2}; no format has a place for that: --image-shape {0}x{1}\n",
        height, width, guessed ? ", the first two axes (--cube pixels-last takes the last two)" : "");
  }
  return ExitCode::done;
}

}  // namespace

Command add_convert(CLI::App& program) {
  const auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* app = program.add_subcommand("convert", "Write the matrix in a file in another format");
  app->add_option("IN", arguments->input, "A matrix in a file of a known format, no entry negative")
      ->required()
      ->type_name("");
  app->add_option(
         "OUT", arguments->output,
         wrapped("The file to write, in the format that its name ends in: .npy, .npz, .mtx, .csv, .tsv "
                 "(.gz may follow these three), .h5ad or .anmf; an older one is replaced"))
      ->required()
      ->type_name("");
  add_file_options(*app, *arguments);
  app->add_flag("--transpose", arguments->transpose, wrapped("Write the transpose; names change sides"));
  add_prepare(
      *app, [arguments](Preparation steps) { arguments->prepare = std::move(steps); },
      "Do this to the entries first, as anmf factorize does: log1p, sqrt, tfidf, total=SUM, unit-variance, "
      "max=X, top-variance=N, with commas between them (default none)");
  add_choice<Precision>(*app, "--precision", arguments->precision,
                        {{"float32", Precision::float32}, {"float64", Precision::float64}},
                        "Number type of what is written (default: that of IN; uint8 and uint16 stay so)");
  CLI::Option* const sparse = app->add_flag("--sparse", arguments->sparse,
                                            wrapped("Write a dense matrix as a sparse one, without zeros"));
  app->add_flag("--dense", arguments->dense, wrapped("Write a sparse matrix as a dense one, with its zeros"))
      ->excludes(sparse);
  app->add_flag("--quiet", arguments->quiet, wrapped("Print nothing but errors"));
  app->footer(
      "Examples:\n"
      "  anmf convert filtered_feature_bc_matrix cells.h5ad --transpose\n"
      "  anmf convert words.mtx.gz words.npz\n"
      "  anmf convert cells.h5ad cells.anmf\n"
      "  anmf convert faces.npy faces.csv.gz --precision float32\n"
      "OUT is written aside and renamed when it is whole.");
  return {app, [arguments] { return run(*arguments); }};
}

}  // namespace anmf::cli
