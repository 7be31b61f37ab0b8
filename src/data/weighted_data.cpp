// SPDX-License-Identifier: MIT
#include "data/weighted_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "data/fingerprint.h"

namespace anmf {
namespace {

std::size_t index(Side side) { return side == Side::W ? 0 : 1; }
std::size_t nth(Index i) { return static_cast<std::size_t>(i); }

template <class T>
std::span<const T> part_of(const std::vector<T>& all, RowRange range) {
  return all.empty() ? std::span<const T>()
                     : std::span<const T>(all).subspan(nth(range.begin), nth(range.count));
}

/// What the entries of a line that count make, for every row of a block of M: visit(row, column, x, weight),
/// all weights but zero, zeros of sparse rows left out.
template <class T, class Visit>
void for_each_observation(const EntryBlock<T>& block, const Visit& visit) {
  const EntryWeights<T>& weights = block.weights;
  const auto of = [](std::span<const T> line_weights, Index i) {
    return line_weights.empty() ? 1.0 : static_cast<double>(line_weights[nth(i)]);
  };
  const auto show = [&](Index line, Index position, double x, double own) {
    const bool by_rows = block.layout == Layout::row_major;
    const Index i = by_rows ? line : position;
    const Index j = by_rows ? position : line;
    const double weight = own * of(weights.of_rows, i) * of(weights.of_columns, j);
    if (weight > 0) visit(block.rows.begin + i, block.columns.begin + j, x / block.divisor, weight);
  };
  std::visit(
      [&]<class Lines>(const Lines& lines) {
        if constexpr (std::is_same_v<Lines, SparseLines<T>>) {
          for (Index line = 0; line < lines.lines(); ++line) {
            for (Index k = lines.offsets[nth(line)]; k < lines.offsets[nth(line) + 1]; ++k) {
              show(line, Index{lines.indices[nth(k)]}, static_cast<double>(lines.values[nth(k)]),
                   weights.of_stored.empty() ? 1.0 : static_cast<double>(weights.of_stored[nth(k)]));
            }
          }
        } else {
          for (Index line = 0; line < lines.rows; ++line) {
            for (Index k = 0; k < lines.cols; ++k) {
              const auto x = static_cast<double>(lines(line, k));
              if (std::isnan(x)) continue;
              const bool same = weights.own_layout == block.layout;
              const double own = weights.counted != Counted::each ? 1.0
                                 : same                           ? static_cast<double>(weights.own(line, k))
                                                                  : static_cast<double>(weights.own(k, line));
              show(line, k, x, own);
            }
          }
        }
      },
      block.lines);
}

/// Lines that count, of so many.
template <class T>
Index counting(const std::vector<T>& weights, Index lines) {
  return weights.empty() ? lines : lines - std::count(weights.begin(), weights.end(), T{0});
}

}  // namespace

template <class T>
WeightedData<T>::WeightedData(std::unique_ptr<Data<T>> base, Parts parts, Reducer* reducer)
    : ForwardingData<T>(*base), base_(std::move(base)), parts_(std::move(parts)) {
  // Rows and columns: how many entries of them count.
  std::array<std::vector<Index>, 2> seen = {std::vector<Index>(nth(this->rows()), 0),
                                            std::vector<Index>(nth(this->cols()), 0)};
  const bool zeros_count = parts_.counted == Counted::all || parts_.counted == Counted::all_but;
  double squares = 0;
  std::array<std::vector<char>, 2> used = {std::vector<char>(nth(this->rows()), 0),
                                           std::vector<char>(nth(this->cols()), 0)};
  const double scale = base_->norm() > 0 ? base_->norm() : 1;
  for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    for_each_observation(block, [&](Index i, Index j, double x, double weight) {
      squares += weight * (x / scale) * (x / scale);
      ++seen[0][nth(i)];
      ++seen[1][nth(j)];
      if (x != 0) used[0][nth(i)] = used[1][nth(j)] = 1;
    });
  });
  if (reducer != nullptr) {
    reducer->sum({&squares, 1});
    for (std::vector<char>& lines : used) {
      std::vector<double> anywhere(lines.begin(), lines.end());
      reducer->max(anywhere);
      std::copy(anywhere.begin(), anywhere.end(), lines.begin());
    }
  }
  norm_ = scale * std::sqrt(squares);
  if (zeros_count) {
    const Index rows = counting(parts_.rows, this->rows());
    const Index cols = counting(parts_.columns, this->cols());
    const auto count_lines = [&](Side side, const std::vector<T>& own, const std::vector<T>& others,
                                 Index all) {
      for (std::size_t i = 0; i < seen[index(side)].size(); ++i) {
        Index& count = seen[index(side)][i];
        count = !own.empty() && own[i] == T{0} ? 0 : all;
        if (parts_.counted != Counted::all_but || count == 0) continue;
        for (const std::uint32_t j : parts_.missing[index(side)].view().row(static_cast<Index>(i))) {
          if (others.empty() || others[j] > T{0}) --count;
        }
      }
    };
    count_lines(Side::W, parts_.rows, parts_.columns, cols);
    count_lines(Side::H, parts_.columns, parts_.rows, rows);
  }
  for (const Index count : seen[0]) observed_ += static_cast<double>(count);
  for (const Side side : {Side::W, Side::H}) {
    const std::size_t s = index(side);
    // What lines hold that do not count is not known.
    const std::vector<T>& own = side == Side::W ? parts_.rows : parts_.columns;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] == T{0}) used[s][i] = 1;
    }
    empty_[s] = std::count(used[s].begin(), used[s].end(), char{0});
    for (std::size_t i = 0; i < seen[s].size(); ++i) {
      if (seen[s][i] == 0) unobserved_[s].push_back(static_cast<Index>(i));
    }
  }
}

