// SPDX-License-Identifier: MIT
// Row-major matrices: a small owning type and non-owning views. The public headers depend on nothing
// but the standard library, so no alignment or packing rule of another library leaks to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace anmf {

using Index = std::int64_t;  // every size and position is 64-bit

/// A row-major view over memory that somebody else owns. Entry (i, j) is data[i * stride + j].
template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;

  constexpr MatrixView() = default;
  constexpr MatrixView(T* data_, Index rows_, Index cols_) : MatrixView(data_, rows_, cols_, cols_) {}
  constexpr MatrixView(T* data_, Index rows_, Index cols_, Index stride_)
      : data(data_), rows(rows_), cols(cols_), stride(stride_) {}

  /// A writable view is also a read-only one.
  constexpr operator MatrixView<const T>() const  // NOLINT(google-explicit-constructor)
    requires(!std::is_const_v<T>)
  {
    return {data, rows, cols, stride};
  }

  constexpr T& operator()(Index i, Index j) const { return data[i * stride + j]; }
  [[nodiscard]] constexpr T* row(Index i) const { return data + i * stride; }
  /// Rows [begin, end) of this view.
  [[nodiscard]] constexpr MatrixView middle_rows(Index begin, Index end) const {
    return {data + begin * stride, end - begin, cols, stride};
  }
};

template <class T>
using ConstMatrixView = MatrixView<const T>;

namespace detail {
/// Memory that starts at a cache line; large blocks are offered to the system as huge pages.
[[nodiscard]] void* allocate(std::size_t bytes);
void deallocate(void* memory) noexcept;

template <class T>
struct Allocator {
  using value_type = T;
  Allocator() = default;
  template <class U>
  constexpr Allocator(const Allocator<U>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(detail::allocate(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { detail::deallocate(memory); }
  template <class U>
  constexpr bool operator==(const Allocator<U>& /*other*/) const noexcept {
    return true;
  }
};
}  // namespace detail

/// A row-major matrix that owns its memory, without gaps between rows.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols, T value = T{0})
      : rows_(rows), cols_(cols), values_(static_cast<std::size_t>(rows * cols), value) {}

  /// Takes over rows * cols values.
  Matrix(Index rows, Index cols, std::vector<T, detail::Allocator<T>>&& values)
      : rows_(rows), cols_(cols), values_(std::move(values)) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] Index size() const { return rows_ * cols_; }
  [[nodiscard]] T* data() { return values_.data(); }
  [[nodiscard]] const T* data() const { return values_.data(); }
  [[nodiscard]] std::span<T> values() { return values_; }
  [[nodiscard]] std::span<const T> values() const { return values_; }

  T& operator()(Index i, Index j) { return values_[static_cast<std::size_t>(i * cols_ + j)]; }
  const T& operator()(Index i, Index j) const { return values_[static_cast<std::size_t>(i * cols_ + j)]; }

  [[nodiscard]] MatrixView<T> view() { return {data(), rows_, cols_}; }
  [[nodiscard]] ConstMatrixView<T> view() const { return {data(), rows_, cols_}; }

  bool operator==(const Matrix&) const = default;

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  std::vector<T, detail::Allocator<T>> values_;
};

/// A copy of the transpose.
template <class T>
[[nodiscard]] Matrix<T> transposed(ConstMatrixView<T> a) {
  Matrix<T> result(a.cols, a.rows);
  if (result.size() == 0) return result;  // 2^40 rows without columns, say
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.cols; ++j) result(j, i) = a(i, j);
  }
  return result;
}

template <class T>
[[nodiscard]] Matrix<T> transposed(const Matrix<T>& a) {
  return transposed(a.view());
}

}  // namespace anmf
