// SPDX-License-Identifier: MIT
// anmf convert: a matrix M (m x n) from any format that can be read to any that can be written.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/io.h"
#include "command.h"
#include "estimate.h"
#include "input.h"
#include "interrupt.h"
#include "io/atomic_file.h"
#include "io/dense_rows.h"
#include "io/dense_stream.h"
#include "io/location.h"
#include "io/save.h"
#include "option_helpers.h"
#include "precision.h"
#include "progress.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

using io::DenseRows;
using io::Target;

struct ConvertArguments {
  std::string input;
  std::string output;
  io::Header header = io::Header::automatic;
  std::optional<Precision> precision;  ///< nothing: that of the input
  bool transpose = false;
  bool sparse = false;
  bool dense = false;
  bool quiet = false;
};

/// What is written, for the summary.
struct Written {
  Index rows = 0;
  Index cols = 0;
  std::string_view storage;
  std::string_view type;
  bool names_lost = false;
};

template <class T>
constexpr std::string_view type_name() {
  if (std::is_same_v<T, double>) return "float64";
  if (std::is_same_v<T, float>) return "float32";
  return std::is_same_v<T, std::uint16_t> ? "uint16" : "uint8";
}

void expect_no_interrupt(const std::string& output) {
  if (!interrupt_requested()) return;
  throw Failure(ExitCode::interrupted, fmt::format("interrupted; '{}' is as it was before.", output));
}

/// Rows that move the status line on their way, in blocks small enough that Ctrl-C is heard between them.
template <class T>
DenseRows<T> watched(const DenseRows<T>& rows, const std::string& output, StatusLine& line) {
  const auto visit_blocks = [&line, rows, output](const typename DenseRows<T>::Visit& visit) {
    Index done = 0;
    rows.for_each_block([&](ConstMatrixView<T> block) {
      const Index step = io::rows_per_block(block.cols * Index{sizeof(T)});
      for (Index begin = 0; begin < block.rows; begin += step) {
        const Index end = std::min(block.rows, begin + step);
        visit(block.middle_rows(begin, end));
        done += end - begin;
        if (line.due()) line.show(fmt::format("{}: row {} of {}", output, done, rows.rows));
        expect_no_interrupt(output);
      }
    });
  };
  return {rows.rows, rows.cols, visit_blocks};
}

/// A dense M as it may be had: by rows, by columns, or lying there as it is to be written. A stream gives one
/// of the first two only, the one that is needed; the other has its sizes.
template <class S>
struct DenseSource {
  DenseRows<S> rows;
  DenseRows<S> columns;
  std::optional<ConstMatrixView<S>> whole;
};

class Conversion {
 public:
  explicit Conversion(const ConvertArguments& arguments)
      : arguments_(arguments),
        output_(arguments.output),
        target_(in_phase(ExitCode::usage, [&] { return io::target_of(output_); })),
        line_(!arguments.quiet) {}

  Written run() {
    check();
    io::remove_leftovers(output_);
    if (target_ == Target::kContainer) return convert_to_container();
    if (auto stream = in_phase(ExitCode::input, [&] { return io::open_dense_stream(arguments_.input); })) {
      if (streams(*stream)) return convert_stream(*stream);
    }
    return arguments_.precision == Precision::float32 ? convert_loaded<float>() : convert_loaded<double>();
  }

 private:
  /// What can be known to fail before anything is read.
  void check() const {
    if (arguments_.sparse && !io::holds_sparse(target_)) {
      throw Failure(ExitCode::usage,
                    fmt::format("--sparse does not go with '{}', a format of dense matrices; choose .npz, "
                                ".mtx, .mtx.gz, .h5ad or .anmf.",
                                arguments_.output));
    }
    if (arguments_.dense && !io::holds_dense(target_)) {
      throw Failure(ExitCode::usage,
                    fmt::format("--dense does not go with '{}', a format of sparse matrices; choose .npy.",
                                arguments_.output));
    }
    std::error_code ignored;
    if (fs::equivalent(io::split_location(arguments_.input).file, output_, ignored)) {
      throw Failure(
          ExitCode::usage,
          fmt::format("'{}' is the input itself; choose another name for the output.", arguments_.output));
    }
    const fs::path folder = output_.has_parent_path() ? output_.parent_path() : fs::path(".");
    if (access(folder.c_str(), W_OK) != 0 || !fs::is_directory(folder, ignored)) {
      throw Failure(ExitCode::output,
                    fmt::format("cannot write '{}': '{}' is not a folder that can be written to.",
                                arguments_.output, folder.string()));
    }
  }

  /// Entries of Matrix Market stand column by column, those of the other dense formats row by row.
  [[nodiscard]] bool wants_columns() const { return target_ == Target::kMatrixMarket; }

