// SPDX-License-Identifier: MIT
// What the machine can do: the rate of multiply-adds in registers and of a large matrix product, and the
// bandwidth of its memory and of its second-level cache. table.py takes the larger of the two rates for the
// peak, since a BLAS that does not know the processor can make a fraction of it. They are repeated often, so
// that a run that mixes repetitions measures them from its beginning to its end.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "anmf/parallel.h"
#include "core/blas.h"
#include "core/chunks.h"
#include "core/sums.h"
#include "families.h"
#include "measure.h"
#include "peak.h"

namespace anmf::bench {
namespace {

struct Sizes {
  Index product = 2000;            // rows and columns
  Index vector = Index{1} << 25U;  // 256 MB, more than any cache holds
  int repetitions = 25;
};
constexpr Sizes kQuickSizes = {.product = 200, .vector = Index{1} << 16U, .repetitions = 1};

/// Short, since a moment in which nobody else disturbs is what shows the peak.
constexpr double kPeakSeconds = 0.004;
constexpr Index kPeakSteps = 20'000;  // a tenth of a millisecond
constexpr Index kPeakChunks = 8;      // for every thread

int threads_of_yardstick(const benchmark::State& state) { return static_cast<int>(state.range(0)); }

template <class T>
void peak(benchmark::State& state) {
  ThreadPool pool(threads_of_yardstick(state));
  const Index chunks = kPeakChunks * pool.threads();
  PartialSums<2> flops_and_sum(chunks);
  for (auto _ : state) {
    pool.for_each_chunk(chunks, HUGE_VAL, [&](Index chunk) {
      const std::span<double, 2> mine = flops_and_sum.at(chunk);
      mine[0] = multiply_adds<T>(kPeakSteps, mine[1]);
    });
    benchmark::ClobberMemory();
  }
  count_flops(state, flops_and_sum.total()[0]);
}

/// C = A B, every thread its own.
template <class T>
void gemm(benchmark::State& state, Index size) {
  static const Matrix<T> A = random_matrix<T>(size, size, 1);
  static const Matrix<T> B = random_matrix<T>(size, size, 2);
  ThreadPool pool(threads_of_yardstick(state));
  std::vector<Matrix<T>> products(static_cast<std::size_t>(pool.threads()), Matrix<T>(size, size));
  for (auto _ : state) {
    pool.for_each_chunk(pool.threads(), HUGE_VAL, [&](Index k) {
      blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, A.view(), B.view(), T{0},
                    products[static_cast<std::size_t>(k)].view());
    });
  }
  count_flops(state, 2.0 * static_cast<double>(pool.threads() * size * size * size));
}

struct LongVectors {
  explicit LongVectors(Index length) : a(1, length, 1.0), b(1, length, 2.0), c(1, length, 3.0) {}

  Matrix<double> a;
  Matrix<double> b;
  Matrix<double> c;
};

LongVectors& long_vectors(Index length) {
  static LongVectors vectors(length);
  return vectors;
}

/// The sum of a.
void read(benchmark::State& state, Index length) {
  const LongVectors& vectors = long_vectors(length);
  ThreadPool pool(threads_of_yardstick(state));
  const Chunks chunks(length, 1, 64);
  for (auto _ : state) {
    PartialSums<1> sums(chunks.count());
    pool.for_each_chunk(chunks.count(), HUGE_VAL, [&](Index chunk) {
      const double* a = vectors.a.data() + chunks.begin(chunk);
      sums.at(chunk)[0] = sum_terms(chunks.end(chunk) - chunks.begin(chunk), [=](Index k) { return a[k]; });
    });
    benchmark::DoNotOptimize(sums);
  }
  count_bytes(state, 8.0 * static_cast<double>(length));
}

/// The sum of the same 512 KB again and again: more than the first-level cache holds, less than the second.
void read_cached(benchmark::State& state, Index length) {
  constexpr Index kPasses = 64;
  Index entries = Index{1} << 16U;
  benchmark::DoNotOptimize(entries);  // a length that the compiler knows would be another loop
  const double* a = long_vectors(length).a.data();
  for (auto _ : state) {
    for (Index pass = 0; pass < kPasses; ++pass) {
      double sum = sum_terms(entries, [=](Index k) { return a[k]; });
      benchmark::DoNotOptimize(sum);
    }
  }
  count_bytes(state, 8.0 * static_cast<double>(entries * kPasses));
}

/// a = b + 0.5 c; counted as three vectors, as is usual, though the caches also fetch what is written.
void triad(benchmark::State& state, Index length) {
  LongVectors& vectors = long_vectors(length);
  ThreadPool pool(threads_of_yardstick(state));
  const Chunks chunks(length, 1, 64);
  for (auto _ : state) {
    pool.for_each_chunk(chunks.count(), HUGE_VAL, [&](Index chunk) {
      double* a = vectors.a.data();
      const double* b = vectors.b.data();
      const double* c = vectors.c.data();
      for (Index k = chunks.begin(chunk); k < chunks.end(chunk); ++k) a[k] = b[k] + 0.5 * c[k];
    });
    benchmark::ClobberMemory();
  }
  count_bytes(state, 3 * 8.0 * static_cast<double>(length));
}

benchmark::internal::Benchmark* on_threads(benchmark::internal::Benchmark* benchmark,
                                           const std::vector<std::int64_t>& threads = {1, 2}) {
  return benchmark->ArgName("threads")->ArgsProduct({threads})->UseRealTime();
}

template <class T>
void register_arithmetic(const Sizes& sizes) {
  const auto name = [](const char* what) { return fmt::format("yardstick/{}/{}", what, kTypeName<T>); };
  on_threads(benchmark::RegisterBenchmark(name("peak").c_str(), peak<T>))
      ->MinTime(kPeakSeconds)
      ->Repetitions(4 * sizes.repetitions);
  on_threads(benchmark::RegisterBenchmark(name("gemm").c_str(), gemm<T>, sizes.product))
      ->Repetitions(sizes.repetitions);
}

}  // namespace

void register_yardsticks(bool quick) {
  const Sizes sizes = quick ? kQuickSizes : Sizes{};
  register_arithmetic<double>(sizes);
  register_arithmetic<float>(sizes);
  on_threads(benchmark::RegisterBenchmark("yardstick/read", read, sizes.vector));
  on_threads(benchmark::RegisterBenchmark("yardstick/read-cached", read_cached, sizes.vector), {1});
  on_threads(benchmark::RegisterBenchmark("yardstick/triad", triad, sizes.vector));
}

}  // namespace anmf::bench
