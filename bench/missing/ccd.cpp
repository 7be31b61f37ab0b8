// SPDX-License-Identifier: MIT
#include "ccd.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ccd.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep: includes this file again for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace anmf::bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

/// What lies at these places.
HWY_INLINE V gathered(const double* from, const std::uint32_t* indices) {
  const D d;
  HWY_ALIGN double numbers[hn::MaxLanes(d)];
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) numbers[lane] = from[indices[lane]];
  return hn::Load(d, numbers);
}

/// e_k <- e_k - left right_k, if left is not 0; sum e_k u_k and sum u_k^2.
void take_over(std::size_t count, const std::uint32_t* indices, double left, const double* right,
               const double* u, double* e, double* sums) {
  const D d;
  const std::size_t L = hn::Lanes(d);
  V along = hn::Zero(d);
  V squares = hn::Zero(d);
  std::size_t k = 0;
  for (; k + L <= count; k += L) {
    V rest = hn::LoadU(d, e + k);
    if (left != 0) {
      rest = hn::NegMulAdd(hn::Set(d, left), gathered(right, indices + k), rest);
      hn::StoreU(rest, d, e + k);
    }
    const V factor = gathered(u, indices + k);
    along = hn::MulAdd(rest, factor, along);
    squares = hn::MulAdd(factor, factor, squares);
  }
  sums[0] = hn::GetLane(hn::SumOfLanes(d, along));
  sums[1] = hn::GetLane(hn::SumOfLanes(d, squares));
  for (; k < count; ++k) {
    if (left != 0) e[k] -= left * right[indices[k]];
    sums[0] += e[k] * u[indices[k]];
    sums[1] += u[indices[k]] * u[indices[k]];
  }
}

/// e_k <- e_k - step u_k.
void move(std::size_t count, const std::uint32_t* indices, double step, const double* u, double* e) {
  const D d;
  const std::size_t L = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + L <= count; k += L) {
    hn::StoreU(hn::NegMulAdd(hn::Set(d, step), gathered(u, indices + k), hn::LoadU(d, e + k)), d, e + k);
  }
  for (; k < count; ++k) e[k] -= step * u[indices[k]];
}

}  // namespace
}  // namespace anmf::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anmf::bench {
namespace {

HWY_EXPORT(take_over);
HWY_EXPORT(move);

std::vector<std::vector<double>> columns_of(const Matrix<double>& X) {
  std::vector<std::vector<double>> columns;
  for (Index p = 0; p < X.cols(); ++p) {
    columns.emplace_back();
    for (Index i = 0; i < X.rows(); ++i) columns.back().push_back(X(i, p));
  }
  return columns;
}

double sum_of_squares(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

}  // namespace

CcdPlusPlus::CcdPlusPlus(const Csr<double>& M, const Matrix<double>& W, const Matrix<double>& Ht, double l2)
    : l2_(l2), W_(columns_of(W)), H_(columns_of(Ht)) {
  rows_ = {.offsets = M.offsets, .indices = M.indices, .e = M.values, .left = {}, .right = {}};
  for (Index i = 0; i < M.rows; ++i) {
    for (Index k = M.offsets[static_cast<std::size_t>(i)]; k < M.offsets[static_cast<std::size_t>(i) + 1];
         ++k) {
      const auto at = static_cast<std::size_t>(k);
      for (Index p = 0; p < W.cols(); ++p) rows_.e[at] -= W(i, p) * Ht(M.indices[at], p);
    }
  }
  columns_.offsets.assign(static_cast<std::size_t>(M.cols) + 1, 0);
  for (const std::uint32_t j : M.indices) ++columns_.offsets[j + 1];
  for (std::size_t j = 1; j < columns_.offsets.size(); ++j) columns_.offsets[j] += columns_.offsets[j - 1];
  columns_.indices.resize(M.indices.size());
  columns_.e.resize(M.indices.size());
  std::vector<Index> next(columns_.offsets.begin(), columns_.offsets.end() - 1);
  for (std::size_t i = 0; i + 1 < M.offsets.size(); ++i) {
    for (auto k = static_cast<std::size_t>(M.offsets[i]); k < static_cast<std::size_t>(M.offsets[i + 1]);
         ++k) {
      const auto place = static_cast<std::size_t>(next[M.indices[k]]++);
      columns_.indices[place] = static_cast<std::uint32_t>(i);
      columns_.e[place] = rows_.e[k];
    }
  }
}

/// Fits v, a number for every line, beside u, one for every position.
void CcdPlusPlus::fit(Residual& lines, const std::vector<double>& u, std::vector<double>& v, double l2,
                      Residual& other) {
  other.left = u;
  other.right.resize(v.size());
  for (std::size_t j = 0; j < v.size(); ++j) {
    const auto begin = static_cast<std::size_t>(lines.offsets[j]);
    const std::size_t count = static_cast<std::size_t>(lines.offsets[j + 1]) - begin;
    const std::uint32_t* const indices = lines.indices.data() + begin;
    double* const e = lines.e.data() + begin;
    double sums[2];
    HWY_DYNAMIC_DISPATCH(take_over)
    (count, indices, lines.left.empty() ? 0 : lines.left[j], lines.right.data(), u.data(), e, sums);
    const double below = l2 + sums[1];
    const double moved = below > 0 ? std::max(0.0, (sums[0] + v[j] * sums[1]) / below) : 0;
    other.right[j] = moved - v[j];
    if (moved != v[j]) HWY_DYNAMIC_DISPATCH(move)(count, indices, moved - v[j], u.data(), e);
    v[j] = moved;
  }
  lines.left.clear();
}

void CcdPlusPlus::iterate(int inner) {
  for (std::size_t p = 0; p < W_.size(); ++p) {
    for (int k = 0; k < inner; ++k) {
      fit(columns_, W_[p], H_[p], l2_, rows_);
      fit(rows_, H_[p], W_[p], l2_, columns_);
    }
  }
}

double CcdPlusPlus::objective() const {
  double sum = sum_of_squares(rows_.e);
  for (const std::vector<double>& column : W_) sum += l2_ * sum_of_squares(column);
  for (const std::vector<double>& row : H_) sum += l2_ * sum_of_squares(row);
  return 0.5 * sum;
}

}  // namespace anmf::bench
#endif
