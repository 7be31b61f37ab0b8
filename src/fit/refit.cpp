// SPDX-License-Identifier: MIT
// With X' U and X' 1 from one product, and the sums of squares of the features, the scores need nothing of
// the size of X.
#include "anmf/refit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/nnls.h"
#include "core/lapack.h"
#include "data/forwarding_data.h"
#include "data/line_norms.h"
#include "data/transposed_data.h"

namespace anmf {
namespace {

template <class T>
class RefitData final : public ForwardingData<T> {
 public:
  explicit RefitData(const Data<T>& data) : ForwardingData<T>(data) {}
};

template <class T>
void expect_samples(const Data<T>& X, ConstMatrixView<T> usages) {
  if (X.rows() == usages.rows) return;
  throw InvalidInput(
      fmt::format("The matrix of other measurements has {} samples, and the usages have {}; they "
                  "must be the same ones in the same order.",
                  X.rows(), usages.rows));
}

/// (U'U)^+ with eigenvalues that are nothing but rounding left out.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& gram) {
  const lapack::SymmetricEigen eigen = lapack::symmetric_eigen(gram);
  const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(gram.rows()) *
                       std::max(0.0, eigen.values.maxCoeff());
  Eigen::VectorXd inverse = eigen.values;
  for (double& value : inverse) value = value > least ? 1 / value : 0;
  return eigen.V * inverse.asDiagonal() * eigen.V.transpose();
}

}  // namespace

template <class T>
Matrix<T> refit_spectra(const Data<T>& X, ConstMatrixView<T> usages, int threads) {
  expect_samples(X, usages);
  Matrix<T> shares(usages.cols, usages.rows);  // U' with columns of the sum 1
  for (Index i = 0; i < usages.rows; ++i) {
    double sum = 0;
    for (Index p = 0; p < usages.cols; ++p) sum += static_cast<double>(usages(i, p));
    if (sum == 0) continue;
    for (Index p = 0; p < usages.cols; ++p)
      shares(p, i) = static_cast<T>(static_cast<double>(usages(i, p)) / sum);
  }
  const TransposedData<T> features(std::make_unique<RefitData<T>>(X));
  return transposed(fit_rows<T>(features, std::as_const(shares).view(), {.threads = threads}).X);
}

template <class T>
Matrix<double> spectra_scores(const Data<T>& X, ConstMatrixView<T> usages, int threads) {
  expect_samples(X, usages);
  const Index k = usages.cols;
  Matrix<T> with_ones(usages.rows, k + 1, T{1});
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(k, k);
  Eigen::VectorXd totals = Eigen::VectorXd::Zero(k);
  for (Index i = 0; i < usages.rows; ++i) {
    std::copy_n(usages.row(i), k, with_ones.view().row(i));
    for (Index p = 0; p < k; ++p) {
      totals(p) += static_cast<double>(usages(i, p));
      for (Index q = 0; q < k; ++q)
        gram(p, q) += static_cast<double>(usages(i, p)) * static_cast<double>(usages(i, q));
    }
  }
  Matrix<T> products(X.cols(), k + 1);
  {
    ThreadPool pool(threads);
    X.cross(Side::H, std::as_const(with_ones).view(), products.view(), pool);
  }
  const std::vector<double> squares = line_squares(X, Side::H, 1.0);
  const Eigen::MatrixXd inverse = pseudo_inverse(gram);
  const auto samples = static_cast<double>(X.rows());
  Matrix<double> scores(k, X.cols());
  Eigen::VectorXd centred(k);
  for (Index j = 0; j < X.cols(); ++j) {
    const double mean = static_cast<double>(products(j, k)) / samples;
    const double variance = squares[static_cast<std::size_t>(j)] / samples - mean * mean;
    // Less than rounding leaves of a feature that does not vary.
    if (!(variance > std::numeric_limits<T>::epsilon() * mean * mean)) continue;
    for (Index p = 0; p < k; ++p) centred(p) = static_cast<double>(products(j, p)) - totals(p) * mean;
    const Eigen::VectorXd score = inverse * centred / std::sqrt(variance);
    for (Index p = 0; p < k; ++p) scores(p, j) = score(p);
  }
  return scores;
}

template Matrix<float> refit_spectra(const Data<float>&, ConstMatrixView<float>, int);
template Matrix<double> refit_spectra(const Data<double>&, ConstMatrixView<double>, int);
template Matrix<double> spectra_scores(const Data<float>&, ConstMatrixView<float>, int);
template Matrix<double> spectra_scores(const Data<double>&, ConstMatrixView<double>, int);

}  // namespace anmf
