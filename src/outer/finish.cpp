// SPDX-License-Identifier: MIT
#include "outer/finish.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace anmf {
namespace {

/// The norm of column p of a tall factor.
template <class T>
double column_norm(const Matrix<T>& X, Index p, Normalize kind) {
  double sum = 0;
  double max = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    const auto x = static_cast<double>(X(i, p));
    sum += kind == Normalize::l1 ? x : x * x;
    max = std::max(max, x);
  }
  return kind == Normalize::max ? max : kind == Normalize::l1 ? sum : std::sqrt(sum);
}

template <class T>
void divide_column(Matrix<T>& X, Index p, double by) {
  for (Index i = 0; i < X.rows(); ++i) X(i, p) = static_cast<T>(static_cast<double>(X(i, p)) / by);
}

/// Columns in the order of ||w_p|| ||h_p||, the energy of component p, largest first.
template <class T>
void sort_components(Factors<T>& factors) {
  const Index r = factors.W.cols();
  std::vector<double> energy(static_cast<std::size_t>(r));
  for (Index p = 0; p < r; ++p) {
    energy[static_cast<std::size_t>(p)] =
        column_norm(factors.W, p, Normalize::l2) * column_norm(factors.Ht, p, Normalize::l2);
  }
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
void normalize(Factors<T>& factors, Normalize kind, std::vector<double>& scale) {
  for (Index p = 0; p < factors.W.cols(); ++p) {
    double& s = scale[static_cast<std::size_t>(p)];
    for (Matrix<T>* X : {&factors.W, &factors.Ht}) {
      const double norm = column_norm(*X, p, kind);
      s *= norm;
      if (norm > 0) divide_column(*X, p, norm);
    }
  }
}

}  // namespace

template <class T>
void finish(Factors<T> factors, double scale, const Options& options, Result<T>& result) {
  if (options.sort_components) sort_components(factors);
  result.scale.assign(static_cast<std::size_t>(factors.W.cols()), 1.0);
  if (options.normalize != Normalize::none) {
    normalize(factors, options.normalize, result.scale);
    for (double& s : result.scale) s *= scale;
  } else if (scale != 1) {
    // A root of a power of four: exact.
    for (Matrix<T>* X : {&factors.W, &factors.Ht}) {
      for (T& x : X->values()) x = static_cast<T>(static_cast<double>(x) * std::sqrt(scale));
    }
  }
  result.W = std::move(factors.W);
  result.H = transposed(factors.Ht);
}

template void finish(Factors<float>, double, const Options&, Result<float>&);
template void finish(Factors<double>, double, const Options&, Result<double>&);

}  // namespace anmf
