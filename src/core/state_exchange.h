// SPDX-License-Identifier: MIT
// Moves the parts of a run's state into a checkpoint or out of one. Whoever has state names its parts once,
// and the same lines save and restore it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "anmf/checkpoint.h"
#include "anmf/error.h"

namespace anmf {

template <class T>
class StateExchange {
 public:
  [[nodiscard]] static StateExchange saving_to(Checkpoint<T>& checkpoint) { return {checkpoint, false}; }
  /// Takes the matrices out of the checkpoint, which may be large.
  [[nodiscard]] static StateExchange restoring_from(Checkpoint<T>& checkpoint) { return {checkpoint, true}; }

  [[nodiscard]] bool restoring() const { return restoring_; }

  /// A number or a truth value. Counts are at most 2^53, so a double holds them exactly.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void operator()(const std::string& name, Number& number) {
    if (!restoring()) {
      checkpoint_.numbers[name] = static_cast<double>(number);
      return;
    }
    const double saved = find(checkpoint_.numbers, name);
    const double limit = largest<Number>();
    if (!(std::abs(saved) <= limit)) {
      throw InvalidInput(fmt::format("The checkpoint is damaged: '{}' is {}.", name, saved));
    }
    number = static_cast<Number>(saved);
  }

  void operator()(const std::string& name, std::deque<double>& numbers) {
    const auto name_of = [&](std::size_t k) { return fmt::format("{}.{}", name, k); };
    if (restoring()) {
      numbers.clear();
      while (checkpoint_.numbers.contains(name_of(numbers.size()))) {
        numbers.push_back(checkpoint_.numbers.at(name_of(numbers.size())));
      }
    } else {
      for (std::size_t k = 0; k < numbers.size(); ++k) checkpoint_.numbers[name_of(k)] = numbers[k];
    }
  }

  /// A matrix, which has its size already.
  void operator()(const std::string& name, Matrix<T>& matrix) {
    if (!restoring()) {
      checkpoint_.matrices[name] = matrix;
      return;
    }
    Matrix<T>& saved = find(checkpoint_.matrices, name);
    if (saved.rows() != matrix.rows() || saved.cols() != matrix.cols()) {
      throw InvalidInput(fmt::format("The checkpoint is damaged: '{}' is {} x {} and should be {} x {}.",
                                     name, saved.rows(), saved.cols(), matrix.rows(), matrix.cols()));
    }
    matrix = std::move(saved);
  }

 private:
  template <class Number>
  [[nodiscard]] static constexpr double largest() {
    if constexpr (std::is_integral_v<Number>) {
      return static_cast<double>(
          std::min<std::int64_t>(std::numeric_limits<Number>::max(), std::int64_t{1} << 53));
    } else {
      return std::numeric_limits<Number>::max();
    }
  }

  template <class Map>
  [[nodiscard]] static typename Map::mapped_type& find(Map& map, const std::string& name) {
    const auto found = map.find(name);
    if (found == map.end()) {
      throw InvalidInput(fmt::format(
          "The checkpoint lacks '{}': it is damaged, or of another version of this program.", name));
    }
    return found->second;
  }

  StateExchange(Checkpoint<T>& checkpoint, bool restoring) : checkpoint_(checkpoint), restoring_(restoring) {}

  Checkpoint<T>& checkpoint_;
  bool restoring_;
};

}  // namespace anmf
