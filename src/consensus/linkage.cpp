// SPDX-License-Identifier: MIT
// Average linkage of q items by chains of nearest neighbours (Benzecri; Murtagh 1983), q^2 steps: from any
// cluster to its nearest one, and on, until two are nearest to each other, which are joined. The distance of
// a join of x and y to another cluster is the mean over its items,
//   (|x| d_x + |y| d_y) / (|x| + |y|).
// The joins come in another order than by their heights, and are sorted at the end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "anmf/consensus.h"
#include "anmf/error.h"

namespace anmf {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Distances of pairs i < j, in double, row by row.
class PairDistances {
 public:
  explicit PairDistances(const Matrix<float>& full) : count_(full.rows()) {
    pairs_.reserve(at(count_ * (count_ - 1) / 2));
    for (Index i = 0; i < count_; ++i) {
      for (Index j = i + 1; j < count_; ++j) pairs_.push_back(static_cast<double>(full(i, j)));
    }
  }

  [[nodiscard]] double& operator()(Index i, Index j) {
    if (i > j) std::swap(i, j);
    return pairs_[at(i * (2 * count_ - i - 1) / 2 + j - i - 1)];
  }

 private:
  Index count_;
  std::vector<double> pairs_;
};

/// Items and joins are known by the last item that they have, as long as they are not joined themselves.
class NeighbourChains {
 public:
  explicit NeighbourChains(const Matrix<float>& distances)
      : count_(distances.rows()), distances_(distances), sizes_(at(count_), 1) {}

  std::vector<Linkage::Join> joins() {
    std::vector<Linkage::Join> result;
    for (Index step = 1; step < count_; ++step) result.push_back(join(next_pair()));
    return result;
  }

 private:
  struct Pair {
    Index a;
    Index b;
  };

  /// Two clusters that are nearest to each other. Of equally near ones the one before in the chain is taken,
  /// or it would not end, and else the first.
  Pair next_pair() {
    if (chain_.empty()) {
      const auto alive = std::ranges::find_if(sizes_, [](Index size) { return size > 0; });
      chain_.push_back(alive - sizes_.begin());
    }
    while (true) {
      const Index end = chain_.back();
      const Index before = chain_.size() > 1 ? chain_[chain_.size() - 2] : end;
      Index nearest = before;
      double least = before == end ? std::numeric_limits<double>::infinity() : distances_(end, before);
      for (Index i = 0; i < count_; ++i) {
        if (sizes_[at(i)] == 0 || i == end || !(distances_(end, i) < least)) continue;
        least = distances_(end, i);
        nearest = i;
      }
      if (nearest == before) break;
      chain_.push_back(nearest);
    }
    const auto [a, b] = std::minmax(chain_.back(), chain_[chain_.size() - 2]);
    chain_.resize(chain_.size() - 2);
    return {a, b};
  }

  Linkage::Join join(Pair pair) {
    const auto [a, b] = pair;
    const auto size_a = static_cast<double>(sizes_[at(a)]);
    const auto size_b = static_cast<double>(sizes_[at(b)]);
    const Linkage::Join made = {
        .a = a, .b = b, .height = distances_(a, b), .size = sizes_[at(a)] + sizes_[at(b)]};
    sizes_[at(a)] = 0;
    sizes_[at(b)] = made.size;
    for (Index i = 0; i < count_; ++i) {
      if (sizes_[at(i)] == 0 || i == b) continue;
      distances_(i, b) = (size_a * distances_(i, a) + size_b * distances_(i, b)) / (size_a + size_b);
    }
    return made;
  }