  /// Whether the lines of the file come in the order in which they are written, without any need to hold all.
  [[nodiscard]] bool streams(const io::DenseStream& stream) const {
    // A writer of HDF5 would wait for the reader, which holds the library; libzip wants all at once.
    if (!arguments_.sparse && (target_ == Target::kH5ad || target_ == Target::kNpz)) return false;
    const bool gives_columns = stream.by_columns != arguments_.transpose;
    return gives_columns == (wants_columns() && !arguments_.sparse);
  }

  /// The container takes lines in either order, so that no file that comes in blocks need be in memory.
  Written convert_to_container() {
    return arguments_.precision == Precision::float32 ? convert_blocks<float>() : convert_blocks<double>();
  }

  template <class T>
  Written convert_blocks() {
    constexpr double kBlockBytes = 1 << 24;
    auto source =
        in_phase(ExitCode::input, [&] { return io::open_blocks<T>(arguments_.input, kBlockBytes); });
    if (!source) return convert_loaded<T>();
    io::Names names = in_phase(ExitCode::input, [&] { return io::read_annotations(arguments_.input).names; });
    if (arguments_.transpose) {
      std::swap(names.rows, names.cols);
      source = io::transposed(std::move(source));
    }
    const auto after_block = [&](Index block) {
      if (line_.due())
        line_.show(fmt::format("{}: block {} of {}", arguments_.output, block + 1, source->blocks()));
      expect_no_interrupt(arguments_.output);
    };
    writing([&] { io::write_container<T>(output_, *source, names, after_block); });
    return {source->rows(), source->cols(), "sparse", type_name<T>(), names_lost(names)};
  }

  Written convert_stream(io::DenseStream& stream) {
    if (arguments_.transpose) std::swap(stream.names.rows, stream.names.cols);
    return std::visit([&](const auto& lines) { return convert_lines(lines, stream.names); }, stream.lines);
  }

  template <class S>
  Written convert_lines(const DenseRows<S>& lines, const io::Names& names) {
    DenseSource<S> source;
    const DenseRows<S> sizes = {lines.cols, lines.rows, {}};
    const bool columns = wants_columns() && !arguments_.sparse;
    source.rows = columns ? sizes : lines;
    source.columns = columns ? lines : sizes;
    return convert_dense(source, names);
  }

