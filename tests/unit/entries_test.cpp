// SPDX-License-Identifier: MIT
// Every kind of data shows the entries of M, and what is made from them is what naive loops make.
#include "anmf/entries.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "data/compressed_data.h"
#include "data/scaled_data.h"
#include "data/transposed_data.h"
#include "support/bare_operator.h"
#include "support/files_and_messages.h"
#include "support/memory_source.h"
#include "support/shared_run.h"
#include "support/shown_entries.h"

namespace anmf::test::entries_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

constexpr std::pair<Index, Index> kSizes[] = {{1, 1}, {1, 3}, {3, 1}, {5, 7}, {47, 3}, {49, 96}};

template <class T>
class Entries : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Entries, Types);

TYPED_TEST(Entries, OfDenseDataAreOneBlockWhereTheyLie) {
  using T = TypeParam;
  for (const auto& [m, n] : kSizes) {
    SCOPED_TRACE(testing::Message() << m << " x " << n);
    const Matrix<T> M = random_matrix<T>(m, n, 301, 0.3);
    const Matrix<T> Mt = transposed(M);
    const DenseData<T> by_rows(M.view());
    const DenseData<T> by_columns(Mt.view(), Layout::column_major);
    expect_shows<T>(by_rows, M);
    expect_shows<T>(by_columns, M);
    for (const Side side : {Side::W, Side::H}) {
      EXPECT_TRUE(by_rows.whole_rows(side));
      const bool of_rows = side == Side::W;
      const Shown rows = shown_entries<T>(by_rows, side);
      EXPECT_EQ(rows.memory, (std::vector<const void*>{M.data()}));
      EXPECT_EQ(rows.layouts, (std::vector{of_rows ? Layout::row_major : Layout::column_major}));
      const Shown columns = shown_entries<T>(by_columns, side);
      EXPECT_EQ(columns.memory, (std::vector<const void*>{Mt.data()}));
      EXPECT_EQ(columns.layouts, (std::vector{of_rows ? Layout::column_major : Layout::row_major}));
    }
  }
}

TYPED_TEST(Entries, OfAViewLeaveOutWhatStandsBetweenItsRows) {
  using T = TypeParam;
  const Matrix<T> around = random_matrix<T>(6, 9, 302);
  Matrix<T> M(6, 4);
  for (Index i = 0; i < 6; ++i) std::copy_n(around.view().row(i) + 2, 4, M.view().row(i));
  expect_shows<T>(DenseData<T>(ConstMatrixView<T>(around.data() + 2, 6, 4, 9)), M);
}

template <class S, class T>
void expect_own_type() {
  Matrix<S> M(49, 5);
  for (Index k = 0; k < M.size(); ++k) M.data()[k] = static_cast<S>(k * 31 % 251);
  const Matrix<S> Mt = transposed(M);
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    const Matrix<S>& stored = layout == Layout::row_major ? M : Mt;
    const DenseData<T> data(stored.view(), layout);
    expect_shows<T>(data, M);
    data.for_each_block(Side::H, [](const EntryBlock<T>& block) {
      EXPECT_TRUE(std::holds_alternative<ConstMatrixView<S>>(block.lines));
    });
    expect_shows<T>(*to_stream<T, S>(M, {.layout = layout, .lines = 2}), M);
  }
}

TYPED_TEST(Entries, KeepTheirNarrowType) {
  using T = TypeParam;
  expect_own_type<std::uint8_t, T>();
  expect_own_type<std::uint16_t, T>();
  expect_own_type<float, T>();
}

