// SPDX-License-Identifier: MIT
// What all benchmarks share: numbers to work on, the names of types, and the counters gflops and gbytes
// (per second).
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "anmf/matrix.h"
#include "core/random.h"

namespace anmf::bench {

template <class T>
inline constexpr const char* kTypeName = std::is_same_v<T, float> ? "float" : "double";

/// Uniform on [low, low + 1).
template <class T>
[[nodiscard]] Matrix<T> random_matrix(Index rows, Index cols, std::uint64_t seed, double low = 0) {
  Matrix<T> result(rows, cols);
  for (Index k = 0; k < result.size(); ++k) result.data()[k] = static_cast<T>(low + uniform(seed, 0, k));
  return result;
}

/// The work of one benchmark iteration, whatever it is that was timed.
inline void count_flops(benchmark::State& state, double flops) {
  state.counters["gflops"] = {flops / 1e9, benchmark::Counter::kIsIterationInvariantRate};
}
inline void count_bytes(benchmark::State& state, double bytes) {
  state.counters["gbytes"] = {bytes / 1e9, benchmark::Counter::kIsIterationInvariantRate};
}

/// The arguments of nearly all benchmarks: state.range(0) is the rank, state.range(1) the threads.
inline Index rank_of(const benchmark::State& state) { return state.range(0); }
inline int threads_of(const benchmark::State& state) { return static_cast<int>(state.range(1)); }
inline void each_rank(benchmark::internal::Benchmark* benchmark, const std::vector<std::int64_t>& ranks,
                      const std::vector<std::int64_t>& threads = {1, 2}) {
  benchmark->ArgNames({"r", "threads"})->ArgsProduct({ranks, threads});
}

}  // namespace anmf::bench
