// SPDX-License-Identifier: MIT
// Weights that come from several places become one, and follow the rows and columns that are chosen.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "anmf/error.h"
#include "anmf/weights.h"
#include "data/entry_rows.h"

namespace anmf {
namespace {

std::size_t nth_place(Index i) { return static_cast<std::size_t>(i); }

void expect_same_size(Index rows, Index cols, Index of_rows, Index of_cols) {
  if (rows == of_rows && cols == of_cols) return;
  throw InvalidInput(
      fmt::format("The weights are {} x {}, but what they are joined with is {} x {}; they must "
                  "have the same size.",
                  rows, cols, of_rows, of_cols));
}

/// The entries of which keep(i, j) is true, which is asked row by row in ascending order.
template <class T, class Keep>
Csr<T> filtered_weights(const Csr<T>& M, const Keep& keep) {
  Csr<T> kept{.rows = M.rows, .cols = M.cols, .offsets = {0}, .indices = {}, .values = {}};
  for (Index i = 0; i < M.rows; ++i) {
    for (Index k = M.offsets[nth_place(i)]; k < M.offsets[nth_place(i) + 1]; ++k) {
      if (!keep(i, M.indices[nth_place(k)])) continue;
      kept.indices.push_back(M.indices[nth_place(k)]);
      kept.values.push_back(M.values[nth_place(k)]);
    }
    kept.offsets.push_back(static_cast<Index>(kept.indices.size()));
  }
  return kept;
}

bool has_place(std::span<const std::uint32_t> row, std::uint32_t j) {
  return std::ranges::binary_search(row, j);
}

Places both_places(const Places& a, const Places& b) {
  Places both{.rows = a.rows, .cols = a.cols, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < a.rows; ++i) {
    std::ranges::set_union(a.view().row(i), b.view().row(i), std::back_inserter(both.indices));
    both.offsets.push_back(static_cast<Index>(both.indices.size()));
  }
  return both;
}

/// The places that M stores, each with what weight(i, j) says.
template <class T, class Weight>
Csr<T> at_stored(const Data<T>& M, const Weight& weight) {
  Csr<T> kept{.rows = M.rows(), .cols = M.cols(), .offsets = {0}, .indices = {}, .values = {}};
  const auto add = [&](Index i, std::uint32_t j) {
    const T w = weight(i, j);
    if (w == T{0}) return;
    kept.indices.push_back(j);
    kept.values.push_back(w);
  };
  const bool sparse = is_sparse(M.storage());
  Matrix<T> line(1, sparse ? 1 : M.cols());
  M.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    if (sparse) {
      const SparseRows<T> rows(block);
      for (Index i = 0; i < block.rows.count; ++i) {
        for (const std::uint32_t j : rows.indices(i)) add(block.rows.begin + i, j);
        kept.offsets.push_back(static_cast<Index>(kept.indices.size()));
      }
      return;
    }
    for (Index i = 0; i < block.rows.count; ++i) {
      load_rows(block, i, i + 1, line.view());
      for (Index j = 0; j < M.cols(); ++j) {
        if (line(0, j) != T{0}) add(block.rows.begin + i, static_cast<std::uint32_t>(j));
      }
      kept.offsets.push_back(static_cast<Index>(kept.indices.size()));
    }
  });
  return kept;
}

using Chosen = std::optional<std::vector<Index>>;

