// SPDX-License-Identifier: MIT
// W and Ht of sqrt(mean(M) / r) |N(0, 1)|: the entries of W H are then of the size of those of M.
#include <cmath>

#include "core/drawn_matrix.h"
#include "core/random.h"
#include "init/methods.h"
#include "kernels/gram.h"

namespace anmf {

template <class T>
double mean_entry(const Data<T>& data, const Workers& workers) {
  const Matrix<T> ones(data.owned(Side::H).count, 1, T{1});
  Matrix<T> row_sums(data.owned(Side::W).count, 1);
  data.cross(Side::W, ones.view(), row_sums.view(), workers.pool);
  const double sum = sum_of_entries<T>(row_sums.view(), workers);
  return sum / data.observed();
}

template <class T>
Factors<T> random_start(const Data<T>& data, Index rank, std::uint64_t seed, const Workers& workers) {
  double mean = mean_entry(data, workers);
  if (!(mean > 0) && !data.nonnegative())
    mean = 1;  // of entries with both signs, which says little of their size
  const double size = std::sqrt(mean / static_cast<double>(rank));
  const auto factor = [&](Side side, std::uint64_t stream) {
    return drawn_matrix<T>(data.owned(side), rank, workers.pool,
                           [&](Index k) { return size * half_normal(seed, stream, k); });
  };
  return {.W = factor(Side::W, streams::kStartW), .Ht = factor(Side::H, streams::kStartH)};
}

template double mean_entry(const Data<float>&, const Workers&);
template double mean_entry(const Data<double>&, const Workers&);
template Factors<float> random_start(const Data<float>&, Index, std::uint64_t, const Workers&);
template Factors<double> random_start(const Data<double>&, Index, std::uint64_t, const Workers&);

}  // namespace anmf
