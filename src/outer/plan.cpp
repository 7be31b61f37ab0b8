// SPDX-License-Identifier: MIT
#include "outer/plan.h"

#include <algorithm>

namespace anmf {

Index choose_compression(const Options& options, Index rows, Index cols, Index nonzeros) {
  // Beyond the rank that is asked for, so that what the factors can express is captured well.
  constexpr Index kExtra = 10;
  // Products with M must cost this much more than those with the compression.
  constexpr double kWorthwhile = 10;
  const Index width = std::min({options.rank + kExtra, rows, cols});
  if (beta_of(options.loss) != 2) return 0;
  if (options.compress == Compress::on) return width;
  // In double precision, since rows * cols of a sparse matrix may be beyond 64 bits.
  const bool sparse = static_cast<double>(nonzeros) < static_cast<double>(rows) * static_cast<double>(cols);
  if (options.compress == Compress::off || options.method != "auto" || sparse) return 0;
  const double compressed = static_cast<double>(width) * static_cast<double>(rows + cols);
  return static_cast<double>(nonzeros) >= kWorthwhile * compressed ? width : 0;
}

}  // namespace anmf
