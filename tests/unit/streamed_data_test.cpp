// SPDX-License-Identifier: MIT
// A matrix that comes in blocks against the same matrix in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "anmf/error.h"
#include "support/memory_source.h"

namespace anmf::test::streamed_data_test {
namespace {

struct Case {
  Index rows, cols, lines;
};

// Blocks of one line, one block, a short last block, one column, one row; lines that are cut in groups or
// not.
constexpr Case kCases[] = {{1, 1, 1},    {7, 5, 1},    {7, 5, 7},      {100, 30, 48},
                           {130, 1, 48}, {1, 130, 48}, {300, 257, 96}, {48, 400, 10}};

/// Some rows and columns are empty.
template <class T>
Matrix<T> with_empty_lines(Index rows, Index cols) {
  Matrix<T> M = random_matrix<T>(rows, cols, 51, 0.6);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (i % 11 == 3 || j % 7 == 2) M(i, j) = 0;
    }
  }
  return M;
}

template <class T>
constexpr double kTolerance = std::is_same_v<T, float> ? 2e-5 : 1e-13;

/// Both products from one pass, in which the update replaces X by 2 X.
template <class T>
std::pair<Matrix<T>, Matrix<T>> one_pass_of(const Data<T>& data, const Matrix<T>& F, const Matrix<T>& X,
                                            int threads) {
  ThreadPool pool(threads);
  Matrix<T> cross(X.rows(), X.cols(), T{-1});
  Matrix<T> result(F.rows(), F.cols(), T{-1});
  Matrix<T> updated = X;
  Index line = 0;
  data.one_pass(
      F.view(), cross.view(),
      [&](Index begin, Index end) -> ConstMatrixView<T> {
        EXPECT_EQ(begin, std::exchange(line, end));
        const MatrixView<T> rows = updated.view().middle_rows(begin, end);
        for (Index i = 0; i < rows.rows; ++i) {
          for (Index p = 0; p < rows.cols; ++p) rows(i, p) *= 2;
        }
        return rows;
      },
      result.view(), pool);
  EXPECT_EQ(line, X.rows());
  return {cross, result};
}

template <class T>
void expect_like_in_memory(const Data<T>& data, bool by_rows, const Data<T>& reference) {
  EXPECT_EQ(data.rows(), reference.rows());
  EXPECT_EQ(data.cols(), reference.cols());
  EXPECT_EQ(data.nonzeros(), reference.nonzeros());
  EXPECT_EQ(data.empty_rows(), reference.empty_rows());
  EXPECT_EQ(data.empty_cols(), reference.empty_cols());
  // Their sums of squares are made in different orders.
  const auto entries = static_cast<double>(data.rows() * data.cols());
  const double rounding = std::numeric_limits<double>::epsilon() * std::sqrt(entries);
  EXPECT_NEAR(data.norm(), reference.norm(), rounding * reference.norm());
  const std::vector<double> norms = data.line_norms(Side::H).value();
  const std::vector<double> expected_norms = reference.line_norms(Side::H).value();
  ASSERT_EQ(norms.size(), expected_norms.size());
  for (std::size_t j = 0; j < norms.size(); ++j)
    EXPECT_NEAR(norms[j], expected_norms[j], rounding * norms[j]);
  for (const Index r : {1, 3, 20, 33}) {
    SCOPED_TRACE(r);
    const Matrix<T> W = random_matrix<T>(data.rows(), r, 52);
    const Matrix<T> Ht = random_matrix<T>(data.cols(), r, 53);
    const Matrix<T> for_W = cross_of(data, Side::W, Ht);
    const Matrix<T> for_H = cross_of(data, Side::H, W);
    const Matrix<T> expected_W = cross_of(reference, Side::W, Ht);
    const Matrix<T> expected_H = cross_of(reference, Side::H, W);
    EXPECT_LE(max_difference(for_W, expected_W), kTolerance<T> * max_entry(expected_W));
    EXPECT_LE(max_difference(for_H, expected_H), kTolerance<T> * max_entry(expected_H));
    ThreadPool pool(2);
    const double residual = data.squared_residual(W.view(), Ht.view(), pool).value();
    EXPECT_NEAR(residual, reference.squared_residual(W.view(), Ht.view(), pool).value(),
                kTolerance<T> * residual);
    for (const int threads : {1, 3}) {
      EXPECT_EQ(cross_of(data, Side::W, Ht, threads), for_W);
      EXPECT_EQ(cross_of(data, Side::H, W, threads), for_H);
      const auto [cross, doubled] = one_pass_of(data, by_rows ? Ht : W, by_rows ? W : Ht, threads);
      EXPECT_EQ(cross, by_rows ? for_W : for_H);
      Matrix<T> twice = by_rows ? for_H : for_W;
      for (T& x : twice.values()) x *= 2;
      EXPECT_EQ(doubled, twice);
    }
  }
}

