// SPDX-License-Identifier: MIT
// Rows that fit best where not all entries count the same: an entry with weight 2 is one that stands there
// twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "anmf/nnls.h"
#include "anmf/predict.h"
#include "anmf/weights.h"
#include "support/problems.h"

namespace anmf::test::weighted_rows_test {

constexpr Index kRows = 7;
constexpr Index kCols = 9;
constexpr Index kRank = 3;

Matrix<double> drawn(Index rows, Index cols, unsigned seed) {
  Matrix<double> M(rows, cols);
  std::uint64_t state = seed * 7919U + 1U;
  for (double& x : M.values()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x = 0.05 + static_cast<double>(state >> 40U) / static_cast<double>(1U << 24U);
  }
  return M;
}

/// 0, 1 and 2, with an observation in every row but one.
Matrix<double> counts() {
  Matrix<double> p(kRows, kCols);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kCols; ++j) p(i, j) = i == 4 ? 0 : static_cast<double>((i + 2 * j + i * j) % 3);
  }
  return p;
}

/// Row i alone, with every column as often as it counts.
std::vector<double> repeated_fit(const Matrix<double>& M, const Matrix<double>& H, const Matrix<double>& p,
                                 Index i, FitOptions options) {
  std::vector<Index> columns;
  for (Index j = 0; j < kCols; ++j) {
    for (int k = 0; k < static_cast<int>(p(i, j)); ++k) columns.push_back(j);
  }
  if (columns.empty()) return std::vector<double>(static_cast<std::size_t>(kRank), 0.0);
  const auto count = static_cast<Index>(columns.size());
  Matrix<double> row(1, count);
  Matrix<double> components(kRank, count);
  for (Index k = 0; k < count; ++k) {
    row(0, k) = M(i, columns[static_cast<std::size_t>(k)]);
    for (Index q = 0; q < kRank; ++q) components(q, k) = H(q, columns[static_cast<std::size_t>(k)]);
  }
  // The penalty is that of a row with all its columns.
  options.alpha_W *= static_cast<double>(kCols) / static_cast<double>(count);
  const DenseData<double> data(std::as_const(row).view());
  const auto fit = fit_rows<double>(data, components.view(), options);
  return {fit.X.data(), fit.X.data() + kRank};
}

TEST(WeightedRows, AnEntryThatCountsTwiceIsOneThatStandsThereTwice) {
  const Matrix<double> M = drawn(kRows, kCols, 1);
  const Matrix<double> H = drawn(kRank, kCols, 2);
  const Matrix<double> p = counts();
  for (const char* loss : {"frobenius", "kl", "1.5", "0.5", "is"}) {
    for (const double alpha : {0.0, 0.02}) {
      const FitOptions options{.loss = loss, .alpha_W = alpha, .l1_ratio = 0.3, .threads = 2};
      const auto data = weighted<double>(std::make_unique<DenseData<double>>(M.view()), {{}, {}, p});

      const auto fit = fit_rows<double>(*data, H.view(), options);

      for (Index i = 0; i < kRows; ++i) {
        const std::vector<double> expected = repeated_fit(M, H, p, i, options);
        for (Index q = 0; q < kRank; ++q)
          EXPECT_NEAR(fit.X(i, q), expected[static_cast<std::size_t>(q)], 1e-5) << loss << " " << i;
      }
    }
  }
}

TEST(WeightedRows, StoredEntriesGiveTheRowsOfDenseOnes) {
  const Matrix<double> M = drawn(kRows, kCols, 1);
  const Matrix<double> H = drawn(kRank, kCols, 2);
  Matrix<double> p = counts();
  for (double& x : p.values()) x = x > 0 ? 1 : 0;
  Csr<double> stored{.rows = kRows, .cols = kCols, .offsets = {0}, .indices = {}, .values = {}};
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kCols; ++j) {
      if (p(i, j) == 0) continue;
      stored.indices.push_back(static_cast<std::uint32_t>(j));
      stored.values.push_back(M(i, j));
    }
    stored.offsets.push_back(static_cast<Index>(stored.values.size()));
  }
  for (const char* loss : {"frobenius", "kl", "is"}) {
    const FitOptions options{.loss = loss};
    const auto dense = weighted<double>(std::make_unique<DenseData<double>>(M.view()), {{}, {}, p});
    const auto sparse =
        weighted<double>(SparseData<double>::from_observed(Csr<double>(stored)), {{}, {}, OnlyStored{}});
    const auto a = fit_rows<double>(*dense, H.view(), options);
    const auto b = fit_rows<double>(*sparse, H.view(), options);
    for (Index k = 0; k < a.X.size(); ++k) EXPECT_NEAR(a.X.data()[k], b.X.data()[k], 1e-5) << loss;
    const double error = fit_error<double>(*dense, a.X, H.view(), options);
    EXPECT_NEAR(fit_error<double>(*sparse, a.X, H.view(), options), error, 1e-9 * error);
  }
}

