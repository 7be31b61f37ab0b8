// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/data.h"
#include "anmf/error.h"
#include "anmf/stream.h"
#include "data/dense_product.h"
#include "data/scale.h"
#include "validate/entries.h"

namespace anmf {
namespace {

template <class S>
void check_dense(ConstMatrixView<S> stored, Layout layout, Sign sign) {
  const bool by_rows = layout == Layout::row_major;
  const char* lines = by_rows ? "row" : "column";
  const char* entries = by_rows ? "column" : "row";
  validate::shape("M", by_rows ? stored.rows : stored.cols, by_rows ? stored.cols : stored.rows);
  if (stored.data == nullptr) throw InvalidInput("M has no data: the pointer is null.");
  if (stored.stride < stored.cols) {
    throw InvalidInput(fmt::format("M has {} stride {}; it must be at least its number of {}s, {}.", lines,
                                   stored.stride, entries, stored.cols));
  }
  if (stored.stride > std::numeric_limits<int>::max()) {
    throw InvalidInput(
        fmt::format("M has {} {}s and {} stride {}; a dense matrix may have at most {}. Transpose it.",
                    stored.cols, entries, lines, stored.stride, std::numeric_limits<int>::max()));
  }
  if constexpr (std::is_floating_point_v<S>) validate::entries("M", stored, layout, sign);
}

template <class S>
S magnitude(S x) {
  return x < S{0} ? static_cast<S>(-x) : x;
}

}  // namespace

template <class T>
void DenseData<T>::look_through() {
  std::visit(
      [this](const auto& M) {
        check_dense(M, layout_, sign_);
        rows_ = M.rows;
        cols_ = M.cols;
        std::vector<char> column_used(static_cast<std::size_t>(M.cols), 0);
        double max = 0;
        for (Index i = 0; i < M.rows; ++i) {
          const auto* row = M.row(i);
          auto row_max = magnitude(row[0]);
          bool negative = false;
          for (Index j = 0; j < M.cols; ++j) {
            row_max = std::max(row_max, magnitude(row[j]));
            negative |= row[j] < 0;
            column_used[static_cast<std::size_t>(j)] |= static_cast<char>(row[j] != 0);
          }
          nonnegative_ = nonnegative_ && !negative;
          if (row_max == 0) ++empty_rows_;
          max = std::max(max, static_cast<double>(row_max));
        }
        empty_cols_ = std::count(column_used.begin(), column_used.end(), char{0});
        norm_ = scaled_norm(max, [&](const auto& visit) {
          for (Index i = 0; i < M.rows; ++i) {
            for (Index j = 0; j < M.cols; ++j) visit(static_cast<double>(M(i, j)));
          }
        });
      },
      stored_);
  if (layout_ == Layout::column_major) {
    std::swap(rows_, cols_);
    std::swap(empty_rows_, empty_cols_);
  }
}

// Measured by bench/one_pass: on one thread one read of a matrix beyond the caches is quicker up to r = 16,
// on two up to r = 4. A block has tasks for few threads only, so more of them read twice; the bits are the
// same.
template <class T>
bool DenseData<T>::by_group(Index r) const {
  constexpr Index kFewComponents = 4;
  constexpr Index kLargeBytes = 64'000'000;
  return r <= kFewComponents && std::holds_alternative<ConstMatrixView<T>>(stored_) &&
         rows_ * cols_ >= kLargeBytes / Index{sizeof(T)};
}

template <class T>
void DenseData<T>::cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const {
  const Side stored_side = layout_ == Layout::row_major ? side : other(side);
  const SumOrder order = by_group(factor.cols) ? SumOrder::by_group : SumOrder::quick;
  std::visit([&](const auto& M) { dense_product(stored_side, M, factor, result, pool, false, order); },
             stored_);
}

template <class T>
std::optional<Side> DenseData<T>::pass_side(Index r, const ThreadPool& pool) const {
  constexpr int kFewThreads = 4;
  if (pool.threads() > kFewThreads || !by_group(r)) return std::nullopt;
  return layout_ == Layout::row_major ? Side::W : Side::H;
}

template <class T>
void DenseData<T>::one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update,
                            MatrixView<T> result, ThreadPool& pool) const {
  const auto& M = std::get<ConstMatrixView<T>>(stored_);
  for (Index begin = 0; begin < M.rows; begin += kLinesPerGroup) {
    const Index end = std::min(M.rows, begin + kLinesPerGroup);
    const ConstMatrixView<T> lines = M.middle_rows(begin, end);
    dense_product(Side::W, lines, F, cross.middle_rows(begin, end), pool, false, SumOrder::by_group);
    dense_product(Side::H, lines, update(begin, end), result, pool, begin > 0, SumOrder::by_group);
  }
}

template <class T>
void DenseData<T>::for_each_block(Side side, const EntryVisitor<T>& visit) const {
  const Layout turned = layout_ == Layout::row_major ? Layout::column_major : Layout::row_major;
  EntryBlock<T> all = {
      .rows = {0, rows_}, .columns = {0, cols_}, .layout = side == Side::W ? layout_ : turned};
  if (side == Side::H) std::swap(all.rows, all.columns);
  std::visit([&](const auto& M) { all.lines = M; }, stored_);
  visit(all);
}

template class DenseData<float>;
template class DenseData<double>;

}  // namespace anmf