TYPED_TEST(Entries, OfSparseDataAreWholeRowsOfEitherSide) {
  using T = TypeParam;
  for (const auto& [m, n] : kSizes) {
    for (const double zeros : {1.0, 0.9, 0.0}) {
      SCOPED_TRACE(testing::Message() << m << " x " << n << ", zeros " << zeros);
      const Matrix<T> M = random_matrix<T>(m, n, 303, zeros);
      const auto data = to_sparse(M);
      expect_shows<T>(*data, M);
      EXPECT_EQ(shown_entries<T>(*data, Side::W).memory,
                (std::vector<const void*>{data->by_row().values.data()}));
      EXPECT_EQ(shown_entries<T>(*data, Side::H).memory,
                (std::vector<const void*>{data->by_col().values.data()}));
      EXPECT_EQ(shown_entries<T>(*data, Side::H).layouts, (std::vector{Layout::row_major}));
    }
  }
}

TYPED_TEST(Entries, OfAStreamComeInItsBlocks) {
  using T = TypeParam;
  for (const auto& [m, n] : kSizes) {
    for (const Index lines : {Index{1}, Index{3}, Index{48}}) {
      for (const double zeros : {1.0, 0.6}) {
        const Matrix<T> M = random_matrix<T>(m, n, 304, zeros);
        for (const Blocks& how : all_kinds(lines)) {
          SCOPED_TRACE(testing::Message() << m << " x " << n << " by " << lines << ", sparse " << how.sparse);
          const auto data = to_stream<T>(M, how);
          expect_shows<T>(*data, M);
          const Side by_lines = how.layout == Layout::row_major ? Side::W : Side::H;
          EXPECT_TRUE(data->whole_rows(by_lines));
          EXPECT_FALSE(data->whole_rows(other(by_lines)));
          const Index all = by_lines == Side::W ? m : n;
          const Shown whole = shown_entries<T>(*data, by_lines);
          const Shown parts = shown_entries<T>(*data, other(by_lines));
          EXPECT_EQ(static_cast<Index>(whole.rows.size()), (all + lines - 1) / lines);
          EXPECT_EQ(parts.columns, whole.rows);
          EXPECT_EQ(parts.rows, whole.columns);
        }
      }
    }
  }
}

TEST(Entries, OfAStreamCanBeAbandonedAndSeenAgain) {
  const Matrix<double> M = random_matrix(20, 6, 315);
  const auto data = to_stream<double>(M, {.lines = 2});
  Index seen = 0;
  const auto look_at_three = [&] {
    data->for_each_block(Side::H, [&](const EntryBlock<double>&) {
      if (++seen == 3) throw std::runtime_error("enough");
    });
  };
  EXPECT_THROW(look_at_three(), std::runtime_error);
  EXPECT_EQ(seen, 3);
  expect_shows<double>(*data, M);
}

TYPED_TEST(Entries, OfWrappersAreThoseOfTheWrappedMatrix) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(49, 6, 305, 0.5);
  const Matrix<T> Mt = transposed(M);
  const DenseData<T> dense(M.view());
  expect_shows<T>(ScaledData<T>(dense, 16), M, 16);
  expect_shows<T>(ScaledData<T>(ScaledData<T>(*to_sparse(M), 0.25), 16), M, 4);
  expect_shows<T>(TransposedData<T>(std::make_unique<DenseData<T>>(M.view())), Mt);
  const TransposedData<T> turned(to_stream<T>(M, {.sparse = true, .lines = 5}));
  expect_shows<T>(turned, Mt);
  EXPECT_TRUE(turned.whole_rows(Side::H));
  EXPECT_FALSE(turned.whole_rows(Side::W));
  expect_shows<T>(ScaledData<T>(turned, 4), Mt, 4);
}

