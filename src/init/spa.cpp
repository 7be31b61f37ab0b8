// SPDX-License-Identifier: MIT
// Successive projection (U. Araujo et al. 2001; N. Gillis and S. Vavasis, IEEE PAMI 36, 2014). If the parts
// themselves are among the columns of M (m x n), as pure pixels are in a hyperspectral image, it finds them:
//
//     x_j = m_j / sum(m_j);   r times: take the column with the largest residual ||x_j - U U' x_j||, and
//     append the direction u of that residual to U:   ||residual_j||^2 -= (u' x_j)^2 for every j
//
// Columns are scaled to sum 1, since a part may come at any strength; columns that hold (next to) nothing
// are passed over. W is the columns of M that were taken, as they are, and H the exact nonnegative least
// squares solution for that W. 2 r products of M with one column.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "core/drawn_matrix.h"
#include "core/random.h"
#include "data/range_finder.h"
#include "init/methods.h"
#include "kernels/gram.h"
#include "rules/update_rule.h"

namespace anmf {
namespace {

// Columns of a sum at most this multiple of the largest one count as zero.
constexpr double kEmpty = 1e-12;
// What is left of every column, squared and relative to the largest one, when the columns taken so far span
// M: subtractions leave the rounding of the products in it.
template <class T>
constexpr double kSpanned = std::is_same_v<T, float> ? 1e-5 : 1e-12;
// Residuals that differ by less are equal, and the first column is taken: rounding must not choose.
template <class T>
constexpr double kTie = 64 * std::numeric_limits<T>::epsilon();

template <class T>
std::vector<double> column_norms(const Data<T>& data) {
  std::optional<std::vector<double>> norms = data.line_norms(Side::H);
  if (norms) return *std::move(norms);
  throw InvalidInput(
      fmt::format("init = spa needs the norms of the columns of M, which this kind of data ({}) does not "
                  "give; choose another init, or let it override Data::line_norms().",
                  to_string(data.storage())));
}

template <class T>
class SuccessiveProjection {
 public:
  SuccessiveProjection(const Data<T>& data, ThreadPool& pool)
      : data_(data), pool_(pool), residuals_(column_norms(data)), taken_(residuals_.size(), false) {
    const Matrix<T> sums = product_with(data, Side::H, Matrix<T>(data.rows(), 1, T{1}), pool);
    sums_.assign(sums.values().begin(), sums.values().end());
    const double negligible = kEmpty * *std::max_element(sums_.begin(), sums_.end());
    for (std::size_t j = 0; j < sums_.size(); ++j) {
      if (!(sums_[j] > negligible)) {
        sums_[j] = 0;
        residuals_[j] = 0;
        continue;
      }
      residuals_[j] = std::pow(residuals_[j] / sums_[j], 2);
      largest_ = std::max(largest_, residuals_[j]);
    }
  }

  /// At most `rank` columns, independent ones, in the order in which they were found.
  [[nodiscard]] std::vector<Index> independent_columns(Index rank) {
    std::vector<Index> columns;
    while (std::cmp_less(columns.size(), rank)) {
      const double most = *std::max_element(residuals_.begin(), residuals_.end());
      if (!(most > kSpanned<T> * largest_)) break;
      const auto next = std::find_if(residuals_.begin(), residuals_.end(),
                                     [&](double x) { return x >= most - kTie<T> * largest_; });
      const Index j = next - residuals_.begin();
      columns.push_back(j);
      taken_[static_cast<std::size_t>(j)] = true;
      project_out(j);
    }
    return columns;
  }

  /// At most `count` of the columns that are neither taken nor empty, in a random order.
  [[nodiscard]] std::vector<Index> random_columns(Index count, std::uint64_t seed) const {
    std::vector<std::pair<double, Index>> order;
    for (std::size_t j = 0; j < sums_.size(); ++j) {
      const auto column = static_cast<Index>(j);
      if (!taken_[j] && sums_[j] > 0) order.emplace_back(uniform(seed, streams::kColumns, column), column);
    }
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
    std::vector<Index> columns;
    columns.reserve(order.size());
    for (const auto& [number, column] : order) columns.push_back(column);
    return columns;
  }

