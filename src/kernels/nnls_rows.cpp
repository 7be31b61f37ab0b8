// SPDX-License-Identifier: MIT
#include "kernels/nnls_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/chunks.h"

namespace anmf {
namespace {

/// Large ones, so that rows with equal passive sets meet and share a factorization.
Chunks solver_chunks(Index rows) { return {rows, 256, 1024}; }

template <class T>
Matrix<double> to_double(ConstMatrixView<T> a) {
  Matrix<double> result(a.rows, a.cols);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index p = 0; p < a.cols; ++p) result(i, p) = static_cast<double>(a(i, p));
  }
  return result;
}

}  // namespace

template <class T>
NnlsRowsReport solve_rows(const NnlsSolver& solver, ConstMatrixView<T> C, std::span<const double> linear,
                          MatrixView<T> X, const Workers& workers, std::span<const double> anchor) {
  const Chunks chunks = solver_chunks(X.rows);
  PartialSums<2> sums(chunks.count());
  const auto rough_flops = static_cast<double>(X.rows * X.cols * X.cols * X.cols);
  const auto look = [&pool = workers.pool] { pool.look(); };
  workers.pool.for_each_chunk(chunks.count(), rough_flops, [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Index end = chunks.end(chunk);
    const MatrixView<T> rows = X.middle_rows(begin, end);
    Matrix<double> cross = to_double<T>(C.middle_rows(begin, end));
    Matrix<double> solution = to_double<T>(rows);
    for (Index i = 0; i < cross.rows() && !linear.empty(); ++i) {
      for (Index p = 0; p < cross.cols(); ++p) cross(i, p) -= linear[static_cast<std::size_t>(p)];
    }
    for (Index i = 0; i < cross.rows() && !anchor.empty(); ++i) {
      for (Index p = 0; p < cross.cols(); ++p)
        cross(i, p) += anchor[static_cast<std::size_t>(p)] * solution(i, p);
    }
    sums.at(chunk)[1] = solver.solve(std::as_const(cross).view(), solution.view(), look).flops;
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index p = 0; p < rows.cols; ++p) {
        const auto updated = static_cast<T>(solution(i, p));
        const double step = static_cast<double>(updated) - static_cast<double>(rows(i, p));
        sums.at(chunk)[0] += step * step;
        rows(i, p) = updated;
      }
    }
  });
  std::vector<double> total = sums.total();
  workers.sum(total);
  return {.squared_step = total[0], .flops = total[1]};
}

double solve_rows_bytes(Index rows, Index rank, int threads) {
  // A chunk of rows as they come, as the solver keeps them, and as a group of equal passive sets; the Gram
  // matrix with a selection of its rows and columns and their decomposition.
  const Index of_a_chunk = 8 * solver_chunks(rows).largest() * rank + 4 * rank * rank;
  return sizeof(double) * static_cast<double>(threads) * static_cast<double>(of_a_chunk);
}

template <class T>
double kkt_residual(ConstMatrixView<double> G, ConstMatrixView<T> C, ConstMatrixView<double> gradient,
                    ConstMatrixView<T> X) {
  double worst = 0;
  for (Index i = 0; i < X.rows; ++i) {
    double largest = 0;
    double violation = 0;
    for (Index p = 0; p < X.cols; ++p) {
      const double s = std::sqrt(G(p, p));
      if (s == 0) continue;  // the objective does not depend on this variable
      largest = std::max(largest, std::abs(static_cast<double>(C(i, p))) / s);
      violation =
          std::max(violation, std::abs(std::min(s * static_cast<double>(X(i, p)), gradient(i, p) / s)));
    }
    if (violation > 0) worst = std::max(worst, violation / largest);
  }
  return worst;
}

template NnlsRowsReport solve_rows(const NnlsSolver&, ConstMatrixView<float>, std::span<const double>,
                                   MatrixView<float>, const Workers&, std::span<const double>);
template NnlsRowsReport solve_rows(const NnlsSolver&, ConstMatrixView<double>, std::span<const double>,
                                   MatrixView<double>, const Workers&, std::span<const double>);
template double kkt_residual(ConstMatrixView<double>, ConstMatrixView<float>, ConstMatrixView<double>,
                             ConstMatrixView<float>);
template double kkt_residual(ConstMatrixView<double>, ConstMatrixView<double>, ConstMatrixView<double>,
                             ConstMatrixView<double>);

}  // namespace anmf
