// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "support/problems.h"

namespace anmf::test {

/// A matrix that gives products and a norm, and nothing that a caller's own operator need not give.
template <class T>
class BareOperator final : public Data<T> {
 public:
  explicit BareOperator(const Matrix<T>& M) : M_(M) {}

  [[nodiscard]] Index rows() const override { return M_.rows(); }
  [[nodiscard]] Index cols() const override { return M_.cols(); }
  [[nodiscard]] Index nonzeros() const override { return M_.size(); }
  [[nodiscard]] double norm() const override { return frobenius(M_); }
  void cross(Side side, ConstMatrixView<T> F, MatrixView<T> C, ThreadPool& /*pool*/) const override {
    for (Index i = 0; i < C.rows; ++i) {
      for (Index p = 0; p < C.cols; ++p) {
        double sum = 0;
        for (Index k = 0; k < F.rows; ++k) {
          sum += static_cast<double>(side == Side::W ? M_(i, k) : M_(k, i)) * static_cast<double>(F(k, p));
        }
        C(i, p) = static_cast<T>(sum);
      }
    }
  }

 private:
  const Matrix<T>& M_;
};

}  // namespace anmf::test