template <class T>
class Streamed : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Streamed, Types);

TYPED_TEST(Streamed, MatrixIsTheOneInMemory) {
  using T = TypeParam;
  for (const auto& [rows, cols, lines] : kCases) {
    const Matrix<T> M = with_empty_lines<T>(rows, cols);
    const auto sparse = to_sparse(M);
    for (const Blocks& how : all_kinds(lines)) {
      SCOPED_TRACE(testing::Message() << rows << " x " << cols << " by " << lines << ", sparse " << how.sparse
                                      << ", by rows " << (how.layout == Layout::row_major));
      const auto data = to_stream<T>(M, how);
      EXPECT_EQ(data->storage(), how.sparse ? Storage::sparse_on_disk : Storage::dense_on_disk);
      const bool by_rows = how.layout == Layout::row_major;
      const bool cuts_groups = lines % kLinesPerGroup != 0 && lines < (by_rows ? rows : cols);
      EXPECT_EQ(data->pass_side(2, ThreadPool(1)),
                cuts_groups ? std::nullopt : std::optional(by_rows ? Side::W : Side::H));
      if (how.sparse) {
        expect_like_in_memory<T>(*data, by_rows, *sparse);
      } else {
        expect_like_in_memory<T>(*data, by_rows, DenseData<T>(M.view()));
      }
    }
  }
}

template <class S, class T>
void expect_converted_bits(const Matrix<S>& narrow) {
  Matrix<T> M(narrow.rows(), narrow.cols());
  std::copy(narrow.values().begin(), narrow.values().end(), M.data());
  const auto data = to_stream<T, S>(narrow, {});
  const auto converted = to_stream<T>(M, {});
  EXPECT_EQ(data->norm(), converted->norm());
  const Matrix<T> W = random_matrix<T>(M.rows(), 5, 54);
  const Matrix<T> Ht = random_matrix<T>(M.cols(), 5, 55);
  EXPECT_EQ(cross_of<T>(*data, Side::W, Ht, 2), cross_of<T>(*converted, Side::W, Ht));
  EXPECT_EQ(one_pass_of<T>(*data, Ht, W, 2), one_pass_of<T>(*converted, Ht, W, 1));
}

TYPED_TEST(Streamed, MatrixOfNarrowEntriesGivesTheBitsOfTheConvertedOne) {
  using T = TypeParam;
  Matrix<std::uint8_t> small(130, 70);
  Matrix<std::uint16_t> large(130, 70);
  for (Index k = 0; k < small.size(); ++k) {
    small.data()[k] = static_cast<std::uint8_t>(k * 31 % 251);
    large.data()[k] = static_cast<std::uint16_t>(k * 977 % 65521);
  }
  expect_converted_bits<std::uint8_t, T>(small);
  expect_converted_bits<std::uint16_t, T>(large);
  if constexpr (std::is_same_v<T, double>) expect_converted_bits<float, T>(random_matrix<float>(130, 70, 56));
}

TEST(StreamedData, HasANormWithoutOverflowOrUnderflow) {
  for (const double scale : {1e-300, 1e-120, 1.0, 1e120, 1e300}) {
    Matrix<double> M(3, 2);
    M(0, 0) = 1e-250 * scale;  // lost beside the others
    M(1, 0) = 3 * scale;
    M(2, 1) = 4 * scale;
    for (const Blocks& how : all_kinds(1)) {
      if (how.sparse && M(0, 0) == 0) continue;
      const auto data = to_stream<double>(M, how);
      EXPECT_DOUBLE_EQ(data->norm(), 5 * scale);
      EXPECT_DOUBLE_EQ(data->line_norms(Side::H)->at(0), 3 * scale);
      EXPECT_DOUBLE_EQ(data->line_norms(Side::H)->at(1), 4 * scale);
    }
  }
}

TEST(StreamedData, CountsPassesAndBytes) {
  const Matrix<double> M = random_matrix(100, 30, 57);
  const auto data = to_stream<double>(M, {});
  EXPECT_EQ(data->statistics().passes, 1);
  EXPECT_EQ(data->statistics().bytes, 24000);
  cross_of<double>(*data, Side::W, random_matrix(30, 2, 58));
  cross_of<double>(*data, Side::H, random_matrix(100, 2, 58));
  const StreamStatistics now = data->statistics();
  EXPECT_EQ(now.passes, 3);
  EXPECT_EQ(now.bytes, 72000);
  EXPECT_GT(now.reading_seconds, 0);
  EXPECT_GE(now.waiting_seconds, 0);
  EXPECT_GE(now.pass_seconds, now.reading_seconds);
  EXPECT_GE(now.pass_seconds, now.waiting_seconds);
}

