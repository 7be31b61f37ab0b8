// SPDX-License-Identifier: MIT
// BLAS from several threads at once. The serial flavour of OpenBLAS fails this: its callers share a buffer.
#include "core/blas.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/data_sets.h"
#include "support/problems.h"

namespace anmf::test::blas_test {
namespace {

template <class T>
class Blas : public testing::Test {};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Blas, Types);

TYPED_TEST(Blas, ConcurrentCallsReturnTheSameBitsAsOneAlone) {
  using T = TypeParam;
  constexpr Index kCalls = kSampleSlowTests ? 200 : 4000;
  ThreadPool pool(4);
  for (const Index r : {5, 10, 30}) {
    const Matrix<T> A = random_matrix<T>(64, 1500, 1);
    const Matrix<T> B = random_matrix<T>(1500, r, 2);
    Matrix<T> product_alone(64, r);
    blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, A.view(), B.view(), T{0}, product_alone.view());

    std::atomic<Index> wrong = 0;
    pool.for_each_chunk(kCalls, 1e12, [&](Index) {
      Matrix<T> product(64, r);
      blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, A.view(), B.view(), T{0}, product.view());
      if (product != product_alone) ++wrong;
    });

    EXPECT_EQ(wrong, 0) << "of " << kCalls << " calls with r = " << r;
  }
}

TEST(SingleThreadedBlas, RestoresTheThreadsThatItFound) {
  openblas_set_num_threads(2);
  {
    const ThreadPool outer(1);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    {
      const ThreadPool inner(2);
    }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

}  // namespace
}  // namespace anmf::test::blas_test
