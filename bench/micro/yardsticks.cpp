// SPDX-License-Identifier: MIT
// What the machine can do: the rate of a large matrix product on one thread, and the bandwidth of its memory
// and of its second-level cache.
// They are repeated often, so that a run that mixes repetitions measures them from its beginning to its end.
#include <fmt/format.h>

#include "anmf/parallel.h"
#include "core/blas.h"
#include "core/chunks.h"
#include "core/sums.h"
#include "families.h"
#include "measure.h"

namespace anmf::bench {
namespace {

constexpr Index kSize = 2000;
constexpr int kRepetitions = 25;

// 256 MB, more than any cache holds.
constexpr Index kLong = Index{1} << 25U;

/// C = A B, all 2000 x 2000.
template <class T>
void gemm(benchmark::State& state) {
  static const Matrix<T> A = random_matrix<T>(kSize, kSize, 1);
  static const Matrix<T> B = random_matrix<T>(kSize, kSize, 2);
  static Matrix<T> C(kSize, kSize);
  const blas::SingleThreaded single_threaded;
  for (auto _ : state) {
    blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, A.view(), B.view(), T{0}, C.view());
  }
  count_flops(state, 2.0 * kSize * kSize * kSize);
}

struct LongVectors {
  Matrix<double> a{1, kLong, 1.0};
  Matrix<double> b{1, kLong, 2.0};
  Matrix<double> c{1, kLong, 3.0};
};

LongVectors& long_vectors() {
  static LongVectors vectors;
  return vectors;
}

/// The sum of a.
void read(benchmark::State& state) {
  const LongVectors& vectors = long_vectors();
  ThreadPool pool(static_cast<int>(state.range(0)));
  const Chunks chunks(kLong, 1, 64);
  for (auto _ : state) {
    PartialSums<1> sums(chunks.count());
    pool.for_each_chunk(chunks.count(), kLong, [&](Index chunk) {
      const double* a = vectors.a.data() + chunks.begin(chunk);
      sums.at(chunk)[0] = sum_terms(chunks.end(chunk) - chunks.begin(chunk), [=](Index k) { return a[k]; });
    });
    benchmark::DoNotOptimize(sums);
  }
  count_bytes(state, 8.0 * kLong);
}

/// The sum of the same 512 KB again and again: more than the first-level cache holds, less than the second.
void read_cached(benchmark::State& state) {
  constexpr Index kPasses = 64;
  Index entries = Index{1} << 16U;
  benchmark::DoNotOptimize(entries);  // a length that the compiler knows would be another loop
  const double* a = long_vectors().a.data();
  for (auto _ : state) {
    for (Index pass = 0; pass < kPasses; ++pass) {
      double sum = sum_terms(entries, [=](Index k) { return a[k]; });
      benchmark::DoNotOptimize(sum);
    }
  }
  count_bytes(state, 8.0 * static_cast<double>(entries * kPasses));
}

/// a = b + 0.5 c; counted as three vectors, as is usual, though the caches also fetch what is written.
void triad(benchmark::State& state) {
  LongVectors& vectors = long_vectors();
  ThreadPool pool(static_cast<int>(state.range(0)));
  const Chunks chunks(kLong, 1, 64);
  for (auto _ : state) {
    pool.for_each_chunk(chunks.count(), 2 * kLong, [&](Index chunk) {
      double* a = vectors.a.data();
      const double* b = vectors.b.data();
      const double* c = vectors.c.data();
      for (Index k = chunks.begin(chunk); k < chunks.end(chunk); ++k) a[k] = b[k] + 0.5 * c[k];
    });
    benchmark::ClobberMemory();
  }
  count_bytes(state, 3 * 8.0 * kLong);
}

template <class T>
void register_gemm() {
  benchmark::RegisterBenchmark(fmt::format("yardstick/gemm/{}", kTypeName<T>).c_str(), gemm<T>)
      ->Repetitions(kRepetitions)
      ->UseRealTime();
}

}  // namespace

void register_yardsticks() {
  register_gemm<double>();
  register_gemm<float>();
  benchmark::RegisterBenchmark("yardstick/read", read)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
  benchmark::RegisterBenchmark("yardstick/read-cached", read_cached)
      ->ArgName("threads")
      ->Arg(1)
      ->UseRealTime();
  benchmark::RegisterBenchmark("yardstick/triad", triad)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
}

}  // namespace anmf::bench
