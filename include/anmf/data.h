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
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/entries.h"
#include "anmf/fingerprint.h"
#include "anmf/matrix.h"
#include "anmf/parallel.h"

namespace anmf {

/// The factor that a half-step updates. Both are stored tall: W is m x r, H' is n x r. The rows of W go with
/// the rows of M, and the rows of H' with the rows of M', which are the columns of M.
enum class Side { W, H };

[[nodiscard]] constexpr Side other(Side side) { return side == Side::W ? Side::H : Side::W; }

/// Which entries a matrix may have: none below zero, or any. The methods of the rules hals, pg and bpp
/// (Rule::signed_products) fit W H >= 0 to either; everything else refuses what is negative.
enum class Sign { nonnegative, any };

/// How M is kept.
enum class Storage {
  dense,
  sparse,
  dense_on_disk,
  sparse_on_disk,
  compressed,   ///< as the product of two thin matrices
  matrix_free,  ///< in a way that only its owner knows: an operator of the caller
};

/// As reports call it: "sparse, on disk".
[[nodiscard]] std::string_view to_string(Storage storage);
[[nodiscard]] constexpr bool is_dense(Storage storage) {
  return storage == Storage::dense || storage == Storage::dense_on_disk;
}
[[nodiscard]] constexpr bool is_sparse(Storage storage) {
  return storage == Storage::sparse || storage == Storage::sparse_on_disk;
}

/// Improves rows [begin, end) of a factor, whose rows of the product are there now, and returns these rows of
/// the factor as the other product is to take them.
template <class T>
using BlockUpdate = std::function<ConstMatrixView<T>(Index begin, Index end)>;

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
  [[nodiscard]] virtual Storage storage() const { return Storage::matrix_free; }
  /// ||M||_F.
  [[nodiscard]] virtual double norm() const = 0;

  /// Whether no entry is negative.
  [[nodiscard]] virtual bool nonnegative() const { return true; }

  /// Which entries count (anmf/weights.h), and how many these are. Where not all do, the norm is that of the
  /// entries that count, each as much as it counts; products take for zero what is not observed.
  [[nodiscard]] virtual Counted counted() const { return Counted::all; }
  [[nodiscard]] virtual double observed() const {
    return static_cast<double>(rows()) * static_cast<double>(cols());
  }
  /// How much the rows of M (the columns for Side::H) count, all of them on every worker; empty: 1.
  [[nodiscard]] virtual std::span<const T> line_weights(Side side) const {
    (void)side;
    return {};
  }

  /// The rows of W (of H') that this worker holds, where several share one factorization (see Reducer).
  /// Sizes, norms and counts are those of all of M everywhere; factors, and the products with them, are these
  /// rows alone. Every row belongs to one worker.
  [[nodiscard]] virtual RowRange owned(Side side) const { return {0, side == Side::W ? rows() : cols()}; }

  /// The rows of M (the columns for Side::H) of which no entry counts.
  [[nodiscard]] virtual std::span<const Index> unobserved(Side side) const {
    (void)side;
    return {};
  }

  /// C = M F for Side::W (F = H', n x r; C is m x r), C = M' F for Side::H (F = W, m x r; C is n x r).
  /// The same input must give the same bits whatever the size of the pool.
  virtual void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const = 0;

  /// The side of one_pass(), if the data has it and if it is quicker than two products with factors of r
  /// columns: W for data that is read in blocks of rows of M, H for blocks of columns.
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

  /// Whether for_each_block() can be called; the same on all workers.
  [[nodiscard]] virtual bool shows_entries() const { return false; }

  /// Whether every block of this side has all columns, so that it holds whole rows; the same on all workers.
  [[nodiscard]] virtual bool whole_rows(Side side) const {
    (void)side;
    return false;
  }

  /// Shows all stored entries of M for Side::W, of M' for Side::H, each of them once: calls visit(block) in
  /// the calling thread for block after block, in an order that depends on the matrix alone. Blocks of whole
  /// rows come in the order of the rows. A block is there until the visitor returns, and nothing is copied: a
  /// matrix in memory is one block; one on disk has blocks of whole rows for the side of its lines, and for
  /// the other side blocks of some columns and all rows, over which a visitor adds up what it makes of them.
  /// A worker sees the entries that it holds, at their places in all of M; the call is not collective. The
  /// visitor must not ask the same data for entries or products meanwhile. Throws InvalidInput if the data
  /// cannot show its entries.
  virtual void for_each_block(Side side, const EntryVisitor<T>& visit) const;

  /// Whether for_each_block() shows this worker all entries of the rows of M (of M' for Side::H) that it
  /// owns, and no others, so that it can improve these rows by itself once it has gathered the other factor.
  /// Workers who share M need it for losses other than least squares.
  [[nodiscard]] virtual bool shows_owned_rows() const {
    return owned(Side::W).count == rows() && owned(Side::H).count == cols();
  }

  /// All rows of the factor of this side, of which `mine` are those that this worker owns. Workers who share
  /// M are asked all at once, as they are by cross().
  virtual void gather(Side side, ConstMatrixView<T> mine, MatrixView<T> all) const;

  // What follows is made from the entries, for data that shows them. Workers who share M are asked all at
  // once, as they are by cross(), and data that they share overrides these functions, since they speak of all
  // of M.

