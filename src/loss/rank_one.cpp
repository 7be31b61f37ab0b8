// SPDX-License-Identifier: MIT
#include "loss/rank_one.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "anmf/options.h"
#include "loss/all_rows.h"
#include "loss/entry_pass.h"

namespace anmf {
namespace {

constexpr int kMostSumRounds = 30;
constexpr double kSettledSums = 1e-9;
constexpr double kLeastMean = 1e-30;

/// The best factor of one side: M h^(b-1) / sum h^b. Empty lines get zero.
template <class T>
Matrix<T> best_factor(const Data<T>& data, Side side, const Matrix<T>& fixed, double beta,
                      const Workers& workers) {
  Matrix<T> weights(fixed.rows(), 1);
  double below = 0;
  for (Index j = 0; j < fixed.rows(); ++j) {
    const auto h = static_cast<double>(fixed(j, 0));
    weights(j, 0) = static_cast<T>(h > 0 ? std::pow(h, beta - 1) : 0);
    below += h > 0 ? std::pow(h, beta) : 0;
  }
  std::array<double, 1> sum = {below};
  workers.sum(sum);
  Matrix<T> result(data.owned(side).count, 1);
  data.cross(side, weights.view(), result.view(), workers.pool);
  for (T& w : result.values()) w = static_cast<T>(static_cast<double>(w) / sum[0]);
  return result;
}

template <class T>
double column_sum(const Matrix<T>& x, const Workers& workers) {
  std::array<double, 1> sum = {0};
  for (const T value : x.values()) sum[0] += static_cast<double>(value);
  workers.sum(sum);
  return sum[0];
}

}  // namespace

template <class T>
double sum_of_matrix(const Data<T>& data, const Workers& workers) {
  const Matrix<T> ones(data.owned(Side::H).count, 1, T{1});
  Matrix<T> sums(data.owned(Side::W).count, 1);
  data.cross(Side::W, ones.view(), sums.view(), workers.pool);
  return column_sum(sums, workers);
}

namespace {

/// The same where entries do not all count the same: rounds of the best factor of one side, which is x above
/// / below with the sums of multiplicative updates, at any x.
template <class T>
double weighted_rank_one_loss(const Data<T>& data, double beta, const Workers& workers) {
  std::array<Matrix<T>, 2> factors;
  std::array<Matrix<T>, 2> rooms;
  const double mean = std::sqrt(std::max(sum_of_matrix(data, workers) / data.observed(), kLeastMean));
  for (const Side side : {Side::W, Side::H})
    factors[side == Side::W ? 0 : 1] = Matrix<T>(data.owned(side).count, 1, static_cast<T>(mean));
  const Side last = data.whole_rows(Side::H) ? Side::H : Side::W;
  const auto beside = [&](Side side, const auto& visit) {
    Matrix<T>& room = rooms[side == Side::W ? 0 : 1];
    const ConstMatrixView<T> F = all_rows(data, side, factors[side == Side::W ? 0 : 1], room, workers);
    const std::vector<double> sums = column_sums<T>(F, data.line_weights(side));
    data.for_each_block(other(side), [&](const EntryBlock<T>& block) {
      const Index first = block.rows.begin - data.owned(other(side)).begin;
      const ConstMatrixView<T> X = factors[side == Side::W ? 1 : 0].view();
      visit(block, first,
            factors_beside<T>(block, beta, X.middle_rows(first, first + block.rows.count), F, sums));
    });
  };
  double before = 0;
  for (int round = 0; round < kMostSumRounds; ++round) {
    for (const Side side : {Side::W, Side::H}) {
      Matrix<T>& X = factors[side == Side::W ? 0 : 1];
      Matrix<T> above(X.rows(), 1);
      Matrix<T> below(X.rows(), 1);
      beside(other(side),
             [&](const EntryBlock<T>& block, Index first, const BlockFactors<T>& factors_of_block) {
               add_row_sums(RowSums::ratios, block, factors_of_block,
                            above.view().middle_rows(first, first + block.rows.count),
                            below.view().middle_rows(first, first + block.rows.count), workers.pool);
             });
      for (Index i = 0; i < X.rows(); ++i)
        X(i, 0) = below(i, 0) > T{0} ? X(i, 0) * (above(i, 0) / below(i, 0)) : T{0};
    }
    const double now = column_sum(factors[0], workers) * column_sum(factors[1], workers);
    if (std::abs(now - before) <= kSettledSums * now) break;
    before = now;
  }
  std::array<double, 1> sum = {0};
  beside(other(last), [&](const EntryBlock<T>& block, Index, const BlockFactors<T>& factors_of_block) {
    sum[0] += block_loss<T>(block, factors_of_block, workers.pool);
  });
  workers.sum(sum);
  return sum[0];
}

}  // namespace

template <class T>
double rank_one_loss(const Data<T>& data, double beta, const Workers& workers) {
  if (data.norm() == 0) return 0;
  if (kind_of(data).weighted) return weighted_rank_one_loss(data, beta, workers);
  Matrix<T> W;
  Matrix<T> Ht(data.owned(Side::H).count, 1, T{1});
  double before = 0;
  for (int round = 0; round < kMostSumRounds; ++round) {
    W = best_factor(data, Side::W, Ht, beta, workers);
    Ht = best_factor(data, Side::H, W, beta, workers);
    // The products settle when the norm of one factor does: the other one is the best beside it.
    const double now = column_sum(W, workers) * column_sum(Ht, workers);
    if (beta == 1 || std::abs(now - before) <= kSettledSums * now) break;
    before = now;
  }
  const std::array<double, 1> sums_W = {column_sum(W, workers)};
  const std::array<double, 1> sums_H = {column_sum(Ht, workers)};
  const Side side = data.whole_rows(Side::W) ? Side::W : Side::H;
  const Matrix<T>& X = side == Side::W ? W : Ht;
  Matrix<T> room;
  const ConstMatrixView<T> F = all_rows(data, other(side), side == Side::W ? Ht : W, room, workers);
  const std::array<double, 1>& sums_F = side == Side::W ? sums_H : sums_W;
  std::array<double, 1> sum = {0};
  data.for_each_block(side, [&](const EntryBlock<T>& block) {
    const Index first = block.rows.begin - data.owned(side).begin;
    const ConstMatrixView<T> rows = X.view().middle_rows(first, first + block.rows.count);
    sum[0] += block_loss<T>(block, factors_beside<T>(block, beta, rows, F, sums_F), workers.pool);
  });
  workers.sum(sum);
  return sum[0];
}

template double sum_of_matrix(const Data<float>&, const Workers&);
template double sum_of_matrix(const Data<double>&, const Workers&);
template double rank_one_loss(const Data<float>&, double, const Workers&);
template double rank_one_loss(const Data<double>&, double, const Workers&);

}  // namespace anmf
