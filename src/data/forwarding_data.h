// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "anmf/data.h"

namespace anmf {

/// Answers whatever it is asked as another matrix does. What wraps a matrix derives from this class and
/// overrides what it changes, so that a question of Data which it does not know of is not lost.
template <class T>
class ForwardingData : public Data<T> {
 public:
  [[nodiscard]] Index rows() const override { return base_.rows(); }
  [[nodiscard]] Index cols() const override { return base_.cols(); }
  [[nodiscard]] Index nonzeros() const override { return base_.nonzeros(); }
  [[nodiscard]] Storage storage() const override { return base_.storage(); }
  [[nodiscard]] double norm() const override { return base_.norm(); }
  [[nodiscard]] bool nonnegative() const override { return base_.nonnegative(); }
  [[nodiscard]] Counted counted() const override { return base_.counted(); }
  [[nodiscard]] double observed() const override { return base_.observed(); }
  [[nodiscard]] std::span<const T> line_weights(Side side) const override { return base_.line_weights(side); }
  [[nodiscard]] RowRange owned(Side side) const override { return base_.owned(side); }
  [[nodiscard]] std::span<const Index> unobserved(Side side) const override { return base_.unobserved(side); }
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    base_.cross(side, factor, result, pool);
  }
  [[nodiscard]] std::optional<Side> pass_side(Index r, const ThreadPool& pool) const override {
    return base_.pass_side(r, pool);
  }
  void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update, MatrixView<T> result,
                ThreadPool& pool) const override {
    base_.one_pass(F, cross, update, result, pool);
  }
  [[nodiscard]] bool shows_entries() const override { return base_.shows_entries(); }
  [[nodiscard]] bool whole_rows(Side side) const override { return base_.whole_rows(side); }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override {
    base_.for_each_block(side, visit);
  }
  [[nodiscard]] bool shows_owned_rows() const override { return base_.shows_owned_rows(); }
  void gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const override {
    base_.gather(side, mine, all);
  }
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    return base_.squared_residual(W, Ht, pool);
  }
  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override {
    return base_.line_norms(side);
  }
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override {
    return base_.fingerprint(pool);
  }
  [[nodiscard]] Index empty_rows() const override { return base_.empty_rows(); }
  [[nodiscard]] Index empty_cols() const override { return base_.empty_cols(); }

 protected:
  /// `base` must outlive this object.
  explicit ForwardingData(const Data<T>& base) : base_(base) {}

  [[nodiscard]] const Data<T>& base() const { return base_; }

 private:
  const Data<T>& base_;
};

}  // namespace anmf