template <class T>
void WeightedData<T>::for_each_block(Side side, const EntryVisitor<T>& visit) const {
  base_->for_each_block(side, [&](EntryBlock<T> block) {
    EntryWeights<T>& weights = block.weights;
    weights.counted = parts_.counted;
    weights.of_rows = part_of(side == Side::W ? parts_.rows : parts_.columns, block.rows);
    weights.of_columns = part_of(side == Side::W ? parts_.columns : parts_.rows, block.columns);
    weights.of_stored = parts_.of_stored[index(side)];
    if (parts_.counted == Counted::all_but) {
      weights.missing = parts_.missing[index(side)].view();
      weights.missing.offsets =
          weights.missing.offsets.subspan(nth(block.rows.begin), nth(block.rows.count) + 1);
    }
    if (parts_.counted == Counted::each) {
      weights.own = parts_.own.view();
      weights.own_layout = side == Side::W ? Layout::row_major : Layout::column_major;
    }
    visit(block);
  });
}

/// Weights are a second and further matrices beside M, of which a fingerprint tells places and numbers.
template <class T>
std::optional<Fingerprint> WeightedData<T>::fingerprint(ThreadPool& pool) const {
  std::optional<Fingerprint> sum = base_->fingerprint(pool);
  if (!sum) return sum;
  const Index m = this->rows();
  const Index n = this->cols();
  const auto add = [&](const EntryLines<T>& lines, Index rows, Index cols, Index move_rows, Index move_cols) {
    *sum += block_fingerprint(EntryBlock<T>{.rows = {0, rows}, .columns = {0, cols}, .lines = lines}, pool)
                .moved(move_rows, move_cols);
  };
  const T kind = static_cast<T>(1 + static_cast<int>(parts_.counted));
  add(ConstMatrixView<T>(&kind, 1, 1), 1, 1, m, n);
  if (!parts_.rows.empty()) add(ConstMatrixView<T>(parts_.rows.data(), m, 1), m, 1, 0, n);
  if (!parts_.columns.empty()) add(ConstMatrixView<T>(parts_.columns.data(), 1, n), 1, n, m, 0);
  if (parts_.counted == Counted::each) add(parts_.own.view(), m, n, m + 1, n + 1);
  if (parts_.counted == Counted::all_but) {
    const Places& places = parts_.missing[0];
    const std::vector<T> ones(places.indices.size(), T{1});
    SparseLines<T> lines;
    lines.width = n;
    lines.offsets = places.offsets;
    lines.indices = places.indices;
    lines.values = ones;
    add(lines, m, n, m + 1, n + 1);
  }
  if (!parts_.of_stored[0].empty()) {
    base_->for_each_block(Side::W, [&](const EntryBlock<T>& block) {
      auto lines = std::get<SparseLines<T>>(block.lines);
      lines.values = parts_.of_stored[0];
      add(lines, m, n, m + 1, n + 1);
    });
  }
  return sum;
}

template class WeightedData<float>;
template class WeightedData<double>;

}  // namespace anmf
