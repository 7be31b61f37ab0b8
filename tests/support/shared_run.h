// SPDX-License-Identifier: MIT
// One factorization by several workers in one process, each a thread: worker k has a run of rows of M (m x n)
// and a run of its columns with its shares of W (m x r) and Ht (n x r), and they meet at a barrier.
#pragma once

#include <algorithm>
#include <array>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "anmf/shares.h"
#include "support/problems.h"

namespace anmf::test {

/// Where workers lay their numbers for the others.
class MeetingPlace {
 public:
  explicit MeetingPlace(Index workers) : barrier_(workers), laid_(static_cast<std::size_t>(workers)) {}

  [[nodiscard]] Index workers() const { return static_cast<Index>(laid_.size()); }

  /// Lays down an address, calls use(addresses of all workers), and returns once everybody has used them.
  template <class Use>
  void exchange(Index worker, const void* mine, const Use& use) {
    laid_[static_cast<std::size_t>(worker)] = mine;
    barrier_.arrive_and_wait();
    use(laid_);
    barrier_.arrive_and_wait();
  }

 private:
  std::barrier<> barrier_;
  std::vector<const void*> laid_;
};

class ThreadReducer final : public Reducer {
 public:
  ThreadReducer(MeetingPlace& place, Index worker) : place_(place), worker_(worker) {}

  void sum(std::span<double> values) override {
    combine(values, [](double a, double b) { return a + b; });
  }
  void max(std::span<double> values) override {
    combine(values, [](double a, double b) { return std::max(a, b); });
  }

 private:
  template <class Operation>
  void combine(std::span<double> values, const Operation& operation) {
    const std::vector<double> mine(values.begin(), values.end());
    place_.exchange(worker_, mine.data(), [&](const std::vector<const void*>& all) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<const double*>(all[0])[i];
        for (std::size_t k = 1; k < all.size(); ++k)
          values[i] = operation(values[i], static_cast<const double*>(all[k])[i]);
      }
    });
  }

  MeetingPlace& place_;
  Index worker_;
};

/// The rows and the columns of M that one worker owns, and the products of all of M.
template <class T>
class SharedData final : public Data<T> {
 public:
  SharedData(const Matrix<T>& M, bool sparse, MeetingPlace& place, Index worker)
      : whole_(M.view()), sparse_(sparse), place_(place), worker_(worker) {
    const Matrix<T> turned = transposed(M);
    for (const Side side : {Side::W, Side::H}) {
      const RowRange mine = owned(side);
      Matrix<T>& lines = lines_[index(side)];
      lines = Matrix<T>(mine.count, side == Side::W ? cols() : rows());
      std::copy_n((side == Side::W ? M : turned).view().row(mine.begin), lines.size(), lines.data());
      if (mine.count == 0) continue;  // nothing to multiply
      const Layout layout = side == Side::W ? Layout::row_major : Layout::column_major;
      if (sparse) {
        local_[index(side)] = to_sparse(side == Side::W ? lines : transposed(lines));
      } else {
        local_[index(side)] = std::make_unique<DenseData<T>>(std::as_const(lines).view(), layout);
      }
    }
    stored_ = sparse ? to_sparse(M)->nonzeros() : M.size();
  }

