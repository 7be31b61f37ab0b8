// SPDX-License-Identifier: MIT
#include "kernels/orthonormal.h"

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/gram.h"
#include "kernels/tall_products.h"

namespace anmf {
namespace {

// A column is dropped when the squared length of its new part is below this share of the longest column's:
// the Gram matrix is known to about 1e-15 of that, and a part known to three digits is worth normalising.
constexpr double kDependent = 1e-12;

struct PivotedCholesky {
  std::vector<Index> kept;  // columns in the order of their pivots
  Eigen::MatrixXd R;        // k x k, upper triangular: R'R is the Gram matrix of the kept columns
};

/// Takes the column with the largest remaining part first. Row k of `rows` is row k of R, for all columns.
PivotedCholesky pivoted_cholesky(const Matrix<double>& G) {
  const Index l = G.rows();
  Eigen::VectorXd remaining(l);
  for (Index p = 0; p < l; ++p) remaining[p] = G(p, p);
  const double longest = l > 0 ? remaining.maxCoeff() : 0;
  Eigen::MatrixXd rows(l, l);
  std::vector<Index> kept;
  while (std::cmp_less(kept.size(), l)) {
    Index pivot = 0;
    const double squared = remaining.maxCoeff(&pivot);
    if (!(squared > kDependent * longest)) break;
    const auto k = static_cast<Index>(kept.size());
    for (Index q = 0; q < l; ++q) rows(k, q) = G(pivot, q);
    rows.row(k) -= rows.col(pivot).head(k).transpose() * rows.topRows(k);
    rows.row(k) /= std::sqrt(squared);
    remaining -= rows.row(k).transpose().cwiseAbs2();
    remaining[pivot] = 0;
    for (const Index q : kept) rows(k, q) = 0;
    kept.push_back(pivot);
  }
  const auto rank = static_cast<Index>(kept.size());
  return {.kept = kept, .R = rows.topRows(rank)(Eigen::all, kept)};
}

}  // namespace

Matrix<double> nearly_orthonormal(const Matrix<double>& Y, const Workers& workers) {
  const PivotedCholesky cholesky = pivoted_cholesky(gram<double>(Y.view(), workers));
  const auto k = static_cast<Index>(cholesky.kept.size());
  const Eigen::MatrixXd inverse =
      cholesky.R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(k, k));
  Matrix<double> T(Y.cols(), k);  // R^-1 in the rows of the kept columns
  for (Index p = 0; p < k; ++p) {
    for (Index q = 0; q < k; ++q) T(cholesky.kept[static_cast<std::size_t>(p)], q) = inverse(p, q);
  }
  Matrix<double> Q(Y.rows(), k);
  multiply_small<double>(Y.view(), T.view(), Q.view(), workers.pool);
  return Q;
}

Matrix<double> orthonormal(const Matrix<double>& Y, const Workers& workers) {
  return nearly_orthonormal(nearly_orthonormal(Y, workers), workers);
}

}  // namespace anmf
