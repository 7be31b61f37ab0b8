// SPDX-License-Identifier: MIT
#include "outer/extrapolation.h"

#include <algorithm>
#include <utility>

#include "core/chunks.h"

namespace anmf {
namespace {

constexpr double kGrowth = 1.01;        // of beta after an accepted iteration
constexpr double kLimitGrowth = 1.005;  // of its limit
constexpr double kShrink = 1.5;         // of beta after a rejected one

/// body(k) for every entry, in chunks.
template <class Body>
void for_each_entry(Index size, ThreadPool& pool, const Body& body) {
  const Chunks chunks(size, Index{1} << 14U, 1024);
  pool.for_each_chunk(chunks.count(), 3.0 * static_cast<double>(size), [&](Index chunk) {
    for (Index k = chunks.begin(chunk); k < chunks.end(chunk); ++k) body(k);
  });
}

}  // namespace

void ExtrapolationWeight::accepted() {
  rejections_ = 0;
  if (quiet_iterations_ > 0) {
    --quiet_iterations_;
    return;
  }
  accepted_beta_ = beta_;
  beta_ = std::min(limit_, kGrowth * beta_);
  limit_ = std::min(1.0, kLimitGrowth * limit_);
}

void ExtrapolationWeight::rejected() {
  ++rejections_;
  limit_ = accepted_beta_;
  beta_ /= kShrink;
}

template <class T>
Extrapolation<T>::Extrapolation(const Matrix<T>& first, const Matrix<T>& second, double keeps)
    : keeps_(static_cast<T>(keeps)),
      base_first_(first),
      pending_first_(first),
      best_first_(first),
      base_second_(second) {}

template <class T>
void Extrapolation<T>::extrapolate_first(Matrix<T>& X, Index begin, Index end, ThreadPool& pool) {
  const auto beta = static_cast<T>(weight_.beta());
  T* x = X.view().row(begin);
  T* pending = pending_first_.view().row(begin);
  const T* base = base_first_.view().row(begin);
  const T keeps = keeps_;
  for_each_entry((end - begin) * X.cols(), pool, [=](Index k) {
    pending[k] = x[k];
    const T step = beta * (x[k] - base[k]);
    x[k] = std::max(x[k] + step, keeps * x[k]);
  });
}

template <class T>
void Extrapolation<T>::accept(const Matrix<T>& X_first, Matrix<T>& X_second, ThreadPool& pool) {
  std::swap(base_first_, pending_first_);
  const T* first = X_first.data();
  T* best = best_first_.data();
  for_each_entry(X_first.size(), pool, [=](Index k) { best[k] = first[k]; });
  const auto beta = std::exchange(step_counts_, true) ? static_cast<T>(weight_.beta()) : T{0};
  T* x = X_second.data();
  T* base = base_second_.data();
  const T keeps = keeps_;
  for_each_entry(X_second.size(), pool, [=](Index k) {
    const T value = x[k];
    const T step = beta * (value - base[k]);
    x[k] = keeps > 0 ? std::max(value + step, keeps * value) : value + step;
    base[k] = value;
  });
  weight_.accepted();
}

template <class T>
void Extrapolation<T>::reject(Matrix<T>& X_first, Matrix<T>& X_second) {
  weight_.rejected();
  if (weight_.stuck()) {
    base_first_ = best_first_;
    weight_.pause();
  }
  X_first = base_first_;
  X_second = base_second_;
  step_counts_ = true;
}

template <class T>
void Extrapolation<T>::restart(const Matrix<T>& X_first, const Matrix<T>& X_second) {
  pending_first_ = X_first;
  base_second_ = X_second;
}

template class Extrapolation<float>;
template class Extrapolation<double>;

}  // namespace anmf
