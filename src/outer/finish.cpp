// SPDX-License-Identifier: MIT
#include "outer/finish.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/scale.h"

namespace anmf {
namespace {

/// The norms of the columns of a tall factor, over the rows of all workers.
template <class T>
std::vector<double> column_norms(const Matrix<T>& X, Normalize kind, const Workers& workers) {
  std::vector<double> norms(static_cast<std::size_t>(X.cols()), 0.0);
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index p = 0; p < X.cols(); ++p) {
      const auto x = static_cast<double>(X(i, p));
      double& norm = norms[static_cast<std::size_t>(p)];
      norm = kind == Normalize::max ? std::max(norm, x) : norm + (kind == Normalize::l1 ? x : x * x);
    }
  }
  if (kind == Normalize::max) {
    workers.max(norms);
  } else {
    workers.sum(norms);
  }
  if (kind == Normalize::l2) {
    for (double& norm : norms) norm = std::sqrt(norm);
  }
  return norms;
}

template <class T>
void divide_column(Matrix<T>& X, Index p, double by) {
  for (Index i = 0; i < X.rows(); ++i) X(i, p) = static_cast<T>(static_cast<double>(X(i, p)) / by);
}

/// Columns in the order of ||w_p|| ||h_p||, the energy of component p, largest first.
template <class T>
void sort_components(Factors<T>& factors, const Workers& workers) {
  const Index r = factors.W.cols();
  std::vector<double> energy = column_norms(factors.W, Normalize::l2, workers);
  const std::vector<double> norms_H = column_norms(factors.Ht, Normalize::l2, workers);
  for (std::size_t p = 0; p < energy.size(); ++p) energy[p] *= norms_H[p];
  std::vector<Index> order(energy.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return energy[static_cast<std::size_t>(a)] > energy[static_cast<std::size_t>(b)];
  });
  for (Matrix<T>* X : {&factors.W, &factors.Ht}) {
    Matrix<T> sorted(X->rows(), r);
    for (Index i = 0; i < X->rows(); ++i) {
      for (Index p = 0; p < r; ++p) sorted(i, p) = (*X)(i, order[static_cast<std::size_t>(p)]);
    }
    *X = std::move(sorted);
  }
}

/// Unit columns in both factors; a component that is zero keeps its zeros and gets scale 0.
template <class T>
void normalize(Factors<T>& factors, Normalize kind, std::vector<double>& scale, const Workers& workers) {
  for (Matrix<T>* X : {&factors.W, &factors.Ht}) {
    const std::vector<double> norms = column_norms(*X, kind, workers);
    for (Index p = 0; p < X->cols(); ++p) {
      const double norm = norms[static_cast<std::size_t>(p)];
      scale[static_cast<std::size_t>(p)] *= norm;
      if (norm > 0) divide_column(*X, p, norm);
    }
  }
}

}  // namespace

template <class T>
void finish(Factors<T> factors, double scale, const Options& options, const Workers& workers,
            Result<T>& result) {
  if (options.sort_components) sort_components(factors, workers);
  result.scale.assign(static_cast<std::size_t>(factors.W.cols()), 1.0);
  if (options.normalize != Normalize::none) {
    normalize(factors, options.normalize, result.scale, workers);
    for (double& s : result.scale) s *= scale;
  } else if (scale != 1) {
    // A root of a power of four: exact.
    for (Matrix<T>* X : {&factors.W, &factors.Ht}) multiply(*X, std::sqrt(scale));
  }
  result.W = std::move(factors.W);
  result.H = transposed(factors.Ht);
}

template <class T>
double finish_bytes(Index rows, Index cols, Index rank, const Options& options) {
  // Beside both factors one that is sorted, or H beside its transpose.
  const Index third = options.sort_components ? std::max(rows, cols) : cols;
  return static_cast<double>((rows + cols + third) * rank) * sizeof(T);
}

template double finish_bytes<float>(Index, Index, Index, const Options&);
template double finish_bytes<double>(Index, Index, Index, const Options&);
template void finish(Factors<float>, double, const Options&, const Workers&, Result<float>&);
template void finish(Factors<double>, double, const Options&, const Workers&, Result<double>&);

}  // namespace anmf
