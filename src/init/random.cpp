// SPDX-License-Identifier: MIT
// W and Ht of sqrt(mean(M) / r) |N(0, 1)|: the entries of W H are then of the size of those of M.
#include <cmath>

#include "core/drawn_matrix.h"
#include "core/random.h"
#include "init/methods.h"
#include "kernels/gram.h"

namespace anmf {

template <class T>
double mean_entry(const Data<T>& data, ThreadPool& pool) {
  const Matrix<T> ones(data.cols(), 1, T{1});
  Matrix<T> row_sums(data.rows(), 1);
  data.cross(Side::W, ones.view(), row_sums.view(), pool);
  const double sum = sum_of_entries<T>(row_sums.view(), Workers{pool});
  return sum / static_cast<double>(data.rows()) / static_cast<double>(data.cols());
}

template <class T>
Factors<T> random_start(const Data<T>& data, Index rank, std::uint64_t seed, ThreadPool& pool) {
  const double size = std::sqrt(mean_entry(data, pool) / static_cast<double>(rank));
  const auto factor = [&](Index rows, std::uint64_t stream) {
    return drawn_matrix<T>(rows, rank, pool, [&](Index k) { return size * half_normal(seed, stream, k); });
  };
  return {.W = factor(data.rows(), streams::kStartW), .Ht = factor(data.cols(), streams::kStartH)};
}

template double mean_entry(const Data<float>&, ThreadPool&);
template double mean_entry(const Data<double>&, ThreadPool&);
template Factors<float> random_start(const Data<float>&, Index, std::uint64_t, ThreadPool&);
template Factors<double> random_start(const Data<double>&, Index, std::uint64_t, ThreadPool&);

}  // namespace anmf
