// SPDX-License-Identifier: MIT
// The seam between the loop and the loss. M is m x n, W m x r, Ht n x r.
#include "loss/fit_term.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "loss/supply.h"
#include "outer/half_solver.h"
#include "support/problems.h"

namespace anmf::test::fit_term_test {
namespace {

constexpr Index kRows = 9;
constexpr Index kCols = 7;
constexpr Index kRank = 3;

template <class T>
Factors<T> random_factors(std::uint64_t seed) {
  return {random_matrix<T>(kRows, kRank, seed), random_matrix<T>(kCols, kRank, seed + 1)};
}

template <class T>
double error_of(const Matrix<T>& M, const Matrix<T>& W, const Matrix<T>& H) {
  return direct_error(M, Result<T>{.W = W, .H = H, .scale = std::vector<double>(kRank, 1.0)});
}

template <class T>
class Frobenius : public testing::Test {
 protected:
  static constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  [[nodiscard]] std::unique_ptr<FitTerm<T>> fit(const Penalties& penalties = {}) {
    return make_fit<T>(data_, random_factors<T>(32), penalties, workers_);
  }
  /// Multiplies what is wanted, and says which sides that were.
  std::vector<Side> supply_to(FitTerm<T>& fit, Wanted<T> wanted) {
    supply(wanted, data_, workers_);
    fit.supplied(wanted);
    std::vector<Side> sides;
    for (const Product<T>& product : wanted.products) sides.push_back(product.side);
    return sides;
  }

