// SPDX-License-Identifier: MIT
#include "data/range_finder.h"

#include <cmath>
#include <utility>

#include "core/drawn_matrix.h"
#include "core/random.h"
#include "kernels/gram.h"
#include "kernels/orthonormal.h"

namespace anmf {

template <class T>
Range<T> find_range(const Data<T>& M, const RangeSearch& how, ThreadPool& pool) {
  const Workers workers{pool};
  const Index width = std::min({how.width, M.rows(), M.cols()});
  const Side near = M.rows() <= M.cols() ? Side::W : Side::H;
  const Side far = other(near);
  // ||M - M^|| where M^ is M projected on a basis whose product with M is X.
  const auto distance = [&](const Matrix<T>& X) {
    return std::sqrt(std::max(0.0, M.norm() * M.norm() - inner_product<T>(X.view(), X.view(), workers)));
  };

  // Uniform on [-1, 1): as good a sketch as normal numbers, and the same bits on every platform.
  Matrix<T> Y = drawn_matrix<T>(far == Side::W ? M.rows() : M.cols(), width, pool,
                                [&](Index k) { return 2 * uniform(how.seed, how.stream, k) - 1; });
  Y = product_with(M, near, Y, pool);
  Range<T> range{.side = near, .Q = converted<T>(orthonormal(converted<double>(std::move(Y)), workers))};
  range.B = product_with(M, far, range.Q, pool);
  while (range.power_iterations < how.max_power_iterations) {
    ++range.power_iterations;
    const Matrix<double> basis = nearly_orthonormal(converted<double>(std::move(range.B)), workers);
    Y = product_with(M, near, converted<T>(basis), pool);
    const double halfway = how.small_gain ? distance(Y) : 0;
    range.Q = converted<T>(orthonormal(converted<double>(std::move(Y)), workers));
    range.B = product_with(M, far, range.Q, pool);
    if (how.small_gain && !(distance(range.B) < (1 - *how.small_gain) * halfway)) break;
  }
  return range;
}

template Range<float> find_range(const Data<float>&, const RangeSearch&, ThreadPool&);
template Range<double> find_range(const Data<double>&, const RangeSearch&, ThreadPool&);

}  // namespace anmf
