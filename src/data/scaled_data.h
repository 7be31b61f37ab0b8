// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

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
  [[nodiscard]] RowRange owned(Side side) const override { return base_.owned(side); }

  // Half of the scale goes to the factor and half to the result, so that the product itself stays in range.
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    const Matrix<T> halfway = multiplied(factor, 1 / std::sqrt(scale_));
    base_.cross(side, halfway.view(), result, pool);
    multiply(result, 1 / std::sqrt(scale_));
  }

  [[nodiscard]] std::optional<Side> pass_side(Index r, const ThreadPool& pool) const override {
    return base_.pass_side(r, pool);
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
    base_.one_pass(halfway.view(), cross, scaled_update, result, pool);
    multiply(result, 1 / std::sqrt(scale_));
  }

  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    const Matrix<T> W_back = multiplied(W, std::sqrt(scale_));
    const Matrix<T> Ht_back = multiplied(Ht, std::sqrt(scale_));
    const std::optional<double> squared = base_.squared_residual(W_back.view(), Ht_back.view(), pool);
    if (!squared || !std::isnormal(*squared)) return std::nullopt;  // its square left the range
    return *squared / scale_ / scale_;
  }

  [[nodiscard]] std::optional<std::vector<double>> column_norms() const override {
    std::optional<std::vector<double>> norms = base_.column_norms();
    if (norms) {
      for (double& norm : *norms) norm /= scale_;
    }
    return norms;
  }
  /// That of the matrix itself, which the scale follows from.
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override {
    return base_.fingerprint(pool);
  }

 private:
  /// Exact: the root of a power of four is a power of two.
  static void multiply(MatrixView<T> X, double by) {
    for (Index i = 0; i < X.rows; ++i) {
      for (Index p = 0; p < X.cols; ++p) X(i, p) = static_cast<T>(static_cast<double>(X(i, p)) * by);
    }
  }
  static Matrix<T> multiplied(ConstMatrixView<T> X, double by) {
    Matrix<T> result(X.rows, X.cols);
    for (Index i = 0; i < X.rows; ++i) std::copy_n(X.row(i), X.cols, result.view().row(i));
    multiply(result.view(), by);
    return result;
  }

  const Data<T>& base_;
  double scale_;
};

}  // namespace anmf
