// SPDX-License-Identifier: MIT
// Factors uniform on [0, 1), scaled so that the best multiple of W H is 1 (the paper, footnote in section
// 5.1): a = <M Ht, W> / <W'W, Ht'Ht> goes to the random factor, or its root to each if both are random. For
// Kullback and Leibler's loss the best multiple has the sum of M, which is a good one for the other losses,
// too.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/drawn_matrix.h"
#include "core/random.h"
#include "data/scale.h"
#include "init/methods.h"
#include "loss/fit_term.h"
#include "loss/rank_one.h"
#include "loss/supply.h"

namespace anmf {
namespace {

template <class T>
Matrix<T> uniform_factor(std::uint64_t seed, std::uint64_t stream, RowRange rows, Index rank,
                         ThreadPool& pool) {
  return drawn_matrix<T>(rows, rank, pool, [&](Index k) { return uniform(seed, stream, k); });
}

/// The multiple of W H that has the sum of M.
template <class T>
double mass_multiple(const Data<T>& data, const Factors<T>& factors, const Workers& workers) {
  const Index rank = factors.W.cols();
  std::vector<double> sums(static_cast<std::size_t>(2 * rank), 0.0);
  for (const auto& [X, at] : {std::pair(&factors.W, Index{0}), std::pair(&factors.Ht, rank)}) {
    for (Index i = 0; i < X->rows(); ++i) {
      for (Index p = 0; p < rank; ++p)
        sums[static_cast<std::size_t>(at + p)] += static_cast<double>((*X)(i, p));
    }
  }
  workers.sum(sums);
  double mass = 0;
  for (std::size_t p = 0; p < sums.size() / 2; ++p) mass += sums[p] * sums[sums.size() / 2 + p];
  // That of the entries that count, as far as they show it.
  const double share = data.observed() / static_cast<double>(data.rows()) / static_cast<double>(data.cols());
  return mass > 0 ? sum_of_matrix(data, workers) / (mass * share) : 0;
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
                               double beta, const Workers& workers) {
  ThreadPool& pool = workers.pool;
  Factors<T> factors{
      .W = given.W ? *given.W : uniform_factor<T>(seed, streams::kStartW, data.owned(Side::W), rank, pool),
      .Ht = given.H ? transposed(*given.H)
                    : uniform_factor<T>(seed, streams::kStartH, data.owned(Side::H), rank, pool)};
  const bool by_products = beta == 2 && data.counted() == Counted::all;
  double a = by_products ? best_multiple(data, factors, workers) : mass_multiple(data, factors, workers);
  if (!(a > 0) && !data.nonnegative()) a = 1;  // the best multiple may be below zero
  const bool both = !given.W && !given.H;
  if (!given.W) multiply(factors.W, both ? std::sqrt(a) : a);
  if (!given.H) multiply(factors.Ht, both ? std::sqrt(a) : a);
  return factors;
}

template Factors<float> scaled_random_start(const Data<float>&, Index, std::uint64_t, const Start<float>&,
                                            double, const Workers&);
template Factors<double> scaled_random_start(const Data<double>&, Index, std::uint64_t, const Start<double>&,
                                             double, const Workers&);

}  // namespace anmf
