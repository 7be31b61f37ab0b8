// SPDX-License-Identifier: MIT
// The sweeps on rows in vector lanes. A panel holds P consecutive rows of a tall matrix side by side:
// entry (i, p) is panel[p * P + i], i < P, p < r. P is the number of rows for which the accumulators of a
// block of coordinates fill the vector registers, so a sweep over a panel is a chain of small matrix
// products in registers. One binary holds the kernels for every instruction set; the best one is chosen
// when the program runs.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "anmf/matrix.h"

namespace anmf {

/// G (r x r, symmetric) with what a sweep asks of its diagonal.
template <class T>
struct SweepGram {
  ConstMatrixView<T> gram;
  std::vector<T> inverse_diagonal;  ///< 0 where the fixed factor has a zero column: x_p then stays

  explicit SweepGram(ConstMatrixView<T> G);
};

/// A diagonal entry of G at most this multiple of the largest one counts as zero and is never divided by.
template <class T>
inline constexpr double kTinyDiagonal = std::is_same_v<T, float> ? 1e-12 : 1e-30;

/// Rows that go through block-wise stopping together: a multiple of P on every machine, so that iterates
/// do not depend on the width of its vectors.
inline constexpr Index kBlockRows = 48;

/// Memory that the next call will read: `bytes` from each address. A sweep fetches it while it computes.
struct NextPanel {
  const void* X = nullptr;
  const void* C = nullptr;
  std::size_t bytes = 0;
};

template <class T>
struct PanelKernels {
  Index rows;  ///< P

  /// Rows (at most P of them) into a panel; lanes without a row are filled with one value.
  void (*pack)(ConstMatrixView<T> rows, T filler, T* panel);
  void (*unpack)(const T* panel, MatrixView<T> rows);
  /// One HALS sweep: for p = 1..r, x_p <- max(0, x_p + (c_p - l_p - <x, G_:p>) / G_pp). This and the next
  /// return ||X_new - X_old||^2; `linear` has the r numbers l_p.
  double (*hals)(const SweepGram<T>& gram, const T* C, const T* linear, T* X, const NextPanel& next);
  /// One MU sweep: x_p <- max(delta, x_p c_p / (<x, G_:p> + l_p)), all of x old on the right.
  /// `scratch` has the size of a panel.
  double (*mu)(const SweepGram<T>& gram, const T* C, const T* linear, T delta, T* X, T* scratch,
               const NextPanel& next);
  /// result = X G.
  void (*multiply)(ConstMatrixView<T> gram, const T* X, T* result);
};

/// The kernels for the machine that the program runs on.
template <class T>
[[nodiscard]] const PanelKernels<T>& panel_kernels();
/// The same, looked up anew: tests take the kernels of every instruction set in turn.
template <class T>
[[nodiscard]] PanelKernels<T> find_panel_kernels();

/// Memory for `count` panels of rank r, aligned for vector loads. Its content is not set.
template <class T>
class PanelBuffer {
 public:
  PanelBuffer() = default;
  PanelBuffer(Index count, Index r) : panel_size_(panel_kernels<T>().rows * r), count_(count) {
    const auto bytes = static_cast<std::size_t>(panel_size_ * count) * sizeof(T);
    values_.reset(static_cast<T*>(detail::allocate(bytes)));
  }

  [[nodiscard]] T* panel(Index index) { return values_.get() + index * panel_size_; }
  [[nodiscard]] const T* panel(Index index) const { return values_.get() + index * panel_size_; }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index panel_size() const { return panel_size_; }

 private:
  Index panel_size_ = 0;
  Index count_ = 0;
  struct Release {
    void operator()(T* memory) const noexcept { detail::deallocate(memory); }
  };
  std::unique_ptr<T, Release> values_;
};

/// result = X G for some rows of a tall X, through panels.
template <class T>
void multiply_gram(ConstMatrixView<T> X, ConstMatrixView<T> gram, MatrixView<T> result);

}  // namespace anmf