TEST(StreamedData, CanBeLookedAtAndUsedByOthersMeanwhile) {
  const Matrix<double> M = random_matrix(500, 30, 59);
  const auto data = to_stream<double>(M, {});
  const Matrix<double> Ht = random_matrix(30, 2, 60);
  const Matrix<double> expected = cross_of<double>(*data, Side::W, Ht);
  std::thread second([&] { EXPECT_EQ(cross_of<double>(*data, Side::W, Ht), expected); });
  double bytes = 0;
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(cross_of<double>(*data, Side::W, Ht), expected);
    EXPECT_GE(data->statistics().bytes, std::exchange(bytes, data->statistics().bytes));
  }
  second.join();
  EXPECT_EQ(data->statistics().passes, 8);
}

TEST(StreamedData, ThrowsWhatTheSourceThrowsAtItsBlock) {
  const Matrix<double> M = random_matrix(500, 3, 61);
  const Matrix<double> Ht = random_matrix(3, 2, 62);
  for (Index bad = 0; bad < 11; ++bad) {
    bool broken = false;
    const auto data = to_stream<double>(M, {}, [&](Index block) {
      if (broken && block == bad) throw IoError("The disk is gone.");
    });
    const Matrix<double> expected = cross_of<double>(*data, Side::W, Ht);
    broken = true;
    ThreadPool pool(2);
    Matrix<double> cross(500, 2);
    Matrix<double> result(3, 2);
    Index blocks = 0;
    const auto update = [&](Index begin, Index end) {
      ++blocks;
      return std::as_const(cross).view().middle_rows(begin, end);
    };
    EXPECT_THROW(data->one_pass(Ht.view(), cross.view(), update, result.view(), pool), IoError);
    EXPECT_EQ(blocks, bad);
    broken = false;
    EXPECT_EQ(cross_of<double>(*data, Side::W, Ht), expected);
  }
}

TEST(StreamedData, StopsReadingWhenAPassIsAbandoned) {
  const Matrix<double> M = random_matrix(500, 3, 63);
  Index reads = 0;
  const auto data = to_stream<double>(M, {}, [&](Index) { ++reads; });
  reads = 0;
  ThreadPool pool(1);
  Matrix<double> cross(500, 2);
  Matrix<double> result(3, 2);
  const auto update = [&](Index, Index) -> ConstMatrixView<double> { throw std::runtime_error("enough"); };
  EXPECT_THROW(data->one_pass(random_matrix(3, 2, 64).view(), cross.view(), update, result.view(), pool),
               std::runtime_error);
  EXPECT_LE(reads, kBlocksInMemory);
  EXPECT_EQ(data->statistics().passes, 1);
}

/// A source that says something else than it holds.
class Liar final : public BlockSource<double> {
 public:
  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index cols() const override { return cols_; }
  [[nodiscard]] Index nonzeros() const override { return nonzeros_; }
  [[nodiscard]] bool sparse() const override { return sparse_; }
  [[nodiscard]] Layout layout() const override { return Layout::row_major; }
  [[nodiscard]] Index blocks() const override { return static_cast<Index>(lines_.size()) - 1; }
  [[nodiscard]] Index first_line(Index block) const override {
    return lines_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] double bytes(Index) const override { return 0; }
  void read(Index, BlockEntries<double>& entries) override { entries = Matrix<double>(2, 3, 1.0); }

  Index rows_ = 4, cols_ = 3, nonzeros_ = 12;
  bool sparse_ = false;
  std::vector<Index> lines_ = {0, 2, 4};
};

