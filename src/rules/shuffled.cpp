// SPDX-License-Identifier: MIT
// A rule that visits the coordinates in a new random order in every half-step: with a permutation s of
// 1..r, the rule behind it sees G(s, s) (r x r), C(:, s) and X(:, s) (N x r), and X comes back in its order.
#include <numeric>
#include <utility>
#include <vector>

#include "core/chunks.h"
#include "core/random.h"
#include "rules/update_rule.h"

namespace anmf {
namespace {

/// Fisher and Yates, with numbers that belong to this half-step alone.
std::vector<Index> random_order(Index r, std::uint64_t seed, Index half_step) {
  std::vector<Index> order(static_cast<std::size_t>(r));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index last = r - 1; last > 0; --last) {
    const double u = uniform(seed, streams::kShuffle, half_step * r + last);
    const auto choice = static_cast<Index>(u * static_cast<double>(last + 1));
    std::swap(order[static_cast<std::size_t>(choice)], order[static_cast<std::size_t>(last)]);
  }
  return order;
}

/// Calls body(i) for every row, over all threads.
template <class Body>
void for_each_row(Index rows, Index cols, ThreadPool& pool, const Body& body) {
  const Chunks chunks = row_chunks(rows);
  pool.for_each_chunk(chunks.count(), static_cast<double>(rows * cols), [&](Index chunk) {
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) body(i);
  });
}

template <class T>
class Shuffled final : public UpdateRule<T> {
 public:
  Shuffled(std::unique_ptr<UpdateRule<T>> rule, std::uint64_t seed) : rule_(std::move(rule)), seed_(seed) {}

  void begin_half(const HalfStep<T>& half, MatrixView<T> X) override {
    order_ = random_order(X.cols, seed_, half_steps_++);
    gram_ = Matrix<T>(X.cols, X.cols);
    linear_.resize(half.linear.size());
    for (Index p = 0; p < X.cols; ++p) {
      linear_[static_cast<std::size_t>(p)] = half.linear[static_cast<std::size_t>(at(p))];
      for (Index q = 0; q < X.cols; ++q) gram_(p, q) = half.gram(at(p), at(q));
    }
    put_in_order(half.cross, half.workers.pool, cross_);
    put_in_order(ConstMatrixView<T>(X), half.workers.pool, X_);
    rule_->begin_half(reordered(half), X_.view());
  }

  SweepReport sweep(const HalfStep<T>& half, MatrixView<T> /*X*/) override {
    return rule_->sweep(reordered(half), X_.view());
  }

  void end_half(const HalfStep<T>& half, MatrixView<T> X) override {
    rule_->end_half(reordered(half), X_.view());
    put_back(X, half.workers.pool);
  }

  void sweep_blocks(const HalfStep<T>& half, MatrixView<T> X, const BlockStop& stop,
                    BlockReport& report) override {
    begin_half(half, X);
    rule_->sweep_blocks(reordered(half), X_.view(), stop, report);
    put_back(X, half.workers.pool);
  }

  /// X and C in the order of this half-step.
  [[nodiscard]] double bytes(const SweepSizes& sizes) const override {
    return 2.0 * sizeof(T) * sizes.entries() + rule_->bytes(sizes);
  }
  [[nodiscard]] double lower_bound() const override { return rule_->lower_bound(); }
  [[nodiscard]] Index half_steps() const override { return half_steps_; }
  void set_half_steps(Index count) override { half_steps_ = count; }

 private:
  [[nodiscard]] Index at(Index p) const { return order_[static_cast<std::size_t>(p)]; }

  [[nodiscard]] HalfStep<T> reordered(const HalfStep<T>& half) const {
    return {.gram = gram_.view(),
            .cross = cross_.view(),
            .linear = linear_,
            .gradient_tolerance = half.gradient_tolerance,
            .workers = half.workers};
  }

  void put_in_order(ConstMatrixView<T> A, ThreadPool& pool, Matrix<T>& result) const {
    if (result.rows() != A.rows || result.cols() != A.cols) {
      result = Matrix<T>();  // before its successor is allocated
      result = Matrix<T>(A.rows, A.cols);
    }
    for_each_row(A.rows, A.cols, pool, [&](Index i) {
      for (Index p = 0; p < A.cols; ++p) result(i, p) = A(i, at(p));
    });
  }

  void put_back(MatrixView<T> X, ThreadPool& pool) const {
    for_each_row(X.rows, X.cols, pool, [&](Index i) {
      for (Index p = 0; p < X.cols; ++p) X(i, at(p)) = X_(i, p);
    });
  }

  std::unique_ptr<UpdateRule<T>> rule_;
  std::uint64_t seed_;
  Index half_steps_ = 0;
  std::vector<Index> order_;  // coordinate p of the rule behind is order_[p] of X
  Matrix<T> gram_;
  std::vector<T> linear_;
  Matrix<T> cross_;
  Matrix<T> X_;
};

}  // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_shuffled(std::unique_ptr<UpdateRule<T>> rule, std::uint64_t seed) {
  return std::make_unique<Shuffled<T>>(std::move(rule), seed);
}

template std::unique_ptr<UpdateRule<float>> make_shuffled(std::unique_ptr<UpdateRule<float>>, std::uint64_t);
template std::unique_ptr<UpdateRule<double>> make_shuffled(std::unique_ptr<UpdateRule<double>>,
                                                           std::uint64_t);

}  // namespace anmf
