// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/data.h"

namespace anmf {

/// M / scale, for a matrix whose squares would leave the range of T.
template <class T>
class ScaledData final : public Data<T> {
 public:
  ScaledData(const Data<T>& base, double scale) : base_(base), scale_(scale) {}

  [[nodiscard]] Index rows() const override { return base_.rows(); }
  [[nodiscard]] Index cols() const override { return base_.cols(); }
  [[nodiscard]] Index nonzeros() const override { return base_.nonzeros(); }
  [[nodiscard]] std::string_view storage() const override { return base_.storage(); }
  [[nodiscard]] double norm() const override { return base_.norm() / scale_; }

  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    base_.cross(side, factor, result, pool);
    for (Index i = 0; i < result.rows; ++i) {
      for (Index p = 0; p < result.cols; ++p) {
        // Through double: 1 / scale may not exist in float.
        result(i, p) = static_cast<T>(static_cast<double>(result(i, p)) / scale_);
      }
    }
  }

 private:
  const Data<T>& base_;
  double scale_;
};

}  // namespace anmf
