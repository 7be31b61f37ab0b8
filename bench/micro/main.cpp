// SPDX-License-Identifier: MIT
// The micro benchmarks. `make bench` runs them and makes the table; docs/performance.md explains it. With
// --quick they only show that they work, for bench/check.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string_view>

#include "families.h"

int main(int argc, char** argv) {
  char** const end =
      std::remove_if(argv + 1, argv + argc, [](std::string_view word) { return word == "--quick"; });
  const bool quick = end != argv + argc;
  argc = static_cast<int>(end - argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  anmf::bench::register_yardsticks(quick);
  anmf::bench::register_sweeps();
  anmf::bench::register_products(quick);
  anmf::bench::register_iteration(quick);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