TEST(CombinedWeights, PlacesAndWhatIsStoredAreTakenFromAllKinds) {
  const Matrix<double> M = drawn(3, 4, 3);
  const DenseData<double> data(M.view());
  const Places places{.rows = 3, .cols = 4, .offsets = {0, 1, 1, 3}, .indices = {2, 0, 3}};
  Weights<double> plain;
  leave_out(plain, places);
  leave_out(plain, Places{.rows = 3, .cols = 4, .offsets = {0, 2, 2, 2}, .indices = {1, 2}});
  EXPECT_EQ(std::get<Places>(plain.entries).indices, (std::vector<std::uint32_t>{1, 2, 0, 3}));
  Weights<double> dense{{}, {}, Matrix<double>(3, 4, 2.0)};
  leave_out(dense, places);
  EXPECT_EQ(std::get<Matrix<double>>(dense.entries)(2, 3), 0);
  EXPECT_EQ(std::get<Matrix<double>>(dense.entries)(2, 2), 2);
  keep_stored(dense, data);
  EXPECT_EQ(std::get<Csr<double>>(dense.entries).values.size(), 9U);
  leave_out(dense, Places{.rows = 3, .cols = 4, .offsets = {0, 0, 2, 2}, .indices = {0, 1}});
  EXPECT_EQ(std::get<Csr<double>>(dense.entries).values.size(), 7U);
  EXPECT_THROW(leave_out(dense, Places{.rows = 2, .cols = 4, .offsets = {0, 0, 0}, .indices = {}}),
               InvalidInput);
  Weights<double> stored{{}, {}, OnlyStored{}};
  EXPECT_THROW(leave_out(stored, places), InvalidInput);
}

TEST(CombinedWeights, FollowTheRowsAndColumnsThatAreChosen) {
  Weights<double> weights{{1, 2, 3}, {1, 2, 3, 4}, Places{3, 4, {0, 1, 1, 3}, {2, 0, 3}}};
  const auto part = select(weights, std::vector<Index>{2, 0}, std::vector<Index>{3, 2, 0});
  EXPECT_EQ(part.rows, (std::vector<double>{3, 1}));
  EXPECT_EQ(part.columns, (std::vector<double>{4, 3, 1}));
  EXPECT_EQ(std::get<Places>(part.entries).offsets, (std::vector<Index>{0, 2, 3}));
  EXPECT_EQ(std::get<Places>(part.entries).indices, (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST(Predict, IsTheProductAtThePlaces) {
  const Matrix<double> W = drawn(5, 3, 4);
  const Matrix<double> H = drawn(3, 6, 5);
  const std::vector<double> scale = {1, 2, 0.5};
  Matrix<double> all(5, 6);
  predict_rows<double>(W.view(), H.view(), scale, [&](Index first, ConstMatrixView<double> rows) {
    for (Index i = 0; i < rows.rows; ++i) std::copy_n(rows.row(i), 6, all.view().row(first + i));
  });
  const std::vector<Index> offsets = {0, 0, 2, 2, 2, 3};
  const std::vector<std::uint32_t> columns = {1, 5, 0};
  const auto some = predict_entries<double>(W.view(), H.view(), {offsets, columns}, scale, 2);
  double expected = 0;
  for (Index p = 0; p < 3; ++p) expected += W(1, p) * scale[static_cast<std::size_t>(p)] * H(p, 1);
  EXPECT_NEAR(some[0], expected, 1e-14);
  EXPECT_NEAR(all(1, 1), expected, 1e-14);
  EXPECT_NEAR(some[1], all(1, 5), 1e-14);
  EXPECT_NEAR(some[2], all(4, 0), 1e-14);
  const std::vector<std::uint32_t> outside = {1, 6, 0};
  EXPECT_THROW(static_cast<void>(predict_entries<double>(W.view(), H.view(), {offsets, outside})),
               InvalidInput);
  const std::vector<Index> short_offsets = {0, 1};
  EXPECT_THROW(static_cast<void>(predict_entries<double>(W.view(), H.view(), {short_offsets, columns})),
               InvalidInput);
}

}  // namespace anmf::test::weighted_rows_test
