// SPDX-License-Identifier: MIT
// One outer iteration of a-hals on the faces of orl (10304 x 400, r = 60), or on random numbers where that
// set is absent: solver time and flops as the trace has them, the mean over ten iterations.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "anmf/anmf.h"
#include "families.h"
#include "measure.h"

namespace anmf::bench {
namespace {

constexpr Index kIterations = 10;

template <class T>
struct Faces {
  std::filesystem::path path = folder() / "orl" / "orl.npy";
  bool found = std::filesystem::exists(path);
  Matrix<T> M = found ? io::read_npy<T>(path) : random_matrix<T>(10304, 400, 1);
  DenseData<T> data{M.view()};

  static std::filesystem::path folder() {
    const char* chosen = std::getenv("ANMF_DATA");  // NOLINT(concurrency-mt-unsafe)
    return chosen != nullptr ? chosen : ANMF_DATA_SETS;
  }
};

template <class T>
void iteration(benchmark::State& state) {
  static const Faces<T> faces;
  const Options options{.rank = rank_of(state),
                        .method = "a-hals",
                        .max_iterations = 1 + kIterations,
                        .tolerance = 0,
                        .threads = threads_of(state)};
  double flops = 0;
  for (auto _ : state) {
    const Result<T> result = factorize<T>(faces.data, options);
    // The first product belongs to the start, so the first iteration is a cheap one.
    const IterationRecord& first = result.trace.at(1);
    const IterationRecord& last = result.trace.back();
    state.SetIterationTime((last.seconds - first.seconds) / kIterations);
    flops = (last.flops - first.flops) / kIterations;
  }
  count_flops(state, flops);
  state.SetLabel(faces.found ? "orl" : "random");
}

template <class T>
void register_type(bool quick) {
  each_rank(
      benchmark::RegisterBenchmark(fmt::format("iteration/a-hals/{}", kTypeName<T>).c_str(), iteration<T>)
          ->Repetitions(quick ? 1 : 9)
          ->Iterations(1)
          ->UseManualTime(),
      {60});
}

}  // namespace

void register_iteration(bool quick) {
  register_type<double>(quick);
  register_type<float>(quick);
}

}  // namespace anmf::bench
