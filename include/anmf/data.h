// SPDX-License-Identifier: MIT
// The nonnegative matrix M (m x n) as the solver sees it: sizes, a norm and products with a factor.
// Whether M is dense, sparse, on disk or an operator of the caller ends here.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/fingerprint.h"
#include "anmf/matrix.h"
#include "anmf/parallel.h"

namespace anmf {

/// The factor that a half-step updates. Both are stored tall: W is m x r, H' is n x r.
enum class Side { W, H };

[[nodiscard]] constexpr Side other(Side side) { return side == Side::W ? Side::H : Side::W; }

/// Called when rows [begin, end) of a product are there: improves the same rows of the factor, and returns
/// them as they are to be used from now on.
template <class T>
using BlockUpdate = std::function<ConstMatrixView<T>(Index begin, Index end)>;

/// Rows [begin, begin + count) of a factor.
struct RowRange {
  Index begin = 0;
  Index count = 0;

  bool operator==(const RowRange&) const = default;
};

template <class T>
class Data {
 public:
  Data() = default;
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  virtual ~Data() = default;

  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;
  /// K of the paper's cost model: stored nonzeros, or m*n when M is stored dense.
  [[nodiscard]] virtual Index nonzeros() const = 0;
  /// One word for reports: "dense", "sparse", ...
  [[nodiscard]] virtual std::string_view storage() const = 0;
  /// ||M||_F.
  [[nodiscard]] virtual double norm() const = 0;

  /// The rows of W (of H') that this worker holds, where several share one factorization (see Reducer).
  /// Sizes, norms and counts are those of all of M everywhere; factors, and the products with them, are these
  /// rows alone. Every row belongs to one worker.
  [[nodiscard]] virtual RowRange owned(Side side) const { return {0, side == Side::W ? rows() : cols()}; }

  /// C = M F for Side::W (F = H', n x r; C is m x r), C = M' F for Side::H (F = W, m x r; C is n x r).
  /// The same input must give the same bits whatever the size of the pool.
  virtual void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const = 0;

  /// The side whose rows come along with blocks of M, W for blocks of rows and H for blocks of columns, if
  /// both products with factors of r columns can be had from one read of M and that is worth it.
  [[nodiscard]] virtual std::optional<Side> pass_side(Index r, const ThreadPool& pool) const {
    (void)r, (void)pool;
    return std::nullopt;
  }

  /// Both products in one read, for data that has a pass_side(). With the factor X of that side (N x r) and
  /// the other one F (K x r), for every block M_b (N_b x K) of M (of M' if the side is H), in order:
  ///
  ///     rows b of `cross` = M_b F;    X_b = update(rows b);    `result` += M_b' X_b
  ///
  /// `cross` is N x r and `result`, which need not be set before, K x r. Both have the bits that cross()
  /// gives them, whatever the size of the pool.
  virtual void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update,
                        MatrixView<T> result, ThreadPool& pool) const;

  /// ||M - W H||_F^2 summed from the entries themselves, for fits so close that the cheap formula
  /// cancels. An operator that cannot do it returns nothing, and the formula is used.
  [[nodiscard]] virtual std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                               ThreadPool& pool) const {
    (void)W, (void)Ht, (void)pool;
    return std::nullopt;
  }

  /// ||m_j|| of every column j, for the start by successive projection. An operator that cannot do it
  /// returns nothing, and cannot start that way.
  [[nodiscard]] virtual std::optional<std::vector<double>> column_norms() const { return std::nullopt; }

  /// What the entries of all of M are, by which a run that is resumed knows its matrix. Called by all workers
  /// at once, as cross() is. An operator that cannot show its entries returns nothing; then the run knows it
  /// by a product.
  [[nodiscard]] virtual std::optional<Fingerprint> fingerprint(ThreadPool& pool) const {
    (void)pool;
    return std::nullopt;
  }

  /// How many rows and columns hold nothing but zeros; their factors become zero. -1 if unknown.
  [[nodiscard]] virtual Index empty_rows() const { return -1; }
  [[nodiscard]] virtual Index empty_cols() const { return -1; }
};

template <class T>
void Data<T>::one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update,
                       MatrixView<T> result, ThreadPool& pool) const {
  (void)F, (void)cross, (void)update, (void)result, (void)pool;
  throw std::logic_error("This matrix has no pass side.");
}

/// The entry types narrower than T that a dense matrix may be stored in.
template <class S, class T>
concept NarrowEntry = std::same_as<S, std::uint8_t> || std::same_as<S, std::uint16_t> ||
                      (std::same_as<S, float> && std::same_as<T, double>);

/// How a dense matrix lies in memory.
enum class Layout { row_major, column_major };

