// SPDX-License-Identifier: MIT
#include "kernels/squared_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace anmf {

/// Entries that are off by d together make the square of their norm e off by 2 e d; where that is more than
/// the square itself, the fit is exact as far as one can tell.
template <class T>
SquaredError squared_error(const Data<T>& M, const ErrorTerms& terms, ConstMatrixView<T> W,
                           ConstMatrixView<T> Ht, ThreadPool& pool) {
  const double squared = terms.squared_norm - 2 * terms.overlap + terms.square;
  if (squared < kCancelled<T> * terms.squared_norm) {
    if (const std::optional<double> direct = M.squared_residual(W, Ht, pool)) {
      const double d =
          std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(W.cols) * terms.squared_norm);
      return {.value = *direct, .rounding = std::min(0.5 * *direct, std::sqrt(*direct) * d)};
    }
  }
  return {.value = squared < 0 ? 0 : squared,  // keeps NaN
          .rounding = kDifferenceRounding<T> * terms.squared_norm};
}

template SquaredError squared_error(const Data<float>&, const ErrorTerms&, ConstMatrixView<float>,
                                    ConstMatrixView<float>, ThreadPool&);
template SquaredError squared_error(const Data<double>&, const ErrorTerms&, ConstMatrixView<double>,
                                    ConstMatrixView<double>, ThreadPool&);

}  // namespace anmf
