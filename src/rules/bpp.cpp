// SPDX-License-Identifier: MIT
// The exact half-step of ANLS: every row of X (N x r) becomes the solution of its nonnegative least
// squares problem with G (r x r) and its row of C (N x r), in double whatever T is.
//
// G and C come in T. In float their rounding can turn nearly dependent columns into directions that promise
// any decrease and give none; 1/2 kAnchor (x - x_old)' diag(G) (x - x_old) keeps steps along them short. A
// solution of the alternation is one with it or without.
#include <type_traits>
#include <vector>

#include "kernels/nnls_rows.h"
#include "kernels/panels.h"
#include "rules/update_rule.h"

namespace anmf {
namespace {

template <class T>
constexpr double kAnchor = std::is_same_v<T, float> ? 1e-6 : 0;

template <class T>
class BlockPrincipalPivoting final : public UpdateRule<T> {
 public:
  SweepReport sweep(const HalfStep<T>& half, MatrixView<T> X) override {
    Matrix<double> gram(half.gram.rows, half.gram.cols);
    for (Index p = 0; p < gram.rows(); ++p) {
      for (Index q = 0; q < gram.cols(); ++q) gram(p, q) = static_cast<double>(half.gram(p, q));
    }
    std::vector<double> anchor;
    for (Index p = 0; p < gram.rows() && kAnchor<T> > 0; ++p) {
      anchor.push_back(kAnchor<T> * gram(p, p));
      gram(p, p) += anchor.back();
    }
    const NnlsSolver solver(gram.view(), kTinyDiagonal<T>);
    const std::vector<double> linear(half.linear.begin(), half.linear.end());
    const NnlsRowsReport report = solve_rows<T>(solver, half.cross, linear, X, half.workers, anchor);
    return {.squared_step = report.squared_step, .flops = report.flops};
  }

  [[nodiscard]] double bytes(const SweepSizes& sizes) const override {
    return solve_rows_bytes(sizes.rows, sizes.rank, sizes.threads);
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
