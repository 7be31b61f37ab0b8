// SPDX-License-Identifier: MIT
// One factorization by several workers in one process, each a thread: worker k has a run of rows of M (m x n)
// and its shares of W (m x r) and Ht (n x r), and they meet at a barrier.
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

/// The rows of M that one worker has, and the products of all of M.
template <class T>
class SharedData final : public Data<T> {
 public:
  SharedData(const Matrix<T>& M, bool sparse, MeetingPlace& place, Index worker)
      : whole_(M.view()), sparse_(sparse), place_(place), worker_(worker) {
    const RowRange mine = owned(Side::W);
    rows_ = Matrix<T>(mine.count, M.cols());
    std::copy_n(M.view().row(mine.begin), rows_.size(), rows_.data());
    if (mine.count == 0) {  // nothing to multiply
    } else if (sparse) {
      local_ = to_sparse(rows_);
    } else {
      local_ = std::make_unique<DenseData<T>>(std::as_const(rows_).view());
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
    if (side == Side::W) {
      const Matrix<T> Ht = gathered(factor);
      if (local_) local_->cross(side, Ht.view(), result, pool);
      return;
    }
    Matrix<T> mine(cols(), factor.cols);
    if (local_) local_->cross(side, factor, mine.view(), pool);
    const RowRange part = owned(Side::H);
    place_.exchange(worker_, mine.data(), [&](const std::vector<const void*>& all) {
      for (Index i = 0; i < part.count; ++i) {
        for (Index p = 0; p < factor.cols; ++p) {
          T sum = 0;
          for (const void* values : all)
            sum += static_cast<const T*>(values)[(part.begin + i) * factor.cols + p];
          result(i, p) = sum;
        }
      }
    });
  }

  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    const Matrix<T> all_Ht = gathered(Ht);
    double sum = local_ ? *local_->squared_residual(W, all_Ht.view(), pool) : 0;
    ThreadReducer(place_, worker_).sum({&sum, 1});
    return sum;
  }

  [[nodiscard]] bool shows_entries() const override { return true; }
  [[nodiscard]] bool whole_rows(Side side) const override { return side == Side::W; }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override {
    if (!local_) return;
    local_->for_each_block(side, [&](EntryBlock<T> block) {
      (side == Side::W ? block.rows : block.columns).begin += owned(Side::W).begin;
      visit(block);
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

  /// All rows of Ht.
  [[nodiscard]] Matrix<T> gathered(ConstMatrixView<T> mine) const {
    Matrix<T> Ht(cols(), mine.cols);
    place_.exchange(worker_, mine.data, [&](const std::vector<const void*>& all) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        const RowRange part = share(Side::H, static_cast<Index>(k));
        std::copy_n(static_cast<const T*>(all[k]), part.count * mine.cols, Ht.view().row(part.begin));
      }
    });
    return Ht;
  }

  DenseData<T> whole_;
  bool sparse_;
  MeetingPlace& place_;
  Index worker_;
  Matrix<T> rows_;
  std::unique_ptr<Data<T>> local_;
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