  template <class T>
  Written convert_loaded() {
    line_.show(fmt::format("reading {}", arguments_.input));
    const io::LoadedMatrix<T> loaded = in_phase(
        ExitCode::input,
        [&] {
          return with_header_advice(
              [&] { return io::load<T>(arguments_.input, io::Negative::error, arguments_.header); });
        },
        [&] {
          return memory_advice<T>(fmt::format("the matrix in '{}'", arguments_.input), arguments_.input,
                                  OnDisk::no);
        });
    io::Names names = {loaded.row_names, loaded.col_names};
    if (arguments_.transpose) std::swap(names.rows, names.cols);
    return std::visit(
        [&](const auto& view) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(view)>, std::monostate>) {
            return convert_sparse(dynamic_cast<const SparseData<T>&>(*loaded.data), loaded.single_precision,
                                  names);
          } else {
            return convert_view(view, names);
          }
        },
        loaded.dense);
  }

  template <class S>
  Written convert_view(MatrixView<const S> view, const io::Names& names) {
    DenseSource<S> source;
    source.rows = arguments_.transpose ? io::columns_of<S>(view) : io::rows_of<S>(view);
    source.columns = arguments_.transpose ? io::rows_of<S>(view) : io::columns_of<S>(view);
    if (!arguments_.transpose) source.whole = view;
    return convert_dense(source, names);
  }

  template <class T>
  Written convert_sparse(const SparseData<T>& M, bool single_precision, const io::Names& names) {
    const io::CsrView<T> by_row = io::view_of(arguments_.transpose ? M.by_col() : M.by_row());
    const io::CsrView<T> by_col = io::view_of(arguments_.transpose ? M.by_row() : M.by_col());
    const bool narrow = single_precision && !arguments_.precision;
    if (arguments_.dense || !io::holds_sparse(target_)) {
      check_room(by_row.rows, by_row.cols, narrow ? sizeof(float) : sizeof(T));
      const DenseSource<T> source = {io::rows_of(by_row), io::rows_of(by_col), std::nullopt};
      return narrow ? write_dense<float>(source, names) : write_dense<T>(source, names);
    }
    if (!narrow) return write_sparse(by_row, names);
    const std::vector<float> values(by_row.values.begin(), by_row.values.end());
    return write_sparse<float>({by_row.rows, by_row.cols, by_row.offsets, by_row.indices, values}, names);
  }

  template <class S>
  Written convert_dense(const DenseSource<S>& source, const io::Names& names) {
    if (!arguments_.precision) return write_as<S>(source, names);
    return arguments_.precision == Precision::float32 ? write_as<float>(source, names)
                                                      : write_as<double>(source, names);
  }

  template <class T, class S>
  Written write_as(const DenseSource<S>& source, const io::Names& names) {
    if (!arguments_.sparse && io::holds_dense(target_)) return write_dense<T>(source, names);
    const Csr<T> sparse = in_phase(ExitCode::input, [&] {
      return io::compressed(io::converted<T>(watched(source.rows, arguments_.input, line_)));
    });
    return write_sparse(io::view_of(sparse), names);
  }

  /// What is wrong with the data is an error of the input, also where it is found while the output is
  /// written.
  template <class Body>
  void writing(const Body& body) const {
    const auto checked = [&] {
      try {
        body();
      } catch (const InvalidInput& error) {
        throw Failure(ExitCode::input, error.what());
      }
    };
    in_phase(ExitCode::output, checked,
             [&] { return fmt::format(" to make '{}' of '{}'.", arguments_.output, arguments_.input); });
  }

  template <class T, class S>
  Written write_dense(const DenseSource<S>& source, const io::Names& names) {
    const auto as_written = [&](const DenseRows<S>& lines) {
      return watched(io::converted<T>(lines), arguments_.output, line_);
    };
    writing([&] {
      switch (target_) {
        case Target::kNpy:
          io::write_npy(output_, as_written(source.rows));
          break;
        case Target::kMatrixMarket:
          io::write_matrix_market_array(output_, as_written(source.columns));
          break;
        case Target::kTable:
          io::write_table(output_, as_written(source.rows), names);
          break;
        case Target::kH5ad:
          io::write_h5ad<T>(output_, {.observations = source.rows.rows,
                                      .variables = source.rows.cols,
                                      .X = as_written(source.rows),
                                      .names = names});
          break;
        case Target::kNpz:
          write_whole(source, as_written(source.rows));
          break;
        case Target::kContainer:
          break;  // holds no dense ones
      }
    });
    return {source.rows.rows, source.rows.cols, "dense", type_name<T>(), names_lost(names)};
  }

  /// libzip wants all of M at once; that may be where it lies already.
  template <class T, class S>
  void write_whole(const DenseSource<S>& source, const DenseRows<T>& rows) const {
    if constexpr (std::is_same_v<S, T>) {
      if (source.whole) {
        io::write_npz<T>(output_, *source.whole);
        return;
      }
    }
    const Matrix<T> all = io::collected(rows);
    io::write_npz<T>(output_, all.view());
  }

  template <class T>
  Written write_sparse(const io::CsrView<T>& matrix, const io::Names& names) {
    line_.show(fmt::format("writing {}", arguments_.output));
    writing([&] { io::save<T>(output_, matrix, names); });
    return {matrix.rows, matrix.cols, "sparse", type_name<T>(), names_lost(names)};
  }

  [[nodiscard]] bool names_lost(const io::Names& names) const {
    return !io::holds_names(target_) && (!names.rows.empty() || !names.cols.empty());
  }

  /// Zeros that a sparse matrix need not store may be more than a disk holds. Gzip makes little of them.
  void check_room(Index rows, Index cols, std::size_t entry_bytes) const {
    const bool text = target_ == Target::kTable || target_ == Target::kMatrixMarket;
    const double bytes = static_cast<double>(rows) * static_cast<double>(cols) *
                         (text ? 2.0 : static_cast<double>(entry_bytes));
    std::error_code unknown;
    const auto disk = fs::space(output_.has_parent_path() ? output_.parent_path() : fs::path("."), unknown);
    const auto memory =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    const bool disk_full =
        output_.extension() != ".gz" && !unknown && bytes > static_cast<double>(disk.available);
    const bool memory_full = target_ == Target::kNpz && bytes > memory;
    if (!disk_full && !memory_full) return;
    throw Failure(
        ExitCode::output,
        fmt::format("'{}' would take {}{} as a dense matrix of {} x {}, but there are {} {}; choose "
                    ".npz, .mtx, .h5ad or .anmf, which hold sparse ones.",
                    arguments_.output, text ? "at least " : "", format_bytes(bytes), rows, cols,
                    format_bytes(disk_full ? static_cast<double>(disk.available) : memory),
                    disk_full ? "free on its disk" : "of memory"));
  }

  const ConvertArguments& arguments_;
  fs::path output_;
  Target target_;
  StatusLine line_;
};

ExitCode run(const ConvertArguments& arguments) {
  const InterruptGuard interrupt;
  expect_table(arguments.input, arguments.header);
  const Written written = Conversion(arguments).run();
  if (arguments.quiet) return ExitCode::done;
  std::error_code unknown;
  const auto bytes = static_cast<double>(fs::file_size(arguments.output, unknown));
  fmt::print("matrix          {} x {}\n", written.rows, written.cols);
  fmt::print("written         {} ({} {}, {})\n", arguments.output, written.storage, written.type,
             format_bytes(bytes));
  if (written.names_lost)
    fmt::print("names           not written; .csv, .tsv, .h5ad and .anmf have a place for them\n");
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
  add_header_option(*app, arguments->header);
  app->add_flag("--transpose", arguments->transpose, wrapped("Write the transpose; names change sides"));
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
