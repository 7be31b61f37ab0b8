// SPDX-License-Identifier: MIT
#include "core/lapack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/blas.h"

// Declared here since not every package of OpenBLAS has headers for LAPACK. Matrices lie by columns; letters
// are followed, at the end, by their lengths, as Fortran compilers pass them.
extern "C" {
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork,
             int* info, std::size_t job_length);
void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* w,
            double* work, const int* lwork, int* info, std::size_t job_length, std::size_t triangle_length);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dormqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
             const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork,
             int* info, std::size_t side_length, std::size_t trans_length);
}

namespace anmf::lapack {
namespace {

int as_int(Index size) { return static_cast<int>(size); }

/// Calls `routine(work, lwork)` as LAPACK wants it: first to ask how much room it needs, then with that room.
/// It returns LAPACK's info.
template <class Routine>
void with_room(const char* name, const Routine& routine) {
  const auto turn = blas::detail::take_turns();
  double wanted = 0;
  int info = routine(&wanted, -1);
  if (info == 0) {
    std::vector<double> work(std::max<std::size_t>(1, static_cast<std::size_t>(wanted)));
    info = routine(work.data(), as_int(static_cast<Index>(work.size())));
  }
  if (info != 0) throw std::runtime_error(fmt::format("LAPACK's {} failed with the code {}.", name, info));
}

/// A gets the eigenvectors if the job is "V", and is lost if it is "N".
Eigen::VectorXd eigenvalues(const char* job, Eigen::MatrixXd& A) {
  const int n = as_int(A.rows());
  Eigen::VectorXd values(n);
  if (n == 0) return values;
  with_room("dsyev", [&](double* work, int room) {
    int info = 0;
    dsyev_(job, "U", &n, A.data(), &n, values.data(), work, &room, &info, 1, 1);
    return info;
  });
  return values;
}

}  // namespace

Svd svd(Eigen::MatrixXd A) {
  const int m = as_int(A.rows());
  const int n = as_int(A.cols());
  const int k = std::min(m, n);
  Svd result{.U = Eigen::MatrixXd(m, k), .s = Eigen::VectorXd(k), .V = {}};
  if (k == 0) {
    result.V.resize(n, 0);
    return result;
  }
  Eigen::MatrixXd Vt(k, n);
  std::vector<int> integers(8 * static_cast<std::size_t>(k));
  with_room("dgesdd", [&](double* work, int room) {
    int info = 0;
    dgesdd_("S", &m, &n, A.data(), &m, result.s.data(), result.U.data(), &m, Vt.data(), &k, work, &room,
            integers.data(), &info, 1);
    return info;
  });
  result.V = Vt.transpose();
  return result;
}

SymmetricEigen symmetric_eigen(Eigen::MatrixXd A) {
  Eigen::VectorXd values = eigenvalues("V", A);
  return {.values = std::move(values), .V = std::move(A)};
}

Eigen::VectorXd symmetric_eigenvalues(Eigen::MatrixXd A) { return eigenvalues("N", A); }

Qr::Qr(Eigen::MatrixXd A) : reflections_(std::move(A)), scales_(reflections_.cols()) {
  const int m = as_int(reflections_.rows());
  const int n = as_int(reflections_.cols());
  with_room("dgeqrf", [&](double* work, int room) {
    int info = 0;
    dgeqrf_(&m, &n, reflections_.data(), &m, scales_.data(), work, &room, &info);
    return info;
  });
}

Eigen::MatrixXd Qr::R() const {
  const Index n = reflections_.cols();
  return reflections_.topRows(n).triangularView<Eigen::Upper>();
}

Eigen::MatrixXd Qr::q_times(Eigen::MatrixXd X) const {
  const int m = as_int(X.rows());
  const int n = as_int(X.cols());
  const int k = as_int(reflections_.cols());
  with_room("dormqr", [&](double* work, int room) {
    int info = 0;
    dormqr_("L", "N", &m, &n, &k, reflections_.data(), &m, scales_.data(), X.data(), &m, work, &room, &info,
            1, 1);
    return info;
  });
  return X;
}

}  // namespace anmf::lapack
