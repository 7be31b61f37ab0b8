// SPDX-License-Identifier: MIT
// Does one read of a matrix in memory pay? Both products of an iteration, M Ht and M' W, by two reads of M
// (20000 x 5000 doubles, 800 MB) and by one, in which blocks of rows that fit a cache are multiplied by both
// factors. The two take turns; the ratio of their times (two reads : one) is the median over the turns, with
// the quartiles. A sparse M (200000 x 50000, 100 nonzeros a row) is multiplied from its rows alone in the one
// read, and from its rows and from its columns in the two. Writes a Markdown table to standard output. With
// --quick M has a hundredth of the rows: to see that it works, not how fast.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/data.h"
#include "core/random.h"
#include "data/dense_product.h"
#include "data/sparse_product.h"

namespace {

using namespace anmf;

constexpr Index kRows = 20000;
constexpr Index kCols = 5000;
constexpr Index kSparseRows = 200000;
constexpr Index kSparseCols = 50000;
constexpr Index kPerRow = 100;
constexpr Index kQuickShare = 100;
constexpr int kTurns = 7;
constexpr std::array<Index, 5> kRanks = {2, 4, 8, 16, 32};
constexpr std::array<Index, 2> kBlocks = {48, 96};

double seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - began).count();
}

/// Median and quartiles of the ratio, beside the median time of the first.
void compare(const char* what, Index r, int threads, Index block, const std::function<void()>& two_reads,
             const std::function<void()>& one_read) {
  std::vector<double> ratios;
  std::vector<double> times;
  for (int turn = 0; turn < kTurns; ++turn) {
    times.push_back(seconds(two_reads));
    ratios.push_back(times.back() / seconds(one_read));
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(times.begin(), times.end());
  fmt::print("| {} | {} | {} | {} | {:.0f} | {:.2f} | {:.2f} - {:.2f} |\n", what, r, threads, block,
             1e3 * times[kTurns / 2], ratios[kTurns / 2], ratios[kTurns / 4], ratios[kTurns * 3 / 4]);
  std::fflush(stdout);
}

Matrix<double> random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Matrix<double> result(rows, cols);
  for (Index k = 0; k < result.size(); ++k) result.data()[k] = uniform(seed, 0, k);
  return result;
}

void dense(ThreadPool& pool, Index rows) {
  const Matrix<double> M = random_matrix(rows, kCols, 1);
  for (const Index r : kRanks) {
    const Matrix<double> W = random_matrix(rows, r, 2);
    const Matrix<double> Ht = random_matrix(kCols, r, 3);
    Matrix<double> A(rows, r);
    Matrix<double> C(kCols, r);
    for (const Index block : kBlocks) {
      compare(
          "dense", r, pool.threads(), block,
          [&] {
            dense_product(Side::W, M.view(), Ht.view(), A.view(), pool);
            dense_product(Side::H, M.view(), W.view(), C.view(), pool);
          },
          [&] {
            for (Index begin = 0; begin < rows; begin += block) {
              const Index end = std::min(rows, begin + block);
              const ConstMatrixView<double> part = M.view().middle_rows(begin, end);
              dense_product(Side::W, part, Ht.view(), A.view().middle_rows(begin, end), pool);
              dense_product(Side::H, part, W.view().middle_rows(begin, end), C.view(), pool, begin > 0);
            }
          });
    }
  }
}

/// `per_row` nonzeros in random columns of every row.
Csr<double> random_sparse(Index rows, Index cols, Index per_row) {
  Csr<double> M{.rows = rows, .cols = cols, .offsets = {0}, .indices = {}, .values = {}};
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < per_row; ++k) {
      const double u =
          (static_cast<double>(k) + uniform(4, 0, i * per_row + k)) / static_cast<double>(per_row);
      M.indices.push_back(static_cast<std::uint32_t>(u * static_cast<double>(cols)));
      M.values.push_back(1 + u);
    }
    M.offsets.push_back(static_cast<Index>(M.values.size()));
  }
  return M;
}

void sparse(ThreadPool& pool, Index rows) {
  const Csr<double> M = random_sparse(rows, kSparseCols, kPerRow);
  const auto data = SparseData<double>::from_csr<std::int64_t>(
      M.rows, M.cols, M.offsets, std::vector<std::int64_t>(M.indices.begin(), M.indices.end()), M.values);
  std::vector<Index> runs;
  for (Index k = 0; k <= 256; ++k) runs.push_back(kSparseCols * k / 256);
  for (const Index r : {4, 20}) {
    const Matrix<double> W = random_matrix(rows, r, 2);
    const Matrix<double> Ht = random_matrix(kSparseCols, r, 3);
    Matrix<double> A(rows, r);
    Matrix<double> C(kSparseCols, r);
    for (const Index block : {Index{960}, Index{9600}, rows}) {
      std::vector<Csr<double>> blocks;
      for (Index begin = 0; begin < rows; begin += block) {
        const Index end = std::min(rows, begin + block);
        Csr<double> part{
            .rows = end - begin, .cols = kSparseCols, .offsets = {}, .indices = {}, .values = {}};
        for (Index i = begin; i <= end; ++i) part.offsets.push_back((i - begin) * kPerRow);
        part.indices.assign(M.indices.begin() + begin * kPerRow, M.indices.begin() + end * kPerRow);
        part.values.assign(M.values.begin() + begin * kPerRow, M.values.begin() + end * kPerRow);
        blocks.push_back(std::move(part));
      }
      compare(
          "sparse", r, pool.threads(), block,
          [&] {
            data->cross(Side::W, Ht.view(), A.view(), pool);
            data->cross(Side::H, W.view(), C.view(), pool);
          },
          [&] {
            std::fill_n(C.data(), C.size(), 0.0);
            Index begin = 0;
            for (const Csr<double>& part : blocks) {
              const Index end = begin + part.rows;
              sparse_product(part, balanced_rows(part.offsets), Ht.view(), A.view().middle_rows(begin, end),
                             pool);
              add_transposed_product(part, runs, W.view().middle_rows(begin, end), C.view(), pool);
              begin = end;
            }
          });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Index share = argc == 2 && std::string_view(argv[1]) == "--quick" ? kQuickShare : 1;
  fmt::print("| M | r | threads | rows of a block | two reads, ms | two : one | quartiles |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    dense(pool, kRows / share);
    sparse(pool, kSparseRows / share);
  }
}
