// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "anmf/weights.h"
#include "data/forwarding_data.h"

namespace anmf {

/// A matrix whose entries do not all count the same (anmf/weights.h). Its blocks say how much they do; its
/// products are those of M with zeros for what does not count at all.
template <class T>
class WeightedData final : public ForwardingData<T> {
 public:
  /// What the weights have become: as EntryWeights shows them.
  struct Parts {
    Counted counted = Counted::all;
    std::vector<T> rows;
    std::vector<T> columns;
    std::array<std::vector<T>, 2> of_stored;  ///< beside the rows of M, and beside those of M'
    std::array<Places, 2> missing;            ///< in the rows of M, and in those of M'
    Matrix<T> own;
  };

  /// The reducer is that of workers who share the base.
  WeightedData(std::unique_ptr<Data<T>> base, Parts parts, Reducer* reducer = nullptr);

  [[nodiscard]] double norm() const override { return norm_; }
  [[nodiscard]] Counted counted() const override { return parts_.counted; }
  [[nodiscard]] double observed() const override { return observed_; }
  [[nodiscard]] std::span<const T> line_weights(Side side) const override {
    return side == Side::W ? parts_.rows : parts_.columns;
  }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override;
  [[nodiscard]] std::span<const Index> unobserved(Side side) const override {
    return unobserved_[side == Side::W ? 0 : 1];
  }
  /// That of all entries would not be the one that is asked for.
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> /*W*/, ConstMatrixView<T> /*Ht*/,
                                                       ThreadPool& /*pool*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override;
  [[nodiscard]] Index empty_rows() const override { return empty_[0]; }
  [[nodiscard]] Index empty_cols() const override { return empty_[1]; }

 private:
  std::unique_ptr<Data<T>> base_;
  Parts parts_;
  double norm_ = 0;
  double observed_ = 0;
  std::array<Index, 2> empty_ = {0, 0};
  std::array<std::vector<Index>, 2> unobserved_;
};

}  // namespace anmf
