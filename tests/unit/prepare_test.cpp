// SPDX-License-Identifier: MIT
// Preparations: dense, sparse and transposed data in, the same numbers out; what was learnt is checked.
// python/tests/test_prepare.py compares the numbers with scikit-learn's.
#include "anmf/prepare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "anmf/error.h"

namespace anmf::test::prepare_test {
namespace {

/// 6 x 5 with many zeros, in a wider memory.
Matrix<double> counts() {
  Matrix<double> M(6, 5);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 5; ++j) M(i, j) = i == 3 ? 0 : static_cast<double>((7 * i + 3 * j + i * j) % 5);
  }
  return M;
}

std::unique_ptr<SparseData<double>> sparse_of(const Matrix<double>& M) {
  std::vector<Index> rows;
  std::vector<Index> cols;
  std::vector<double> values;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      rows.push_back(i);
      cols.push_back(j);
      values.push_back(M(i, j));
    }
  }
  return SparseData<double>::from_triplets(M.rows(), M.cols(), rows, cols, values);
}

Matrix<double> filled(const Csr<double>& M) {
  Matrix<double> result(M.rows, M.cols);
  for (Index i = 0; i < M.rows; ++i) {
    for (auto k = static_cast<std::size_t>(M.offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(M.offsets[static_cast<std::size_t>(i) + 1]); ++k)
      result(i, M.indices[k]) = M.values[k];
  }
  return result;
}

TEST(Prepare, GivesTheSameNumbersWhateverTheStorage) {
  const Matrix<double> M = counts();
  const Matrix<double> Mt = transposed(M);
  for (const char* steps : {"log1p", "sqrt", "tfidf", "total=10", "total=1:columns", "unit-variance", "max=3",
                            "max=1:rows", "top-variance=2", "total=10,log1p,top-variance=3,tfidf"}) {
    OwnEntries<double> dense = copy_entries<double>(DenseData<double>(M.view()));
    OwnEntries<double> columns = copy_entries<double>(DenseData<double>(Mt.view(), Layout::column_major));
    OwnEntries<double> sparse = copy_entries<double>(*sparse_of(M));
    OwnEntries<double> turned = copy_entries<double>(*transposed<double>(sparse_of(Mt)));
    Preparation learnt(steps);
    learnt.learn_and_apply(dense);
    Preparation(steps).learn_and_apply(columns);
    Preparation(steps).learn_and_apply(sparse);
    // As another one learnt it.
    Preparation(learnt.steps(), learnt.features()).apply(turned);

    const Matrix<double>& expected = std::get<Matrix<double>>(dense);
    EXPECT_EQ(std::get<Matrix<double>>(columns), expected) << steps;
    for (const OwnEntries<double>* found : {&sparse, &turned}) {
      const Matrix<double> entries = filled(std::get<Csr<double>>(*found));
      ASSERT_EQ(entries.cols(), expected.cols()) << steps;
      for (Index i = 0; i < entries.rows(); ++i) {
        for (Index j = 0; j < entries.cols(); ++j)
          EXPECT_NEAR(entries(i, j), expected(i, j), 1e-14 * expected(i, j)) << steps;
      }
    }
  }
}

TEST(Prepare, BringsRowsAndColumnsToSumsAndMaxima) {
  const auto prepared = [](const char* steps) {
    const Matrix<double> M = counts();
    OwnEntries<double> entries = copy_entries<double>(DenseData<double>(M.view()));
    Preparation(steps).learn_and_apply(entries);
    return std::get<Matrix<double>>(entries);
  };
  const Matrix<double> by_row = prepared("total=7");
  const Matrix<double> by_column = prepared("total=7:columns");
  const Matrix<double> largest = prepared("max=2");
  for (Index i = 0; i < 6; ++i) {
    double sum = 0;
    for (Index j = 0; j < 5; ++j) sum += by_row(i, j);
    EXPECT_NEAR(sum, i == 3 ? 0 : 7, 1e-14);
  }
  for (Index j = 0; j < 5; ++j) {
    double sum = 0;
    double most = 0;
    for (Index i = 0; i < 6; ++i) {
      sum += by_column(i, j);
      most = std::max(most, largest(i, j));
    }
    EXPECT_NEAR(sum, 7, 1e-14);
    EXPECT_EQ(most, 2);
  }
}

TEST(Prepare, KeepsTheColumnsOfSeveralCuts) {
  const Matrix<double> M = counts();
  OwnEntries<double> entries = copy_entries<double>(DenseData<double>(M.view()));
  Preparation preparation("top-variance=4,log1p,top-variance=2");
  preparation.learn_and_apply(entries);
  const auto kept = preparation.kept();
  ASSERT_TRUE(kept && kept->size() == 2);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 2; ++j) {
      EXPECT_EQ(std::get<Matrix<double>>(entries)(i, j),
                std::log1p(M(i, (*kept)[static_cast<std::size_t>(j)])));
    }
  }
}

TEST(Prepare, WritesStepsAsTheyAreRead) {
  for (const char* steps :
       {"none", "total=10000,log1p", "total=0.5:columns,max=255", "max=1:rows,unit-variance,top-variance=20"})
    EXPECT_EQ(Preparation(steps).text(), steps);
  EXPECT_EQ(Preparation(" total=1e4 , total=2:rows").text(), "total=10000,total=2");
}

PrepareStep step(PrepareKind kind, std::vector<double> learnt, std::vector<Index> kept = {}) {
  PrepareStep result;
  result.kind = kind;
  result.learnt = std::move(learnt);
  result.kept = std::move(kept);
  return result;
}

TEST(Prepare, RefusesWhatWasNotLearntFromSuchAMatrix) {
  const Matrix<double> M = counts();
  OwnEntries<double> entries = copy_entries<double>(DenseData<double>(M.view()));
  Preparation fresh("tfidf");
  EXPECT_THROW(fresh.apply(entries), InvalidInput);
  EXPECT_NO_THROW(Preparation("log1p,max=1:rows").apply(entries));
  const PrepareStep tfidf = step(PrepareKind::tfidf, {1, 2, 3, 4, 5});
  EXPECT_NO_THROW(Preparation({tfidf}, 5).apply(entries));
  EXPECT_THROW(Preparation({tfidf}, 4), InvalidInput);
  EXPECT_THROW(Preparation({step(PrepareKind::log1p, {1})}, 1), InvalidInput);
  for (const std::vector<Index>& kept : {std::vector<Index>{}, {1, 1}, {2, 1}, {-1, 2}, {1, 5}})
    EXPECT_THROW(Preparation({step(PrepareKind::top_variance, {}, kept)}, 5), InvalidInput);
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(Preparation({step(PrepareKind::unit_variance, {wrong})}, 1), InvalidInput);
}

}  // namespace
}  // namespace anmf::test::prepare_test
