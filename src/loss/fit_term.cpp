// SPDX-License-Identifier: MIT
#include "loss/fit_term.h"

#include <limits>
#include <utility>

#include "core/stopwatch.h"
#include "kernels/gram.h"

namespace anmf {

template <class T>
FitTerm<T>::FitTerm(const Data<T>& data, Factors<T> start, const Penalties& penalties, const Workers& workers)
    : data_(data), penalties_(penalties), workers_(workers) {
  state(Side::W).X = std::move(start.W);
  state(Side::H).X = std::move(start.Ht);
  for (const Side side : {Side::W, Side::H}) {
    FactorState<T>& s = state(side);
    s.first_row = data.owned(side).begin;
    s.rows_elsewhere = (side == Side::W ? data.rows() : data.cols()) - s.X.rows();
  }
}

template <class T>
Factors<T> FitTerm<T>::take_factors() {
  return {std::move(state(Side::W).X), std::move(state(Side::H).X)};
}

template <class T>
void FitTerm<T>::moved(Side side) {
  refresh(side);
  make_stale(side);
}

template <class T>
void FitTerm<T>::refresh_gram(Side side) {
  FactorState<T>& s = state(side);
  Stopwatch clock;
  {
    const Stopwatch::Running running(clock);
    s.gram = anmf::gram<T>(std::as_const(s.X).view(), workers_);
  }
  gram_seconds_[side == Side::W ? 0 : 1] = clock.seconds();
}

template <class T>
std::span<const T> FitTerm<T>::weights_of_rows(Side side) const {
  const std::span<const T> all = data_.line_weights(side);
  const FactorState<T>& s = factor(side);
  return all.empty()
             ? all
             : all.subspan(static_cast<std::size_t>(s.first_row), static_cast<std::size_t>(s.X.rows()));
}

template <class T>
double FitTerm<T>::penalty() {
  double sum = 0;
  for (const Side side : {Side::W, Side::H}) {
    const FactorState<T>& s = state(side);
    const Penalty& penalty = penalties_.of(side);
    if (penalty.l1 > 0) sum += penalty.l1 * sum_of_entries<T>(s.X.view(), workers_, weights_of_rows(side));
    for (Index p = 0; p < s.gram.rows(); ++p) sum += 0.5 * penalty.l2 * s.gram(p, p);
  }
  return sum;
}

template <class T>
Optimality FitTerm<T>::optimality(Side side, ConstMatrixView<T> X, double lower_bound) {
  return anmf::optimality<T>(half(side), X, lower_bound);
}

template <class T>
GradientNorms FitTerm<T>::norms_of_gradient(Side side, double lower_bound) {
  return gradient_norms<T>(half(side), factor(side).X.view(), lower_bound);
}

template <class T>
Value FitTerm<T>::value(Side last_updated) {
  const Loss fit = loss(last_updated);
  const double sum = penalty();
  return {
      .loss = fit.value, .penalty = sum, .rounding = fit.rounding + std::numeric_limits<T>::epsilon() * sum};
}

template class FitTerm<float>;
template class FitTerm<double>;

}  // namespace anmf
