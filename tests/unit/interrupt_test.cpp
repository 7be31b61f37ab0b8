// SPDX-License-Identifier: MIT
// Every call that computes can be ended from within, and one that may be ended but is not gives the same
// bits.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/problems.h"

namespace anmf::test::interrupt_test {
namespace {

struct Ended : std::runtime_error {
  Ended() : std::runtime_error("ended") {}
};

class Watch final : public Observer<double> {
 public:
  explicit Watch(Interrupt interrupt) : interrupt_(std::move(interrupt)) {}
  Action on_iteration(const IterationRecord&, ConstMatrixView<double>, ConstMatrixView<double>) override {
    return Action::proceed;
  }
  void interrupt() override { interrupt_(); }

 private:
  Interrupt interrupt_;
};

/// A computation with an interrupt, if one is given, and its result.
using Computation = std::function<Matrix<double>(const Interrupt&)>;

void expect_to_be_interruptible(const std::string& name, const Computation& compute) {
  SCOPED_TRACE(name);
  int asked = 0;
  const Matrix<double> left_alone = compute({});

  EXPECT_EQ(compute([&] { ++asked; }), left_alone);

  ASSERT_GE(asked, 3);
  for (int last : {1, asked / 2, asked}) {
    EXPECT_THROW(static_cast<void>(compute([&] {
                   if (--last == 0) throw Ended();
                 })),
                 Ended);
  }
}

const Matrix<double>& interrupt_data() {
  static const Matrix<double> M = planted(90, 70, 5, 3, 0.1);
  return M;
}

TEST(Interrupt, EndsEveryMethodWithinItsIterations) {
  const DenseData<double> data(interrupt_data().view());
  for (const Method& method : methods()) {
    expect_to_be_interruptible(std::string(method.name), [&](const Interrupt& interrupt) {
      const Options options{.rank = 5,
                            .method = std::string(method.name),
                            .loss = loss_for(method),
                            .max_iterations = 1,
                            .tolerance = 0,
                            .threads = 1};
      Watch watch(interrupt);
      return factorize<double>(data, options, {}, interrupt ? &watch : nullptr).W;
    });
  }
}

TEST(Interrupt, EndsEveryStart) {
  const DenseData<double> data(interrupt_data().view());
  for (const Init init : {Init::scaled_random, Init::random, Init::nndsvd, Init::nndsvdar, Init::spa}) {
    expect_to_be_interruptible(std::string(to_string(init)), [&](const Interrupt& interrupt) {
      return *initial_factors<double>(data, 5, init, 1, 1, interrupt).W;
    });
  }
}

TEST(Interrupt, EndsLeastSquares) {
  const Matrix<double> H = random_matrix(6, 70, 1);
  const DenseData<double> data(interrupt_data().view());

  expect_to_be_interruptible("fit_rows", [&](const Interrupt& interrupt) {
    return fit_rows<double>(data, H.view(), {.threads = 1}, interrupt).X;
  });
  expect_to_be_interruptible("nnls", [&](const Interrupt& interrupt) {
    return nnls(interrupt_data().view(), random_matrix(90, 40, 2).view(), 1, interrupt).X;
  });
}

/// 100 right-hand sides are one chunk, which takes 10^8 flops and more.
TEST(Interrupt, IsAskedWithinALongChunk) {
  const Matrix<double> A = random_matrix(200, 150, 1);
  const Matrix<double> B = random_matrix(200, 100, 2);
  int asked_for_one = 0;
  int asked_for_all = 0;

  static_cast<void>(nnls(A.view(), random_matrix(200, 1, 2).view(), 1, [&] { ++asked_for_one; }));
  static_cast<void>(nnls(A.view(), B.view(), 1, [&] { ++asked_for_all; }));

  EXPECT_GE(asked_for_all, asked_for_one + 10);
}

}  // namespace
}  // namespace anmf::test::interrupt_test