TEST(StreamedData, RefusesASourceThatIsNotWhatItSays) {
  const auto expect_refused = [](const auto& change, const std::string& reason) {
    auto source = std::make_unique<Liar>();
    change(*source);
    try {
      const StreamedData<double> data(std::move(source));
      FAIL() << "was accepted: " << reason;
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  };
  EXPECT_NO_THROW(StreamedData<double>(std::make_unique<Liar>()));
  expect_refused([](Liar& s) { s.rows_ = 5; }, "have 4 lines; M has 5");
  expect_refused([](Liar& s) { s.lines_ = {0, 2, 2, 4}; }, "Block 1 of the source has the lines 2 to 2");
  expect_refused([](Liar& s) { s.lines_ = {1, 2, 4}; }, "must begin at 0");
  expect_refused([](Liar& s) { s.lines_ = {0, 1, 4}; }, "dense and 2 x 3; it must be dense and 1 x 3");
  expect_refused([](Liar& s) { s.cols_ = 2; }, "it must be dense and 2 x 2");
  expect_refused([](Liar& s) { s.sparse_ = true; }, "it must be sparse and 2 x 3");
  expect_refused([](Liar& s) { s.nonzeros_ = 11; }, "have 12 nonzeros; it speaks of 11");
  expect_refused([](Liar& s) { s.rows_ = 0; }, "0 x 3");
  expect_refused([](Liar& s) { s.cols_ = Index{1} << 40U; }, "Store it by columns");
  expect_refused([](Liar& s) { s.rows_ = s.cols_ = Index{1} << 40U; }, "below 2^63");
}

/// More than 2^31 nonzeros: one block again and again, in which row i has the entries 1 + i % 3 everywhere.
/// Only the first pass counts them; products know of lines and of runs of positions, which that pass has
/// made. So later passes show every sixteenth position only, which takes a sixteenth of the time.
class Endless final : public BlockSource<float> {
 public:
  static constexpr Index kWidth = 1 << 15;
  static constexpr Index kLines = 48;
  static constexpr Index kBlocks = 1400;
  static constexpr Index kLaterStep = 16;

  [[nodiscard]] Index rows() const override { return kLines * kBlocks; }
  [[nodiscard]] Index cols() const override { return kWidth; }
  [[nodiscard]] Index nonzeros() const override { return rows() * cols(); }
  [[nodiscard]] bool sparse() const override { return true; }
  [[nodiscard]] Layout layout() const override { return Layout::row_major; }
  [[nodiscard]] Index blocks() const override { return kBlocks; }
  [[nodiscard]] Index first_line(Index block) const override { return block * kLines; }
  [[nodiscard]] double bytes(Index) const override { return 8.0 * kLines * kWidth; }
  void read(Index number, BlockEntries<float>& entries) override {
    if (number == 0) step_ = step_ == 0 ? 1 : kLaterStep;
    const Index count = kWidth / step_;
    const auto* earlier = std::get_if<Csr<float>>(&entries);
    if (earlier != nullptr && earlier->offsets.back() == kLines * count) return;
    Csr<float> block{.rows = kLines, .cols = kWidth, .offsets = {0}, .indices = {}, .values = {}};
    for (Index i = 0; i < kLines; ++i) {
      block.offsets.push_back((i + 1) * count);
      block.values.insert(block.values.end(), static_cast<std::size_t>(count), static_cast<float>(1 + i % 3));
      for (Index k = 0; k < count; ++k) block.indices.push_back(static_cast<std::uint32_t>(k * step_));
    }
    entries = std::move(block);
  }

 private:
  Index step_ = 0;
};

TEST(StreamedData, HasMoreThanTwoBillionNonzeros) {
#ifdef ANMF_SAMPLE_SLOW_TESTS
  GTEST_SKIP() << "takes long with sanitizers";
#endif
  const StreamedData<float> data(std::make_unique<Endless>());
  constexpr Index kRows = Endless::kLines * Endless::kBlocks;
  constexpr Index kNonzeros = kRows * Endless::kWidth;
  static_assert(kNonzeros > Index{1} << 31U);
  EXPECT_EQ(data.nonzeros(), kNonzeros);
  EXPECT_DOUBLE_EQ(data.norm(), std::sqrt((1.0 + 4 + 9) / 3 * static_cast<double>(kNonzeros)));

  // Row i of M 1 is 1 + i % 3 for each position. Of the rows of M every third one, 2 everywhere, counts twice
  // in the other.
  const Matrix<float> Ht(Endless::kWidth, 1, 1.0F);
  Matrix<float> W(kRows, 1);
  for (Index i = 0; i < kRows; ++i) W(i, 0) = i % 3 == 1 ? 1.0F : 0.0F;
  const auto [cross, result] = one_pass_of<float>(data, Ht, W, 2);
  for (Index i = 0; i < kRows; ++i)
    ASSERT_EQ(cross(i, 0), static_cast<float>((1 + i % 3) * (Endless::kWidth / Endless::kLaterStep)));
  for (Index j = 0; j < Endless::kWidth; ++j)
    ASSERT_EQ(result(j, 0), j % Endless::kLaterStep == 0 ? 4.0F * static_cast<float>(kRows / 3) : 0.0F);
  EXPECT_EQ(data.statistics().bytes, 16.0 * static_cast<double>(kNonzeros));
}

}  // namespace
}  // namespace anmf::test::streamed_data_test
