// SPDX-License-Identifier: MIT
#include "outer/recorder.h"

#include <array>
#include <cmath>

#include "data/scale.h"

namespace anmf {

template <class T>
void Recorder<T>::record(const Course<T>& course, const FitTerm<T>& fit, const HalfSolver<T>& solver) {
  const Reported reported = fit.reported(course.value(), scale_);
  const auto iteration = static_cast<Index>(trace_.size());
  trace_.push_back({.iteration = iteration,
                    .seconds = iteration == 0 ? 0 : workers_.mean(clock.seconds()),
                    .flops = flops,
                    .error = reported.error,
                    .relative_error = reported.relative_error,
                    .penalty = reported.penalty,
                    .inner_w = solver.inner_iterations(Side::W),
                    .inner_h = solver.inner_iterations(Side::H)});
  if (observer_ == nullptr || observer_->wants_heldout()) judge(course, fit);
}

template <class T>
void Recorder<T>::judge(const Course<T>& course, const FitTerm<T>& fit) {
  if (held_out_ == nullptr) return;
  trace_.back().heldout = held_out_->error(course.best(Side::W, fit).view(), course.best(Side::H, fit).view(),
                                           scale_, workers_.pool);
}

template <class T>
void Recorder<T>::measured(double kkt, double promised_decrease) {
  trace_.back().kkt = kkt;
  trace_.back().promised_decrease = promised_decrease;
}

template <class T>
void Recorder<T>::show(const Course<T>& course, const FitTerm<T>& fit) {
  if (observer_ == nullptr) return;
  const Matrix<T>& W = course.best(Side::W, fit);
  const Matrix<T>& Ht = course.best(Side::H, fit);
  const auto call = [&](const Matrix<T>& shown_W, const Matrix<T>& shown_Ht) {
    stopped_ =
        observer_->on_iteration(trace_.back(), shown_W.view(), shown_Ht.view()) == Observer<T>::Action::stop;
  };
  if (scale_ == 1) return call(W, Ht);
  if (!observer_->wants_factors()) return call({}, {});
  const auto in_units = [this](Matrix<T> X) {
    multiply(X, std::sqrt(scale_));
    return X;
  };
  call(in_units(W), in_units(Ht));
}

template <class T>
bool Recorder<T>::checkpoint_is_due() {
  // Workers go on, stop or save together, whoever asked.
  std::array<double, 2> asked = {stopped_ ? 1.0 : 0.0,
                                 observer_ != nullptr && observer_->checkpoint_due() ? 1.0 : 0.0};
  workers_.sum(asked);
  stopped_ = asked[0] > 0;
  return asked[1] > 0;
}

template <class T>
bool Recorder<T>::ends_on_compression() {
  const bool asked =
      observer_ != nullptr && observer_->on_compressed_iteration() == Observer<T>::Action::stop;
  std::array<double, 1> any = {asked ? 1.0 : 0.0};
  workers_.sum(any);
  stopped_ = any[0] > 0;
  return stopped_;
}

template class Recorder<float>;
template class Recorder<double>;

}  // namespace anmf
