// SPDX-License-Identifier: MIT
#include "loss/entry_pass.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "core/blas.h"
#include "core/spares.h"
#include "kernels/divergence.h"
#include "kernels/panels.h"
#include "kernels/sparse_rows.h"
#include "loss/row_weights.h"

namespace anmf {
namespace {

// Entries of a tile: a few of them stay in the second-level cache.
constexpr Index kTileEntries = Index{1} << 18U;
constexpr Index kMostRows = kBlockRows;
// Nonzeros of the rows in a chunk.
constexpr Index kChunkNonzeros = 4096;

/// Calls body(look, chunk, begin, end) for chunks of rows.
template <class T, class Body>
void for_each_chunk_of_rows(const EntryBlock<T>& block, const BlockFactors<T>& factors, const Chunks& chunks,
                            const SparseRows<T>* sparse, ThreadPool& pool, const Body& body) {
  const double flops = 4 * entries_looked_at(block, sparse) * static_cast<double>(factors.F.cols);
  Spares<RowLook<T>> looks;
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    const typename Spares<RowLook<T>>::Loan look = looks.lend([&] {
      return std::make_unique<RowLook<T>>(block, sparse, factors.beta, factors.F, factors.column_sums,
                                          factors.floor);
    });
    body(*look, chunk, chunks.begin(chunk), chunks.end(chunk));
  });
}

template <class T>
void add_rows(ConstMatrixView<T> from, MatrixView<T> to) {
  for (Index i = 0; i < to.rows; ++i) {
    for (Index p = 0; p < to.cols; ++p) to(i, p) += from(i, p);
  }
}

}  // namespace

template <class T>
std::vector<double> column_sums(ConstMatrixView<T> F) {
  std::vector<double> sums(static_cast<std::size_t>(F.cols), 0.0);
  for (Index j = 0; j < F.rows; ++j) {
    for (Index p = 0; p < F.cols; ++p) sums[static_cast<std::size_t>(p)] += static_cast<double>(F(j, p));
  }
  return sums;
}

template <class T>
std::vector<double> column_sums(ConstMatrixView<T> F, std::span<const T> weights) {
  if (weights.empty()) return column_sums(F);
  std::vector<double> sums(static_cast<std::size_t>(F.cols), 0.0);
  for (Index j = 0; j < F.rows; ++j) {
    const auto weight = static_cast<double>(weights[static_cast<std::size_t>(j)]);
    for (Index p = 0; p < F.cols; ++p)
      sums[static_cast<std::size_t>(p)] += weight * static_cast<double>(F(j, p));
  }
  return sums;
}

template <class T>
bool skips_zeros(double beta, const EntryBlock<T>& block) {
  if (block.weights.counted == Counted::stored) return true;
  return beta == 1 && std::holds_alternative<SparseLines<T>>(block.lines);
}

Index rows_at_once(Index K) {
  Index rows = std::clamp<Index>(kTileEntries / std::max<Index>(1, K), 1, kMostRows);
  while (kMostRows % rows != 0) --rows;
  return rows;
}

template <class T>
double look_bytes(const RowSizes& sizes) {
  const auto K = static_cast<double>(sizes.columns);
  const auto r = static_cast<double>(sizes.rank);
  const auto rows = static_cast<double>(rows_at_once(sizes.columns));
  // Entries, models and one more of each; the squares of F; sums of the rows of a chunk.
  const double tile = 3 * (sizes.skips_zeros ? K : rows * K);
  const double squares = sizes.skips_zeros ? 0 : K * r;
  const double sums =
      2 * r * (sizes.skips_zeros ? std::min<double>(kChunkNonzeros, static_cast<double>(sizes.rows)) : rows);
  return static_cast<double>(sizes.threads) * (tile + squares + sums) * sizeof(T);
}

template <class T>
BlockFactors<T> factors_beside(const EntryBlock<T>& block, double beta, ConstMatrixView<T> X,
                               ConstMatrixView<T> F, std::span<const double> sums) {
  const RowRange& columns = block.columns;
  BlockFactors<T> factors{
      .beta = beta, .X = X, .F = F.middle_rows(columns.begin, columns.begin + columns.count)};
  if (columns.count == F.rows) {
    factors.column_sums.assign(sums.begin(), sums.end());
  } else {
    factors.column_sums = column_sums<T>(factors.F, block.weights.of_columns);
  }
  return factors;
}

template <class T>
double entries_looked_at(const EntryBlock<T>& block, const SparseRows<T>* sparse) {
  if (sparse == nullptr)
    return static_cast<double>(block.rows.count) * static_cast<double>(block.columns.count);
  return static_cast<double>(sparse->lines().offsets.back() - sparse->lines().offsets.front());
}

