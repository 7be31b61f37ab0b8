// SPDX-License-Identifier: MIT
#include "init/start_factors.h"

#include <algorithm>
#include <utility>

#include "anmf/init.h"
#include "data/scaled_problem.h"
#include "init/methods.h"
#include "validate/entries.h"
#include "validate/options.h"

namespace anmf {
namespace {

template <class T>
Factors<T> made_factors(const Data<T>& data, Index rank, Init init, std::uint64_t seed, const Start<T>& given,
                        double beta, const Workers& workers) {
  switch (init) {
    case Init::scaled_random:
      break;
    case Init::random:
      return random_start(data, rank, seed, workers);
    case Init::nndsvd:
      return nndsvd_start(data, rank, Filling::none, seed, workers.pool);
    case Init::nndsvda:
      return nndsvd_start(data, rank, Filling::constant, seed, workers.pool);
    case Init::nndsvdar:
      return nndsvd_start(data, rank, Filling::random, seed, workers.pool);
    case Init::spa:
      return spa_start(data, rank, seed, workers.pool);
  }
  return scaled_random_start(data, rank, seed, given, beta, workers);
}

}  // namespace

template <class T>
Factors<T> start_factors(const Data<T>& data, Index rank, Init init, std::uint64_t seed,
                         const Start<T>& given, double lower_bound, const Workers& workers, double beta) {
  Factors<T> factors;
  if (!given.W || !given.H) factors = made_factors(data, rank, init, seed, given, beta, workers);
  if (given.W) factors.W = *given.W;
  if (given.H) factors.Ht = transposed(*given.H);
  for (Matrix<T>* X : {&factors.W, &factors.Ht}) {
    for (T& x : X->values()) x = std::max(x, static_cast<T>(lower_bound));
  }
  return factors;
}

template <class T>
double start_bytes(Index rows, Index cols, Index rank, Init init) {
  const double row_bytes = static_cast<double>(rank) * sizeof(T);
  const double factors = static_cast<double>(rows + cols) * row_bytes;
  switch (init) {
    case Init::random:
      return factors + static_cast<double>(rows + cols) * sizeof(T);
    case Init::nndsvd:
    case Init::nndsvda:
    case Init::nndsvdar:
      return nndsvd_bytes<T>(rows, cols, rank);
    case Init::spa:
      return spa_bytes<T>(rows, cols, rank);
    case Init::scaled_random:
      break;
  }
  return factors + static_cast<double>(rows) * row_bytes;  // and the product for their best multiple
}

template <class T>
Start<T> initial_factors(const Data<T>& data, Index rank, Init init, std::uint64_t seed, int threads,
                         Interrupt interrupt) {
  validate::options({.rank = rank, .threads = threads});
  validate::data(data);
  validate::init<T>(init, {}, data, rank, nullptr);
  ThreadPool pool(threads, std::move(interrupt));
  const ScaledProblem<T> problem(data);
  Factors<T> factors = start_factors<T>(problem.data(), rank, init, seed, {}, 0, Workers{pool});
  using Share = typename ScaledProblem<T>::Share;
  // The columns of M are of its own size, and H then tells their shares.
  const bool all_on_W = init == Init::spa;
  problem.scale_back(factors.W, all_on_W ? Share::all : Share::root);
  if (!all_on_W) problem.scale_back(factors.Ht, Share::root);
  return {.W = std::move(factors.W), .H = transposed(factors.Ht)};
}

template Factors<float> start_factors(const Data<float>&, Index, Init, std::uint64_t, const Start<float>&,
                                      double, const Workers&, double);
template Factors<double> start_factors(const Data<double>&, Index, Init, std::uint64_t, const Start<double>&,
                                       double, const Workers&, double);
template double start_bytes<float>(Index, Index, Index, Init);
template double start_bytes<double>(Index, Index, Index, Init);
template Start<float> initial_factors(const Data<float>&, Index, Init, std::uint64_t, int, Interrupt);
template Start<double> initial_factors(const Data<double>&, Index, Init, std::uint64_t, int, Interrupt);

}  // namespace anmf