/// A dense matrix over the caller's memory, which is neither copied nor changed and must outlive the
/// object. A column-major M (m x n) is given as the view of its transpose, whose rows (n, of m entries each)
/// are the columns of M. Throws InvalidInput, naming the first bad entry, if one is negative, NaN or
/// infinite. The entries may be of a narrower type than T. They become T block by block within the products,
/// which gives the same bits as a matrix that was converted beforehand, in a fraction of its memory.
template <class T>
class DenseData final : public Data<T> {
 public:
  explicit DenseData(ConstMatrixView<T> matrix, Layout layout = Layout::row_major)
      : stored_(matrix), layout_(layout) {
    look_through();
  }
  template <class S>
    requires NarrowEntry<std::remove_const_t<S>, T>
  explicit DenseData(MatrixView<S> matrix, Layout layout = Layout::row_major)
      : stored_(ConstMatrixView<std::remove_const_t<S>>(matrix)), layout_(layout) {
    look_through();
  }

  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index cols() const override { return cols_; }
  [[nodiscard]] Index nonzeros() const override { return rows() * cols(); }
  [[nodiscard]] std::string_view storage() const override { return "dense"; }
  [[nodiscard]] double norm() const override { return norm_; }
  [[nodiscard]] Index empty_rows() const override { return empty_rows_; }
  [[nodiscard]] Index empty_cols() const override { return empty_cols_; }
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override;
  /// One read of a large matrix pays for few components and few threads: there the products wait for memory.
  [[nodiscard]] std::optional<Side> pass_side(Index r, const ThreadPool& pool) const override;
  void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update, MatrixView<T> result,
                ThreadPool& pool) const override;
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override;
  [[nodiscard]] std::optional<std::vector<double>> column_norms() const override;
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override;

 private:
  /// Whether sums are made so that a product may be made block by block.
  [[nodiscard]] bool by_group(Index r) const;
  /// Checks the entries; finds the norm and the empty rows and columns.
  void look_through();

  template <class... S>
  using AnyView = std::variant<ConstMatrixView<S>...>;
  std::conditional_t<std::is_same_v<T, float>, AnyView<float, std::uint8_t, std::uint16_t>,
                     AnyView<double, float, std::uint8_t, std::uint16_t>>
      stored_;  // M, or M' if M is column-major
  Layout layout_;
  Index rows_ = 0;
  Index cols_ = 0;
  double norm_ = 0;
  Index empty_rows_ = 0;
  Index empty_cols_ = 0;
};

/// Compressed sparse rows: row i holds the entries offsets[i] .. offsets[i+1] of `indices` (columns)
/// and `values`.
template <class T>
struct Csr {
  Index rows = 0;
  Index cols = 0;
  std::vector<Index> offsets;
  std::vector<std::uint32_t> indices;
  std::vector<T> values;
};

/// A sparse matrix in canonical form (columns ascending, duplicates added, explicit zeros dropped)
/// beside its transpose. It keeps its own compact copy: 2 * nnz values and 32-bit indices.
template <class T>
class SparseData final : public Data<T> {
 public:
  /// From CSR arrays as scipy has them. Columns may be unsorted, repeated or hold explicit zeros.
  /// Throws InvalidInput for malformed arrays and for an entry that is negative, NaN or infinite after
  /// repeated positions were added.
  template <class I>
  static std::unique_ptr<SparseData> from_csr(Index rows, Index cols, std::span<const Index> offsets,
                                              std::span<const I> indices, std::span<const T> values);
  /// From CSC arrays: column j holds the entries offsets[j] .. offsets[j+1] of `indices` (rows) and `values`.
  template <class I>
  static std::unique_ptr<SparseData> from_csc(Index rows, Index cols, std::span<const Index> offsets,
                                              std::span<const I> indices, std::span<const T> values);
  /// From (row, column, value) triplets in any order; repeated positions are added.
  static std::unique_ptr<SparseData> from_triplets(Index rows, Index cols, std::span<const Index> row_indices,
                                                   std::span<const Index> col_indices,
                                                   std::span<const T> values);
  /// The same with arrays that are handed over and become a part of the object, which saves memory.
  static std::unique_ptr<SparseData> from_triplets(Index rows, Index cols,
                                                   std::vector<std::uint32_t>&& row_indices,
                                                   std::vector<std::uint32_t>&& col_indices,
                                                   std::vector<T>&& values);

  [[nodiscard]] Index rows() const override { return by_row_.rows; }
  [[nodiscard]] Index cols() const override { return by_row_.cols; }
  [[nodiscard]] Index nonzeros() const override { return static_cast<Index>(by_row_.values.size()); }
  [[nodiscard]] std::string_view storage() const override { return "sparse"; }
  [[nodiscard]] double norm() const override { return norm_; }
  [[nodiscard]] Index empty_rows() const override;
  [[nodiscard]] Index empty_cols() const override;
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override;
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override;
  [[nodiscard]] std::optional<std::vector<double>> column_norms() const override;
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override;

  [[nodiscard]] const Csr<T>& by_row() const { return by_row_; }
  [[nodiscard]] const Csr<T>& by_col() const { return by_col_; }

 private:
  SparseData(Csr<T> by_row, Csr<T> by_col);
  static std::unique_ptr<SparseData> with_transpose(Csr<T> by_row);

  Csr<T> by_row_;  // M
  Csr<T> by_col_;  // M', so that both products gather and none scatters
  // Runs of rows of about equal work; run b of by_row_ is [row_runs_[b], row_runs_[b + 1]).
  std::vector<Index> row_runs_;
  std::vector<Index> col_runs_;
  double norm_ = 0;
};

extern template class DenseData<float>;
extern template class DenseData<double>;
extern template class SparseData<float>;
extern template class SparseData<double>;

/// M' of any data: the sides change places, and nothing is copied.
template <class T>
[[nodiscard]] std::unique_ptr<Data<T>> transposed(std::unique_ptr<Data<T>> data);

}  // namespace anmf
