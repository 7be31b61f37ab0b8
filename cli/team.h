// SPDX-License-Identifier: MIT
// Who computes a factorization: this process alone, or together with others that have a part of M each. Then
// all of them run the same command, and one of them prints and writes files.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/factorize.h"
#include "input.h"
#include "open_input.h"

namespace anmf::cli {

template <class T>
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  /// Whether this is the process that prints and writes files.
  [[nodiscard]] virtual bool leads() const { return true; }
  /// Runs a step that may fail in one process alone; then it fails in all of them.
  virtual void together(const std::function<void()>& step) { step(); }

  /// Makes sure that all processes see the same files. Throws InvalidInput in all of them otherwise.
  virtual void agree_on_files(const std::vector<std::string>& files) { (void)files; }

  /// Whether read() can prepare the matrix.
  [[nodiscard]] virtual bool prepares() const { return true; }
  /// M, or the part of it that this process has, within so many bytes.
  [[nodiscard]] virtual Input<T> read(const InputRequest& request) { return open_input<T>(request); }
  /// All of these take and give whole factors; those of the result and of checkpoints are whole where the
  /// process leads.
  [[nodiscard]] virtual Result<T> factorize(const Data<T>& M, const Options& options, const Start<T>& start,
                                            Observer<T>& observer) {
    return anmf::factorize(M, options, start, &observer);
  }
  [[nodiscard]] virtual Result<T> resume(const Data<T>& M, const Options& options, Checkpoint<T> checkpoint,
                                         Observer<T>& observer) {
    return anmf::resume(M, options, std::move(checkpoint), &observer);
  }
  /// Adds what run.json should say about it.
  virtual void describe(nlohmann::ordered_json& run) const { (void)run; }
};

/// One for each number type.
struct Teams {
  std::shared_ptr<Team<float>> of_float = std::make_shared<Team<float>>();
  std::shared_ptr<Team<double>> of_double = std::make_shared<Team<double>>();

  template <class T>
  [[nodiscard]] Team<T>& of() const {
    if constexpr (std::is_same_v<T, float>) {
      return *of_float;
    } else {
      return *of_double;
    }
  }
};

}  // namespace anmf::cli
