// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/data.h"

namespace anmf {

/// M' (n x m) for any M (m x n): the sides change places, and nothing is copied.
template <class T>
class TransposedData final : public Data<T> {
 public:
  explicit TransposedData(std::unique_ptr<Data<T>> base) : base_(std::move(base)) {}

  [[nodiscard]] Index rows() const override { return base_->cols(); }
  [[nodiscard]] Index cols() const override { return base_->rows(); }
  [[nodiscard]] Index nonzeros() const override { return base_->nonzeros(); }
  [[nodiscard]] std::string_view storage() const override { return base_->storage(); }
  [[nodiscard]] double norm() const override { return base_->norm(); }
  [[nodiscard]] Index empty_rows() const override { return base_->empty_cols(); }
  [[nodiscard]] Index empty_cols() const override { return base_->empty_rows(); }
  [[nodiscard]] RowRange owned(Side side) const override { return base_->owned(other(side)); }

  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    base_->cross(other(side), factor, result, pool);
  }
  [[nodiscard]] std::optional<Side> pass_side(Index r, const ThreadPool& pool) const override {
    const std::optional<Side> side = base_->pass_side(r, pool);
    return side ? std::optional(other(*side)) : std::nullopt;
  }
  void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update, MatrixView<T> result,
                ThreadPool& pool) const override {
    base_->one_pass(F, cross, update, result, pool);  // lines of M are lines of M'
  }
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    return base_->squared_residual(Ht, W, pool);  // ||M' - W H|| = ||M - H' W'||
  }
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override {
    const std::optional<Fingerprint> entries = base_->fingerprint(pool);
    return entries ? std::optional(entries->transposed()) : std::nullopt;
  }

 private:
  std::unique_ptr<Data<T>> base_;
};

}  // namespace anmf