  Matrix<T> M_ = random_matrix<T>(kRows, kCols, 31);
  DenseData<T> data_{M_.view()};
  ThreadPool pool_{2};
  Workers workers_{pool_};
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Frobenius, Floats);

TYPED_TEST(Frobenius, WantsAProductOnceAndAgainWhenTheOtherFactorHasMoved) {
  using Sides = std::vector<Side>;
  const auto fit = this->fit();
  EXPECT_EQ(this->supply_to(*fit, fit->wants_for_gradients({})), (Sides{Side::W, Side::H}));
  EXPECT_EQ(this->supply_to(*fit, fit->wants_for_gradients({})), Sides{});
  EXPECT_EQ(this->supply_to(*fit, fit->wants_for_half(Side::W, {})), Sides{});
  fit->X(Side::W)(0, 0) += TypeParam{1};
  fit->moved(Side::W);
  EXPECT_EQ(this->supply_to(*fit, fit->wants_for_half(Side::W, {})), Sides{});
  EXPECT_EQ(this->supply_to(*fit, fit->wants_for_value(Side::H)), Sides{Side::H});
  EXPECT_EQ(this->supply_to(*fit, fit->wants_for_value(Side::H)), Sides{});
  fit->moved(Side::H);
  EXPECT_EQ(this->supply_to(*fit, fit->wants_for_gradients({})), Sides{Side::W});
}

TYPED_TEST(Frobenius, IsTheObjectiveFromEitherSideWithItsPenalties) {
  using T = TypeParam;
  const auto fit = this->fit({.W = {.l1 = 0.25, .l2 = 0.5}, .H = {.l1 = 0.125}});
  this->supply_to(*fit, fit->wants_for_gradients({}));
  const Matrix<T>& W = fit->factor(Side::W).X;
  const Matrix<T> H = transposed(fit->factor(Side::H).X);
  const double error = error_of(this->M_, W, H);
  double penalty = 0;
  for (const T x : W.values()) penalty += 0.25 * static_cast<double>(x) + 0.25 * static_cast<double>(x * x);
  for (const T x : H.values()) penalty += 0.125 * static_cast<double>(x);
  for (const Side side : {Side::W, Side::H}) {
    const Value value = fit->value(side);
    EXPECT_NEAR(value.loss, 0.5 * error * error, 100 * TestFixture::kEpsilon);
    EXPECT_NEAR(value.penalty, penalty, 100 * TestFixture::kEpsilon);
    EXPECT_EQ(value.objective(), value.loss + value.penalty);
    const Reported reported = fit->reported(value, 4);
    EXPECT_NEAR(reported.error, 4 * error, 400 * TestFixture::kEpsilon);
    EXPECT_NEAR(reported.relative_error, error / frobenius(this->M_), 100 * TestFixture::kEpsilon);
    EXPECT_NEAR(reported.penalty, 16 * penalty, 1600 * TestFixture::kEpsilon);
  }
}

class FrobeniusInDouble : public Frobenius<double> {};

/// The half problem has the gradient of the objective, checked by central differences of the values.
TEST_F(FrobeniusInDouble, HasHalfProblemsWithTheGradientOfTheObjective) {
  for (const Side side : {Side::W, Side::H}) {
    const auto fit = this->fit({.W = {.l1 = 0.25, .l2 = 0.5}, .H = {.l1 = 0.125, .l2 = 2}});
    supply_to(*fit, fit->wants_for_half(side, {}));
    const HalfStep<double> half = fit->half(side);
    const Matrix<double> X = fit->factor(side).X;
    for (Index p = 0; p < kRank; ++p) {
      double gradient = half.linear[static_cast<std::size_t>(p)] - half.cross(2, p);
      for (Index q = 0; q < kRank; ++q) gradient += X(2, q) * half.gram(q, p);
      const auto value_at = [&](double step) {
        fit->X(side)(2, p) = X(2, p) + step;
        fit->moved(side);
        supply_to(*fit, fit->wants_for_value(side));
        return fit->value(side).objective();
      };
      EXPECT_NEAR((value_at(1e-4) - value_at(-1e-4)) / 2e-4, gradient, 1e-7);
      value_at(0);
    }
  }
}

TYPED_TEST(Frobenius, KnowsTheMultipleThatFitsBest) {
  using T = TypeParam;
  const auto fit = this->fit();
  this->supply_to(*fit, fit->wants_for_value(Side::W));
  const double a = fit->best_multiple(Side::W);
  const Matrix<T> H = transposed(fit->factor(Side::H).X);
  const auto error = [&](double by) {
    Matrix<T> W = fit->factor(Side::W).X;
    for (T& x : W.values()) x = static_cast<T>(static_cast<double>(x) * by);
    return error_of(this->M_, W, H);
  };
  EXPECT_LT(error(a), error(1.001 * a));
  EXPECT_LT(error(a), error(0.999 * a));
}

/// Kullback and Leibler's loss by multiplicative updates: C = (M ./ W H) F, no curvature, and the column sums
/// of the fixed factor F as the linear term. The rule, the solver and the kernels are those of least squares.
class KullbackLeibler final : public FitTerm<double> {
 public:
  KullbackLeibler(const Data<double>& data, const Matrix<double>& M, Factors<double> start,
                  const Workers& workers)
      : FitTerm<double>(data, std::move(start), {}, workers), M_(M) {
    for (const Side side : {Side::W, Side::H}) moved(side);
  }

  bool revive(Side) override { return false; }
  bool balance() override { return false; }
  [[nodiscard]] Wanted<double> wants_for_half(Side, BlockUpdate<double>) override { return {}; }
  [[nodiscard]] Wanted<double> wants_for_value(Side) override { return {}; }
  [[nodiscard]] Wanted<double> wants_for_gradients(const std::array<ConstMatrixView<double>, 2>&) override {
    return {};
  }
  void supplied(const Wanted<double>&) override {}
  [[nodiscard]] double product_seconds(Side) const override { return 0; }
  [[nodiscard]] HalfStep<double> half(Side side) override {
    const Matrix<double>& X = factor(side).X;
    const Matrix<double>& F = factor(other(side)).X;
    Matrix<double>& C = state(side).cross;
    C = Matrix<double>(X.rows(), X.cols());
    linear_.assign(static_cast<std::size_t>(X.cols()), 0);
    for (Index j = 0; j < F.rows(); ++j) {
      for (Index p = 0; p < X.cols(); ++p) linear_[static_cast<std::size_t>(p)] += F(j, p);
      for (Index i = 0; i < X.rows(); ++i) {
        const double ratio = (side == Side::W ? M_(i, j) : M_(j, i)) / entry(X, i, F, j);
        for (Index p = 0; p < X.cols(); ++p) C(i, p) += ratio * F(j, p);
      }
    }
    gram_ = Matrix<double>(X.cols(), X.cols());
    return {.gram = std::as_const(gram_).view(),
            .cross = std::as_const(C).view(),
            .linear = linear_,
            .workers = workers()};
  }
  [[nodiscard]] Model model() const override { return Model::one_sweep; }
  [[nodiscard]] double half_flops(Side) const override { return 0; }
  [[nodiscard]] double rho(Side) const override { return 100; }  // for least squares: many sweeps
  [[nodiscard]] Reported reported(const Value&, double) const override { return {}; }
  [[nodiscard]] double reference() const override { return 1; }
  [[nodiscard]] double best_multiple(Side) override { return 1; }

