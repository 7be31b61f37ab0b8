// SPDX-License-Identifier: MIT
#include "init/start_factors.h"

#include <algorithm>
#include <cmath>

#include "core/chunks.h"
#include "core/random.h"
#include "kernels/gram.h"

namespace anmf {
namespace {

template <class T>
Matrix<T> random_factor(std::uint64_t seed, Side side, Index rows, Index rank, ThreadPool& pool) {
  Matrix<T> X(rows, rank);
  const Chunks chunks = row_chunks(rows);
  constexpr double kFlopsPerNumber = 40;
  pool.for_each_chunk(chunks.count(), kFlopsPerNumber * static_cast<double>(X.size()), [&](Index chunk) {
    for (Index k = chunks.begin(chunk) * rank; k < chunks.end(chunk) * rank; ++k) {
      X.data()[k] = static_cast<T>(uniform(seed, side == Side::W ? 0 : 1, k));
    }
  });
  return X;
}

template <class T>
void multiply(Matrix<T>& X, double factor) {
  for (T& x : X.values()) x = static_cast<T>(static_cast<double>(x) * factor);
}

/// argmin over a of ||M - a W H||.
template <class T>
double best_multiple(const Data<T>& data, const Factors<T>& factors, const Workers& workers) {
  Matrix<T> cross(factors.W.rows(), factors.W.cols());
  data.cross(Side::W, factors.Ht.view(), cross.view(), workers.pool);
  const double overlap = inner_product<T>(cross.view(), factors.W.view(), workers);
  const double squared_norm =
      inner_product(gram<T>(factors.W.view(), workers), gram<T>(factors.Ht.view(), workers));
  return squared_norm > 0 ? overlap / squared_norm : 0;
}

}  // namespace

template <class T>
Factors<T> start_factors(const Data<T>& data, Index rank, std::uint64_t seed, const Start<T>& given,
                         double lower_bound, const Workers& workers) {
  Factors<T> factors{
      .W = given.W ? *given.W : random_factor<T>(seed, Side::W, data.rows(), rank, workers.pool),
      .Ht =
          given.H ? transposed(*given.H) : random_factor<T>(seed, Side::H, data.cols(), rank, workers.pool)};
  if (!given.W || !given.H) {
    const double a = best_multiple(data, factors, workers);
    const bool both = !given.W && !given.H;
    if (!given.W) multiply(factors.W, both ? std::sqrt(a) : a);
    if (!given.H) multiply(factors.Ht, both ? std::sqrt(a) : a);
  }
  for (Matrix<T>* X : {&factors.W, &factors.Ht}) {
    for (T& x : X->values()) x = std::max(x, static_cast<T>(lower_bound));
  }
  return factors;
}

template Factors<float> start_factors(const Data<float>&, Index, std::uint64_t, const Start<float>&, double,
                                      const Workers&);
template Factors<double> start_factors(const Data<double>&, Index, std::uint64_t, const Start<double>&,
                                       double, const Workers&);

}  // namespace anmf
