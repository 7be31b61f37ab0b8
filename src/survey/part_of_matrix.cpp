// SPDX-License-Identifier: MIT
#include "survey/part_of_matrix.h"

#include <utility>
#include <vector>

#include "anmf/weights.h"
#include "data/entry_rows.h"
#include "data/forwarding_data.h"

namespace anmf {
namespace {

std::size_t nth(Index i) { return static_cast<std::size_t>(i); }

/// A dense matrix with its entries.
template <class T>
class OwnDense final : public ForwardingData<T> {
 public:
  OwnDense(Matrix<T> entries, Sign sign) : OwnDense(std::make_unique<Held>(std::move(entries), sign)) {}

 private:
  struct Held {
    Held(Matrix<T> given, Sign sign)
        : entries(std::move(given)), data(std::as_const(entries).view(), Layout::row_major, sign) {}
    Matrix<T> entries;
    DenseData<T> data;
  };
  explicit OwnDense(std::unique_ptr<Held> held) : ForwardingData<T>(held->data), held_(std::move(held)) {}

  std::unique_ptr<Held> held_;
};

template <class T>
std::vector<double> chosen_weights(const Data<T>& M, Side side, std::span<const Index> lines) {
  const std::span<const T> all = M.line_weights(side);
  std::vector<double> weights;
  for (const Index line : lines) {
    if (!all.empty()) weights.push_back(static_cast<double>(all[nth(line)]));
  }
  return weights;
}

Places no_places(Index rows, Index cols) {
  return {.rows = rows, .cols = cols, .offsets = {0}, .indices = {}};
}

/// One row of a block at a time, of dense M.
template <class T>
class DenseRow {
 public:
  DenseRow(const EntryBlock<T>& block, Index columns)
      : block_(block), entries_(1, columns), counts_(1, columns) {
    block_.weights.of_columns = {};
  }
  void load(Index row) {
    load_rows(block_, row, row + 1, entries_.view());
    load_weights(block_, row, row + 1, counts_.view());
    for (Index j = 0; j < entries_.cols(); ++j) {
      if (counts_(0, j) == T{0}) entries_(0, j) = T{0};  // nobody has observed it
    }
  }
  [[nodiscard]] std::span<T> entries() { return entries_.values(); }
  [[nodiscard]] std::span<const T> counts() const { return counts_.values(); }

 private:
  EntryBlock<T> block_;
  Matrix<T> entries_;
  Matrix<T> counts_;
};

template <class T>
void take_values(const SparseRows<T>& lines, Index row, std::vector<T>& values) {
  values.assign(lines.values(row).begin(), lines.values(row).end());
  for (T& value : values) value *= lines.scale();
}

template <class T>
std::unique_ptr<Data<T>> part_of_dense(const Data<T>& M, std::span<const Index> rows,
                                       std::span<const Index> columns, const ChangeRow<T>& change,
                                       Weights<T>& weights) {
  const auto m = std::ssize(rows);
  const auto n = std::ssize(columns);
  Matrix<T> part(m, n);
  Places missing = no_places(m, n);
  Matrix<T> own;
  if (M.counted() == Counted::each) own = Matrix<T>(m, n);
  M.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    DenseRow<T> row(block, M.cols());
    for (Index i = 0; i < m; ++i) {
      row.load(rows[nth(i)]);
      if (change) change(rows[nth(i)], {}, row.entries());
      for (Index j = 0; j < n; ++j) {
        const std::size_t column = nth(columns[nth(j)]);
        part(i, j) = row.entries()[column];
        if (own.size() > 0) own(i, j) = row.counts()[column];
        if (own.size() == 0 && row.counts()[column] == T{0})
          missing.indices.push_back(static_cast<std::uint32_t>(j));
      }
      missing.offsets.push_back(std::ssize(missing.indices));
    }
  });
  if (own.size() > 0) {
    weights.entries = std::move(own);
  } else if (!missing.indices.empty()) {
    weights.entries = std::move(missing);
  }
  return std::make_unique<OwnDense<T>>(std::move(part), M.nonnegative() ? Sign::nonnegative : Sign::any);
}

