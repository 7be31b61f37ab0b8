// SPDX-License-Identifier: MIT
// A matrix of low rank l that stands for M (m x n): M^ = Q B by a randomised range finder (Halko, Martinsson
// and Tropp 2011). Products with M^ cost 2 l r (m + n) flops instead of 2 m n r, so that a factorization
// can come close on M^ before it turns to M itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "anmf/data.h"
#include "core/workers.h"

namespace anmf {

/// M^ = L R' from L (m x l) and R (n x l). Entries of M^ may be slightly negative. Workers have the rows of
/// both that they own of the factors.
template <class T>
class CompressedData final : public Data<T> {
 public:
  /// Of M, whose sizes and shares it has.
  CompressedData(const Data<T>& M, Matrix<T> L, Matrix<T> R, double norm, double flops,
                 Reducer* reducer = nullptr);

  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index cols() const override { return cols_; }
  [[nodiscard]] RowRange owned(Side side) const override { return side == Side::W ? owned_W_ : owned_H_; }
  /// l (m + n): like K of a stored matrix it makes 2 K r the flops of one product.
  [[nodiscard]] Index nonzeros() const override { return L_.cols() * (rows_ + cols_); }
  [[nodiscard]] Storage storage() const override { return Storage::compressed; }
  [[nodiscard]] double norm() const override { return norm_; }
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override;

  [[nodiscard]] const Matrix<T>& L() const { return L_; }
  [[nodiscard]] const Matrix<T>& R() const { return R_; }
  /// The work that went into the compression.
  [[nodiscard]] double flops() const { return flops_; }

 private:
  Index rows_;
  Index cols_;
  RowRange owned_W_;
  RowRange owned_H_;
  Reducer* reducer_;
  Matrix<T> L_;
  Matrix<T> R_;
  double norm_ = 0;
  double flops_ = 0;
};

/// How M is compressed.
struct Compression {
  Index width = 0;  ///< l, at least 1; M^ has rank at most this, min(m, n) and the rank of M
  /// Power (subspace) iterations, >= 0. Fewer are made when they no longer bring M^ closer to M.
  int max_power_iterations = 2;
  std::uint64_t seed = 0;
  std::function<bool()> give_up;  ///< asked between products with M, by all workers alike
};

/// Q gets orthonormal columns and belongs to the short side of M: M^ = Q (Q'M) is L R' if m <= n, and
/// M^ = (M Q) Q' is if m > n. Needs M only through its products and has the same bits for every size of the
/// pool. ||M - M^||^2 = ||M||^2 - ||M^||^2. The squares of M must not leave the range of T. Null if it was
/// given up.
template <class T>
[[nodiscard]] std::unique_ptr<CompressedData<T>> compress(const Data<T>& M, const Compression& how,
                                                          const Workers& workers);

/// The products with M that q power iterations take: (2 + 2 q) of 2 K l flops each.
[[nodiscard]] double compression_flops(Index K, Index width, int power_iterations);

extern template class CompressedData<float>;
extern template class CompressedData<double>;

}  // namespace anmf
