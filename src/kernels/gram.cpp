// SPDX-License-Identifier: MIT
#include "kernels/gram.h"

#include <algorithm>
#include <vector>

#include "core/chunks.h"
#include "core/sums.h"
#include "kernels/dense_cross.h"

namespace anmf {
namespace {

/// The upper triangle of X' X, and what else stands in its blocks, at the rate of the products with M.
template <class T>
void upper_gram(ConstMatrixView<T> X, MatrixView<T> G) {
  constexpr Index kInner = 128;
  constexpr Index kStrip = 32;
  for (Index k = 0; k < X.rows; k += kInner) {
    const Index inner = std::min(kInner, X.rows - k);
    for (Index q = 0; q < X.cols; q += kStrip) {
      const Index width = std::min(kStrip, X.cols - q);
      const ConstMatrixView<T> left(X.row(k), inner, q + width, X.stride);
      const ConstMatrixView<T> right(X.row(k) + q, inner, width, X.stride);
      dense_cross<T>(blas::Op::transpose, left, right, {G.data + q, q + width, width, G.stride}, k > 0);
    }
  }
}

/// body(p, q, entry) for the upper triangle of an r x r matrix, whose entries lie row after row.
template <class Body>
void for_each_upper(Index r, std::vector<double>& entries, const Body& body) {
  auto entry = entries.begin();
  for (Index p = 0; p < r; ++p) {
    for (Index q = p; q < r; ++q) body(p, q, *entry++);
  }
}

/// Adds row_sum(i) over all rows, chunk by chunk.
template <class RowSum>
double sum_rows(Index rows, Index cols, const Workers& workers, const RowSum& row_sum) {
  const Chunks chunks = row_chunks(rows);
  PartialSums<1> sums(chunks.count());
  workers.pool.for_each_chunk(chunks.count(), static_cast<double>(2 * rows * cols), [&](Index chunk) {
    double sum = 0;
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) sum += row_sum(i);
    sums.at(chunk)[0] = sum;
  });
  std::vector<double> total = sums.total();
  workers.sum(total);
  return total[0];
}

}  // namespace

template <class T>
Matrix<double> gram(ConstMatrixView<T> X, const Workers& workers) {
  const Index r = X.cols;
  const Chunks chunks(X.rows, 512, 32);
  std::vector<Matrix<T>> parts(static_cast<std::size_t>(chunks.count()));
  workers.pool.for_each_chunk(chunks.count(), static_cast<double>(X.rows * r * r), [&](Index chunk) {
    Matrix<T>& part = parts[static_cast<std::size_t>(chunk)];
    part = Matrix<T>(r, r);
    upper_gram<T>(X.middle_rows(chunks.begin(chunk), chunks.end(chunk)), part.view());
  });
  // The triangle without gaps is half as much for workers to send.
  std::vector<double> upper(static_cast<std::size_t>(r * (r + 1) / 2), 0.0);
  for (const Matrix<T>& part : parts) {
    for_each_upper(r, upper, [&](Index p, Index q, double& sum) { sum += static_cast<double>(part(p, q)); });
  }
  workers.sum(upper);
  Matrix<double> result(r, r);
  for_each_upper(r, upper, [&](Index p, Index q, double sum) { result(p, q) = result(q, p) = sum; });
  return result;
}

template <class T>
double inner_product(ConstMatrixView<T> X, ConstMatrixView<T> Y, const Workers& workers) {
  return sum_rows(X.rows, X.cols, workers, [&](Index i) { return dot(X.cols, X.row(i), Y.row(i)); });
}

template <class T>
double sum_of_entries(ConstMatrixView<T> X, const Workers& workers, std::span<const T> weights) {
  return sum_rows(X.rows, X.cols, workers, [&](Index i) {
    const T* x = X.row(i);
    const double sum = sum_terms(X.cols, [=](Index p) { return static_cast<double>(x[p]); });
    return weights.empty() ? sum : sum * static_cast<double>(weights[static_cast<std::size_t>(i)]);
  });
}

double inner_product(const Matrix<double>& A, const Matrix<double>& B) {
  return dot(A.size(), A.data(), B.data());
}

template Matrix<double> gram(ConstMatrixView<float>, const Workers&);
template Matrix<double> gram(ConstMatrixView<double>, const Workers&);
template double inner_product(ConstMatrixView<float>, ConstMatrixView<float>, const Workers&);
template double inner_product(ConstMatrixView<double>, ConstMatrixView<double>, const Workers&);
template double sum_of_entries(ConstMatrixView<float>, const Workers&, std::span<const float>);
template double sum_of_entries(ConstMatrixView<double>, const Workers&, std::span<const double>);

}  // namespace anmf
