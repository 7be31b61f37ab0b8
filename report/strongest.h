// SPDX-License-Identifier: MIT
// Which features make a component: those with the largest entries, or those that are particular to it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "tall_view.h"

namespace anmf::report {

/// The indices of the largest of `count` values that are greater than 0, the largest first, `most` at most.
template <class Value>
[[nodiscard]] std::vector<Index> strongest(Index count, Index most, const Value& value) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min(most, count);
  std::partial_sort(order.begin(), end, order.end(),
                    [&](Index a, Index b) { return value(a) > value(b) || (value(a) == value(b) && a < b); });
  order.erase(std::find_if(order.begin(), end, [&](Index i) { return !(value(i) > 0); }), order.end());
  return order;
}

/// How much a feature tells of a component: p log(p / q), p being its share of the component and q the mean
/// of its shares of all components. A word that is frequent in all of them tells nothing of any.
template <class T>
class Particularity {
 public:
  explicit Particularity(TallView<T> factor)
      : factor_(factor),
        sums_(static_cast<std::size_t>(factor.cols), 0.0),
        means_(static_cast<std::size_t>(factor.rows), 0.0) {
    for (Index p = 0; p < factor.cols; ++p) {
      for (Index i = 0; i < factor.rows; ++i)
        sums_[static_cast<std::size_t>(p)] += static_cast<double>(factor(i, p));
      for (Index i = 0; i < factor.rows; ++i)
        means_[static_cast<std::size_t>(i)] += share(i, p) / static_cast<double>(factor.cols);
    }
  }

  [[nodiscard]] double share(Index i, Index p) const {
    const double sum = sums_[static_cast<std::size_t>(p)];
    return sum > 0 ? static_cast<double>(factor_(i, p)) / sum : 0;
  }
  [[nodiscard]] double operator()(Index i, Index p) const {
    const double part = share(i, p);
    return part > 0 ? part * std::log(part / means_[static_cast<std::size_t>(i)]) : 0;
  }

 private:
  TallView<T> factor_;
  std::vector<double> sums_;
  std::vector<double> means_;
};

}  // namespace anmf::report
