// SPDX-License-Identifier: MIT
// Rules whose rows are independent (HALS, MU) work on panels, P rows in vector lanes (kernels/panels.h).
// With the global inner stop all of X and C stays packed from the first sweep of a half-step to its end;
// block by block, only kBlockRows rows are packed at a time and all their sweeps run in the L1 and L2 caches.
#pragma once

#include "kernels/panels.h"
#include "rules/update_rule.h"

namespace anmf {

template <class T>
class PanelRule : public UpdateRule<T> {
 public:
  SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) final;
  void end_half(const HalfStep<T>& half, MatrixView<T> X) final;
  void sweep_blocks(const HalfStep<T>& half, MatrixView<T> X, const BlockStop& stop,
                    BlockReport& report) final;
  [[nodiscard]] double bytes(const SweepSizes& sizes) const final;

 private:
  /// One sweep over one panel: ||X_new - X_old||^2. `scratch` has the size of a panel.
  virtual double sweep_panel(const SweepGram<T>& gram, const T* C, const T* linear, T* X, T* scratch,
                             const NextPanel& next) const = 0;
  [[nodiscard]] virtual double flops(Index rows, Index rank) const = 0;

  void make_room(Index rows, Index rank);
  [[nodiscard]] NextPanel next_panel(Index panel) const;

  bool packed_ = false;  // X and C of this half-step are in the buffers
  PanelBuffer<T> X_;
  PanelBuffer<T> C_;
};

}  // namespace anmf