  /// ||M - W H||_F^2 summed from the entries themselves, for fits so close that the cheap formula
  /// cancels. Without entries there is no such sum, and the formula is used.
  [[nodiscard]] virtual std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                               ThreadPool& pool) const;

  /// The norms of all rows of M for Side::W, of all columns of M for Side::H. The start by successive
  /// projection needs those of the columns, and cannot be had without them.
  [[nodiscard]] virtual std::optional<std::vector<double>> line_norms(Side side) const;

  /// What the entries of all of M are, by which a run that is resumed knows its matrix. A run knows a matrix
  /// without a fingerprint by a product.
  [[nodiscard]] virtual std::optional<Fingerprint> fingerprint(ThreadPool& pool) const;

  /// How many rows and columns hold nothing but zeros; their factors become zero. -1 if unknown.
  [[nodiscard]] virtual Index empty_rows() const { return -1; }
  [[nodiscard]] virtual Index empty_cols() const { return -1; }
};

extern template class Data<float>;
extern template class Data<double>;

/// The entry types narrower than T that a dense matrix may be stored in.
template <class S, class T>
concept NarrowEntry = std::same_as<S, std::uint8_t> || std::same_as<S, std::uint16_t> ||
                      (std::same_as<S, float> && std::same_as<T, double>);

/// A dense matrix over the caller's memory, which is neither copied nor changed and must outlive the
/// object. A column-major M (m x n) is given as the view of its transpose, whose rows (n, of m entries each)
/// are the columns of M. Throws InvalidInput, naming the first bad entry, if one is negative (but for
/// Sign::any), NaN or infinite. The entries may be of a narrower type than T. They become T block by block
/// within the products, which gives the same bits as a matrix that was converted beforehand, in a fraction of
/// its memory.
template <class T>
class DenseData final : public Data<T> {
 public:
  explicit DenseData(ConstMatrixView<T> matrix, Layout layout = Layout::row_major,
                     Sign sign = Sign::nonnegative)
      : stored_(matrix), layout_(layout), sign_(sign) {
    look_through();
  }
  template <class S>
    requires NarrowEntry<std::remove_const_t<S>, T>
  explicit DenseData(MatrixView<S> matrix, Layout layout = Layout::row_major, Sign sign = Sign::nonnegative)
      : stored_(ConstMatrixView<std::remove_const_t<S>>(matrix)), layout_(layout), sign_(sign) {
    look_through();
  }

  [[nodiscard]] Index rows() const override { return rows_; }
  [[nodiscard]] Index cols() const override { return cols_; }
  [[nodiscard]] Index nonzeros() const override { return rows() * cols(); }
  [[nodiscard]] Storage storage() const override { return Storage::dense; }
  [[nodiscard]] bool nonnegative() const override { return nonnegative_; }
  [[nodiscard]] double norm() const override { return norm_; }
  [[nodiscard]] Index empty_rows() const override { return empty_rows_; }
  [[nodiscard]] Index empty_cols() const override { return empty_cols_; }
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override;
  /// One read of a large matrix pays for few components and few threads: there the products wait for memory.
  [[nodiscard]] std::optional<Side> pass_side(Index r, const ThreadPool& pool) const override;
  void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update, MatrixView<T> result,
                ThreadPool& pool) const override;
  [[nodiscard]] bool shows_entries() const override { return true; }
  [[nodiscard]] bool whole_rows(Side /*side*/) const override { return true; }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override;

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
  Sign sign_;
  bool nonnegative_ = true;
  Index rows_ = 0;
  Index cols_ = 0;
  double norm_ = 0;
  Index empty_rows_ = 0;
  Index empty_cols_ = 0;
};

/// What becomes of zeros that somebody stored in a sparse matrix: where only what is stored counts
/// (anmf/weights.h), they have been observed.
enum class Zeros { drop, keep };

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
                                                   std::vector<T>&& values, Zeros zeros = Zeros::drop,
                                                   Sign sign = Sign::nonnegative);

  /// Entries in canonical form, zeros among them kept: those that somebody has observed (anmf/weights.h).
  static std::unique_ptr<SparseData> from_observed(Csr<T>&& by_row);

  [[nodiscard]] Index rows() const override { return by_row_.rows; }
  [[nodiscard]] Index cols() const override { return by_row_.cols; }
  [[nodiscard]] Index nonzeros() const override { return nonzeros_; }
  [[nodiscard]] Storage storage() const override { return Storage::sparse; }
  [[nodiscard]] bool nonnegative() const override { return nonnegative_; }
  [[nodiscard]] double norm() const override { return norm_; }
  [[nodiscard]] Index empty_rows() const override { return empty_rows_; }
  [[nodiscard]] Index empty_cols() const override { return empty_cols_; }
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override;
  [[nodiscard]] bool shows_entries() const override { return true; }
  [[nodiscard]] bool whole_rows(Side /*side*/) const override { return true; }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override;

  /// Keeps M alone for Side::W, M' alone for Side::H, in half the memory, where the products and entries of
  /// the other side are hardly asked for: they are had still, by scattering and in columns.
  void keep_only(Side side);

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
  std::optional<Side> only_;  // the one side that is kept
  bool nonnegative_ = true;
  double norm_ = 0;
  Index nonzeros_ = 0;
  Index empty_rows_ = 0;
  Index empty_cols_ = 0;
};

extern template class DenseData<float>;
extern template class DenseData<double>;
extern template class SparseData<float>;
extern template class SparseData<double>;

/// M' of any data: the sides change places, and nothing is copied.
template <class T>
[[nodiscard]] std::unique_ptr<Data<T>> transposed(std::unique_ptr<Data<T>> data);

}  // namespace anmf