/// The place of every column of M among the chosen ones, or -1.
std::vector<Index> places_of_columns(Index cols, std::span<const Index> columns) {
  std::vector<Index> places(nth(cols), -1);
  for (std::size_t j = 0; j < columns.size(); ++j) places[nth(columns[j])] = static_cast<Index>(j);
  return places;
}

/// Sparse rows that are put together entry by entry.
template <class T>
struct SparseRowsInMaking {
  Csr<T> rows;
  SparseRowsInMaking(Index m, Index n)
      : rows{.rows = m, .cols = n, .offsets = {0}, .indices = {}, .values = {}} {}
  void add(Index column, T value) {
    rows.indices.push_back(static_cast<std::uint32_t>(column));
    rows.values.push_back(value);
  }
  void end_row() { rows.offsets.push_back(std::ssize(rows.indices)); }
};

template <class T>
std::unique_ptr<Data<T>> part_of_sparse(const Data<T>& M, std::span<const Index> rows,
                                        std::span<const Index> columns, const ChangeRow<T>& change,
                                        Weights<T>& weights) {
  const std::vector<Index> places = places_of_columns(M.cols(), columns);
  const auto m = std::ssize(rows);
  const auto n = std::ssize(columns);
  SparseRowsInMaking<T> part(m, n);
  SparseRowsInMaking<T> stored(m, n);
  Places missing = no_places(m, n);
  const bool only_stored = M.counted() == Counted::stored;
  bool weighed = false;
  M.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    const SparseRows<T> lines(block);
    weighed = !block.weights.of_stored.empty();
    std::vector<T> values;
    for (const Index row : rows) {
      const std::span<const std::uint32_t> indices = lines.indices(row);
      take_values(lines, row, values);
      if (change) change(row, indices, values);
      const auto first = nth(lines.lines().offsets[nth(row)]);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Index place = places[indices[k]];
        if (place < 0 || (values[k] == T{0} && !only_stored)) continue;
        part.add(place, values[k]);
        if (weighed) stored.add(place, block.weights.of_stored[first + k]);
      }
      part.end_row();
      stored.end_row();
      if (block.weights.counted != Counted::all_but) continue;
      for (const std::uint32_t column : block.weights.missing.row(row)) {
        if (places[column] >= 0) missing.indices.push_back(static_cast<std::uint32_t>(places[column]));
      }
      missing.offsets.push_back(std::ssize(missing.indices));
    }
  });
  if (weighed) {
    weights.entries = std::move(stored.rows);
  } else if (only_stored) {
    weights.entries = OnlyStored{};
  } else if (!missing.indices.empty()) {
    weights.entries = std::move(missing);
  }
  return SparseData<T>::from_observed(std::move(part.rows));
}

}  // namespace

template <class T>
void look_at_rows(const Data<T>& M, const ChangeRow<T>& look) {
  M.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    if (is_sparse(M.storage())) {
      const SparseRows<T> lines(block);
      std::vector<T> values;
      for (Index row = 0; row < M.rows(); ++row) {
        take_values(lines, row, values);
        look(row, lines.indices(row), values);
      }
    } else {
      DenseRow<T> entries(block, M.cols());
      for (Index row = 0; row < M.rows(); ++row) {
        entries.load(row);
        look(row, {}, entries.entries());
      }
    }
  });
}

template <class T>
std::unique_ptr<Data<T>> part_of_matrix(const Data<T>& M, std::span<const Index> rows,
                                        std::span<const Index> columns, const ChangeRow<T>& change) {
  Weights<T> weights{.rows = chosen_weights(M, Side::W, rows),
                     .columns = chosen_weights(M, Side::H, columns)};
  auto part = is_sparse(M.storage()) ? part_of_sparse(M, rows, columns, change, weights)
                                     : part_of_dense(M, rows, columns, change, weights);
  return weighted<T>(std::move(part), std::move(weights));
}

template void look_at_rows(const Data<float>&, const ChangeRow<float>&);
template void look_at_rows(const Data<double>&, const ChangeRow<double>&);
template std::unique_ptr<Data<float>> part_of_matrix(const Data<float>&, std::span<const Index>,
                                                     std::span<const Index>, const ChangeRow<float>&);
template std::unique_ptr<Data<double>> part_of_matrix(const Data<double>&, std::span<const Index>,
                                                      std::span<const Index>, const ChangeRow<double>&);

}  // namespace anmf