std::vector<Index> all_or_chosen(const Chosen& chosen, Index count) {
  if (chosen) return *chosen;
  std::vector<Index> all(nth_place(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// Calls take(new column, place in `indices`) for what sparse lines hold in these rows and columns, columns
/// in ascending order, and end_of_row() after each row.
template <class Take, class EndOfRow>
void for_each_chosen(PlacesView lines, Index cols, const std::vector<Index>& rows,
                     const std::vector<Index>& columns, const Take& take, const EndOfRow& end_of_row) {
  constexpr Index kNowhere = -1;
  std::vector<Index> new_column(nth_place(cols), kNowhere);
  for (std::size_t j = 0; j < columns.size(); ++j) new_column[nth_place(columns[j])] = static_cast<Index>(j);
  std::vector<std::pair<std::uint32_t, Index>> found;
  for (const Index i : rows) {
    found.clear();
    for (Index k = lines.offsets[nth_place(i)]; k < lines.offsets[nth_place(i) + 1]; ++k) {
      const Index j = new_column[lines.indices[nth_place(k)]];
      if (j != kNowhere) found.emplace_back(static_cast<std::uint32_t>(j), k);
    }
    std::ranges::sort(found);
    for (const auto& [j, k] : found) take(j, k);
    end_of_row();
  }
}

std::vector<double> numbers_at(const std::vector<double>& numbers, const Chosen& chosen) {
  if (numbers.empty() || !chosen) return numbers;
  std::vector<double> result;
  for (const Index i : *chosen) result.push_back(numbers[nth_place(i)]);
  return result;
}

}  // namespace

template <class T>
void leave_out(Weights<T>& weights, const Places& places) {
  std::visit(
      [&]<class Kind>(Kind& kind) {
        if constexpr (std::is_same_v<Kind, std::monostate>) {
          weights.entries = places;
        } else if constexpr (std::is_same_v<Kind, OnlyStored>) {
          throw InvalidInput("Places of what is stored alone cannot be left out before the matrix is known.");
        } else if constexpr (std::is_same_v<Kind, Places>) {
          expect_same_size(kind.rows, kind.cols, places.rows, places.cols);
          kind = both_places(kind, places);
        } else if constexpr (std::is_same_v<Kind, Csr<T>>) {
          expect_same_size(kind.rows, kind.cols, places.rows, places.cols);
          kind = filtered_weights(
              kind, [&](Index i, std::uint32_t j) { return !has_place(places.view().row(i), j); });
        } else {
          expect_same_size(kind.rows(), kind.cols(), places.rows, places.cols);
          for (Index i = 0; i < places.rows; ++i) {
            for (const std::uint32_t j : places.view().row(i)) kind(i, Index{j}) = T{0};
          }
        }
      },
      weights.entries);
}

template <class T>
void keep_stored(Weights<T>& weights, const Data<T>& M) {
  if (std::holds_alternative<std::monostate>(weights.entries)) weights.entries = OnlyStored{};
  if (auto* const places = std::get_if<Places>(&weights.entries)) {
    expect_same_size(places->rows, places->cols, M.rows(), M.cols());
    weights.entries = at_stored(
        M, [&](Index i, std::uint32_t j) { return has_place(places->view().row(i), j) ? T{0} : T{1}; });
  } else if (auto* const sparse = std::get_if<Csr<T>>(&weights.entries)) {
    expect_same_size(sparse->rows, sparse->cols, M.rows(), M.cols());
    weights.entries = at_stored(M, [&](Index i, std::uint32_t j) {
      const auto begin = sparse->indices.begin() + sparse->offsets[nth_place(i)];
      const auto end = sparse->indices.begin() + sparse->offsets[nth_place(i) + 1];
      const auto found = std::lower_bound(begin, end, j);
      return found == end || *found != j ? T{0} : sparse->values[nth_place(found - sparse->indices.begin())];
    });
  } else if (auto* const dense = std::get_if<Matrix<T>>(&weights.entries)) {
    expect_same_size(dense->rows(), dense->cols(), M.rows(), M.cols());
    weights.entries = at_stored(M, [&](Index i, std::uint32_t j) { return (*dense)(i, Index{j}); });
  }
}

template <class T>
Weights<T> select(const Weights<T>& weights, const Chosen& rows, const Chosen& cols) {
  Weights<T> result{numbers_at(weights.rows, rows), numbers_at(weights.columns, cols), {}};
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, Places>) {
          const std::vector<Index> i = all_or_chosen(rows, kind.rows);
          const std::vector<Index> j = all_or_chosen(cols, kind.cols);
          Places part{.rows = static_cast<Index>(i.size()),
                      .cols = static_cast<Index>(j.size()),
                      .offsets = {0},
                      .indices = {}};
          for_each_chosen(
              kind.view(), kind.cols, i, j,
              [&](std::uint32_t column, Index) { part.indices.push_back(column); },
              [&] { part.offsets.push_back(static_cast<Index>(part.indices.size())); });
          result.entries = std::move(part);
        } else if constexpr (std::is_same_v<Kind, Csr<T>>) {
          const std::vector<Index> i = all_or_chosen(rows, kind.rows);
          const std::vector<Index> j = all_or_chosen(cols, kind.cols);
          Csr<T> part{.rows = static_cast<Index>(i.size()),
                      .cols = static_cast<Index>(j.size()),
                      .offsets = {0},
                      .indices = {},
                      .values = {}};
          for_each_chosen(
              PlacesView{kind.offsets, kind.indices}, kind.cols, i, j,
              [&](std::uint32_t column, Index k) {
                part.indices.push_back(column);
                part.values.push_back(kind.values[nth_place(k)]);
              },
              [&] { part.offsets.push_back(static_cast<Index>(part.indices.size())); });
          result.entries = std::move(part);
        } else if constexpr (std::is_same_v<Kind, Matrix<T>>) {
          const std::vector<Index> i = all_or_chosen(rows, kind.rows());
          const std::vector<Index> j = all_or_chosen(cols, kind.cols());
          Matrix<T> part(static_cast<Index>(i.size()), static_cast<Index>(j.size()));
          for (Index p = 0; p < part.rows(); ++p) {
            for (Index q = 0; q < part.cols(); ++q) part(p, q) = kind(i[nth_place(p)], j[nth_place(q)]);
          }
          result.entries = std::move(part);
        } else {
          result.entries = kind;
        }
      },
      weights.entries);
  return result;
}

template void leave_out(Weights<float>&, const Places&);
template void leave_out(Weights<double>&, const Places&);
template void keep_stored(Weights<float>&, const Data<float>&);
template void keep_stored(Weights<double>&, const Data<double>&);
template Weights<float> select(const Weights<float>&, const Chosen&, const Chosen&);
template Weights<double> select(const Weights<double>&, const Chosen&, const Chosen&);

}  // namespace anmf