  Index count_;
  PairDistances distances_;
  std::vector<Index> sizes_;
  std::vector<Index> chain_;
};

/// Names what was joined by the numbers of the joins, now that these are in order.
void name_clusters(std::vector<Linkage::Join>& joins, Index count) {
  std::vector<Index> parent(at(2 * count - 1));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto top = [&](Index cluster) {
    while (parent[at(cluster)] != cluster) {
      parent[at(cluster)] = parent[at(parent[at(cluster)])];
      cluster = parent[at(cluster)];
    }
    return cluster;
  };
  std::vector<Index> sizes(parent.size(), 1);
  for (std::size_t t = 0; t < joins.size(); ++t) {
    const auto [a, b] = std::minmax({top(joins[t].a), top(joins[t].b)});
    const Index made = count + static_cast<Index>(t);
    parent[at(a)] = parent[at(b)] = made;
    sizes[at(made)] = sizes[at(a)] + sizes[at(b)];
    joins[t] = {.a = a, .b = b, .height = joins[t].height, .size = sizes[at(made)]};
  }
}

std::vector<Index> leaves(const std::vector<Linkage::Join>& joins, Index count) {
  std::vector<Index> order;
  std::vector<Index> todo;
  if (count > 0) todo.push_back(count + std::ssize(joins) - 1);
  while (!todo.empty()) {
    const Index cluster = todo.back();
    todo.pop_back();
    if (cluster < count) {
      order.push_back(cluster);
    } else {
      todo.push_back(joins[at(cluster - count)].b);
      todo.push_back(joins[at(cluster - count)].a);
    }
  }
  return order;
}

/// A number for the distances d and one for the heights h.
struct PairNumbers {
  double d = 0;
  double h = 0;
};

/// visit(d, h) for every pair of samples: d = 1 - C and the height h at which they are joined. The samples of
/// a cluster stand beside each other in the order of the leaves.
template <class Visit>
void for_each_pair(const Matrix<float>& consensus, const Linkage& linkage, const Visit& visit) {
  const auto count = std::ssize(linkage.order);
  std::vector<Index> first(at(count) + linkage.joins.size());
  for (Index place = 0; place < count; ++place) first[at(linkage.order[at(place)])] = place;
  for (std::size_t t = 0; t < linkage.joins.size(); ++t) {
    const Linkage::Join& join = linkage.joins[t];
    const Index begin = first[at(join.a)];
    const Index middle = first[at(join.b)];
    first[at(count) + t] = begin;
    for (Index p = begin; p < middle; ++p) {
      for (Index q = middle; q < begin + join.size; ++q) {
        const float c = consensus(linkage.order[at(p)], linkage.order[at(q)]);
        visit(1 - static_cast<double>(c), join.height);
      }
    }
  }
}

void check_square(std::string_view name, const Matrix<float>& matrix) {
  if (matrix.rows() != matrix.cols()) {
    throw InvalidInput(fmt::format("{} is {} x {}; it must be square.", name, matrix.rows(), matrix.cols()));
  }
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (std::isfinite(matrix(i, j))) continue;
      throw InvalidInput(fmt::format("{}[{}, {}] = {} (row and column counted from 0); it must be finite.",
                                     name, i, j, matrix(i, j)));
    }
  }
}

}  // namespace

Linkage average_linkage(const Matrix<float>& distances) {
  check_square("distances", distances);
  Linkage linkage;
  const Index count = distances.rows();
  if (count == 0) return linkage;
  linkage.joins = NeighbourChains(distances).joins();
  std::ranges::stable_sort(linkage.joins, {}, &Linkage::Join::height);
  name_clusters(linkage.joins, count);
  linkage.order = leaves(linkage.joins, count);
  return linkage;
}

double cophenetic(const Matrix<float>& consensus, const Linkage& linkage) {
  check_square("consensus", consensus);
  if (std::ssize(linkage.order) != consensus.rows()) {
    throw InvalidInput(fmt::format("The linkage is of {} samples, and the consensus of {}.",
                                   linkage.order.size(), consensus.rows()));
  }
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double count = 0;
  PairNumbers mean;
  PairNumbers least = {.d = kInfinite, .h = kInfinite};
  PairNumbers most = {.d = -kInfinite, .h = -kInfinite};
  for_each_pair(consensus, linkage, [&](double d, double h) {
    ++count;
    mean = {.d = mean.d + d, .h = mean.h + h};
    least = {.d = std::min(least.d, d), .h = std::min(least.h, h)};
    most = {.d = std::max(most.d, d), .h = std::max(most.h, h)};
  });
  // By their own values: rounding makes sums of equal ones vary.
  const bool vary = least.d < most.d && least.h < most.h;
  if (!vary) return std::numeric_limits<double>::quiet_NaN();
  mean = {.d = mean.d / count, .h = mean.h / count};
  double dd = 0;
  double hh = 0;
  double dh = 0;
  for_each_pair(consensus, linkage, [&](double d, double h) {
    dd += (d - mean.d) * (d - mean.d);
    hh += (h - mean.h) * (h - mean.h);
    dh += (d - mean.d) * (h - mean.h);
  });
  return dh / std::sqrt(dd * hh);
}

}  // namespace anmf
