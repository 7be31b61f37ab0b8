// SPDX-License-Identifier: MIT
// Runs under mpirun: every rank computes the whole alone, and with the others its own part of it.
#include <gtest/gtest.h>
#include <mpi.h>

#include "anmf/mpi/distributed_lines.h"
#include "support/problems.h"
#include "support/shown_entries.h"

namespace anmf::mpi {
namespace {

using test::max_entry;
using test::planted;
using test::random_matrix;
using test::to_sparse;

constexpr double kTolerance = 1e-9;

template <class T>
Matrix<T> part(const Matrix<T>& M, RowRange rows, RowRange cols) {
  Matrix<T> result(rows.count, cols.count);
  for (Index i = 0; i < rows.count; ++i) {
    for (Index j = 0; j < cols.count; ++j) result(i, j) = M(rows.begin + i, cols.begin + j);
  }
  return result;
}

template <class T>
Matrix<T> rows_of(const Matrix<T>& M, RowRange rows) {
  return part(M, rows, {0, M.cols()});
}

/// This rank's block of M, and the memory under it.
template <class T>
struct Shared {
  Shared(const Communicator& workers, const ProcessGrid& grid, const Matrix<T>& M, bool sparse)
      : entries(
            part(M, block_rows(grid, M.rows(), workers.rank()), block_cols(grid, M.cols(), workers.rank()))),
        data(workers, grid, M.rows(), M.cols(), block(sparse)) {}

  std::unique_ptr<Data<T>> block(bool sparse) const {
    if (entries.size() == 0) return nullptr;
    if (sparse) return to_sparse(entries);
    return std::make_unique<DenseData<T>>(entries.view());
  }

