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
Range<T> find_range(const Data<T>& M, const RangeSearch& how, const Workers& workers) {
  ThreadPool& pool = workers.pool;
  const Index width = std::min({how.width, M.rows(), M.cols()});
  const Side near = M.rows() <= M.cols() ? Side::W : Side::H;
  const Side far = other(near);
  // ||M - M^|| where M^ is M projected on a basis whose product with M is X.
  const auto distance = [&](const Matrix<T>& X) {
    return std::sqrt(std::max(0.0, M.norm() * M.norm() - inner_product<T>(X.view(), X.view(), workers)));
  };

  Range<T> range{.side = near};
  const auto given_up = [&] { return range.given_up = how.give_up && how.give_up(); };

  // Uniform on [-1, 1): as good a sketch as normal numbers, and the same bits on every platform.
  Matrix<T> Y = drawn_matrix<T>(M.owned(far), width, pool,
                                [&](Index k) { return 2 * uniform(how.seed, how.stream, k) - 1; });
  Y = product_with(M, near, Y, pool);
  if (given_up()) return range;
  range.Q = converted<T>(orthonormal(converted<double>(std::move(Y)), workers));
  range.B = product_with(M, far, range.Q, pool);
  while (range.power_iterations < how.max_power_iterations) {
    if (given_up()) return range;
    ++range.power_iterations;
    Matrix<double> basis = nearly_orthonormal(converted<double>(std::move(range.B)), workers);
    Y = product_with(M, near, converted<T>(std::move(basis)), pool);
    if (given_up()) return range;
    const double halfway = how.small_gain ? distance(Y) : 0;
    range.Q = converted<T>(orthonormal(converted<double>(std::move(Y)), workers));
    range.B = product_with(M, far, range.Q, pool);
    if (how.small_gain && !(distance(range.B) < (1 - *how.small_gain) * halfway)) break;
  }
  return range;
}

template <class T>
double range_bytes(Index rows, Index cols, Index width) {
  const auto near = static_cast<double>(std::min(rows, cols));
  const auto far = static_cast<double>(std::max(rows, cols));
  // Bases are made in double, beside what they are made from: nearly orthonormal ones in one step, others in
  // two. A narrower T has its own copies of both.
  constexpr double kHere = sizeof(T);
  constexpr double kCopies = std::is_same_v<T, double> ? 0 : 2 * kHere;
  const double while_near = near * (3 * sizeof(double) + kCopies + kHere);
  const double while_far = far * (2 * sizeof(double) + kCopies) + near * 2 * kHere;
  return std::max(while_near, while_far) * static_cast<double>(width);
}

template double range_bytes<float>(Index, Index, Index);
template double range_bytes<double>(Index, Index, Index);
template Range<float> find_range(const Data<float>&, const RangeSearch&, const Workers&);
template Range<double> find_range(const Data<double>&, const RangeSearch&, const Workers&);

}  // namespace anmf