/// Wrappers answer as the matrix itself does.
TEST(ForwardingData, LosesNoQuestion) {
  Matrix<double> M = random_matrix(50, 7, 306, 0.5);
  for (Index i = 0; i < 50; ++i) M(i, 3) = 0;
  for (Index j = 0; j < 7; ++j) M(4, j) = M(9, j) = 0;
  const DenseData<double> dense(M.view());
  const ScaledData<double> scaled(dense, 4);
  const TransposedData<double> turned(to_stream<double>(M, {}));
  ThreadPool pool(1);

  EXPECT_EQ(scaled.empty_rows(), 2);
  EXPECT_EQ(scaled.empty_cols(), 1);
  EXPECT_EQ(scaled.storage(), Storage::dense);
  EXPECT_EQ(scaled.nonzeros(), 350);
  EXPECT_EQ(scaled.owned(Side::H), (RowRange{0, 7}));
  EXPECT_TRUE(scaled.shows_owned_rows());
  Matrix<double> all(7, 2);
  scaled.gather(Side::H, random_matrix(7, 2, 1).view(), all.view());
  EXPECT_EQ(all, random_matrix(7, 2, 1));
  turned.gather(Side::W, random_matrix(7, 2, 2).view(), all.view());
  EXPECT_EQ(all, random_matrix(7, 2, 2));
  EXPECT_EQ(scaled.norm(), dense.norm() / 4);
  EXPECT_EQ(scaled.fingerprint(pool), dense.fingerprint(pool));
  EXPECT_EQ(turned.rows(), 7);
  EXPECT_EQ(turned.empty_rows(), 1);
  EXPECT_EQ(turned.empty_cols(), 2);
  EXPECT_EQ(turned.storage(), Storage::dense_on_disk);
  EXPECT_EQ(turned.pass_side(2, pool), Side::H);
  EXPECT_EQ(turned.owned(Side::W), (RowRange{0, 7}));
  EXPECT_EQ(turned.norm(), to_stream<double>(M, {})->norm());
  EXPECT_EQ(turned.fingerprint(pool), dense.fingerprint(pool)->transposed());
}

TEST(Entries, OfAnOperatorAreRefusedWithAReason) {
  const Matrix<double> M = random_matrix(5, 4, 307);
  const BareOperator<double> bare(M);
  EXPECT_FALSE(bare.shows_entries());
  expect_phrase(message_of<InvalidInput>([&] { bare.for_each_block(Side::W, [](const auto&) {}); }),
                "The entries of M are needed, which this kind of data (operator) cannot show");
  EXPECT_FALSE(ScaledData<double>(bare, 4).shows_entries());

  const CompressedData<double> compressed(bare, random_matrix(5, 2, 308), random_matrix(4, 2, 309), 1, 0);
  EXPECT_FALSE(compressed.shows_entries());
  expect_phrase(message_of<InvalidInput>([&] { shown_entries<double>(compressed, Side::H); }),
                "this kind of data (compressed) cannot show");
  ThreadPool pool(1);
  EXPECT_EQ(compressed.line_norms(Side::W), std::nullopt);
  EXPECT_EQ(compressed.fingerprint(pool), std::nullopt);
  EXPECT_EQ(compressed.squared_residual(M.view(), M.view(), pool), std::nullopt);
}

/// An operator of a caller that shows its entries as it likes: in tiles of 2 x 3, of entries that are 16
/// times too large.
class Tiles final : public Data<double> {
 public:
  explicit Tiles(const Matrix<double>& M) : M_(M) {
    for (double& x : M_.values()) x *= 16;
  }
  [[nodiscard]] Index rows() const override { return M_.rows(); }
  [[nodiscard]] Index cols() const override { return M_.cols(); }
  [[nodiscard]] Index nonzeros() const override { return M_.size(); }
  [[nodiscard]] double norm() const override { return frobenius(M_) / 16; }
  void cross(Side, ConstMatrixView<double>, MatrixView<double>, ThreadPool&) const override {}
  [[nodiscard]] bool shows_entries() const override { return true; }
  void for_each_block(Side side, const EntryVisitor<double>& visit) const override {
    for (Index i = 0; i < M_.rows(); i += 2) {
      for (Index j = 0; j < M_.cols(); j += 3) {
        EntryBlock<double> tile{.rows = {i, std::min<Index>(2, M_.rows() - i)},
                                .columns = {j, std::min<Index>(3, M_.cols() - j)},
                                .divisor = 16};
        const ConstMatrixView<double> lines(M_.view().row(i) + j, tile.rows.count, tile.columns.count,
                                            M_.cols());
        const Csr<double> sparse = to_sparse(transposed(transposed(lines)))->by_row();  // a copy without gaps
        if ((i + j) % 2 == 0) {
          tile.lines = lines;
        } else {
          tile.lines = SparseLines<double>(sparse);
        }
        if (side == Side::H) {
          std::swap(tile.rows, tile.columns);
          tile.layout = Layout::column_major;
        }
        visit(tile);
      }
    }
  }

