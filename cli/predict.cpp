// SPDX-License-Identifier: MIT
// anmf predict: the folder of a factorization -> W H at the stored positions of a file, or all of it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/io.h"
#include "anmf/predict.h"
#include "command.h"
#include "input.h"
#include "interrupt.h"
#include "io/save.h"
#include "option_helpers.h"
#include "report.h"
#include "run_folder.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

using RunJson = nlohmann::ordered_json;

struct PredictArguments {
  std::string run;
  std::optional<std::string> at;
  bool all = false;
  std::string out;
  FileArguments file;  ///< of --at
  int threads = 0;
  bool quiet = false;
};

/// W diag(scale) H, in the orientation of the file that was factorized.
template <class T>
struct Model {
  Matrix<T> W;
  Matrix<T> H;
  std::vector<double> scale;

  [[nodiscard]] std::string size() const { return fmt::format("{} x {}", W.rows(), H.cols()); }
};

RunJson description(const PredictArguments& arguments) {
  std::error_code ignored;
  if (!fs::is_directory(arguments.run, ignored)) {
    throw Failure(ExitCode::input,
                  fmt::format("'{}' is no folder; give that of a factorization.", arguments.run));
  }
  RunJson run = description_of_run(arguments.run);
  if (run.is_null()) {
    throw Failure(ExitCode::input,
                  fmt::format("'{}' has no run.json that speaks of H.npy: it is not the folder of a "
                              "factorization, or its files may be of different runs.",
                              arguments.run));
  }
  return run;
}

template <class T>
Model<T> read_model(const PredictArguments& arguments, const RunJson& run, std::vector<std::string>& notes) {
  return in_phase(ExitCode::input, [&] {
    Model<T> model;
    model.W = io::load_dense<T>(file_of_run(arguments.run, "W.npy"));
    model.H = io::load_dense<T>(file_of_run(arguments.run, "H.npy"));
    if (run.contains("scale")) model.scale = run["scale"].get<std::vector<double>>();
    if (run.contains("prepare") && !run["prepare"].empty()) {
      notes.push_back(
          fmt::format("The factorization prepared its matrix by {}, and W H is close to the prepared "
                      "one: what is predicted is prepared, too.",
                      run["prepare"].dump()));
    }
    if (run.value("transpose", false)) {
      std::swap(model.W, model.H);
      model.W = transposed(std::as_const(model.W).view());
      model.H = transposed(std::as_const(model.H).view());
      notes.emplace_back(
          "The factorization took the transpose of its file; what is predicted stands as in the file.");
    }
    return model;
  });
}

/// All that the file stores, zeros and negative numbers included: what they are does not matter.
template <class T>
Csr<T> read_places(const PredictArguments& arguments, const Model<T>& model, io::Names& names) {
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): who calls has seen it
  const std::string& path = *arguments.at;
  const io::MatrixFile file = open_file(path, arguments.file);
  if (file.format() == "triplets") {
    throw Failure(
        ExitCode::input,
        fmt::format("--at: '{}' holds triplets, whose rows and columns are numbered by the names that "
                    "occur there; give positions in a format that has the size of the matrix, such as "
                    ".mtx or .npz.",
                    path));
  }
  io::LoadedMatrix<T> read = in_phase(ExitCode::input, [&] {
    return with_header_advice(
        [&] { return io::load<T>(file, {io::Negative::clip, io::Missing::zeros}, arguments.file.header); });
  });
  if (!std::holds_alternative<std::monostate>(read.dense)) {
    throw Failure(
        ExitCode::input,
        fmt::format("--at: '{}' is dense, and all of its positions are stored; --all writes the whole "
                    "product.",
                    path));
  }
  if (read.data->rows() != model.W.rows() || read.data->cols() != model.H.cols()) {
    throw Failure(
        ExitCode::input,
        fmt::format("--at: '{}' is {} x {}, but the product of '{}' is {}; they must have the same size.",
                    path, read.data->rows(), read.data->cols(), arguments.run, model.size()));
  }
  names = {std::move(read.row_names), std::move(read.col_names)};
  return dynamic_cast<const SparseData<T>&>(*read.data).by_row();
}

template <class T>
void predict_places(const PredictArguments& arguments, const Model<T>& model) {
  io::Names names;
  Csr<T> result = read_places(arguments, model, names);
  in_phase(ExitCode::usage, [&] {
    result.values =
        predict_entries<T>(model.W.view(), model.H.view(), PlacesView{result.offsets, result.indices},
                           model.scale, arguments.threads);
  });
  const bool zeros = std::ranges::find(result.values, T{0}) != result.values.end();
  if (zeros && io::target_of(arguments.out) == io::Target::kContainer) {
    throw Failure(
        ExitCode::output,
        fmt::format("'{}': some predicted entries are zero, and .anmf holds no zeros; write .mtx or .npz.",
                    arguments.out));
  }
  in_phase(ExitCode::output, [&] { io::save<T>(arguments.out, io::view_of(result), names); });
  if (!arguments.quiet)
    fmt::print("predicted       {} of {} entries\nwritten         {}\n", result.values.size(), model.size(),
               arguments.out);
}

