// SPDX-License-Identifier: MIT
#include "checkpoints.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <utility>

#include "anmf/error.h"
#include "anmf/io.h"
#include "failure.h"
#include "interrupt.h"
#include "option_helpers.h"
#include "settings.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

fs::path checkpoint_in(const fs::path& folder) {
  const fs::path path = folder / kCheckpointFile;
  std::error_code error;
  if (fs::exists(path, error)) return path;
  throw Failure(ExitCode::input,
                fmt::format("{}: there is no {} to go on from; only runs with --checkpoint-every write one.",
                            folder.string(), kCheckpointFile));
}

/// The options that decide what M is, as a run has them that does not mention them.
struct MatrixOption {
  const char* name;
  const char* usual;
};
constexpr std::array<MatrixOption, 13> kMatrixOptions = {{{"transpose", "false"},
                                                          {"rows", "all"},
                                                          {"columns", "all"},
                                                          {"negative", "error"},
                                                          {"header", "auto"},
                                                          {"triplets", "auto"},
                                                          {"cube", "auto"},
                                                          {"prepare", "none"},
                                                          {"precision", "float64"},
                                                          {"missing", "error"},
                                                          {"weights", "none"},
                                                          {"row-weights", "none"},
                                                          {"column-weights", "none"}}};

/// With another M there is nothing to go on with. The engine sees that by the entries, once they are read.
void expect_same_matrix(const CLI::App& app, std::span<const Setting> settings) {
  for (const MatrixOption& option : kMatrixOptions) {
    const CLI::Option* const given = app.get_option(fmt::format("--{}", option.name));
    if (given->count() == 0) continue;
    const auto saved = std::find_if(settings.begin(), settings.end(),
                                    [&](const Setting& setting) { return setting.name == option.name; });
    const std::string before = saved == settings.end() ? option.usual : saved->value;
    const std::string& now = given->results().front();
    if (now == before || fs::absolute(now).string() == before) continue;
    throw Failure(
        ExitCode::usage,
        fmt::format("--{} is {} here, but the run was begun with {}: that is another matrix. Resume without "
                    "--{}, or begin a new run.",
                    option.name, given->results().front(), before, option.name));
  }
}

/// The options of the run in that folder, for those that were not typed. It goes on in the same folder.
void fill_in(CLI::App& app, const std::string& folder) {
  const fs::path path = checkpoint_in(folder);
  auto settings = in_phase(ExitCode::input, [&] {
    return parse_settings(io::read_checkpoint_settings(path), fmt::format("{}: settings", path.string()));
  });
  expect_same_matrix(app, settings);
  settings.push_back({.name = "out", .value = folder, .where = path.string()});
  apply_settings(app, settings);
}

}  // namespace

void add_checkpoint_options(CLI::App& app, CheckpointArguments& arguments) {
  add_number(app, "--checkpoint-every", arguments.every, Range<double>{},
             "Write the state of the run to checkpoint.npz in --out every so many seconds", "never")
      ->type_name("SEC")
      ->group(kSavedGroup);
  auto resume = [&app, &arguments](const std::string& folder) {
    arguments.resume = folder;
    fill_in(app, folder);
  };
  add_text(app, "--resume", resume,
           wrapped("Go on with the run whose checkpoint.npz is in this folder, with its options; what is "
                   "typed besides may change limits, tolerances, threads, outputs and --out"),
           "DIR")
      ->configurable(false)
      ->group(kSavedGroup);
}

CheckpointWriter::CheckpointWriter(std::optional<fs::path> path, double every_seconds, std::string settings,
                                   const Options& options)
    : path_(std::move(path)), every_(every_seconds), settings_(std::move(settings)), options_(options) {}

bool CheckpointWriter::due(const IterationRecord& last) const {
  if (!path_) return interrupt_requested();
  return !written_ || interrupt_requested() || last.iteration >= options_.max_iterations ||
         last.seconds >= options_.time_limit || Clock::now() - last_ >= every_;
}

template <class T>
void CheckpointWriter::write(const Checkpoint<T>& checkpoint) {
  try {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): what is due has a path
    io::write_checkpoint<T>(*path_, checkpoint, settings_);
  } catch (const IoError& error) {
    if (!written_) throw Failure(ExitCode::output, error.what());
    fmt::print(stderr, "note: {} The run goes on; the checkpoint before it is still there.\n", error.what());
  }
  written_ = true;
  last_ = Clock::now();
}

template <class T>
Checkpoint<T> read_checkpoint(const fs::path& folder) {
  return io::read_checkpoint<T>(checkpoint_in(folder));
}

template void CheckpointWriter::write(const Checkpoint<float>&);
template void CheckpointWriter::write(const Checkpoint<double>&);
template Checkpoint<float> read_checkpoint(const fs::path&);
template Checkpoint<double> read_checkpoint(const fs::path&);

}  // namespace anmf::cli
