// SPDX-License-Identifier: MIT
// Row-major products through CBLAS, for float and double. Sizes fit its 32-bit integers because every
// caller works on chunks; empty operands are handled here, since BLAS would complain on stderr.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <mutex>

#include "anmf/matrix.h"

namespace anmf::blas {

enum class Op { none, transpose };

/// While one of these lives, OpenBLAS does not start threads of its own. The setting is one for the whole
/// process, so the first one in changes it and the last one out restores what was there.
class SingleThreaded {
 public:
  SingleThreaded();
  ~SingleThreaded();
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;
};

namespace detail {

/// The serial build of OpenBLAS is not safe to call from two threads at once. If that is what this program
/// meets at run time, calls take turns; otherwise this is no lock at all.
std::unique_lock<std::mutex> take_turns();

inline CBLAS_TRANSPOSE flag(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }
inline int ld(Index stride) { return static_cast<int>(std::max<Index>(1, stride)); }

inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double alpha, const double* a,
                 int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  const auto turn = take_turns();
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  const auto turn = take_turns();
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace detail

/// C = alpha op(A) op(B) + beta C.
template <class T>
void gemm(Op op_a, Op op_b, T alpha, ConstMatrixView<T> A, ConstMatrixView<T> B, T beta, MatrixView<T> C) {
  const Index inner = op_a == Op::none ? A.cols : A.rows;
  if (C.rows == 0 || C.cols == 0) return;
  if (inner == 0) {
    for (Index i = 0; i < C.rows; ++i) {
      for (Index j = 0; j < C.cols; ++j) C(i, j) = beta == T{0} ? T{0} : beta * C(i, j);
    }
    return;
  }
  detail::gemm(detail::flag(op_a), detail::flag(op_b), static_cast<int>(C.rows), static_cast<int>(C.cols),
               static_cast<int>(inner), alpha, A.data, detail::ld(A.stride), B.data, detail::ld(B.stride),
               beta, C.data, detail::ld(C.stride));
}

}  // namespace anmf::blas
