// SPDX-License-Identifier: MIT
// Nonnegative double singular value decomposition (C. Boutsidis and E. Gallopoulos, Pattern Recognition 41,
// 2008). With the singular triplets (s_p, u_p, v_p) of M (m x n), component 1 is
//
//     w_1 = sqrt(s_1) |u_1|,  h_1 = sqrt(s_1) |v_1|
//
// and component p > 1 is the larger of the two nonnegative parts of s_p u_p v_p', split evenly:
//
//     w_p = sqrt(s_p t) u+ / ||u+||,  h_p = sqrt(s_p t) v+ / ||v+||,  t = ||u+|| ||v+||
//
// with u+ = max(0, u_p), v+ = max(0, v_p), or the same of -u_p and -v_p if their t is larger. Entries below
// 1e-6 of the largest of their factor become zero: they are rounding, at any scale of M.
#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "init/methods.h"
#include "init/truncated_svd.h"

namespace anmf {
namespace {

constexpr double kNegligible = 1e-6;
constexpr double kSmallFill = 0.01;

struct Pair {
  Eigen::VectorXd w;
  Eigen::VectorXd h;
};

Pair component(const TruncatedSvd& svd, Index p) {
  const auto u = svd.U.col(p);
  const auto v = svd.V.col(p);
  if (p == 0) return {std::sqrt(svd.s[0]) * u.cwiseAbs(), std::sqrt(svd.s[0]) * v.cwiseAbs()};
  Pair part{u.cwiseMax(0), v.cwiseMax(0)};
  const Pair opposite{(-u).cwiseMax(0), (-v).cwiseMax(0)};
  if (opposite.w.norm() * opposite.h.norm() > part.w.norm() * part.h.norm()) part = opposite;
  const double w_norm = part.w.norm();
  const double h_norm = part.h.norm();
  if (w_norm * h_norm == 0) return {0 * part.w, 0 * part.h};  // neither part has both
  const double size = std::sqrt(svd.s[p] * w_norm * h_norm);
  return {size / w_norm * part.w, size / h_norm * part.h};
}

template <class T>
void drop_negligible(Matrix<T>& X) {
  T largest = 0;
  for (const T x : X.values()) largest = std::max(largest, x);
  const T smallest = static_cast<T>(kNegligible) * largest;
  for (T& x : X.values()) {
    if (x < smallest) x = T{0};
  }
}

template <class T, class Number>
void fill_zeros(Matrix<T>& X, const Number& number) {
  for (Index k = 0; k < X.size(); ++k) {
    if (X.data()[k] == T{0}) X.data()[k] = static_cast<T>(number(k));
  }
}

}  // namespace

template <class T>
Factors<T> nndsvd_start(const Data<T>& data, Index rank, Filling filling, std::uint64_t seed,
                        ThreadPool& pool) {
  // One start for every seed: what the range finder draws is no part of the method.
  constexpr std::uint64_t kRangeSeed = 0;
  const TruncatedSvd svd = truncated_svd(data, rank, kRangeSeed, pool);
  Factors<T> factors{.W = Matrix<T>(data.rows(), rank), .Ht = Matrix<T>(data.cols(), rank)};
  for (Index p = 0; p < svd.s.size(); ++p) {
    const Pair pair = component(svd, p);
    for (Index i = 0; i < data.rows(); ++i) factors.W(i, p) = static_cast<T>(pair.w[i]);
    for (Index j = 0; j < data.cols(); ++j) factors.Ht(j, p) = static_cast<T>(pair.h[j]);
  }
  drop_negligible(factors.W);
  drop_negligible(factors.Ht);
  if (filling == Filling::none) return factors;
  // The published filling is mean(M), which is of the size of M and not of a factor: on c M it would be c
  // times as large beside entries that grow by sqrt(c). This is the size of the entries of two constant
  // factors whose product has the mean of M.
  const double size = std::sqrt(mean_entry(data, Workers{pool}) / static_cast<double>(rank));
  if (filling == Filling::constant) {
    fill_zeros(factors.W, [&](Index) { return size; });
    fill_zeros(factors.Ht, [&](Index) { return size; });
  } else {
    const auto small = [&](std::uint64_t stream) {
      return [=](Index k) { return kSmallFill * size * half_normal(seed, stream, k); };
    };
    fill_zeros(factors.W, small(streams::kFillW));
    fill_zeros(factors.Ht, small(streams::kFillH));
  }
  return factors;
}

template <class T>
double nndsvd_bytes(Index rows, Index cols, Index rank) {
  const auto all_rows = static_cast<double>(rows + cols);
  constexpr double kVectors = 6;  // both parts of a component and what they are made from
  const double splitting =
      all_rows * (static_cast<double>(rank) * (sizeof(double) + sizeof(T)) + kVectors * sizeof(double));
  return std::max(svd_bytes<T>(rows, cols, rank), splitting);
}

template double nndsvd_bytes<float>(Index, Index, Index);
template double nndsvd_bytes<double>(Index, Index, Index);
template Factors<float> nndsvd_start(const Data<float>&, Index, Filling, std::uint64_t, ThreadPool&);
template Factors<double> nndsvd_start(const Data<double>&, Index, Filling, std::uint64_t, ThreadPool&);

}  // namespace anmf
