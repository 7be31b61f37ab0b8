// SPDX-License-Identifier: MIT
// M = W H exactly: a method that can fit it does, to rounding, and does not walk away from the fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/problems.h"

namespace anmf::test::exact_fit_properties {
namespace {

struct Variant {
  const char* method;
  Compress compress = Compress::off;
  Explore explore = Explore::off;
};

template <class T>
Result<T> fit_exact(const Matrix<T>& M, Index rank, const Variant& variant, bool sparse, Side first,
                    double tolerance = 0) {
  const Options options{.rank = rank,
                        .method = variant.method,
                        .seed = static_cast<std::uint64_t>(rank),
                        .compress = variant.compress,
                        .explore = variant.explore,
                        .max_iterations = 600,
                        .tolerance = tolerance,
                        .first = first,
                        .threads = 1};
  return sparse ? factorize<T>(*to_sparse(M), options) : factorize_dense(M, options);
}

/// The largest ratio of the norms of a component's columns, in powers of two.
template <class T>
double imbalance(const Result<T>& result) {
  double worst = 0;
  for (Index p = 0; p < result.W.cols(); ++p) {
    double w = 0;
    double h = 0;
    for (Index i = 0; i < result.W.rows(); ++i) w += std::pow(static_cast<double>(result.W(i, p)), 2);
    for (Index j = 0; j < result.H.cols(); ++j) h += std::pow(static_cast<double>(result.H(p, j)), 2);
    worst = std::max(worst, std::abs(0.5 * std::log2(w / h)));
  }
  return worst;
}

/// One unit is a rounding of every entry of M.
template <class T>
void expect_exact(const Matrix<T>& M, const Result<T>& result, bool reaches_rounding) {
  constexpr double kUnit = std::numeric_limits<T>::epsilon();
  double lowest = HUGE_VAL;
  for (const IterationRecord& record : result.trace) {
    lowest = std::min(lowest, record.relative_error);
    ASSERT_LE(record.relative_error, 2 * lowest + 4 * kUnit) << "at iteration " << record.iteration;
  }
  EXPECT_LE(result.relative_error, 10 * lowest);
  if (reaches_rounding) {
    EXPECT_LE(result.relative_error, 10 * kUnit);
  }
  // Where the fit is not close the error comes from a difference, which costs it digits.
  const double close = std::is_same_v<T, float> ? 0.03 : 1e-5;
  const double known_to = result.relative_error < close ? kUnit : 10 * kUnit / result.relative_error;
  EXPECT_NEAR(result.relative_error, direct_error(M, result) / frobenius(M), known_to);
  EXPECT_LE(imbalance(result), 17);
}

template <class T>
class ExactFit : public testing::Test {};

struct PrecisionNames {
  template <class T>
  static std::string GetName(int) {
    return std::is_same_v<T, float> ? "float32" : "float64";
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactFit, Precisions, PrecisionNames);

TYPED_TEST(ExactFit, IsReachedAndKeptByEveryExtrapolatedMethod) {
  constexpr Variant kVariants[] = {{"e-a-hals"},
                                   {"auto"},
                                   {"e-a-hals", Compress::on},
                                   {"e-a-hals", Compress::off, Explore::on},
                                   {"e-a-mu"}};
  for (Index rank = 1; rank <= sampled(8); ++rank) {
    const Matrix<TypeParam> M = planted<TypeParam>(60, 40, rank, static_cast<std::uint64_t>(rank), 0);
    for (const Variant& variant : kVariants) {
      const bool hals = std::string(variant.method) != "e-a-mu";
      for (const bool sparse : {false, true}) {
        const Side first = (rank % 2 == 0) == sparse ? Side::W : Side::H;
        SCOPED_TRACE(testing::Message() << variant.method << ", rank " << rank << ", sparse " << sparse
                                        << ", compressed " << static_cast<int>(variant.compress)
                                        << ", exploring " << static_cast<int>(variant.explore));
        expect_exact(M, fit_exact(M, rank, variant, sparse, first), hals || rank == 1);
      }
    }
  }
}

// Twelve more problems, of which one had got stuck: the pair to go back to was not the best one.
TYPED_TEST(ExactFit, IsReachedFromManyStarts) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(sampled(12)); ++seed) {
    SCOPED_TRACE(seed);
    const Matrix<TypeParam> M = planted<TypeParam>(60, 40, 2, seed, 0);
    const Options options{.rank = 2,
                          .method = "e-a-hals",
                          .seed = seed,
                          .max_iterations = 400,
                          .tolerance = 20 * std::numeric_limits<TypeParam>::epsilon(),
                          .first = seed % 2 == 0 ? Side::W : Side::H,
                          .threads = 1};
    const Result<TypeParam> result = factorize_dense(M, options);
    EXPECT_EQ(result.status, Status::converged) << result.message;
    expect_exact(M, result, false);
    EXPECT_LT(result.relative_error, 100 * std::numeric_limits<TypeParam>::epsilon());
  }
}

// With noise the error is a difference of large numbers, known to 1e-7 ||M||^2 in float32; a run that took
// rises within that for progress, one after the other, never came to rest.
TEST(NoisyFit, ConvergesInFloatsAndKeepsItsFactorsBalanced) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const Matrix<float> M = planted<float>(60, 40, 1 + static_cast<Index>(seed % 3), seed, 0.3);
    const Options options{.rank = 1 + static_cast<Index>(seed % 3),
                          .method = "e-a-hals",
                          .seed = seed,
                          .max_iterations = 1000,
                          .tolerance = 1e-5,
                          .threads = 1};
    const Result<float> result = factorize_dense(M, options);
    EXPECT_EQ(result.status, Status::converged) << result.message;
    EXPECT_LE(imbalance(result), 17);
    double lowest = HUGE_VAL;
    for (const IterationRecord& record : result.trace) lowest = std::min(lowest, record.error);
    EXPECT_NEAR(result.error, lowest, 1e-5 * lowest);
  }
}

}  // namespace
}  // namespace anmf::test::exact_fit_properties
