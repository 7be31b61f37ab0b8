// SPDX-License-Identifier: MIT
// Sweeps over X (N x r) for G (r x r) and C (N x r), on a problem whose solution is positive: steps shrink
// to rounding errors but neither they nor X become denormal numbers.
//   sweep   one inner iteration of a half-step on rows that are packed already
//   half    four inner iterations block by block, packing and unpacking included
//   panel   the bare kernel on one block of rows in the first-level cache
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/blas.h"
#include "core/cost_model.h"
#include "families.h"
#include "kernels/panels.h"
#include "measure.h"
#include "rules/rule_table.h"

namespace anmf::bench {
namespace {

constexpr Index kRows = 10000;
constexpr Index kFixedRows = 400;
constexpr Index kSweepsPerHalf = 4;
constexpr double kDelta = 1e-12;
const std::vector<std::int64_t> kRanks = {2, 4, 8, 16, 20, 32, 50, 60, 64, 100, 128};
const std::vector<std::int64_t> kFewRanks = {8, 20, 32, 60, 128};

template <class T>
struct Problem {
  Matrix<T> start;
  Matrix<T> gram;
  Matrix<T> cross;
  std::vector<T> linear;

  [[nodiscard]] HalfStep<T> half(ThreadPool& pool) const {
    return {.gram = gram.view(), .cross = cross.view(), .linear = linear, .workers = {pool}};
  }
};

/// G = F'F and C = X G for a fixed factor F (400 x r) and a solution X, made once for every rank.
template <class T>
const Problem<T>& problem(Index r) {
  static std::map<Index, Problem<T>> made;
  const auto found = made.find(r);
  if (found != made.end()) return found->second;
  const Matrix<T> fixed = random_matrix<T>(kFixedRows, r, 1);
  const Matrix<T> solution = random_matrix<T>(kRows, r, 2, 0.1);
  Problem<T> result{.start = random_matrix<T>(kRows, r, 3, 0.1),
                    .gram = Matrix<T>(r, r),
                    .cross = Matrix<T>(kRows, r),
                    .linear = std::vector<T>(static_cast<std::size_t>(r))};
  blas::gemm<T>(blas::Op::transpose, blas::Op::none, T{1}, fixed.view(), fixed.view(), T{0},
                result.gram.view());
  blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, solution.view(), std::as_const(result.gram).view(),
                T{0}, result.cross.view());
  return made.emplace(r, std::move(result)).first->second;
}

template <class T>
void sweep(benchmark::State& state, const Rule& kind) {
  ThreadPool pool(threads_of(state));
  Matrix<T> X = problem<T>(rank_of(state)).start;
  const HalfStep<T> half = problem<T>(rank_of(state)).half(pool);
  const std::unique_ptr<UpdateRule<T>> rule = make_rule<T>(kind, kDelta);
  rule->begin_half(half, X.view());
  const double flops = rule->sweep(half, X.view()).flops;  // packs the rows
  for (auto _ : state) benchmark::DoNotOptimize(rule->sweep(half, X.view()));
  rule->end_half(half, X.view());
  count_flops(state, flops);
}

template <class T>
void half_step(benchmark::State& state, const Rule& kind) {
  ThreadPool pool(threads_of(state));
  Matrix<T> X = problem<T>(rank_of(state)).start;
  const HalfStep<T> half = problem<T>(rank_of(state)).half(pool);
  const std::unique_ptr<UpdateRule<T>> rule = make_rule<T>(kind, kDelta);
  BlockReport report;
  for (auto _ : state) {
    report = {};
    rule->sweep_blocks(half, X.view(), {.budget = kSweepsPerHalf}, report);
  }
  count_flops(state, report.flops);
}

/// One projected gradient iteration from the start: later ones need more and more trials.
template <class T>
void pg_sweep(benchmark::State& state) {
  ThreadPool pool(threads_of(state));
  const Problem<T>& p = problem<T>(rank_of(state));
  const HalfStep<T> half = p.half(pool);
  Matrix<T> X = p.start;
  const std::unique_ptr<UpdateRule<T>> rule = make_pg<T>();
  SweepReport report;
  for (auto _ : state) {
    std::copy_n(p.start.data(), X.size(), X.data());
    rule->begin_half(half, X.view());
    const auto began = std::chrono::steady_clock::now();
    report = rule->sweep(half, X.view());
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  count_flops(state, report.flops);
}

/// Runs body(kernels, G, C panel, linear term, X panel, scratch) over the panels of one block.
template <class T, class Body>
void panel(benchmark::State& state, double flops, const Body& body) {
  const Problem<T>& p = problem<T>(rank_of(state));
  const PanelKernels<T>& kernels = panel_kernels<T>();
  const SweepGram<T> gram(p.gram.view());
  const Index count = kBlockRows / kernels.rows;
  PanelBuffer<T> X(count, rank_of(state));
  PanelBuffer<T> C(count, rank_of(state));
  PanelBuffer<T> scratch(1, rank_of(state));
  for (Index k = 0; k < count; ++k) {
    const Index begin = k * kernels.rows;
    kernels.pack(p.start.view().middle_rows(begin, begin + kernels.rows), T{0}, X.panel(k));
    kernels.pack(p.cross.view().middle_rows(begin, begin + kernels.rows), T{0}, C.panel(k));
  }
  for (auto _ : state) {
    for (Index k = 0; k < count; ++k)
      body(kernels, gram, C.panel(k), p.linear.data(), X.panel(k), scratch.panel(0));
    benchmark::ClobberMemory();
  }
  count_flops(state, flops);
}

template <class T>
void hals_panel(benchmark::State& state) {
  panel<T>(state, cost::hals_sweep(kBlockRows, rank_of(state)),
           [](const PanelKernels<T>& kernels, const SweepGram<T>& gram, const T* C, const T* linear, T* X,
              T* /*scratch*/) { benchmark::DoNotOptimize(kernels.hals(gram, C, linear, X, {})); });
}

template <class T>
void mu_panel(benchmark::State& state) {
  panel<T>(state, cost::mu_sweep(kBlockRows, rank_of(state)),
           [](const PanelKernels<T>& kernels, const SweepGram<T>& gram, const T* C, const T* linear, T* X,
              T* scratch) {
             benchmark::DoNotOptimize(kernels.mu(gram, C, linear, static_cast<T>(kDelta), X, scratch, {}));
           });
}

/// X G, the product inside the projected gradient.
template <class T>
void multiply_panel(benchmark::State& state) {
  panel<T>(state, cost::tall_product(kBlockRows, rank_of(state)),
           [](const PanelKernels<T>& kernels, const SweepGram<T>& gram, const T* /*C*/, const T* /*linear*/,
              T* X, T* scratch) { kernels.multiply(gram.gram, X, scratch); });
}

template <class T, class Body>
benchmark::internal::Benchmark* add(const char* what, Body body) {
  return benchmark::RegisterBenchmark(fmt::format("{}/{}", what, kTypeName<T>).c_str(), body);
}

template <class T>
void register_type() {
  each_rank(add<T>("hals/sweep", [](auto& state) { sweep<T>(state, kHals); })->UseRealTime(), kRanks);
  each_rank(add<T>("hals/half", [](auto& state) { half_step<T>(state, kHals); })->UseRealTime(), kFewRanks);
  each_rank(add<T>("hals/panel", hals_panel<T>)->UseRealTime(), kRanks, {1});
  each_rank(add<T>("mu/sweep", [](auto& state) { sweep<T>(state, kMu); })->UseRealTime(), kRanks);
  each_rank(add<T>("mu/half", [](auto& state) { half_step<T>(state, kMu); })->UseRealTime(), kFewRanks);
  each_rank(add<T>("mu/panel", mu_panel<T>)->UseRealTime(), kRanks, {1});
  each_rank(add<T>("pg/sweep", pg_sweep<T>)->UseManualTime(), kRanks);
  each_rank(add<T>("pg/panel", multiply_panel<T>)->UseRealTime(), kRanks, {1});
}

}  // namespace

void register_sweeps() {
  register_type<double>();
  register_type<float>();
}

}  // namespace anmf::bench