  [[nodiscard]] Index rows() const override { return whole_.rows(); }
  [[nodiscard]] Index cols() const override { return whole_.cols(); }
  [[nodiscard]] Index nonzeros() const override { return stored_; }
  [[nodiscard]] Storage storage() const override { return sparse_ ? Storage::sparse : Storage::dense; }
  [[nodiscard]] double norm() const override { return whole_.norm(); }
  [[nodiscard]] RowRange owned(Side side) const override { return share(side, worker_); }

  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    const Matrix<T> F = gathered(other(side), factor);
    if (local(side)) local(side)->cross(side, F.view(), result, pool);
  }

  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    const Matrix<T> all_Ht = gathered(Side::H, Ht);
    double sum = local(Side::W) ? *local(Side::W)->squared_residual(W, all_Ht.view(), pool) : 0;
    ThreadReducer(place_, worker_).sum({&sum, 1});
    return sum;
  }

  [[nodiscard]] bool shows_entries() const override { return true; }
  [[nodiscard]] bool whole_rows(Side /*side*/) const override { return true; }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override {
    if (!local(side)) return;
    local(side)->for_each_block(side, [&](EntryBlock<T> block) {
      block.rows.begin += owned(side).begin;
      visit(block);
    });
  }
  [[nodiscard]] bool shows_owned_rows() const override { return true; }
  void gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const override {
    place_.exchange(worker_, mine.data, [&](const std::vector<const void*>& laid) {
      for (std::size_t k = 0; k < laid.size(); ++k) {
        const RowRange part = share(side, static_cast<Index>(k));
        std::copy_n(static_cast<const T*>(laid[k]), part.count * mine.cols, all.row(part.begin));
      }
    });
  }

  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override {
    return joined_line_norms<T>(
        *this, side, [this](std::span<double> squares) { ThreadReducer(place_, worker_).sum(squares); });
  }

  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override {
    std::array<double, 4> sums = Data<T>::fingerprint(pool)->parts();  // of these rows, at their place
    ThreadReducer(place_, worker_).sum(sums);
    return Fingerprint::from_sums(sums);
  }

 private:
  [[nodiscard]] RowRange share(Side side, Index worker) const {
    return row_share({0, side == Side::W ? rows() : cols()}, place_.workers(), worker);
  }

  [[nodiscard]] static std::size_t index(Side side) { return side == Side::W ? 0 : 1; }
  /// The rows, or the columns, of this worker; null if there are none.
  [[nodiscard]] const std::unique_ptr<Data<T>>& local(Side side) const { return local_[index(side)]; }

  [[nodiscard]] Matrix<T> gathered(Side side, ConstMatrixView<T> mine) const {
    Matrix<T> all(side == Side::W ? rows() : cols(), mine.cols);
    gather(side, mine, all.view());
    return all;
  }

  DenseData<T> whole_;
  bool sparse_;
  MeetingPlace& place_;
  Index worker_;
  std::array<Matrix<T>, 2> lines_;
  std::array<std::unique_ptr<Data<T>>, 2> local_;
  Index stored_ = 0;
};

/// Rows [begin, begin + count).
template <class T>
Matrix<T> rows_of(const Matrix<T>& X, RowRange range) {
  Matrix<T> result(range.count, X.cols());
  std::copy_n(X.view().row(range.begin), result.size(), result.data());
  return result;
}

/// One matrix under the other; all have r columns.
template <class T>
Matrix<T> stacked(const std::vector<Matrix<T>>& parts) {
  Index rows = 0;
  for (const Matrix<T>& part : parts) rows += part.rows();
  Matrix<T> result(rows, parts.front().cols());
  T* to = result.data();
  for (const Matrix<T>& part : parts) to = std::copy_n(part.data(), part.size(), to);
  return result;
}

/// Calls work(worker number, its data, its reducer) in a thread each; the factors of the results are then put
/// together, and the rest is that of the first worker.
template <class T>
Result<T> shared_run(const Matrix<T>& M, bool sparse, Index workers,
                     const std::function<Result<T>(Index, const Data<T>&, Reducer&)>& work) {
  MeetingPlace place(workers);
  std::vector<Result<T>> results(static_cast<std::size_t>(workers));
  {
    std::vector<std::jthread> threads;
    for (Index k = 0; k < workers; ++k) {
      threads.emplace_back([&, k] {
        const SharedData<T> data(M, sparse, place, k);
        ThreadReducer reducer(place, k);
        results[static_cast<std::size_t>(k)] = work(k, data, reducer);
      });
    }
  }
  std::vector<Matrix<T>> W, Ht;
  for (const Result<T>& part : results) {
    W.push_back(part.W);
    Ht.push_back(transposed(part.H));
  }
  Result<T> result = results.front();
  result.W = stacked(W);
  result.H = transposed(stacked(Ht));
  return result;
}

}  // namespace anmf::test
