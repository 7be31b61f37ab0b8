// SPDX-License-Identifier: MIT
// The exact half-step of ANLS: every row of X (N x r) becomes the solution of its nonnegative least
// squares problem with G (r x r) and its row of C (N x r), in double whatever T is.
#include <vector>

#include "core/chunks.h"
#include "kernels/nnls.h"
#include "kernels/panels.h"
#include "rules/update_rule.h"

namespace anmf {
namespace {

template <class T>
Matrix<double> to_double(ConstMatrixView<T> a, T shift = T{0}) {
  Matrix<double> result(a.rows, a.cols);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index p = 0; p < a.cols; ++p)
      result(i, p) = static_cast<double>(a(i, p)) - static_cast<double>(shift);
  }
  return result;
}

template <class T>
class BlockPrincipalPivoting final : public UpdateRule<T> {
 public:
  [[nodiscard]] bool exact() const override { return true; }
  [[nodiscard]] bool revives_zero_columns() const override { return true; }

  SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) override {
    const NnlsSolver solver(to_double<T>(half.gram).view(), kTinyDiagonal<T>);
    // Large chunks, so that rows with equal passive sets meet and share a factorization.
    const Chunks chunks(X.rows, 256, 1024);
    PartialSums<2> sums(chunks.count());
    const auto rough_flops = static_cast<double>(X.rows * X.cols * X.cols * X.cols);
    half.workers.pool.for_each_chunk(chunks.count(), rough_flops, [&](Index chunk) {
      const Index begin = chunks.begin(chunk);
      const Index end = chunks.end(chunk);
      const MatrixView<T> rows = X.middle_rows(begin, end);
      const Matrix<double> cross = to_double<T>(half.cross.middle_rows(begin, end), half.l1);
      Matrix<double> solution = to_double<T>(rows);
      sums.at(chunk)[1] = solver.solve(cross.view(), solution.view()).flops;
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
    half.workers.sum(total);
    return {.squared_step = total[0], .flops = total[1]};
  }
};

}  // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_bpp() {
  return std::make_unique<BlockPrincipalPivoting<T>>();
}

template std::unique_ptr<UpdateRule<float>> make_bpp();
template std::unique_ptr<UpdateRule<double>> make_bpp();

}  // namespace anmf
