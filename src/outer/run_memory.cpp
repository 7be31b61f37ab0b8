// SPDX-License-Identifier: MIT
// Each part is said by whoever holds it.
#include <algorithm>

#include "anmf/estimate.h"

#include "data/compressed_data.h"
#include "data/range_finder.h"
#include "data/residual.h"
#include "init/start_factors.h"
#include "loss/entry_fit.h"
#include "loss/held_out.h"
#include "loss/masked_fit.h"
#include "outer/extrapolation.h"
#include "outer/finish.h"
#include "outer/plan.h"
#include "outer/planned_rule.h"

namespace anmf {

template <class T>
RunMemory run_memory(Index rows, Index cols, Index nonzeros, const Options& options, int threads) {
  Weighing weighing;
  if (options.heldout > 0) {
    weighing.kind.weighted = true;
    weighing.kind.counted = Counted::all_but;
  }
  const Plan plan = make_plan<T>(options, rows, cols, nonzeros, weighing);
  const Index r = options.rank;
  const bool W_first = options.first == Side::W;
  const Index first = W_first ? rows : cols;
  const Index second = W_first ? cols : rows;
  const double factors = static_cast<double>((rows + cols) * r) * sizeof(T);
  const double home = plan.explore ? factors : 0;  // the pair to go back to

  // Gram matrices are small.
  constexpr double kGramMatrices = 12;
  double plain_loop = factors + kGramMatrices * sizeof(double) * static_cast<double>(r * r);
  if (plan.beta == 2) {  // the product of M with the other factor, and what goes with the method
    plain_loop += factors + residual_bytes<T>(rows, cols, threads);
    if (options.heldout > 0) plain_loop += masked_fit_bytes<T>(rows, cols, r);
    plain_loop += planned_rule<T>(plan)->bytes(
        {.rows = std::max(rows, cols), .rank = r, .by_blocks = sweeps_by_blocks(plan), .threads = threads});
  } else {
    // In double precision, since rows * cols of a sparse matrix may be beyond 64 bits.
    const bool sparse = static_cast<double>(nonzeros) < static_cast<double>(rows) * static_cast<double>(cols);
    plain_loop += entry_fit_bytes<T>(plan.method.rule, plan.beta, sparse, rows, cols, r, threads);
  }
  RunMemory memory;
  memory.start = start_bytes<T>(rows, cols, r, options.init);
  memory.checkpoint = factors + home;
  if (plan.method.extrapolated) {
    plain_loop += Extrapolation<T>::bytes(first, second, r);
    memory.checkpoint += Extrapolation<T>::checkpoint_bytes(first, second, r);
  }
  memory.loop = plain_loop + home;
  if (plan.compressed_rank > 0) {
    const Index width = plan.compressed_rank;
    const double stand_in = static_cast<double>((rows + cols) * width) * sizeof(T);
    memory.compression = std::max(factors + range_bytes<T>(rows, cols, width), stand_in + plain_loop);
  }
  memory.end = finish_bytes<T>(rows, cols, r, options);
  if (options.heldout > 0) {
    const double held = heldout_bytes<T>(rows, cols, nonzeros, options.heldout);
    for (double* stage : {&memory.start, &memory.loop, &memory.end}) *stage += held;
  }
  return memory;
}

template RunMemory run_memory<float>(Index, Index, Index, const Options&, int);
template RunMemory run_memory<double>(Index, Index, Index, const Options&, int);

}  // namespace anmf
