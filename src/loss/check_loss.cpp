// SPDX-License-Identifier: MIT
#include "loss/check_loss.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "anmf/error.h"
#include "anmf/options.h"
#include "data/entry_rows.h"

namespace anmf {
namespace {

struct Place {
  Index row = 0;
  Index column = 0;
};

/// The one of the lowest row that a worker has found, and there of the lowest column.
std::optional<Place> first_of_all(const std::optional<Place>& mine, Reducer& reducer) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::array<double, 1> row = {mine ? -static_cast<double>(mine->row) : kNone};
  const double my_row = row[0];
  reducer.max(row);
  std::array<double, 1> column = {mine && my_row == row[0] ? -static_cast<double>(mine->column) : kNone};
  reducer.max(column);
  if (row[0] == kNone) return std::nullopt;
  return Place{static_cast<Index>(-row[0]), static_cast<Index>(-column[0])};
}

/// The first row of a block that has a zero which counts, where not all entries count.
template <class T>
std::optional<Place> first_counted_zero(const EntryBlock<T>& block) {
  Matrix<T> entries(1, block.columns.count);
  Matrix<T> weights(1, block.columns.count);
  for (Index i = 0; i < block.rows.count; ++i) {
    load_rows(block, i, i + 1, entries.view());
    load_weights(block, i, i + 1, weights.view());
    for (Index j = 0; j < entries.cols(); ++j) {
      if (entries(0, j) == T{0} && weights(0, j) > T{0})
        return Place{block.rows.begin + i, block.columns.begin + j};
    }
  }
  return std::nullopt;
}

/// The first entry of M, row by row or column by column as they are stored, that is zero and counts; of
/// workers who share M the same one on all.
template <class T>
std::optional<Place> first_zero(const Data<T>& data, Reducer* reducer) {
  std::optional<Place> found;
  const Side side = data.whole_rows(Side::W) ? Side::W : Side::H;
  data.for_each_block(side, [&](const EntryBlock<T>& block) {
    if (found) return;
    if (block.weights.counted != Counted::all) {
      found = first_counted_zero(block);
      if (found && side == Side::H) std::swap(found->row, found->column);
      return;
    }
    const auto note = [&](Index line, Index position) {
      if (found) return;
      const bool rows = (block.layout == Layout::row_major) == (side == Side::W);
      const bool lines_are_rows = block.layout == Layout::row_major;
      line += (lines_are_rows ? block.rows : block.columns).begin;
      position += (lines_are_rows ? block.columns : block.rows).begin;
      found = rows ? Place{line, position} : Place{position, line};
    };
    std::visit(
        [&]<class Lines>(const Lines& lines) {
          if constexpr (std::is_same_v<Lines, SparseLines<T>>) {
            for (Index line = 0; line < lines.lines() && !found; ++line) {
              Index expected = 0;
              const auto end = lines.offsets[static_cast<std::size_t>(line) + 1];
              for (Index k = lines.offsets[static_cast<std::size_t>(line)]; k < end; ++k, ++expected) {
                if (lines.indices[static_cast<std::size_t>(k)] != expected) break;
              }
              if (expected < lines.width) note(line, expected);
            }
          } else {
            for (Index line = 0; line < lines.rows && !found; ++line) {
              for (Index j = 0; j < lines.cols && !found; ++j) {
                if (lines(line, j) == 0) note(line, j);
              }
            }
          }
        },
        block.lines);
  });
  return reducer == nullptr ? found : first_of_all(found, *reducer);
}

}  // namespace

template <class T>
void check_loss(const Data<T>& data, double beta, Reducer* reducer) {
  const std::string name = loss_name(beta);
  if (!data.nonnegative())
    throw InvalidInput(fmt::format("loss = {} needs entries >= 0, and M has negative ones.", name));
  if (!data.shows_entries()) {
    throw InvalidInput(
        fmt::format("loss = {} looks at the entries of M, which this matrix does not show: it knows products "
                    "only. Choose the loss frobenius.",
                    name));
  }
  if (reducer != nullptr) {
    std::array<double, 1> lacking = {data.shows_owned_rows() ? 0.0 : 1.0};
    reducer->max(lacking);
    if (lacking[0] > 0) {
      throw InvalidInput(fmt::format(
          "loss = {} needs whole rows and whole columns of M on the workers that share it, and this matrix "
          "shows them blocks; share it as mpi::DistributedLines does, or choose the loss frobenius.",
          name));
    }
  }
  if (beta > 0) return;
  if (const std::optional<Place> zero = first_zero(data, reducer)) {
    throw InvalidInput(
        fmt::format("loss = {} is infinite where M is zero, as it is in row {}, column {} (counted from 0); "
                    "add a small number to every entry, or choose a loss with beta > 0.",
                    name, zero->row, zero->column));
  }
}

template void check_loss(const Data<float>&, double, Reducer*);
template void check_loss(const Data<double>&, double, Reducer*);

}  // namespace anmf
