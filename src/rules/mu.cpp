// SPDX-License-Identifier: MIT
// Multiplicative updates of Lee and Seung, clamped at delta (the paper's Algorithm 1 and Theorem 1):
//
//     x_ip <- max(delta, x_ip c_ip / ((X G)_ip + l_p)),   X: N x r, C: N x r, G: r x r
//
// with the whole row of X old on the right. 2 N r^2 + 2 N r flops.
#include "core/cost_model.h"
#include "rules/panel_rule.h"

namespace anmf {
namespace {

template <class T>
class Mu final : public PanelRule<T> {
 public:
  explicit Mu(double delta) : delta_(static_cast<T>(delta)) {}

  [[nodiscard]] double lower_bound() const override { return static_cast<double>(delta_); }

 private:
  double sweep_panel(const SweepGram<T>& gram, const T* C, const T* linear, T* X, T* scratch,
                     const NextPanel& next) const override {
    return panel_kernels<T>().mu(gram, C, linear, delta_, X, scratch, next);
  }
  [[nodiscard]] double flops(Index rows, Index rank) const override { return cost::mu_sweep(rows, rank); }

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
