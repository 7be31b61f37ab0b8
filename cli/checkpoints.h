// SPDX-License-Identifier: MIT
// checkpoint.npz in the folder of a run: written from time to time, read by --resume.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "anmf/checkpoint.h"
#include "anmf/options.h"

namespace CLI {
class App;
}

namespace anmf::cli {

inline constexpr std::string_view kCheckpointFile = "checkpoint.npz";

/// As typed.
struct CheckpointArguments {
  std::optional<double> every;        ///< seconds
  std::optional<std::string> resume;  ///< a folder
};

/// Adds --checkpoint-every and --resume; the latter fills in the options of the run that it goes on with.
void add_checkpoint_options(CLI::App& app, CheckpointArguments& arguments);

/// When to write a checkpoint, and writing it. The first one is written at once: better to learn before a
/// long computation that there is no room. If a later one fails the run goes on, and the older one stays.
class CheckpointWriter {
 public:
  /// A process that does not lead has no path, writes nothing, and only asks for a checkpoint after a signal.
  CheckpointWriter(std::optional<std::filesystem::path> path, double every_seconds, std::string settings,
                   const Options& options);

  /// True now and then, and after the last iteration that a limit or a signal allows.
  [[nodiscard]] bool due(const IterationRecord& last) const;
  template <class T>
  void write(const Checkpoint<T>& checkpoint);

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<std::filesystem::path> path_;
  std::chrono::duration<double> every_;
  std::string settings_;
  const Options& options_;
  bool written_ = false;
  Clock::time_point last_ = Clock::now();
};

/// The checkpoint in a folder. Throws InvalidInput or IoError.
template <class T>
[[nodiscard]] Checkpoint<T> read_checkpoint(const std::filesystem::path& folder);

}  // namespace anmf::cli
