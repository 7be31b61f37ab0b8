// SPDX-License-Identifier: MIT
// The singular value decomposition by one-sided Jacobi rotations, a test oracle in plain loops: pairs of
// columns of A (m x n, m >= n, else A') are turned until all are orthogonal; their lengths are the singular
// values.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::test {

inline Eigen::MatrixXd to_eigen(const Matrix<double>& M) {
  Eigen::MatrixXd result(M.rows(), M.cols());
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) result(i, j) = M(i, j);
  }
  return result;
}

/// A = U diag(s) V', U m x k, V n x k, k = min(m, n), s descending. Where s is zero, the vectors of the
/// longer side are zero too.
struct NaiveSvd {
  Eigen::MatrixXd U;
  Eigen::VectorXd s;
  Eigen::MatrixXd V;
};

inline NaiveSvd naive_svd(const Eigen::MatrixXd& A) {
  if (A.rows() < A.cols()) {
    NaiveSvd flipped = naive_svd(A.transpose());
    std::swap(flipped.U, flipped.V);
    return flipped;
  }
  const Index n = A.cols();
  Eigen::MatrixXd B = A;  // A V
  Eigen::MatrixXd V = Eigen::MatrixXd::Identity(n, n);
  // Over the bare numbers: Eigen's operators cost many times as much where nothing is optimised.
  const auto rotate = [](Eigen::MatrixXd& X, Index p, Index q, double cosine, double sine) {
    double* const first = X.col(p).data();
    double* const second = X.col(q).data();
    const Index rows = X.rows();
    for (Index i = 0; i < rows; ++i) {
      const double x = first[i];
      const double y = second[i];
      first[i] = cosine * x - sine * y;
      second[i] = sine * x + cosine * y;
    }
  };
  const auto dot = [](const Eigen::MatrixXd& X, Index p, Index q) {
    const double* const first = X.col(p).data();
    const double* const second = X.col(q).data();
    const Index rows = X.rows();
    double sum = 0;
    for (Index i = 0; i < rows; ++i) sum += first[i] * second[i];
    return sum;
  };
  const double negligible = std::pow(std::numeric_limits<double>::epsilon() * A.norm(), 2);
  bool turned = true;
  for (int sweep = 0; turned && sweep < 50; ++sweep) {
    turned = false;
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        const double a = dot(B, p, p);
        const double b = dot(B, q, q);
        const double c = dot(B, p, q);
        if (std::abs(c) <= 1e-14 * std::sqrt(a * b) || std::min(a, b) <= negligible) continue;
        const double zeta = (b - a) / (2 * c);
        const double tangent = std::copysign(1, zeta) / (std::abs(zeta) + std::hypot(1, zeta));
        const double cosine = 1 / std::hypot(1, tangent);
        rotate(B, p, q, cosine, cosine * tangent);
        rotate(V, p, q, cosine, cosine * tangent);
        turned = true;
      }
    }
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index p, Index q) { return B.col(p).norm() > B.col(q).norm(); });
  NaiveSvd result{
      .U = Eigen::MatrixXd::Zero(A.rows(), n), .s = Eigen::VectorXd(n), .V = Eigen::MatrixXd(n, n)};
  for (Index k = 0; k < n; ++k) {
    const Index from = order[static_cast<std::size_t>(k)];
    result.s[k] = B.col(from).norm();
    if (result.s[k] > 0) result.U.col(k) = B.col(from) / result.s[k];
    result.V.col(k) = V.col(from);
  }
  return result;
}

}  // namespace anmf::test
