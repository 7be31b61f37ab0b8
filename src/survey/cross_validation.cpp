// SPDX-License-Identifier: MIT
#include "survey/cross_validation.h"

#include <algorithm>

#include "anmf/estimate.h"
#include "survey/resampled.h"

namespace anmf {
namespace {

Index larger_half(Index lines) { return (lines + 1) / 2; }

}  // namespace

template <class T>
double cross_validation_bytes(Index rows, Index cols, Index nonzeros, const Options& options) {
  const Index half_rows = larger_half(rows);
  const Index half_cols = larger_half(cols);
  const double entries = static_cast<double>(rows) * static_cast<double>(cols);
  const bool dense = static_cast<double>(nonzeros) >= entries;
  const Index quarter = dense ? half_rows * half_cols : (nonzeros + 3) / 4;
  const RunMemory run = run_memory<T>(half_rows, half_cols, quarter, options, 1);
  const double rest = static_cast<double>((half_rows + half_cols) * options.rank) * 2 * sizeof(T);
  const double one = resampled_bytes<T>(half_rows, half_cols, quarter);
  return 4 * one + std::max({run.start, run.compression, run.loop, run.end}) + rest;
}

template double cross_validation_bytes<float>(Index, Index, Index, const Options&);
template double cross_validation_bytes<double>(Index, Index, Index, const Options&);

}  // namespace anmf
