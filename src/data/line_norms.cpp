// SPDX-License-Identifier: MIT
#include "data/line_norms.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

#include "anmf/shares.h"
#include "core/sums.h"
#include "data/scale.h"

namespace anmf {
namespace {

/// The place of every sum, for blocks whose lines are the rows, and for those whose positions are.
struct Sums {
  double* first;
  Layout layout;

  [[nodiscard]] double& at(Index line, Index position) const {
    return first[layout == Layout::row_major ? line : position];
  }
};

template <class S>
void add_squares(ConstMatrixView<S> lines, double scale, const Sums& sums) {
  for (Index i = 0; i < lines.rows; ++i) {
    for (Index j = 0; j < lines.cols; ++j) {
      const double x = static_cast<double>(lines(i, j)) / scale;
      sums.at(i, j) += x * x;
    }
  }
}

template <class T>
void add_squares(const SparseLines<T>& lines, double scale, const Sums& sums) {
  for (Index i = 0; i < lines.lines(); ++i) {
    const Index begin = lines.offsets[static_cast<std::size_t>(i)];
    const Index count = lines.offsets[static_cast<std::size_t>(i) + 1] - begin;
    const T* values = lines.values.data() + begin;
    const auto square = [=](Index k) {
      const double x = static_cast<double>(values[k]) / scale;
      return x * x;
    };
    if (sums.layout == Layout::row_major) {
      sums.first[i] += sum_terms(count, square);
      continue;
    }
    const std::uint32_t* positions = lines.indices.data() + begin;
    for (Index k = 0; k < count; ++k) sums.first[positions[k]] += square(k);
  }
}

}  // namespace

template <class T>
std::vector<double> line_squares(const Data<T>& data, Side side, double scale) {
  std::vector<double> squares(static_cast<std::size_t>(side == Side::W ? data.rows() : data.cols()), 0.0);
  data.for_each_block(side, [&](const EntryBlock<T>& block) {
    const Sums sums = {squares.data() + block.rows.begin, block.layout};
    std::visit([&](const auto& lines) { add_squares(lines, scale * block.divisor, sums); }, block.lines);
  });
  return squares;
}

std::vector<double> norms_of(std::vector<double> squares, double scale) {
  for (double& x : squares) x = scale * std::sqrt(x);
  return squares;
}

template <class T>
std::vector<double> joined_line_norms(const Data<T>& data, Side side,
                                      const std::function<void(std::span<double>)>& sum) {
  const double scale = safe_scale<double>(data.norm());
  std::vector<double> squares = line_squares(data, side, scale);
  sum(squares);
  return norms_of(std::move(squares), scale);
}

template std::vector<double> joined_line_norms(const Data<float>&, Side,
                                               const std::function<void(std::span<double>)>&);
template std::vector<double> joined_line_norms(const Data<double>&, Side,
                                               const std::function<void(std::span<double>)>&);
template std::vector<double> line_squares(const Data<float>&, Side, double);
template std::vector<double> line_squares(const Data<double>&, Side, double);

}  // namespace anmf
