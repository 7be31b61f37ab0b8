// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "data/forwarding_data.h"
#include "data/scale.h"

namespace anmf {

/// M / scale, for a matrix whose squares would leave the range of T. The fingerprint stays that of M, which
/// the scale follows from.
template <class T>
class ScaledData final : public ForwardingData<T> {
 public:
  /// `scale` is a power of four.
  ScaledData(const Data<T>& base, double scale) : ForwardingData<T>(base), scale_(scale) {}

  [[nodiscard]] double norm() const override { return this->base().norm() / scale_; }

  // Half of the scale goes to the factor and half to the result, so that the product itself stays in range.
  // Exact: the root of a power of four is a power of two.
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    const Matrix<T> halfway = multiplied(factor, 1 / std::sqrt(scale_));
    this->base().cross(side, halfway.view(), result, pool);
    multiply(result, 1 / std::sqrt(scale_));
  }

  void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update, MatrixView<T> result,
                ThreadPool& pool) const override {
    const Matrix<T> halfway = multiplied(F, 1 / std::sqrt(scale_));
    Matrix<T> halfway_rows;
    const auto scaled_update = [&](Index begin, Index end) {
      multiply(cross.middle_rows(begin, end), 1 / std::sqrt(scale_));
      halfway_rows = multiplied(update(begin, end), 1 / std::sqrt(scale_));
      return std::as_const(halfway_rows).view();
    };
    this->base().one_pass(halfway.view(), cross, scaled_update, result, pool);
    multiply(result, 1 / std::sqrt(scale_));
  }

  void for_each_block(Side side, const EntryVisitor<T>& visit) const override {
    this->base().for_each_block(side, [&](EntryBlock<T> block) {
      block.divisor *= scale_;
      visit(block);
    });
  }

  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    const Matrix<T> W_back = multiplied(W, std::sqrt(scale_));
    const Matrix<T> Ht_back = multiplied(Ht, std::sqrt(scale_));
    const std::optional<double> squared = this->base().squared_residual(W_back.view(), Ht_back.view(), pool);
    if (!squared || !std::isnormal(*squared)) return std::nullopt;  // its square left the range
    return *squared / scale_ / scale_;
  }

  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override {
    std::optional<std::vector<double>> norms = this->base().line_norms(side);
    if (norms) {
      for (double& norm : *norms) norm /= scale_;
    }
    return norms;
  }

 private:
  static Matrix<T> multiplied(ConstMatrixView<T> X, double by) {
    Matrix<T> result(X.rows, X.cols);
    for (Index i = 0; i < X.rows; ++i) std::copy_n(X.row(i), X.cols, result.view().row(i));
    multiply(result.view(), by);
    return result;
  }

  double scale_;
};

}  // namespace anmf