template <class T>
Chunks look_chunks(const EntryBlock<T>& block, const SparseRows<T>* sparse) {
  const Index rows = block.rows.count;
  if (sparse == nullptr) return {rows, rows_at_once(block.columns.count), rows + 1};
  const auto nonzeros = static_cast<Index>(entries_looked_at(block, sparse));
  return {rows, std::max<Index>(1, kChunkNonzeros * rows / std::max<Index>(1, nonzeros)), 1024};
}

template <class T>
double block_loss(const EntryBlock<T>& block, const BlockFactors<T>& factors, ThreadPool& pool) {
  std::optional<SparseRows<T>> rows;
  if (skips_zeros(factors.beta, block)) rows.emplace(block);
  const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
  const Chunks chunks = look_chunks(block, sparse);
  PartialSums<1> sums(chunks.count());
  for_each_chunk_of_rows(block, factors, chunks, sparse, pool,
                         [&](RowLook<T>& look, Index chunk, Index begin, Index end) {
                           sums.at(chunk)[0] = look.loss(begin, end, factors.X.middle_rows(begin, end));
                         });
  return sums.total()[0];
}

template <class T>
void add_row_sums(RowSums kind, const EntryBlock<T>& block, const BlockFactors<T>& factors,
                  MatrixView<T> first, MatrixView<T> second, ThreadPool& pool, double* loss,
                  bool whole_rows) {
  std::optional<SparseRows<T>> rows;
  if (skips_zeros(factors.beta, block)) rows.emplace(block);
  const SparseRows<T>* const sparse = rows ? &*rows : nullptr;
  const Chunks chunks = look_chunks(block, sparse);
  PartialSums<1> losses(chunks.count());
  for_each_chunk_of_rows(block, factors, chunks, sparse, pool,
                         [&](RowLook<T>& look, Index chunk, Index begin, Index end) {
                           double* const of_chunk = loss == nullptr ? nullptr : losses.at(chunk).data();
                           const ConstMatrixView<T> X = factors.X.middle_rows(begin, end);
                           if (whole_rows) {  // there is nothing yet to add to
                             look.sums(kind, begin, end, X, first.middle_rows(begin, end),
                                       second.middle_rows(begin, end), of_chunk);
                             return;
                           }
                           Matrix<T> a(end - begin, factors.F.cols);
                           Matrix<T> b(end - begin, factors.F.cols);
                           look.sums(kind, begin, end, X, a.view(), b.view(), of_chunk);
                           add_rows<T>(std::as_const(a).view(), first.middle_rows(begin, end));
                           if (kind != RowSums::slopes)
                             add_rows<T>(std::as_const(b).view(), second.middle_rows(begin, end));
                         });
  if (loss != nullptr) *loss += losses.total()[0];
}

template <class T>
RowLook<T>::RowLook(const EntryBlock<T>& block, const SparseRows<T>* sparse, double beta,
                    ConstMatrixView<T> F, std::span<const double> column_sums, double floor)
    : block_(block),
      sparse_(sparse),
      beta_(beta),
      floor_(static_cast<T>(floor)),
      F_(F),
      column_sums_(column_sums),
      weighted_(!block.weights.alike_in_rows()) {}

/// Multiplies terms of the entries by what the entries count.
template <class T>
void RowLook<T>::weigh(std::vector<T>& terms) const {
  if (!weighted_) return;
  for (std::size_t k = 0; k < count_; ++k) terms[k] *= weights_[k];
}

/// The weights of a tile, or of the stored entries of one sparse row.
template <class T>
void RowLook<T>::load_weights_of(Index begin, Index end) {
  if (!weighted_) return;
  if (weights_.size() < count_) weights_.resize(count_);
  if (sparse_ == nullptr)
    return load_weights(block_, begin, end, MatrixView<T>(weights_.data(), end - begin, F_.rows));
  load_stored_weights(block_, *sparse_, begin, std::span<T>(weights_.data(), count_));
}

/// Entries and model of a tile, or of one sparse row.
template <class T>
void RowLook<T>::model(Index begin, Index end, ConstMatrixView<T> X) {
  const Index rows = end - begin;
  const std::size_t size =
      sparse_ == nullptr ? static_cast<std::size_t>(rows * F_.rows) : sparse_->values(begin).size();
  count_ = size;
  for (std::vector<T>* array : {&entries_, &model_, &more_}) {
    if (array->size() < size) array->resize(size);
  }
  if (sparse_ == nullptr) {
    load_rows(block_, begin, end, MatrixView<T>(entries_.data(), rows, F_.rows));
    blas::gemm<T>(blas::Op::none, blas::Op::transpose, T{1}, X, F_, T{0},
                  MatrixView<T>(model_.data(), rows, F_.rows));
  } else {
    const std::span<const T> values = sparse_->values(begin);
    for (std::size_t k = 0; k < size; ++k) entries_[k] = values[k] * sparse_->scale();
    sparse_row_kernels<T>().model(F_, X.row(0), sparse_->indices(begin).data(), size, model_.data());
  }
  divergence_kernels<T>().raise(count_, kLeastModel<T>, model_.data());
  load_weights_of(begin, end);
}

