// SPDX-License-Identifier: MIT
// One iteration of Lin's projected gradient method (Neural Computation 2007) for a half-step:
//
//     X <- max(X - s g, 0),  g = X G - C + l,   X: N x r, C: N x r, G: r x r
//
// The step size s starts at 1 in every half-step and moves by factors of 10 until it is the largest one
// tried with sufficient decrease, 0.99 <g, d> + 1/2 <d, d G> < 0 for d = X_new - X, which is the exact
// Armijo test of a quadratic. 2 N r^2 flops for g and 2 N r^2 + 2 N r for every trial.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/chunks.h"
#include "core/cost_model.h"
#include "core/sums.h"
#include "kernels/gradient.h"
#include "kernels/panels.h"
#include "rules/update_rule.h"

namespace anmf {
namespace {

constexpr double kShrinkStep = 0.1;
constexpr double kSufficient = 0.01;
constexpr int kMaxTrials = 20;

template <class T>
void copy(ConstMatrixView<T> from, MatrixView<T> to) {
  for (Index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
}

struct Trial {
  bool sufficient_decrease = false;
  bool same_as_accepted = false;
  double squared_step = 0;
  double flops = 0;
};

template <class T>
class ProjectedGradient final : public UpdateRule<T> {
 public:
  void begin_half(const HalfStep<T>& half, MatrixView<T> X) override {
    (void)half, (void)X;
    step_size_ = 1;
  }

  SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) override {
    for (Matrix<T>* buffer : {&gradient_, &candidate_, &accepted_}) {
      if (buffer->rows() == X.rows && buffer->cols() == X.cols) continue;
      *buffer = Matrix<T>();  // before its successor is allocated
      *buffer = Matrix<T>(X.rows, X.cols);
    }
    const GradientNorms norms = gradient_norms<T>(half, X, 0, gradient_.view());
    SweepReport report{.flops = norms.flops};
    if (std::sqrt(norms.squared_projected) < half.gradient_tolerance) {
      report.stationary = true;
      return report;
    }
    search(half, X, report);
    return report;
  }

  /// The gradient, a candidate and the last one that was accepted; a step and its product in every thread.
  [[nodiscard]] double bytes(const SweepSizes& sizes) const override {
    const Index chunk = row_chunks(sizes.rows).largest();
    const double in_threads =
        static_cast<double>(2 * chunk * sizes.rank) * static_cast<double>(sizes.threads);
    return (3 * sizes.entries() + in_threads) * sizeof(T);
  }

 private:
  /// The line search. X keeps its value if kMaxTrials are used up, and the next search of this half goes
  /// on from there. A step too small to move any entry is grown at first, and proves X
  /// stationary once shrinking or kMaxTrials have led to it.
  void search(const HalfStep<T>& half, MatrixView<T> X, SweepReport& report) {
    copy<T>(X, accepted_.view());
    bool shrinking = false;
    double accepted_step = 0;
    for (int number = 1; number <= kMaxTrials; ++number) {
      const Trial trial = attempt(half, X);
      report.flops += trial.flops;
      const bool unmoved = trial.same_as_accepted && accepted_step == 0;
      if (number == 1) shrinking = !trial.sufficient_decrease && !unmoved;
      if (shrinking) {
        if (trial.sufficient_decrease) {
          copy<T>(candidate_.view(), X);
          report.squared_step = trial.squared_step;
          return;
        }
        report.stationary = unmoved;
        if (unmoved) return;
        step_size_ *= kShrinkStep;
        continue;
      }
      if (!unmoved && (!trial.sufficient_decrease || trial.same_as_accepted)) {
        // The step size stays at the failed value: the next iteration of this half begins by shrinking.
        copy<T>(accepted_.view(), X);
        report.squared_step = accepted_step;
        return;
      }
      step_size_ /= kShrinkStep;
      if (!unmoved) std::swap(candidate_, accepted_);
      accepted_step = trial.squared_step;
    }
    report.stationary = !shrinking && accepted_step == 0;
  }

  /// Puts max(X - s g, 0) into candidate_ and judges it.
  Trial attempt(const HalfStep<T>& half, ConstMatrixView<T> X) {
    const Chunks chunks = row_chunks(X.rows);
    PartialSums<4> sums(chunks.count());
    const double work = cost::pg_trial(X.rows, X.cols);
    half.workers.pool.for_each_chunk(chunks.count(), work, [&](Index chunk) {
      attempt_rows(half, X, chunks.begin(chunk), chunks.end(chunk), sums.at(chunk));
    });
    std::vector<double> total = sums.total();
    total.push_back(work);
    half.workers.sum(total);
    return {.sufficient_decrease = (1 - kSufficient) * total[0] + 0.5 * total[1] < 0,
            .same_as_accepted = total[3] == 0,
            .squared_step = total[2],
            .flops = total[4]};
  }

  /// Adds <g, d>, <d, d G>, <d, d> and the number of entries that differ from the last accepted trial.
  void attempt_rows(const HalfStep<T>& half, ConstMatrixView<T> X, Index begin, Index end,
                    std::span<double, 4> sums) {
    const T step_size = static_cast<T>(step_size_);
    Matrix<T> d(end - begin, X.cols);
    Matrix<T> dG(end - begin, X.cols);
    for (Index i = begin; i < end; ++i) {
      const T* x = X.row(i);
      const T* g = std::as_const(gradient_).view().row(i);
      const T* accepted = std::as_const(accepted_).view().row(i);
      T* candidate = candidate_.view().row(i);
      T* d_i = d.view().row(i - begin);
      for (Index p = 0; p < X.cols; ++p) {
        candidate[p] = std::max(x[p] - step_size * g[p], T{0});
        d_i[p] = candidate[p] - x[p];
      }
      sums[3] += sum_terms(X.cols, [=](Index p) { return candidate[p] == accepted[p] ? 0.0 : 1.0; });
      sums[0] += dot(X.cols, g, d_i);
    }
    multiply_gram<T>(std::as_const(d).view(), half.gram, dG.view());
    sums[1] = dot(d.size(), dG.data(), d.data());
    sums[2] = dot(d.size(), d.data(), d.data());
  }

  double step_size_ = 1;
  Matrix<T> gradient_;
  Matrix<T> candidate_;
  Matrix<T> accepted_;
};

}  // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_pg() {
  return std::make_unique<ProjectedGradient<T>>();
}

template std::unique_ptr<UpdateRule<float>> make_pg();
template std::unique_ptr<UpdateRule<double>> make_pg();

}  // namespace anmf
