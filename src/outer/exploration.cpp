// SPDX-License-Identifier: MIT
#include "outer/exploration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"

namespace anmf {
namespace {

// A run has settled when its last kWindow iterations lowered the root of the objective by less than this.
constexpr double kSettled = 3e-5;
constexpr std::size_t kWindow = 10;
// Iterations of one attempt: most of what it will reach is visible by then.
constexpr Index kAttempt = 25;
constexpr Index kComponentsPerReplaced = 5;

}  // namespace

bool Exploration::settled() const {
  return recent_.size() > kWindow && recent_.front() - recent_.back() <= kSettled * recent_.back();
}

Exploration::Step Exploration::after(double root) {
  if (left_ > 0) {
    if (--left_ > 0) return Step::go_on;
    if (root < home_) {
      ++successes_;
      failures_ = 0;
      return Step::stay;
    }
    ++failures_;
    return Step::go_home;
  }
  recent_.push_back(root);
  if (recent_.size() > kWindow + 1) recent_.pop_front();
  if (!settled()) return Step::go_on;
  recent_.clear();
  home_ = root;
  left_ = kAttempt;
  ++attempts_;
  return Step::set_out;
}

std::vector<Index> dispensable_components(const Matrix<double>& gram_W, const Matrix<double>& gram_H,
                                          Index skip) {
  const Index r = gram_H.rows();
  std::vector<double> loss(static_cast<std::size_t>(r));
  for (Index p = 0; p < r; ++p) {
    double resemblance = 0;  // the largest squared cosine
    for (Index q = 0; q < r; ++q) {
      const double norms = gram_H(p, p) * gram_H(q, q);
      if (q != p && norms > 0) {
        resemblance = std::max(resemblance, gram_H(p, q) * gram_H(p, q) / norms);
      }
    }
    loss[static_cast<std::size_t>(p)] = gram_W(p, p) * gram_H(p, p) * (1 - resemblance);
  }
  std::vector<Index> order(static_cast<std::size_t>(r));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index p, Index q) {
    return loss[static_cast<std::size_t>(p)] < loss[static_cast<std::size_t>(q)];
  });
  std::rotate(order.begin(), order.begin() + skip % r, order.end());
  order.resize(static_cast<std::size_t>((r + kComponentsPerReplaced - 1) / kComponentsPerReplaced));
  return order;
}

template <class T>
void randomise_column(Matrix<T>& X, Index p, double squared_norm, double lower_bound, std::uint64_t seed,
                      std::uint64_t stream, Index first_row, Index rows_elsewhere) {
  const double top = std::sqrt(3 * squared_norm / static_cast<double>(X.rows() + rows_elsewhere));
  for (Index i = 0; i < X.rows(); ++i) {
    X(i, p) = static_cast<T>(std::max(top * uniform(seed, stream, first_row + i), lower_bound));
  }
}

template void randomise_column(Matrix<float>&, Index, double, double, std::uint64_t, std::uint64_t, Index,
                               Index);
template void randomise_column(Matrix<double>&, Index, double, double, std::uint64_t, std::uint64_t, Index,
                               Index);

}  // namespace anmf
