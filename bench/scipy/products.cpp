// SPDX-License-Identifier: MIT
// Times products with a sparse matrix on one thread for bench/scipy/compare.py, which takes turns with it:
//
//     anmf_products FILE       then, on standard input, lines  SIDE RANK SECONDS  (W 20 0.1)
//
// Side W is M F, side H is M' F. It answers each line with the seconds of the fastest product.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

#include "anmf/anmf.h"
#include "core/random.h"
#include "core/stopwatch.h"

namespace {

using namespace anmf;

double fastest_product(const Data<double>& data, Side side, Index rank, double seconds) {
  const Index rows = side == Side::W ? data.rows() : data.cols();
  const Index others = side == Side::W ? data.cols() : data.rows();
  Matrix<double> factor(others, rank);
  for (Index k = 0; k < factor.size(); ++k) factor.data()[k] = uniform(1, 0, k);
  Matrix<double> result(rows, rank);
  ThreadPool pool(1);
  double best = HUGE_VAL;
  for (double spent = 0; spent < seconds;) {
    Stopwatch clock;
    {
      const Stopwatch::Running running(clock);
      data.cross(side, std::as_const(factor).view(), result.view(), pool);
    }
    spent += clock.seconds();
    best = std::min(best, clock.seconds());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "Usage: anmf_products FILE\n");
    return 2;
  }
  const auto loaded = io::load<double>(argv[1]);
  std::string side;
  Index rank = 0;
  double seconds = 0;
  while (std::cin >> side >> rank >> seconds) {
    fmt::print("{}\n", fastest_product(*loaded.data, side == "W" ? Side::W : Side::H, rank, seconds));
    std::fflush(stdout);
  }
}