 private:
  static double entry(const Matrix<double>& X, Index i, const Matrix<double>& F, Index j) {
    double sum = 0;
    for (Index p = 0; p < X.cols(); ++p) sum += X(i, p) * F(j, p);
    return sum;
  }
  [[nodiscard]] Loss loss(Side) override {
    double sum = 0;
    for (Index i = 0; i < M_.rows(); ++i) {
      for (Index j = 0; j < M_.cols(); ++j) {
        const double y = entry(factor(Side::W).X, i, factor(Side::H).X, j);
        sum += M_(i, j) * std::log(M_(i, j) / y) - M_(i, j) + y;
      }
    }
    return {.value = sum};
  }
  void make_stale(Side) override {}

  const Matrix<double>& M_;
  Matrix<double> gram_;
  std::vector<double> linear_;
};

/// Lee and Seung's iterates, by their formula.
void multiplicative_update(const Matrix<double>& M, Matrix<double>& W, const Matrix<double>& H) {
  const Matrix<double> Y = product(W, H);
  for (Index i = 0; i < W.rows(); ++i) {
    for (Index p = 0; p < W.cols(); ++p) {
      double above = 0;
      double below = 0;
      for (Index j = 0; j < H.cols(); ++j) {
        above += M(i, j) / Y(i, j) * H(p, j);
        below += H(p, j);
      }
      W(i, p) *= above / below;
    }
  }
}

TEST(FitTerm, CarriesKullbackAndLeiblersLossThroughTheSameSolver) {
  const Matrix<double> M = random_matrix(kRows, kCols, 41);
  const DenseData<double> data(M.view());
  ThreadPool pool(1);
  const Workers workers{pool};
  for (const char* method : {"mu", "a-mu", "e-a-mu"}) {  // one sweep, all rows together, blocks of rows
    SCOPED_TRACE(method);
    const Options options{.rank = kRank, .method = method};
    const Plan plan = make_plan<double>(options, kRows, kCols, data.nonzeros());
    Factors<double> start = random_factors<double>(42);
    Matrix<double> W = start.W;
    Matrix<double> Ht = start.Ht;
    KullbackLeibler fit(data, M, std::move(start), workers);
    HalfSolver<double> solver(options, plan, fit, workers);
    double before = fit.value(Side::H).objective();
    for (int iteration = 0; iteration < 5; ++iteration) {
      for (const Side side : {Side::W, Side::H}) {
        static_cast<void>(solver.solve(side, fit));
        fit.moved(side);
        EXPECT_EQ(solver.inner_iterations(side), 1);
      }
      multiplicative_update(M, W, transposed(Ht));
      multiplicative_update(transposed(M), Ht, transposed(W));
      EXPECT_LT(max_difference(fit.factor(Side::W).X, W), 1e-13);
      EXPECT_LT(max_difference(fit.factor(Side::H).X, Ht), 1e-13);
      const double after = fit.value(Side::H).objective();
      EXPECT_LT(after, before);
      before = after;
    }
  }
}

}  // namespace
}  // namespace anmf::test::fit_term_test