 private:
  Matrix<double> M_;
};

TEST(Entries, OfAnOwnOperatorMakeNormsResidualAndFingerprint) {
  Matrix<double> M = random_matrix(7, 8, 310, 0.4);
  const Tiles data(M);
  const DenseData<double> expected(M.view());
  const Matrix<double> W = random_matrix(7, 2, 311);
  const Matrix<double> Ht = random_matrix(8, 2, 312);
  ThreadPool pool(2);

  EXPECT_EQ(shown_entries<double>(data, Side::W).entries, M);
  EXPECT_EQ(shown_entries<double>(data, Side::H).entries, transposed(M));
  EXPECT_EQ(data.fingerprint(pool), expected.fingerprint(pool));
  EXPECT_NEAR(*data.squared_residual(W.view(), Ht.view(), pool),
              *expected.squared_residual(W.view(), Ht.view(), pool), 1e-13);
  for (const Side side : {Side::W, Side::H}) {
    const std::vector<double> norms = *data.line_norms(side);
    const std::vector<double> expected_norms = *expected.line_norms(side);
    ASSERT_EQ(norms.size(), expected_norms.size());
    for (std::size_t k = 0; k < norms.size(); ++k) EXPECT_NEAR(norms[k], expected_norms[k], 1e-14);
  }
}

TEST(Entries, OfAllWorkersMakeUpTheMatrix) {
  const Matrix<double> M = random_matrix(100, 7, 313, 0.5);
  const DenseData<double> whole(M.view());
  for (const bool sparse : {false, true}) {
    for (const Index workers : {Index{1}, Index{3}, Index{4}}) {  // the last of four has no rows
      MeetingPlace place(workers);
      std::vector<Shown> shown(static_cast<std::size_t>(workers));
      std::vector<std::vector<double>> norms(static_cast<std::size_t>(workers));
      {
        std::vector<std::jthread> threads;
        for (Index k = 0; k < workers; ++k) {
          threads.emplace_back([&, k] {
            const SharedData<double> data(M, sparse, place, k);
            shown[static_cast<std::size_t>(k)] = shown_entries<double>(data, Side::H);
            norms[static_cast<std::size_t>(k)] = *data.line_norms(Side::H);
          });
        }
      }
      Matrix<double> sum(7, 100);
      Index count = 0;
      for (const Shown& part : shown) {
        for (Index k = 0; k < sum.size(); ++k) sum.data()[k] += part.entries.data()[k];
        count += part.count;
      }
      EXPECT_EQ(sum, transposed(M));
      EXPECT_EQ(count, sparse ? to_sparse(M)->nonzeros() : M.size());
      for (const std::vector<double>& each : norms) {
        EXPECT_EQ(each, norms.front());
        for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(each[j], whole.line_norms(Side::H)->at(j), 1e-13);
      }
    }
  }
}

TEST(Storage, HasTheWordsOfReports) {
  EXPECT_EQ(to_string(Storage::dense), "dense");
  EXPECT_EQ(to_string(Storage::sparse), "sparse");
  EXPECT_EQ(to_string(Storage::dense_on_disk), "dense, on disk");
  EXPECT_EQ(to_string(Storage::sparse_on_disk), "sparse, on disk");
  EXPECT_EQ(to_string(Storage::compressed), "compressed");
  EXPECT_EQ(to_string(Storage::matrix_free), "operator");
}

}  // namespace
}  // namespace anmf::test::entries_test