  Matrix<T> entries;
  DistributedData<T> data;
};

std::vector<ProcessGrid> grids(Index ranks) {
  std::vector<ProcessGrid> result;
  for (Index p = 1; p <= ranks; ++p) {
    if (ranks % p == 0) result.push_back({p, ranks / p});
  }
  return result;
}

/// Collective operations among ranks that wait for a core take long. What six ranks have and fewer do not is
/// a grid of several rows and as many columns and one more, so they take that grid, and fewer iterations.
constexpr Index kFewRanks = 4;

/// The one nearest to a square, and on few ranks one column of all ranks.
std::vector<ProcessGrid> some_grids(Index ranks) {
  const std::vector<ProcessGrid> all = grids(ranks);
  std::vector<ProcessGrid> result = {all[(all.size() - 1) / 2]};
  if (ranks <= kFewRanks && all.back() != result.front()) result.push_back(all.back());
  return result;
}

struct Case {
  Index rows;
  Index cols;
  bool sparse;
};
// Tall, wide, and with fewer rows than ranks and empty blocks.
constexpr Case kCases[] = {
    {260, 110, false}, {260, 110, true}, {50, 310, false}, {50, 310, true}, {3, 150, false}};

class SharedRun : public testing::TestWithParam<std::string> {
 protected:
  Communicator workers_{MPI_COMM_WORLD};
};

TEST_P(SharedRun, EqualsTheSerialOne) {
  MpiReducer reducer(workers_);
  std::uint64_t seed = 20;
  const Index iterations = workers_.size() <= kFewRanks ? 20 : 5;
  for (const auto& [rows, cols, sparse] : kCases) {
    const Matrix<double> M =
        sparse ? random_matrix(rows, cols, ++seed, 0.7) : planted(rows, cols, 3, ++seed, 0.1);
    const Options options{
        .rank = 3, .method = GetParam(), .seed = seed, .max_iterations = iterations, .threads = 1};
    const Result<double> expected =
        sparse ? factorize<double>(*to_sparse(M), options) : test::factorize_dense(M, options);
    for (const ProcessGrid& grid : some_grids(workers_.size())) {
      SCOPED_TRACE(testing::Message() << rows << " x " << cols << (sparse ? " sparse" : "") << " on "
                                      << grid.rows << " x " << grid.cols);
      const Shared<double> shared(workers_, grid, M, sparse);
      const Result<double> mine = factorize<double>(shared.data, options, {}, nullptr, &reducer);
      const Matrix<double> W = rows_of(expected.W, shared.data.owned(Side::W));
      const Matrix<double> Ht = rows_of(transposed(expected.H), shared.data.owned(Side::H));
      EXPECT_LE(test::max_difference(mine.W, W), kTolerance * max_entry(expected.W));
      EXPECT_LE(test::max_difference(transposed(mine.H), Ht), kTolerance * max_entry(expected.H));
      EXPECT_NEAR(mine.error, expected.error, kTolerance * expected.trace[0].error);
      EXPECT_EQ(mine.iterations, expected.iterations);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SharedRun, testing::ValuesIn(test::method_names()),
                         [](const auto& each) { return test::identifier(each.param); });

/// This rank's rows and columns of M, and the memory under them.
template <class T>
struct SharedLines {
  SharedLines(const Communicator& workers, const Matrix<T>& M, bool sparse)
      : by_rows(workers, {workers.size(), 1}, M, sparse),
        by_cols(workers, {1, workers.size()}, M, sparse),
        data(workers, M.rows(), M.cols(), by_rows.block(sparse), by_cols.block(sparse)) {}

  Shared<T> by_rows;
  Shared<T> by_cols;
  DistributedLines<T> data;
};

TEST(SharedLosses, EqualTheSerialOnes) {
  const Communicator workers(MPI_COMM_WORLD);
  MpiReducer reducer(workers);
  struct Run {
    const char* loss;
    const char* method;
    bool sparse;
  };
  for (const auto& [loss, method, sparse] : {Run{"kl", "e-ccd", true}, Run{"kl", "e-spn", false},
                                             Run{"0.5", "e-spn", false}, Run{"kl", "mu", true}}) {
    for (const auto& [rows, cols] : {std::pair<Index, Index>{260, 110}, {3, 150}}) {
      SCOPED_TRACE(testing::Message() << loss << ", " << method << ", " << rows << " x " << cols);
      const Matrix<double> M = random_matrix(rows, cols, 30, 0.5);
      const Options options{
          .rank = 3, .method = method, .loss = loss, .max_iterations = 8, .tolerance = 0, .threads = 1};
      const Result<double> expected =
          sparse ? factorize<double>(*to_sparse(M), options) : test::factorize_dense(M, options);
      const SharedLines<double> shared(workers, M, sparse);
      const Result<double> mine = factorize<double>(shared.data, options, {}, nullptr, &reducer);
      const Matrix<double> W = rows_of(expected.W, shared.data.owned(Side::W));
      const Matrix<double> Ht = rows_of(transposed(expected.H), shared.data.owned(Side::H));
      EXPECT_LE(test::max_difference(mine.W, W), 1e-10 * max_entry(expected.W));
      EXPECT_LE(test::max_difference(transposed(mine.H), Ht), 1e-10 * max_entry(expected.H));
      EXPECT_NEAR(mine.error, expected.error, 1e-10 * expected.error);
      EXPECT_NEAR(mine.relative_error, expected.relative_error, 1e-10);
    }
  }
}

TEST(SharedLosses, AreRefusedOnAGrid) {
  const Communicator workers(MPI_COMM_WORLD);
  if (workers.size() == 1) return;
  MpiReducer reducer(workers);
  const Shared<double> shared(workers, {workers.size(), 1}, random_matrix(130, 60, 1), false);
  EXPECT_THROW((void)factorize<double>(shared.data, {.rank = 2, .loss = "kl"}, {}, nullptr, &reducer),
               InvalidInput);
}

template <class T>
class Distributed : public testing::Test {
 protected:
  Communicator workers_{MPI_COMM_WORLD};
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Distributed, Floats);

/// Products of all of M in double.
template <class T>
Matrix<double> naive_cross(const Matrix<T>& M, Side side, const Matrix<T>& F) {
  Matrix<double> C(side == Side::W ? M.rows() : M.cols(), F.cols());
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      for (Index p = 0; p < F.cols(); ++p) {
        const auto m = static_cast<double>(M(i, j));
        if (side == Side::W) C(i, p) += m * static_cast<double>(F(j, p));
        if (side == Side::H) C(j, p) += m * static_cast<double>(F(i, p));
      }
    }
  }
  return C;
}

/// This rank shows its block, at its place; the norms are those of all of M.
template <class T>
void expect_entries_and_norms(const DistributedData<T>& data, const Matrix<T>& M) {
  const Communicator workers(MPI_COMM_WORLD);
  const RowRange rows = block_rows(data.grid(), M.rows(), workers.rank());
  const RowRange cols = block_cols(data.grid(), M.cols(), workers.rank());
  EXPECT_TRUE(data.shows_entries());
  EXPECT_EQ(data.whole_rows(Side::W), data.grid().cols == 1);
  EXPECT_EQ(data.whole_rows(Side::H), data.grid().rows == 1);
  Matrix<double> mine(M.rows(), M.cols());
  for (Index i = rows.begin; i < rows.begin + rows.count; ++i) {
    for (Index j = cols.begin; j < cols.begin + cols.count; ++j) mine(i, j) = static_cast<double>(M(i, j));
  }
  EXPECT_EQ(test::shown_entries<T>(data, Side::W).entries, mine);
  EXPECT_EQ(test::shown_entries<T>(data, Side::H).entries, transposed(mine));
  for (const Side side : {Side::W, Side::H}) {
    const std::vector<double> norms = data.line_norms(side).value();
    const std::vector<double> expected = to_sparse(M)->line_norms(side).value();
    ASSERT_EQ(norms.size(), expected.size());
    for (std::size_t k = 0; k < norms.size(); ++k) EXPECT_NEAR(norms[k], expected[k], 1e-12);
  }
}

TYPED_TEST(Distributed, HasTheNumbersAndProductsOfAllOfM) {
  using T = TypeParam;
  Matrix<T> M = random_matrix<T>(130, 101, 3, 0.5);
  for (Index j = 0; j < 101; ++j) M(60, j) = T{0};
  for (Index i = 0; i < 130; ++i) M(i, 7) = M(i, 100) = T{0};
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-12;
  for (const ProcessGrid& grid : grids(this->workers_.size())) {
    // As a message beyond 2^30 entries goes, in pieces.
    for (const Index limit : {Index{1} << 30, Index{100}}) {
      this->workers_.set_message_limit(limit);
      const Shared<T> shared(this->workers_, grid, M, true);
      const DistributedData<T>& data = shared.data;
      EXPECT_EQ(data.rows(), 130);
      EXPECT_EQ(data.cols(), 101);
      EXPECT_EQ(data.nonzeros(), to_sparse(M)->nonzeros());
      EXPECT_EQ(data.storage(), Storage::sparse);
      EXPECT_NEAR(data.norm(), test::frobenius(M), 1e-12 * data.norm());
      EXPECT_EQ(data.empty_rows(), 1);
      EXPECT_EQ(data.empty_cols(), 2);
      ThreadPool pool(1);
      EXPECT_EQ(data.fingerprint(pool), to_sparse(M)->fingerprint(pool));
      expect_entries_and_norms(data, M);
      for (const Side side : {Side::W, Side::H}) {
        const Matrix<T> F = random_matrix<T>(side == Side::W ? 101 : 130, 5, 4);
        const Matrix<T> mine = rows_of(F, data.owned(other(side)));
        Matrix<T> C(data.owned(side).count, 5, T{-1});
        data.cross(side, mine.view(), C.view(), pool);
        const Matrix<double> expected = rows_of(naive_cross(M, side, F), data.owned(side));
        for (Index k = 0; k < C.size(); ++k)
          ASSERT_NEAR(static_cast<double>(C.data()[k]), expected.data()[k], tolerance);
      }
      for (const Side side : {Side::W, Side::H}) {
        const Matrix<T> F = random_matrix<T>(side == Side::W ? 130 : 101, 3, 5);
        Matrix<T> all(F.rows(), 3);
        data.gather(side, rows_of(F, data.owned(side)).view(), all.view());
        EXPECT_EQ(all, F);
      }
      const Matrix<T> W = random_matrix<T>(130, 2, 5);
      const Matrix<T> H = random_matrix<T>(2, 101, 6);
      const auto squared = data.squared_residual(rows_of(W, data.owned(Side::W)).view(),
                                                 rows_of(transposed(H), data.owned(Side::H)).view(), pool);
      Result<T> pair{.W = W, .H = H, .scale = {1, 1}};
      const double error = test::direct_error(M, pair);
      ASSERT_TRUE(squared.has_value());
      EXPECT_NEAR(*squared, error * error, tolerance * error * error);
    }
  }
}

TYPED_TEST(Distributed, LinesHaveTheNumbersAndProductsOfAllOfM) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(130, 101, 3, 0.5);
  const SharedLines<T> shared(this->workers_, M, true);
  const DistributedLines<T>& data = shared.data;
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-12;
  ThreadPool pool(1);
  EXPECT_EQ(data.nonzeros(), to_sparse(M)->nonzeros());
  EXPECT_NEAR(data.norm(), test::frobenius(M), 1e-12 * data.norm());
  EXPECT_EQ(data.fingerprint(pool), to_sparse(M)->fingerprint(pool));
  EXPECT_TRUE(data.shows_entries() && data.shows_owned_rows());
  for (const Side side : {Side::W, Side::H}) {
    EXPECT_TRUE(data.whole_rows(side));
    const Matrix<T> turned = side == Side::W ? M : transposed(M);
    const RowRange mine = data.owned(side);
    Matrix<double> expected(turned.rows(), turned.cols());
    for (Index i = mine.begin; i < mine.begin + mine.count; ++i) {
      for (Index j = 0; j < turned.cols(); ++j) expected(i, j) = static_cast<double>(turned(i, j));
    }
    EXPECT_EQ(test::shown_entries<T>(data, side).entries, expected);
    const Matrix<T> F = random_matrix<T>(turned.cols(), 5, 4);
    Matrix<T> C(mine.count, 5, T{-1});
    data.cross(side, rows_of(F, data.owned(other(side))).view(), C.view(), pool);
    const Matrix<double> product = rows_of(naive_cross(M, side, F), mine);
    for (Index k = 0; k < C.size(); ++k)
      ASSERT_NEAR(static_cast<double>(C.data()[k]), product.data()[k], tolerance);
    const std::vector<double> norms = data.line_norms(side).value();
    for (std::size_t k = 0; k < norms.size(); ++k)
      EXPECT_NEAR(norms[k], to_sparse(M)->line_norms(side)->at(k), 1e-12);
    Matrix<T> all(turned.rows(), 5);
    const Matrix<T> X = random_matrix<T>(turned.rows(), 5, 6);
    data.gather(side, rows_of(X, mine).view(), all.view());
    EXPECT_EQ(all, X);
  }
}

TYPED_TEST(Distributed, CountsWhatTheModelSays) {
  using T = TypeParam;
  const Matrix<T> M = random_matrix<T>(480, 288, 8);
  MpiReducer reducer(this->workers_);
  for (const ProcessGrid& grid : grids(this->workers_.size())) {
    const Shared<T> shared(this->workers_, grid, M, false);
    const Traffic before = this->workers_.traffic();
    ThreadPool pool(1);
    for (const Side side : {Side::W, Side::H}) {
      const Matrix<T> F(shared.data.owned(other(side)).count, 4);
      Matrix<T> C(shared.data.owned(side).count, 4);
      shared.data.cross(side, F.view(), C.view(), pool);
      std::vector<double> gram(10);  // the upper triangle
      reducer.sum(gram);
    }
    double words = this->workers_.traffic().words - before.words;
    this->workers_.max({&words, 1});
    const IterationCost model = iteration_cost(
        grid, {.rows = 480, .cols = 288, .nonzeros = 480 * 288, .rank = 4}, {.grams = 2, .numbers = 0});
    EXPECT_NEAR(words, model.words, 1e-9 * model.words) << grid.rows << " x " << grid.cols;
  }
}

TEST(Communicator, FailsOnAllRanksIfOneFails) {
  const Communicator workers(MPI_COMM_WORLD);
  workers.together([] {});
  const Index culprit = workers.size() - 1;
  const auto step = [&] {
    if (workers.rank() == culprit) throw InvalidInput("one rank has a bad entry");
  };
  try {
    workers.together(step);
    FAIL() << "no exception";
  } catch (const InvalidInput& error) {
    EXPECT_EQ(workers.rank(), culprit);
    EXPECT_STREQ(error.what(), "one rank has a bad entry");
  } catch (const FailedElsewhere& error) {
    EXPECT_NE(workers.rank(), culprit);
    EXPECT_STREQ(error.what(), "one rank has a bad entry");
  }
}

TEST(Communicator, TellsWhichRankFailedThroughAllStepsAboveIt) {
  const Communicator workers(MPI_COMM_WORLD);
  const Index culprit = workers.size() / 2;
  const auto failure = [&](const std::function<void()>& step) {
    EXPECT_THROW(workers.together(step), std::exception);
    return workers.failure().value();
  };
  // Below the step in which the others are, in the same one, and above it.
  const auto one_fails = [&] {
    if (workers.rank() == culprit) throw InvalidInput("one rank has a bad entry");
  };
  const SharedFailure below = failure([&] { workers.together(one_fails); });
  const SharedFailure above = failure([&] {
    one_fails();
    workers.together([] {});
  });
  for (const SharedFailure& one : {failure(one_fails), below, above}) {
    EXPECT_EQ(one.rank, culprit);
    EXPECT_EQ(one.everywhere, workers.size() == 1);
  }
  const SharedFailure all = failure([&] { workers.together([] { throw InvalidInput("the same"); }); });
  EXPECT_EQ(all.rank, 0);
  EXPECT_TRUE(all.everywhere);
  const SharedFailure others = failure([&] { throw InvalidInput("rank " + std::to_string(workers.rank())); });
  EXPECT_EQ(others.rank, 0);
  EXPECT_EQ(others.everywhere, workers.size() == 1);
  EXPECT_EQ(workers.from(culprit, static_cast<int>(workers.rank())), culprit);
}

TEST(Communicator, NamesTheFirstDifference) {
  const Communicator workers(MPI_COMM_WORLD);
  const std::vector<Fact> same = {{"the version", "1"}, {"", ""}, {"the seed", "7"}};
  workers.agree(same);
  workers.agree({});
  if (workers.size() == 1) return;
  const Index last = workers.size() - 1;
  const auto difference = [&](const std::vector<Fact>& there) {
    try {
      workers.agree(workers.rank() == last ? there : same);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string where = " on rank " + std::to_string(last) + " of " + std::to_string(workers.size());
  const std::string must = " on rank 0; it must be the same on all ranks.";
  EXPECT_EQ(difference({{"the version", "1"}, {"", ""}, {"the seed", "8"}}),
            "the seed is 8" + where + ", and 7" + must);
  EXPECT_EQ(difference({{"the version", "2"}}), "the version is 2" + where + ", and 1" + must);
  EXPECT_EQ(difference({{"the version", "1"}, {"", ""}}), "the seed is not known" + where + ", and 7" + must);
  EXPECT_EQ(difference(same), "");
}

TEST(Communicator, GathersRowsWhereverTheyBelong) {
  const Communicator workers(MPI_COMM_WORLD);
  // In the reverse order of the ranks, k + 1 rows of rank k.
  std::vector<RowRange> ranges(static_cast<std::size_t>(workers.size()));
  Index rows = 0;
  for (Index k = workers.size() - 1; k >= 0; --k) {
    ranges[static_cast<std::size_t>(k)] = {rows, k + 1};
    rows += k + 1;
  }
  const Matrix<double> all = random_matrix(rows, 3, 2);
  const Matrix<double> mine = rows_of(all, ranges[static_cast<std::size_t>(workers.rank())]);
  Matrix<double> found(workers.rank() == 0 ? rows : 0, 3);
  workers.gather_rows<double>(mine.view(), ranges, found.view());
  EXPECT_TRUE(workers.rank() != 0 || found == all);
}

TEST(ProcessGrid, FollowsTheShapeOfTheMatrix) {
  const auto chosen = [](Index ranks, Index m, Index n) {
    return choose_grid(ranks, {.rows = m, .cols = n, .nonzeros = m * n, .rank = 20});
  };
  EXPECT_EQ(chosen(1, 1000, 1000), (ProcessGrid{1, 1}));
  EXPECT_EQ(chosen(16, 96000, 96000), (ProcessGrid{4, 4}));
  EXPECT_EQ(chosen(16, 960000, 9600), (ProcessGrid{16, 1}));
  EXPECT_EQ(chosen(16, 9600, 960000), (ProcessGrid{1, 16}));
  EXPECT_EQ(chosen(7, 3, 5000), (ProcessGrid{1, 7}));  // more ranks than rows
  EXPECT_EQ(chosen(64, 480000, 30000), (ProcessGrid{32, 2}));
}

TEST(ProcessGrid, GivesEveryRowToOneRank) {
  for (const ProcessGrid grid :
       {ProcessGrid{1, 1}, ProcessGrid{3, 2}, ProcessGrid{2, 5}, ProcessGrid{7, 1}}) {
    for (const Side side : {Side::W, Side::H}) {
      std::vector<int> owners(side == Side::W ? 1000 : 70, 0);
      for (Index rank = 0; rank < grid.ranks(); ++rank) {
        const RowRange mine = owned_rows(grid, side, 1000, 70, rank);
        const RowRange block = side == Side::W ? block_rows(grid, 1000, rank) : block_cols(grid, 70, rank);
        EXPECT_TRUE(mine.count == 0 ||
                    (mine.begin >= block.begin && mine.begin + mine.count <= block.begin + block.count));
        for (Index i = 0; i < mine.count; ++i) ++owners[static_cast<std::size_t>(mine.begin + i)];
      }
      EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
    }
  }
}

}  // namespace
}  // namespace anmf::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // One rank tells of its progress; the others only of what fails.
  if (rank != 0) testing::GTEST_FLAG(brief) = true;
  testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
