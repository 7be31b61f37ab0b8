// SPDX-License-Identifier: MIT
// Runs that others drive: many loops over one matrix, whose products are made together, and runs that share
// one team of threads. Each has the bits of the run alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "init/start_factors.h"
#include "outer/outer_loop.h"
#include "support/problems.h"

namespace anmf::test::driven_runs_properties {
namespace {

/// One run, to be driven.
struct DrivenRun {
  Options options;
  Plan plan;
  std::unique_ptr<OuterLoop<double>> loop;
  std::unique_ptr<Steps<Wanted<double>>> steps;
  Wanted<double>* wanted = nullptr;

  DrivenRun(const Data<double>& data, Options chosen, const Workers& workers)
      : options(std::move(chosen)),
        plan(make_plan<double>(options, data.rows(), data.cols(), data.nonzeros())),
        loop(std::make_unique<OuterLoop<double>>(
            data, options, plan,
            start_factors<double>(data, options.rank, options.init, options.seed, {}, plan.delta, workers), 1,
            workers, nullptr)),
        steps(std::make_unique<Steps<Wanted<double>>>(loop->run())) {}
};

/// C = M [F1 F2 ...] in one product for all that want that side, and every run gets its columns.
void supply_together(const Data<double>& data, Side side, const std::vector<DrivenRun*>& runs,
                     ThreadPool& pool) {
  std::vector<Product<double>*> products;
  Index width = 0;
  for (DrivenRun* run : runs) {
    for (Product<double>& product : run->wanted->products) {
      if (product.side != side) continue;
      products.push_back(&product);
      width += product.factor.cols;
    }
  }
  if (products.empty()) return;
  Matrix<double> F(products.front()->factor.rows, width);
  Matrix<double> C(products.front()->result.rows, width);
  Index column = 0;
  for (const Product<double>* product : products) {
    for (Index i = 0; i < F.rows(); ++i) {
      for (Index p = 0; p < product->factor.cols; ++p) F(i, column + p) = product->factor(i, p);
    }
    column += product->factor.cols;
  }
  data.cross(side, std::as_const(F).view(), C.view(), pool);
  column = 0;
  for (const Product<double>* product : products) {
    for (Index i = 0; i < C.rows(); ++i) {
      for (Index p = 0; p < product->result.cols; ++p) product->result(i, p) = C(i, column + p);
    }
    column += product->result.cols;
  }
}

void expect_same(const Result<double>& together, const Result<double>& alone) {
  EXPECT_EQ(together.iterations, alone.iterations);
  EXPECT_EQ(together.error, alone.error);
  EXPECT_EQ(together.kkt, alone.kkt);
  EXPECT_EQ(together.message, alone.message);
  ASSERT_EQ(together.trace.size(), alone.trace.size());
  for (std::size_t k = 0; k < alone.trace.size(); ++k) {
    EXPECT_EQ(together.trace[k].error, alone.trace[k].error) << k;
    EXPECT_EQ(together.trace[k].flops, alone.trace[k].flops) << k;
  }
}

class DrivenRuns : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::unique_ptr<Data<double>> data() const {
    if (std::string(GetParam()) == "sparse") return to_sparse(sparse_);
    return std::make_unique<DenseData<double>>(dense_.view());
  }

  Matrix<double> dense_ = planted(70, 50, 6, 201, 0.1);
  Matrix<double> sparse_ = random_matrix(70, 50, 202, 0.8);
};

TEST_P(DrivenRuns, OverOneMatrixHaveTheBitsOfEachAlone) {
  const std::unique_ptr<Data<double>> data = this->data();
  ThreadPool pool(2);
  const Workers workers{pool};
  std::deque<DrivenRun> runs;
  for (const char* method : {"mu", "a-hals", "e-a-hals", "pg", "anls"}) {
    for (const Index rank : {5, 8}) {
      runs.emplace_back(*data,
                        Options{.rank = rank,
                                .method = method,
                                .seed = static_cast<std::uint64_t>(rank),
                                .explore = Explore::on,
                                .max_iterations = 12 + rank,
                                .tolerance = 1e-3},
                        workers);
    }
  }
  std::vector<DrivenRun*> active;
  for (DrivenRun& run : runs) active.push_back(&run);
  while (!active.empty()) {
    std::erase_if(active, [](DrivenRun* run) { return (run->wanted = run->steps->next()) == nullptr; });
    for (const Side side : {Side::W, Side::H}) supply_together(*data, side, active, pool);
  }
  for (DrivenRun& run : runs) {
    SCOPED_TRACE(testing::Message() << run.options.method << ", r = " << run.options.rank);
    const Result<double> alone = factorize<double>(*data, run.options);
    const Factors<double> factors = run.loop->take_factors();
    expect_same(run.loop->result(), alone);
    EXPECT_EQ(factors.W, alone.W);
    EXPECT_EQ(transposed(factors.Ht), alone.H);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, DrivenRuns, testing::Values("dense", "sparse"),
                         [](const auto& of) { return std::string(of.param); });

TEST(SharedTeam, CarriesOneRunAfterTheOtherWithTheirOwnBits) {
  const Matrix<double> M = planted(60, 40, 4, 203, 0.1);
  const DenseData<double> data(M.view());
  ThreadPool pool(2);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Options options{.rank = 4, .seed = seed, .max_iterations = 10, .threads = 1};
    const Result<double> shared = factorize<double>(data, options, {}, nullptr, nullptr, &pool);
    const Result<double> alone = factorize<double>(data, options);
    expect_same(shared, alone);
    EXPECT_EQ(shared.W, alone.W);
    EXPECT_EQ(shared.H, alone.H);
    EXPECT_EQ(shared.effective.threads, 2);
    EXPECT_EQ(alone.effective.threads, 1);
  }
}

TEST(SharedTeam, AsksItsOwnInterrupt) {
  const Matrix<double> M = planted(60, 40, 4, 204, 0.1);
  const DenseData<double> data(M.view());
  struct Enough {};
  int asked = 0;
  ThreadPool pool(2, [&asked] {
    if (++asked > 5) throw Enough();
  });
  const Options options{.rank = 4, .tolerance = 0};
  EXPECT_THROW(static_cast<void>(factorize<double>(data, options, {}, nullptr, nullptr, &pool)), Enough);
}

}  // namespace
}  // namespace anmf::test::driven_runs_properties
