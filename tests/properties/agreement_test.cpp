// SPDX-License-Identifier: MIT
// Every method against an independent naive implementation, from the same start factors.
#include <gtest/gtest.h>

#include <ostream>

#include "support/problems.h"

namespace anmf::test::agreement_properties {
namespace {

struct Case {
  const char* name;
  Index rows, cols, rank;
  double zeros;
  bool sparse;
  bool h_first;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Case kCases[] = {
    {"TallDense", 41, 13, 4, 0, false, false},      {"WideDense", 11, 37, 5, 0, false, false},
    {"TallSparse", 60, 17, 3, 0.7, true, false},    {"WideSparse", 15, 70, 4, 0.7, true, false},
    {"TallDenseHFirst", 41, 13, 4, 0, false, true}, {"WideSparseHFirst", 15, 70, 4, 0.7, true, true},
};

naive::Settings naive_settings(const Method& method, const Case& c, Index nonzeros) {
  naive::Settings s;
  s.rule = method.rule.name == "mu"     ? naive::Rule::mu
           : method.rule.name == "hals" ? naive::Rule::hals
           : method.rule.name == "pg"   ? naive::Rule::pg
                                        : naive::Rule::bpp;
  s.stop = method.inner_stop.mode == InnerStopMode::fixed    ? naive::Stop::fixed
           : method.inner_stop.mode == InnerStopMode::hybrid ? naive::Stop::hybrid
           : method.inner_stop.mode == InnerStopMode::block  ? naive::Stop::block
                                                             : naive::Stop::lin;
  s.alpha = method.inner_stop.alpha;
  s.epsilon = method.inner_stop.epsilon;
  s.K = nonzeros;
  s.h_first = c.h_first;
  s.extrapolated = method.extrapolated;
  return s;
}

class Agreement : public testing::TestWithParam<std::tuple<std::string, Case>> {
 protected:
  /// Runs both from one start for 20 outer iterations and compares everything.
  void compare(const Options& options, const naive::Settings& settings, const Case& c,
               const Data<double>& data, const Matrix<double>& M) {
    // Start values near the size of M: no column becomes zero, which the oracle leaves alone.
    Start<double> start{random_matrix(c.rows, c.rank, 7), random_matrix(c.rank, c.cols, 8)};
    for (double& w : start.W->values()) w *= 0.3;
    const Result<double> result = factorize(data, options, start);
    const naive::Run oracle = naive::run(to_naive(M), to_naive(*start.W), to_naive(*start.H), settings, 20);

    ASSERT_EQ(result.trace.size(), oracle.steps.size());
    double flops = 0;
    for (std::size_t k = 0; k < oracle.steps.size(); ++k) {
      SCOPED_TRACE(k);
      flops += oracle.steps[k].flops;
      EXPECT_NEAR(result.trace[k].error, oracle.steps[k].error, 1e-9 * frobenius(M));
      EXPECT_EQ(result.trace[k].inner_w, oracle.steps[k].inner_w);
      EXPECT_EQ(result.trace[k].inner_h, oracle.steps[k].inner_h);
      // The oracle does not count the work inside an exact solve.
      if (settings.rule != naive::Rule::bpp) {
        EXPECT_NEAR(result.trace[k].flops, flops, 1e-9 * flops);
      }
    }
    for (Index i = 0; i < c.rows; ++i) {
      for (Index p = 0; p < c.rank; ++p) EXPECT_NEAR(result.W(i, p), oracle.W(i, p), 1e-9) << i << ", " << p;
    }
    for (Index p = 0; p < c.rank; ++p) {
      for (Index j = 0; j < c.cols; ++j) EXPECT_NEAR(result.H(p, j), oracle.H(p, j), 1e-9) << p << ", " << j;
    }
  }

