// SPDX-License-Identifier: MIT
// Hierarchical alternating least squares (the paper's Algorithm 2): for p = 1..r in order
//
//     x_ip <- max(0, x_ip + (c_ip - l_p - <x_i, G_:p>) / G_pp),   X: N x r, C: N x r, G: r x r
//
// with the entries before p already new. Rows are independent, so the sweep runs row block by row block
// instead of column by column: the same iterates, and a block stays in cache. 2 N r^2 + N r flops.
#include "core/cost_model.h"
#include "rules/panel_rule.h"

namespace anmf {
namespace {

template <class T>
class Hals final : public PanelRule<T> {
  double sweep_panel(const SweepGram<T>& gram, const T* C, const T* linear, T* X, T* scratch,
                     const NextPanel& next) const override {
    (void)scratch;
    return panel_kernels<T>().hals(gram, C, linear, X, next);
  }
  [[nodiscard]] double flops(Index rows, Index rank) const override { return cost::hals_sweep(rows, rank); }
};

}  // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_hals() {
  return std::make_unique<Hals<T>>();
}

template std::unique_ptr<UpdateRule<float>> make_hals();
template std::unique_ptr<UpdateRule<double>> make_hals();

}  // namespace anmf
