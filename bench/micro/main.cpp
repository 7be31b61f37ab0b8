// SPDX-License-Identifier: MIT
// The micro benchmarks. `make bench` runs them and makes the table; docs/performance.md explains it.
#include <benchmark/benchmark.h>

#include "families.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  anmf::bench::register_yardsticks();
  anmf::bench::register_sweeps();
  anmf::bench::register_products();
  anmf::bench::register_iteration();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