  static Options base_options(const Case& c, const std::string& method) {
    Options options;
    options.rank = c.rank;
    options.method = method;
    options.max_iterations = 20;
    options.tolerance = 0;
    options.first = c.h_first ? Side::H : Side::W;
    options.threads = 2;
    return options;
  }
};

TEST_P(Agreement, TwentyIterationsEqualTheNaiveImplementation) {
  const auto& [name, c] = GetParam();
  const Matrix<double> M = random_matrix(c.rows, c.cols, 42, c.zeros);
  const DenseData<double> dense(M.view());
  const auto sparse = to_sparse(M);
  const Data<double>& data = c.sparse ? static_cast<const Data<double>&>(*sparse) : dense;

  compare(base_options(c, name), naive_settings(find_method(name), c, data.nonzeros()), c, data, M);
}

TEST_P(Agreement, PenalisedIterationsEqualTheNaiveImplementation) {
  const auto& [name, c] = GetParam();
  const Matrix<double> M = random_matrix(c.rows, c.cols, 43, c.zeros);
  const DenseData<double> dense(M.view());
  const auto sparse = to_sparse(M);
  const Data<double>& data = c.sparse ? static_cast<const Data<double>&>(*sparse) : dense;
  Options options = base_options(c, name);
  options.alpha_W = 2e-3;
  options.alpha_H = 1e-3;
  options.l1_ratio = 0.3;
  naive::Settings settings = naive_settings(find_method(name), c, data.nonzeros());
  const auto m = static_cast<double>(c.rows);
  const auto n = static_cast<double>(c.cols);
  settings.l1_W = 2e-3 * n * 0.3;
  settings.l2_W = 2e-3 * n * 0.7;
  settings.l1_H = 1e-3 * m * 0.3;
  settings.l2_H = 1e-3 * m * 0.7;

  compare(options, settings, c, data, M);
}

TEST_P(Agreement, DynamicStopEqualsTheNaiveImplementation) {
  const auto& [name, c] = GetParam();
  if (find_method(name).rule.exact || name == "pg") return;  // they have no such mode
  const Matrix<double> M = random_matrix(c.rows, c.cols, 44, c.zeros);
  const DenseData<double> data(M.view());
  Options options = base_options(c, name);
  options.inner_stop = InnerStopMode::dynamic;
  options.epsilon = 0.05;
  naive::Settings settings = naive_settings(find_method(name), c, data.nonzeros());
  settings.stop = naive::Stop::dynamic;
  settings.epsilon = 0.05;

  compare(options, settings, c, data, M);
}

INSTANTIATE_TEST_SUITE_P(Methods, Agreement,
                         testing::Combine(testing::ValuesIn(method_names()), testing::ValuesIn(kCases)),
                         [](const auto& test) {
                           return identifier(std::get<0>(test.param)) + std::get<1>(test.param).name;
                         });

/// Dense and sparse storage of one matrix, for the same inner counts: a full matrix has the same K in both,
/// and a single inner iteration or the dynamic stop does not ask for K.
class Storage : public testing::TestWithParam<std::string> {};

TEST_P(Storage, DenseAndSparseAgreeOnAFullMatrix) {
  const Matrix<double> M = random_matrix(45, 21, 3);
  const DenseData<double> dense(M.view());
  const auto sparse = to_sparse(M);
  Options options{.rank = 5, .method = GetParam(), .seed = 9, .max_iterations = 20, .tolerance = 0};

  const Result<double> a = factorize(dense, options);
  const Result<double> b = factorize<double>(*sparse, options);

  EXPECT_LT(max_difference(a.W, b.W), 1e-9);
  EXPECT_LT(max_difference(a.H, b.H), 1e-9);
  EXPECT_EQ(a.trace.back().inner_w, b.trace.back().inner_w);
}

TEST_P(Storage, DenseAndSparseAgreeOnASparseMatrix) {
  const Matrix<double> M = random_matrix(45, 21, 4, 0.8);
  const DenseData<double> dense(M.view());
  const auto sparse = to_sparse(M);
  Options options{.rank = 3, .method = GetParam(), .seed = 9, .max_iterations = 20, .tolerance = 0};
  const InnerStopMode mode = find_method(options.method).inner_stop.mode;
  if (mode == InnerStopMode::hybrid || mode == InnerStopMode::block) {
    options.inner_stop = InnerStopMode::dynamic;
    options.epsilon = 0.1;
  }

  const Result<double> a = factorize(dense, options);
  const Result<double> b = factorize<double>(*sparse, options);

  EXPECT_LT(max_difference(a.W, b.W), 1e-9);
  EXPECT_LT(max_difference(a.H, b.H), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Methods, Storage, testing::ValuesIn(method_names()),
                         [](const auto& test) { return identifier(test.param); });

}  // namespace
}  // namespace anmf::test::agreement_properties
