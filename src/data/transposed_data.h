// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "data/forwarding_data.h"

namespace anmf {

/// M' (n x m) for any M (m x n): the sides change places, and nothing is copied.
template <class T>
class TransposedData final : public ForwardingData<T> {
 public:
  explicit TransposedData(std::unique_ptr<Data<T>> base)
      : ForwardingData<T>(*base), owned_base_(std::move(base)) {}

  [[nodiscard]] Index rows() const override { return this->base().cols(); }
  [[nodiscard]] Index cols() const override { return this->base().rows(); }
  [[nodiscard]] Index empty_rows() const override { return this->base().empty_cols(); }
  [[nodiscard]] Index empty_cols() const override { return this->base().empty_rows(); }
  [[nodiscard]] RowRange owned(Side side) const override { return this->base().owned(other(side)); }
  [[nodiscard]] std::span<const T> line_weights(Side side) const override {
    return this->base().line_weights(other(side));
  }

  [[nodiscard]] std::span<const Index> unobserved(Side side) const override {
    return this->base().unobserved(other(side));
  }

  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    this->base().cross(other(side), factor, result, pool);
  }
  // one_pass() is that of M: lines of M are lines of M'.
  [[nodiscard]] std::optional<Side> pass_side(Index r, const ThreadPool& pool) const override {
    const std::optional<Side> side = this->base().pass_side(r, pool);
    return side ? std::optional(other(*side)) : std::nullopt;
  }
  [[nodiscard]] bool whole_rows(Side side) const override { return this->base().whole_rows(other(side)); }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override {
    this->base().for_each_block(other(side), visit);
  }
  void gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const override {
    this->base().gather(other(side), mine, all);
  }
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    return this->base().squared_residual(Ht, W, pool);  // ||M' - W H|| = ||M - H' W'||
  }
  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override {
    return this->base().line_norms(other(side));
  }
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override {
    const std::optional<Fingerprint> entries = this->base().fingerprint(pool);
    return entries ? std::optional(entries->transposed()) : std::nullopt;
  }

 private:
  std::unique_ptr<Data<T>> owned_base_;
};

}  // namespace anmf