template <class T>
void RowLook<T>::sparse_sums(RowSums kind, Index row, const T* x, T* first, T* second, double* loss) {
  model(row, row + 1, {x, 1, F_.cols});
  if (loss != nullptr) *loss += loss_of_model(row, row + 1, {x, 1, F_.cols});
  const std::span<const std::uint32_t> indices = sparse_->indices(row);
  const std::size_t count = indices.size();
  const DivergenceKernels<T>& divergence = divergence_kernels<T>();
  const SparseRowKernels<T>& kernels = sparse_row_kernels<T>();
  const T* const weights = weighted_ ? weights_.data() : nullptr;
  if (block_.weights.counted == Counted::stored) return stored_sums(kind, indices, weights, first, second);
  if (kind == RowSums::gradient) {  // a / y^2
    divergence.model(1, count, entries_.data(), model_.data(), nullptr, more_.data(), weights);
    kernels.square_sums(F_, more_.data(), indices.data(), count, second);
  }
  divergence.ratios(1, count, kind == RowSums::ratios ? floor_ : T{0}, entries_.data(), model_.data(),
                    model_.data(), nullptr);
  weigh(model_);
  kernels.sums(F_, model_.data(), indices.data(), count, first);
  shared_.resize(column_sums_.size());
  sum_of_models(block_, *sparse_, row, F_, column_sums_, std::span<double>(shared_));
  for (Index p = 0; p < F_.cols; ++p) {
    const auto shared = static_cast<T>(shared_[static_cast<std::size_t>(p)]);
    if (kind == RowSums::ratios) {
      second[p] = shared;
    } else {
      first[p] = shared - first[p];
    }
  }
}

/// Of a row whose stored entries alone count.
template <class T>
void RowLook<T>::stored_sums(RowSums kind, std::span<const std::uint32_t> indices, const T* weights, T* first,
                             T* second) {
  const DivergenceKernels<T>& divergence = divergence_kernels<T>();
  const SparseRowKernels<T>& kernels = sparse_row_kernels<T>();
  const std::size_t count = indices.size();
  if (kind == RowSums::ratios) {
    divergence.ratios(beta_, count, floor_, entries_.data(), model_.data(), entries_.data(), more_.data());
    weigh(entries_);
    weigh(more_);
    kernels.sums(F_, entries_.data(), indices.data(), count, first);
    return kernels.sums(F_, more_.data(), indices.data(), count, second);
  }
  divergence.model(beta_, count, entries_.data(), model_.data(), model_.data(), more_.data(), weights);
  kernels.sums(F_, model_.data(), indices.data(), count, first);
  if (kind == RowSums::gradient) kernels.square_sums(F_, more_.data(), indices.data(), count, second);
}

template <class T>
void RowLook<T>::sums(RowSums kind, Index begin, Index end, ConstMatrixView<T> X, MatrixView<T> first,
                      MatrixView<T> second, double* loss) {
  if (sparse_ != nullptr) {
    for (Index i = begin; i < end; ++i) {
      sparse_sums(kind, i, X.row(i - begin), first.row(i - begin), second.row(i - begin), loss);
    }
    return;
  }
  model(begin, end, X);
  if (loss != nullptr) *loss += loss_of_model(begin, end, X);
  const DivergenceKernels<T>& divergence = divergence_kernels<T>();
  const std::size_t n = count_;
  const T* const weights = weighted_ ? weights_.data() : nullptr;
  const auto multiply = [&](const std::vector<T>& A, ConstMatrixView<T> B, MatrixView<T> C) {
    blas::gemm<T>(blas::Op::none, blas::Op::none, T{1}, {A.data(), end - begin, F_.rows}, B, T{0}, C);
  };
  if (kind == RowSums::slopes) {
    divergence.model(beta_, n, entries_.data(), model_.data(), model_.data(), nullptr, weights);
    return multiply(model_, F_, first);
  }
  if (kind == RowSums::gradient) {
    if (squares_.rows() != F_.rows) {
      squares_ = Matrix<T>(F_.rows, F_.cols);
      for (Index j = 0; j < F_.rows; ++j) {
        for (Index p = 0; p < F_.cols; ++p) squares_(j, p) = F_(j, p) * F_(j, p);
      }
    }
    divergence.model(beta_, n, entries_.data(), model_.data(), model_.data(), more_.data(), weights);
    multiply(more_, std::as_const(squares_).view(), second);
    multiply(model_, F_, first);
    return;
  }
  const bool shared = beta_ == 1 && !weighted_;  // the sum of the rows of F is below for all rows
  divergence.ratios(beta_, n, floor_, entries_.data(), model_.data(), entries_.data(),
                    shared ? nullptr : more_.data());
  weigh(entries_);
  multiply(entries_, F_, first);
  if (!shared) {
    weigh(more_);
    return multiply(more_, F_, second);
  }
  for (Index i = 0; i < second.rows; ++i) {
    for (Index p = 0; p < F_.cols; ++p)
      second(i, p) = static_cast<T>(column_sums_[static_cast<std::size_t>(p)]);
  }
}

