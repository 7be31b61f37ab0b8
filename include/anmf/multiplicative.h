// SPDX-License-Identifier: MIT
// Multiplicative updates of factors that the caller holds, W (m x r) and H' (n x r): for rows of M that come
// in batches, and for iterates that are scikit-learn's. With b for beta of the loss, Y = W H, and F for the
// factor that stays,
//
//     X <- X (above / (below + l1 + l2 X))^gamma,   gamma = 1/(2-b) for b < 1, 1/(b-1) for b > 2, else 1
//
// where X is W or H', and above = (M o Y^(b-2)) F, below = Y^(b-1) F, of M and Y or their transposes. Entries
// of W (b < 1) and of H (b <= 1) below 2.2e-16 become zero, as they do in scikit-learn.
#pragma once

#include <memory>
#include <string>

#include "anmf/data.h"
#include "anmf/error.h"

namespace anmf {

/// The objective, as Options has it: D(M | W H) + alpha_W n (l1_ratio sum(W) + (1 - l1_ratio) / 2 ||W||^2)
/// + alpha_H m (the same of H).
struct UpdateOptions {
  std::string loss = "frobenius";
  double alpha_W = 0;
  double alpha_H = 0;
  double l1_ratio = 0;
  int threads = 0;  ///< 0 takes every core this process may use
};

/// When updates of W end: at the first of these.
struct UpdateLimits {
  Index most = 1;
  double least_step = 0;  ///< the step is at most this multiple of ||W||; 0 never ends them
  double least_gain =
      0;  ///< ten updates lower sqrt(2 D) by less than this multiple of its first value, likewise
};

/// H' (n x r) and what it was made from, batch after batch: entry by entry (above / below)^gamma, in which
/// every batch adds its sums and takes something from the weight of those before it.
template <class T>
struct LearntComponents {
  MatrixView<T> Ht;
  MatrixView<T> above;
  MatrixView<T> below;
};

template <class T>
class MultiplicativeUpdates {
 public:
  /// `data` must outlive this object. Throws InvalidInput for a loss that is unknown, for options out of
  /// their range, and for data that the loss has no use for: zeros with beta <= 0, an operator without
  /// entries.
  MultiplicativeUpdates(const Data<T>& data, const UpdateOptions& options, Interrupt interrupt = {});
  ~MultiplicativeUpdates();
  MultiplicativeUpdates(const MultiplicativeUpdates&) = delete;
  MultiplicativeUpdates& operator=(const MultiplicativeUpdates&) = delete;

  /// D(M | W H), without penalties.
  [[nodiscard]] double divergence(ConstMatrixView<T> W, ConstMatrixView<T> Ht);

  /// Updates W with H as it is, and returns how often.
  Index update_W(MatrixView<T> W, ConstMatrixView<T> Ht, const UpdateLimits& limits = {});

  /// A step of learning from the rows of M, which are a batch of many: W is updated, and then H, with
  /// `above` and `below` multiplied by `memory` in [0, 1] before this batch adds to them. Returns D of the
  /// new W and the old H.
  double learn(MatrixView<T> W, const LearntComponents<T>& H, double memory, const UpdateLimits& limits = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class MultiplicativeUpdates<float>;
extern template class MultiplicativeUpdates<double>;

}  // namespace anmf
