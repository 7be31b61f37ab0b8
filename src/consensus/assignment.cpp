// SPDX-License-Identifier: MIT
// The Hungarian method by shortest paths, k^3 steps for k x k costs. Potentials u, v keep all reduced costs
// c_ij - u_i - v_j >= 0, and 0 where row i has column j. Every row in turn looks for the shortest path, by
// reduced costs, to a column that is free: rows along the path hand their columns on.
#include "consensus/assignment.h"

#include <cstddef>
#include <limits>

namespace anmf {
namespace {

constexpr Index kNobody = -1;

/// Rows and columns in pairs, and the potentials that prove that they are the cheapest.
class Assignment {
 public:
  explicit Assignment(ConstMatrixView<double> costs)
      : costs_(costs),
        size_(static_cast<std::size_t>(costs.rows)),
        row_price_(size_, 0.0),
        column_price_(size_, 0.0),
        row_of_(size_, kNobody),
        distance_(size_),
        before_(size_),
        reached_(size_) {}

  void add(Index row) {
    distance_.assign(size_, std::numeric_limits<double>::infinity());
    before_.assign(size_, kNobody);
    reached_.assign(size_, false);
    Index column = kNobody;  // the end of the shortest path so far, and the row that has it
    Index owner = row;
    double length = 0;
    do {
      column = extend(column, owner, length);
      length = distance_[at(column)];
      reached_[at(column)] = true;
      owner = row_of_[at(column)];
    } while (owner != kNobody);
    change_prices(row, length);
    for (; column != kNobody; column = before_[at(column)]) {
      const Index previous = before_[at(column)];
      row_of_[at(column)] = previous == kNobody ? row : row_of_[at(previous)];
    }
  }

  [[nodiscard]] std::vector<Index> columns() const {
    std::vector<Index> result(size_);
    for (std::size_t j = 0; j < size_; ++j) result[at(row_of_[j])] = static_cast<Index>(j);
    return result;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  /// Looks on from a column that was reached, by the row that has it; the nearest column not reached yet.
  Index extend(Index column, Index row, double length) {
    Index nearest = kNobody;
    for (std::size_t j = 0; j < size_; ++j) {
      if (reached_[j]) continue;
      const double reduced = costs_(row, static_cast<Index>(j)) - row_price_[at(row)] - column_price_[j];
      if (length + reduced < distance_[j]) {
        distance_[j] = length + reduced;
        before_[j] = column;
      }
      if (nearest == kNobody || distance_[j] < distance_[at(nearest)]) nearest = static_cast<Index>(j);
    }
    return nearest;
  }

  void change_prices(Index row, double length) {
    row_price_[at(row)] += length;
    for (std::size_t j = 0; j < size_; ++j) {
      if (!reached_[j]) continue;
      const double nearer = length - distance_[j];
      column_price_[j] -= nearer;
      if (row_of_[j] != kNobody) row_price_[at(row_of_[j])] += nearer;
    }
  }

  ConstMatrixView<double> costs_;
  std::size_t size_;
  std::vector<double> row_price_;
  std::vector<double> column_price_;
  std::vector<Index> row_of_;     // of a column
  std::vector<double> distance_;  // of a column from the row that is added
  std::vector<Index> before_;     // the column before it on the path
  std::vector<bool> reached_;
};

}  // namespace

std::vector<Index> least_assignment(ConstMatrixView<double> costs) {
  Assignment assignment(costs);
  for (Index row = 0; row < costs.rows; ++row) assignment.add(row);
  return assignment.columns();
}

}  // namespace anmf