template <class T>
double RowLook<T>::loss_of_model(Index begin, Index end, ConstMatrixView<T> X) const {
  const DivergenceKernels<T>& divergence = divergence_kernels<T>();
  double sum = 0;
  const T* const weights = weighted_ ? weights_.data() : nullptr;
  if (sparse_ == nullptr) {
    const auto K = static_cast<std::size_t>(F_.rows);
    for (Index i = begin; i < end; ++i) {
      const std::size_t at = static_cast<std::size_t>(i - begin) * K;
      sum += weight_of_row(block_, i) * divergence.value(beta_, K, entries_.data() + at, model_.data() + at,
                                                         nullptr, T{0},
                                                         weights == nullptr ? nullptr : weights + at);
    }
    return sum;
  }
  sum = divergence.value(beta_, count_, entries_.data(), model_.data(), nullptr, T{0}, weights);
  if (block_.weights.counted == Counted::stored) return weight_of_row(block_, begin) * sum;
  // Zeros have no loss but their models: all of them, less those of the nonzeros.
  double rest = 0;
  std::vector<double> shared(column_sums_.size());
  for (Index i = begin; i < end; ++i) {
    sum_of_models(block_, *sparse_, i, F_, column_sums_, std::span<double>(shared));
    for (std::size_t p = 0; p < shared.size(); ++p) {
      rest += shared[p] * static_cast<double>(X(i - begin, static_cast<Index>(p)));
    }
  }
  for (std::size_t k = 0; k < count_; ++k)
    rest -= static_cast<double>(model_[k]) * (weights == nullptr ? 1.0 : static_cast<double>(weights[k]));
  return weight_of_row(block_, begin) * (sum + rest);
}

template <class T>
double RowLook<T>::loss(Index begin, Index end, ConstMatrixView<T> X) {
  const Index together = sparse_ == nullptr ? end - begin : 1;
  double sum = 0;
  for (Index i = begin; i < end; i += together) {
    const ConstMatrixView<T> rows = X.middle_rows(i - begin, i - begin + together);
    model(i, i + together, rows);
    sum += loss_of_model(i, i + together, rows);
  }
  return sum;
}

template std::vector<double> column_sums(ConstMatrixView<float>);
template std::vector<double> column_sums(ConstMatrixView<double>);
template std::vector<double> column_sums(ConstMatrixView<float>, std::span<const float>);
template std::vector<double> column_sums(ConstMatrixView<double>, std::span<const double>);
template double look_bytes<float>(const RowSizes&);
template double look_bytes<double>(const RowSizes&);
template double entries_looked_at(const EntryBlock<float>&, const SparseRows<float>*);
template double entries_looked_at(const EntryBlock<double>&, const SparseRows<double>*);
template Chunks look_chunks(const EntryBlock<float>&, const SparseRows<float>*);
template Chunks look_chunks(const EntryBlock<double>&, const SparseRows<double>*);
template BlockFactors<float> factors_beside(const EntryBlock<float>&, double, ConstMatrixView<float>,
                                            ConstMatrixView<float>, std::span<const double>);
template BlockFactors<double> factors_beside(const EntryBlock<double>&, double, ConstMatrixView<double>,
                                             ConstMatrixView<double>, std::span<const double>);
template bool skips_zeros(double, const EntryBlock<float>&);
template bool skips_zeros(double, const EntryBlock<double>&);
template double block_loss(const EntryBlock<float>&, const BlockFactors<float>&, ThreadPool&);
template double block_loss(const EntryBlock<double>&, const BlockFactors<double>&, ThreadPool&);
template void add_row_sums(RowSums, const EntryBlock<float>&, const BlockFactors<float>&, MatrixView<float>,
                           MatrixView<float>, ThreadPool&, double*, bool);
template void add_row_sums(RowSums, const EntryBlock<double>&, const BlockFactors<double>&,
                           MatrixView<double>, MatrixView<double>, ThreadPool&, double*, bool);
template class RowLook<float>;
template class RowLook<double>;

}  // namespace anmf
