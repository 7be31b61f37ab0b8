// SPDX-License-Identifier: MIT
// Multiplicative updates of Lee and Seung, clamped at delta (the paper's Algorithm 1 and Theorem 1):
//
//     x_ip <- max(delta, x_ip c_ip / ((X G)_ip + l1)),   X: N x r, C: N x r, G: r x r
//
// with the whole row of X old on the right. 2 N r^2 + 2 N r flops.
#include <algorithm>
#include <vector>

#include "core/blas.h"
#include "core/chunks.h"
#include "core/sums.h"
#include "outer/cost_model.h"
#include "rules/update_rule.h"

namespace anmf {
namespace {

/// One chunk of rows; returns its squared step. `denominator` has room for X G.
template <class T>
double sweep_rows(ConstMatrixView<T> gram, ConstMatrixView<T> cross, T l1, T delta, MatrixView<T> X,
                  MatrixView<T> denominator) {
  blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, X, gram, T{0}, denominator);
  double squared_step = 0;
  for (Index i = 0; i < X.rows; ++i) {
    T* x = X.row(i);
    const T* c = cross.row(i);
    const T* d = denominator.row(i);
    squared_step += sum_terms(X.cols, [=](Index p) {
      const T below = d[p] + l1;
      // 0 / 0 only where x is 0 (delta = 0) or everything underflowed: the entry keeps its value. The order
      // of max lets a NaN through, to be reported and not hidden behind delta.
      const T updated = std::max(below == T{0} ? x[p] : x[p] * c[p] / below, delta);
      const auto step = static_cast<double>(updated - x[p]);
      x[p] = updated;
      return step * step;
    });
  }
  return squared_step;
}

template <class T>
class Mu final : public UpdateRule<T> {
 public:
  explicit Mu(double delta) : delta_(static_cast<T>(delta)) {}

  [[nodiscard]] double lower_bound() const override { return static_cast<double>(delta_); }

  SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) override {
    const Chunks chunks = row_chunks(X.rows);
    PartialSums<1> sums(chunks.count());
    const double flops = cost::mu_sweep(X.rows, X.cols);
    half.workers.pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
      const Index begin = chunks.begin(chunk);
      const Index end = chunks.end(chunk);
      Matrix<T> denominator(end - begin, X.cols);
      sums.at(chunk)[0] = sweep_rows<T>(half.gram, half.cross.middle_rows(begin, end), half.l1, delta_,
                                        X.middle_rows(begin, end), denominator.view());
    });
    std::vector<double> total = sums.total();
    half.workers.sum(total);
    return {.squared_step = total[0], .flops = flops};
  }

 private:
  T delta_;
};

}  // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_mu(double delta) {
  return std::make_unique<Mu<T>>(delta);
}

template std::unique_ptr<UpdateRule<float>> make_mu(double);
template std::unique_ptr<UpdateRule<double>> make_mu(double);

}  // namespace anmf