/// The product as a source of blocks, for the writer of containers.
template <class T>
class ProductBlocks final : public BlockSource<T> {
 public:
  ProductBlocks(const Model<T>& model, int threads) : model_(model), threads_(threads) {
    constexpr Index kLinesAtOnce = 256;
    step_ = std::min(kLinesAtOnce, std::max<Index>(1, rows()));
  }
  [[nodiscard]] Index rows() const override { return model_.W.rows(); }
  [[nodiscard]] Index cols() const override { return model_.H.cols(); }
  [[nodiscard]] Index nonzeros() const override { return rows() * cols(); }
  [[nodiscard]] bool sparse() const override { return false; }
  [[nodiscard]] Layout layout() const override { return Layout::row_major; }
  [[nodiscard]] Index blocks() const override { return (rows() + step_ - 1) / step_; }
  [[nodiscard]] Index first_line(Index block) const override { return std::min(rows(), block * step_); }
  [[nodiscard]] double bytes(Index) const override { return 0; }
  void read(Index block, BlockEntries<T>& entries) override {
    const Index begin = first_line(block);
    Matrix<T> lines(first_line(block + 1) - begin, cols());
    const auto keep = [&](Index first, ConstMatrixView<T> rows_of_product) {
      for (Index i = 0; i < rows_of_product.rows; ++i)
        std::copy_n(rows_of_product.row(i), cols(), lines.view().row(first + i));
    };
    predict_rows<T>(model_.W.view().middle_rows(begin, first_line(block + 1)), model_.H.view(), model_.scale,
                    keep, threads_);
    entries = std::move(lines);
  }

 private:
  const Model<T>& model_;
  int threads_;
  Index step_ = 1;
};

template <class T>
void predict_all(const PredictArguments& arguments, const Model<T>& model) {
  const io::DenseRows<T> rows = {
      model.W.rows(), model.H.cols(), [&](const typename io::DenseRows<T>::Visit& visit) {
        predict_rows<T>(
            model.W.view(), model.H.view(), model.scale,
            [&](Index, ConstMatrixView<T> block) { visit(block); }, arguments.threads);
      }};
  in_phase(ExitCode::output, [&] {
    switch (io::target_of(arguments.out)) {
      case io::Target::kNpy:
        return io::write_npy(arguments.out, rows);
      case io::Target::kTable:
        return io::write_table(arguments.out, rows);
      default: {
        ProductBlocks<T> blocks(model, arguments.threads);
        return io::write_container<T>(arguments.out, blocks);
      }
    }
  });
  if (!arguments.quiet)
    fmt::print("predicted       all of {} entries\nwritten         {}\n", model.size(), arguments.out);
}

/// What cannot be, before anything is read.
void check(const PredictArguments& arguments) {
  if (arguments.all == arguments.at.has_value()) {
    throw Failure(ExitCode::usage, arguments.all
                                       ? "--at and --all both say what to predict; give one of them."
                                       : "--at FILE or --all is required: the positions to predict, or all.");
  }
  const io::Target target = in_phase(ExitCode::usage, [&] { return io::target_of(arguments.out); });
  if (arguments.at && !io::holds_sparse(target)) {
    throw Failure(
        ExitCode::usage,
        fmt::format("'{}': what is predicted at positions is a sparse matrix, and this format holds dense "
                    "ones only; write .mtx, .npz, .h5ad or .anmf.",
                    arguments.out));
  }
  const bool by_rows =
      target == io::Target::kNpy || target == io::Target::kTable || target == io::Target::kContainer;
  if (arguments.all && !by_rows) {
    throw Failure(
        ExitCode::usage,
        fmt::format("'{}': --all writes .npy, .csv, .tsv or .anmf, block by block; anmf convert makes "
                    "other formats of them.",
                    arguments.out));
  }
}

template <class T>
ExitCode run(const PredictArguments& arguments, const RunJson& json) {
  std::vector<std::string> notes;
  const Model<T> model = read_model<T>(arguments, json, notes);
  if (arguments.all) {
    predict_all(arguments, model);
  } else {
    predict_places(arguments, model);
  }
  if (!arguments.quiet) print_notes(notes);
  return ExitCode::done;
}

}  // namespace

Command add_predict(CLI::App& program) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App* app = program.add_subcommand("predict", "Write entries of W H that nobody need have observed");
  app->add_option("RUN", arguments->run, "The folder of a factorization")->required()->type_name("");
  app->add_option(
         "--at", arguments->at,
         wrapped("Predict where this sparse file stores something, zeros included; it has the size of "
                 "the matrix that was factorized"))
      ->type_name("FILE");
  app->add_flag("--all", arguments->all, wrapped("Predict all entries, block by block"));
  app->add_option(
         with_short("--out"), arguments->out,
         wrapped("The file to write, in the format that its name ends in: .mtx, .npz, .h5ad or .anmf "
                 "with --at; .npy, .csv, .tsv or .anmf with --all"))
      ->required()
      ->type_name("FILE");
  add_file_options(*app, arguments->file);
  add_number(*app, "--threads", arguments->threads, Range<int>{.high = 4096},
             "Threads; the result does not depend on it", "0: every core");
  app->add_flag("--quiet", arguments->quiet, wrapped("Print nothing but errors"));
  app->footer(
      "Examples:\n"
      "  anmf factorize ratings.mtx --missing zeros --rank 10 --alpha-w 0.01 --alpha-h 0.01 --out taste\n"
      "  anmf predict taste --at wanted.mtx --out predicted.mtx\n"
      "  anmf predict taste --all --out predicted.npy");
  return {app, [arguments] {
            check(*arguments);
            const RunJson json = description(*arguments);
            return json.value("precision", "float64") == "float32" ? run<float>(*arguments, json)
                                                                   : run<double>(*arguments, json);
          }};
}

}  // namespace anmf::cli