 private:
  /// Takes the part of every column out that column j does not share with those before it.
  void project_out(Index j) {
    Matrix<T> unit(data_.cols(), 1);
    unit(j, 0) = T{1};
    const Matrix<T> column = product_with(data_, Side::W, unit, pool_);
    Eigen::VectorXd u(data_.rows());
    for (Index i = 0; i < u.size(); ++i) u[i] = static_cast<double>(column(i, 0));
    u.normalize();
    for (int round = 0; round < 2; ++round) {  // once is not orthogonal enough if little is left
      for (const Eigen::VectorXd& earlier : basis_) u -= earlier.dot(u) * earlier;
      u.normalize();
    }
    Matrix<T> direction(u.size(), 1);
    for (Index i = 0; i < u.size(); ++i) direction(i, 0) = static_cast<T>(u[i]);
    const Matrix<T> shares = product_with(data_, Side::H, direction, pool_);
    for (std::size_t k = 0; k < residuals_.size(); ++k) {
      if (sums_[k] == 0) continue;
      const double share = static_cast<double>(shares(static_cast<Index>(k), 0)) / sums_[k];
      residuals_[k] = taken_[k] ? 0 : std::max(0.0, residuals_[k] - share * share);
    }
    basis_.push_back(std::move(u));
  }

  const Data<T>& data_;
  ThreadPool& pool_;
  std::vector<double> sums_;
  std::vector<double> residuals_;  // squared, of the scaled columns
  double largest_ = 0;             // of the residuals at the beginning
  std::vector<bool> taken_;
  std::vector<Eigen::VectorXd> basis_;
};

/// The columns of M, and beyond them random ones of the size of the entries of M.
template <class T>
Matrix<T> take_columns(const Data<T>& data, const std::vector<Index>& columns, Index rank, std::uint64_t seed,
                       ThreadPool& pool) {
  const auto found = static_cast<Index>(columns.size());
  Matrix<T> choice(data.cols(), rank);
  for (Index p = 0; p < found; ++p) choice(columns[static_cast<std::size_t>(p)], p) = T{1};
  Matrix<T> W = product_with(data, Side::W, choice, pool);
  if (found == rank) return W;
  const double size = 2 * mean_entry(data, Workers{pool});
  for (Index i = 0; i < W.rows(); ++i) {
    for (Index p = found; p < rank; ++p) {
      W(i, p) = static_cast<T>(size * uniform(seed, streams::kStartW, i * rank + p));
    }
  }
  return W;
}

/// argmin over H >= 0 of ||M - W H||, transposed.
template <class T>
Matrix<T> best_coefficients(const Data<T>& data, const Matrix<T>& W, ThreadPool& pool) {
  const Matrix<T> gram_of_W = converted<T>(gram<T>(W.view(), Workers{pool}));
  const Matrix<T> cross = product_with(data, Side::H, W, pool);
  Matrix<T> Ht(data.cols(), W.cols());
  const std::vector<T> no_penalty(static_cast<std::size_t>(W.cols()));
  (void)make_bpp<T>()->sweep(
      {.gram = gram_of_W.view(), .cross = cross.view(), .linear = no_penalty, .workers = {pool}}, Ht.view());
  return Ht;
}

}  // namespace

template <class T>
Factors<T> spa_start(const Data<T>& data, Index rank, std::uint64_t seed, ThreadPool& pool) {
  SuccessiveProjection<T> projection(data, pool);
  std::vector<Index> columns = projection.independent_columns(rank);
  const std::vector<Index> more = projection.random_columns(rank - static_cast<Index>(columns.size()), seed);
  columns.insert(columns.end(), more.begin(), more.end());
  Matrix<T> W = take_columns(data, columns, rank, seed, pool);
  Matrix<T> Ht = best_coefficients(data, W, pool);
  return {.W = std::move(W), .Ht = std::move(Ht)};
}

template <class T>
double spa_bytes(Index rows, Index cols, Index rank) {
  const auto m = static_cast<double>(rows);
  const auto n = static_cast<double>(cols);
  const auto r = static_cast<double>(rank);
  // The directions in double, W, and the choice of columns or M'W and H; norms, sums and residuals of
  // columns.
  return sizeof(double) * m * (r + 2) + sizeof(T) * r * (m + 2 * n) + 4 * sizeof(double) * n;
}

template double spa_bytes<float>(Index, Index, Index);
template double spa_bytes<double>(Index, Index, Index);
template Factors<float> spa_start(const Data<float>&, Index, std::uint64_t, ThreadPool&);
template Factors<double> spa_start(const Data<double>&, Index, std::uint64_t, ThreadPool&);

}  // namespace anmf
