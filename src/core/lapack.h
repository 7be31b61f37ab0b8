// SPDX-License-Identifier: MIT
// Dense decompositions by the LAPACK that OpenBLAS brings: much quicker to compile than Eigen's templates.
// Like products, they use one thread while a ThreadPool lives. Sizes fit LAPACK's 32-bit integers.
#pragma once

#include <Eigen/Core>

namespace anmf::lapack {

/// A = U diag(s) V', with k = min(m, n): A m x n, U m x k, V n x k, s descending.
struct Svd {
  Eigen::MatrixXd U;
  Eigen::VectorXd s;
  Eigen::MatrixXd V;
};
[[nodiscard]] Svd svd(Eigen::MatrixXd A);

/// A = V diag(values) V' for a symmetric A (n x n), of which the upper triangle is read; values ascending.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(Eigen::MatrixXd A);
/// Without V, in about a tenth of the time.
[[nodiscard]] Eigen::VectorXd symmetric_eigenvalues(Eigen::MatrixXd A);

/// A = Q R by Householder reflections: A m x n, Q m x m, R n x n, m >= n.
class Qr {
 public:
  explicit Qr(Eigen::MatrixXd A);
  [[nodiscard]] Eigen::MatrixXd R() const;
  /// Q X for an X of m rows.
  [[nodiscard]] Eigen::MatrixXd q_times(Eigen::MatrixXd X) const;

 private:
  Eigen::MatrixXd reflections_;  // below the diagonal; R on and above it
  Eigen::VectorXd scales_;
};

}  // namespace anmf::lapack
