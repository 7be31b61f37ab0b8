// SPDX-License-Identifier: MIT
// Factors uniform on [0, 1), scaled so that the best multiple of W H is 1 (the paper, footnote in section
// 5.1): a = <M Ht, W> / <W'W, Ht'Ht> goes to the random factor, or its root to each if both are random.
#include <cmath>
#include <memory>
#include <utility>

#include "core/drawn_matrix.h"
#include "core/random.h"
#include "data/scale.h"
#include "init/methods.h"
#include "loss/fit_term.h"
#include "loss/supply.h"

namespace anmf {
namespace {

template <class T>
Matrix<T> uniform_factor(std::uint64_t seed, std::uint64_t stream, RowRange rows, Index rank,
                         ThreadPool& pool) {
  return drawn_matrix<T>(rows, rank, pool, [&](Index k) { return uniform(seed, stream, k); });
}

/// The multiple of W H that fits M best.
template <class T>
double best_multiple(const Data<T>& data, Factors<T>& factors, const Workers& workers) {
  const std::unique_ptr<FitTerm<T>> fit = make_fit(data, std::move(factors), Penalties(), workers);
  Wanted<T> wanted = fit->wants_for_value(Side::W);
  supply(wanted, data, workers);
  fit->supplied(wanted);
  const double multiple = fit->best_multiple(Side::W);
  factors = fit->take_factors();
  return multiple;
}

}  // namespace

template <class T>
Factors<T> scaled_random_start(const Data<T>& data, Index rank, std::uint64_t seed, const Start<T>& given,
                               const Workers& workers) {
  ThreadPool& pool = workers.pool;
  Factors<T> factors{
      .W = given.W ? *given.W : uniform_factor<T>(seed, streams::kStartW, data.owned(Side::W), rank, pool),
      .Ht = given.H ? transposed(*given.H)
                    : uniform_factor<T>(seed, streams::kStartH, data.owned(Side::H), rank, pool)};
  const double a = best_multiple(data, factors, workers);
  const bool both = !given.W && !given.H;
  if (!given.W) multiply(factors.W, both ? std::sqrt(a) : a);
  if (!given.H) multiply(factors.Ht, both ? std::sqrt(a) : a);
  return factors;
}

template Factors<float> scaled_random_start(const Data<float>&, Index, std::uint64_t, const Start<float>&,
                                            const Workers&);
template Factors<double> scaled_random_start(const Data<double>&, Index, std::uint64_t, const Start<double>&,
                                             const Workers&);

}  // namespace anmf
