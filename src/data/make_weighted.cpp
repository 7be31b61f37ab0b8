// SPDX-License-Identifier: MIT
// From M and weights as people have them to WeightedData: checks, and which of its forms keeps the least.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "anmf/error.h"
#include "data/canonical_csr.h"
#include "data/entry_rows.h"
#include "data/weighted_data.h"
#include "validate/memory.h"

namespace anmf {
namespace {

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

// Where fewer entries than this share count, M is kept as those alone.
constexpr double kDenseShare = 0.5;

void check_size(std::string_view what, Index rows, Index cols, Index of_rows, Index of_cols) {
  if (rows == of_rows && cols == of_cols) return;
  throw InvalidInput(fmt::format("{} is {} x {}, but M is {} x {}; they must have the same size.", what, rows,
                                 cols, of_rows, of_cols));
}

template <class T>
bool is_weight(T weight) {
  return weight >= T{0} && weight <= std::numeric_limits<T>::max();
}

/// The weights of rows or columns in the number type of the run; nothing if all are 1.
template <class T>
std::vector<T> line_weights(std::string_view lines, const std::vector<double>& given, Index count) {
  if (given.empty()) return {};
  if (std::cmp_not_equal(given.size(), count)) {
    throw InvalidInput(fmt::format("There are {} weights of {}s, but M has {} {}s; give one for each.",
                                   given.size(), lines, count, lines));
  }
  std::vector<T> weights;
  weights.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    weights.push_back(static_cast<T>(given[i]));
    if (!is_weight(weights.back())) {
      throw InvalidInput(
          fmt::format("The weight of {} {} is {} (counted from 0); weights must be finite and >= 0.", lines,
                      i, given[i]));
    }
  }
  if (std::all_of(weights.begin(), weights.end(), [](T w) { return w == T{0}; })) {
    throw InvalidInput(fmt::format("All weights of {}s are zero; some {} must count.", lines, lines));
  }
  if (std::all_of(weights.begin(), weights.end(), [](T w) { return w == T{1}; })) return {};
  return weights;
}

[[noreturn]] void refuse_weight(Index row, Index column, double weight) {
  throw InvalidInput(fmt::format(
      "The weight of M[{}, {}] is {} (row and column counted from 0); weights must be finite and >= 0.", row,
      column, weight));
}

[[noreturn]] void refuse_nothing() {
  throw InvalidInput("No entry of M counts: all of them are missing or have weight zero.");
}

void check_places(const Places& places) {
  if (std::cmp_not_equal(places.offsets.size(), places.rows + 1) || places.offsets.front() != 0 ||
      std::cmp_not_equal(places.offsets.back(), places.indices.size())) {
    throw InvalidInput("The offsets of the missing places do not go with their rows.");
  }
  for (Index i = 0; i < places.rows; ++i) {
    Index before = -1;
    if (places.offsets[place(i)] > places.offsets[place(i) + 1])
      throw InvalidInput("The offsets of the missing places do not ascend.");
    for (const std::uint32_t j : places.view().row(i)) {
      if (Index{j} <= before || Index{j} >= places.cols) {
        throw InvalidInput(fmt::format(
            "Row {} of the missing places has column {} after {}; columns must ascend and be below {}.", i, j,
            before, places.cols));
      }
      before = Index{j};
    }
  }
}

/// M in memory, row by row: visit(i, row) with n numbers.
template <class T, class Visit>
void for_each_row(const Data<T>& data, const Visit& visit) {
  Matrix<T> row(1, data.cols());
  data.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    for (Index i = 0; i < block.rows.count; ++i) {
      load_rows(block, i, i + 1, row.view());
      visit(block.rows.begin + i, std::as_const(row).view().row(0));
    }
  });
}

/// Sparse M by rows: visit(i, indices, values).
template <class T, class Visit>
void for_each_sparse_row(const Data<T>& data, const Visit& visit) {
  data.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    const SparseRows<T> rows(block);
    for (Index i = 0; i < block.rows.count; ++i) visit(block.rows.begin + i, rows.indices(i), rows.values(i));
  });
}

/// The same places in the rows of the transpose.
Places turned(const Places& places) {
  Places result{.rows = places.cols, .cols = places.rows, .offsets = {}, .indices = {}};
  result.offsets.assign(place(places.cols) + 1, 0);
  result.indices.resize(places.indices.size());
  for (const std::uint32_t j : places.indices) ++result.offsets[std::size_t{j} + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  std::vector<Index> next(result.offsets.begin(), result.offsets.end() - 1);
  for (Index i = 0; i < places.rows; ++i) {
    for (const std::uint32_t j : places.view().row(i))
      result.indices[place(next[j]++)] = static_cast<std::uint32_t>(i);
  }
  return result;
}

template <class T>
struct Made {
  std::unique_ptr<Data<T>> data;
  typename WeightedData<T>::Parts parts;
};

/// M as the entries that count: `observed` has their values, zeros included, and `weights` lies beside it;
/// empty: 1.
template <class T>
Made<T> as_stored(Csr<T> observed, std::vector<T> weights) {
  if (observed.indices.empty()) refuse_nothing();
  Made<T> made;
  made.parts.counted = Counted::stored;
  if (!weights.empty() && std::any_of(weights.begin(), weights.end(), [](T w) { return w != T{1}; })) {
    const Csr<T> by_row{.rows = observed.rows,
                        .cols = observed.cols,
                        .offsets = observed.offsets,
                        .indices = observed.indices,
                        .values = weights};
    made.parts.of_stored = {std::move(weights), transpose_csr(by_row).values};
  }
  made.data = SparseData<T>::from_observed(std::move(observed));
  return made;
}

/// Dense M of which `counts(i, j, x)` says how much an entry counts, as the entries that do.
template <class T, class Weight>
Made<T> collected(const Data<T>& data, const Weight& weight) {
  Csr<T> observed{.rows = data.rows(), .cols = data.cols(), .offsets = {0}, .indices = {}, .values = {}};
  std::vector<T> weights;
  for_each_row(data, [&](Index i, const T* row) {
    for (Index j = 0; j < data.cols(); ++j) {
      const T w = weight(i, j, row[j]);
      if (w == T{0}) continue;
      observed.indices.push_back(static_cast<std::uint32_t>(j));
      observed.values.push_back(row[j]);
      weights.push_back(w);
    }
    observed.offsets.push_back(static_cast<Index>(observed.indices.size()));
  });
  return as_stored(std::move(observed), std::move(weights));
}

template <class T>
Made<T> only_stored(std::unique_ptr<Data<T>> data) {
  if (is_sparse(data->storage())) {
    if (data->nonzeros() == 0) refuse_nothing();
    return {.data = std::move(data), .parts = {.counted = Counted::stored}};
  }
  return collected<T>(*data, [](Index, Index, T x) { return x != T{0} ? T{1} : T{0}; });
}

/// Dense M with zeros at these places.
template <class T>
class MaskedDense final : public ForwardingData<T> {
 public:
  MaskedDense(Matrix<T> entries) : MaskedDense(std::make_unique<Held>(std::move(entries))) {}

 private:
  struct Held {
    explicit Held(Matrix<T> given)
        : entries(std::move(given)), data(std::as_const(entries).view(), Layout::row_major, Sign::any) {}
    Matrix<T> entries;
    DenseData<T> data;
  };
  explicit MaskedDense(std::unique_ptr<Held> held) : ForwardingData<T>(held->data), held_(std::move(held)) {}
  std::unique_ptr<Held> held_;
};

template <class T>
std::unique_ptr<Data<T>> dense_copy(const Data<T>& data) {
  const double bytes = sizeof(T) * static_cast<double>(data.rows()) * static_cast<double>(data.cols());
  validate::memory("A dense copy of M for its weights", bytes, "give the weights as a sparse matrix");
  Matrix<T> copy(data.rows(), data.cols());
  for_each_row(data, [&](Index i, const T* row) { std::copy_n(row, data.cols(), copy.view().row(i)); });
  return std::make_unique<MaskedDense<T>>(std::move(copy));
}

template <class T>
Made<T> without_places(std::unique_ptr<Data<T>> data, Places places) {
  check_size("The matrix of missing places", places.rows, places.cols, data->rows(), data->cols());
  check_places(places);
  const double entries = static_cast<double>(data->rows()) * static_cast<double>(data->cols());
  const auto missing = static_cast<double>(places.indices.size());
  if (missing == entries) refuse_nothing();
  if (missing == 0) return {.data = std::move(data), .parts = {}};
  if (is_sparse(data->storage())) {
    Csr<T> kept{.rows = data->rows(), .cols = data->cols(), .offsets = {0}, .indices = {}, .values = {}};
    bool dropped = false;
    for_each_sparse_row(*data,
                        [&](Index i, std::span<const std::uint32_t> indices, std::span<const T> values) {
                          const std::span<const std::uint32_t> gone = places.view().row(i);
                          auto next = gone.begin();
                          for (std::size_t k = 0; k < indices.size(); ++k) {
                            next = std::lower_bound(next, gone.end(), indices[k]);
                            if (next != gone.end() && *next == indices[k]) {
                              dropped = true;
                              continue;
                            }
                            kept.indices.push_back(indices[k]);
                            kept.values.push_back(values[k]);
                          }
                          kept.offsets.push_back(static_cast<Index>(kept.indices.size()));
                        });
    if (dropped) data = SparseData<T>::from_observed(std::move(kept));
  } else if (entries - missing < kDenseShare * entries) {
    Index row = -1;
    std::span<const std::uint32_t> gone;
    std::size_t next = 0;
    return collected<T>(*data, [&](Index i, Index j, T /*x*/) {
      if (i != row) {
        row = i;
        gone = places.view().row(i);
        next = 0;
      }
      const bool is_gone = next < gone.size() && Index{gone[next]} == j;
      if (is_gone) ++next;
      return is_gone ? T{0} : T{1};
    });
  } else {
    bool zero = true;
    for_each_row(*data, [&](Index i, const T* row) {
      for (const std::uint32_t j : places.view().row(i)) zero &= row[j] == T{0};
    });
    if (!zero) {
      Matrix<T> copy(data->rows(), data->cols());
      for_each_row(*data, [&](Index i, const T* row) {
        std::copy_n(row, data->cols(), copy.view().row(i));
        for (const std::uint32_t j : places.view().row(i)) copy(i, Index{j}) = T{0};
      });
      data = std::make_unique<MaskedDense<T>>(std::move(copy));
    }
  }
  Places columns = turned(places);
  return {.data = std::move(data),
          .parts = {.counted = Counted::all_but, .missing = {std::move(places), std::move(columns)}}};
}

/// The stored weights above zero, with the entries of M at their places.
template <class T>
Made<T> with_sparse_weights(const Data<T>& data, const Csr<T>& weights) {
  check_size("The matrix of weights", weights.rows, weights.cols, data.rows(), data.cols());
  Csr<T> observed{.rows = data.rows(), .cols = data.cols(), .offsets = {0}, .indices = {}, .values = {}};
  std::vector<T> kept;
  const auto add_row = [&](Index i, const auto& entry) {
    Index before = -1;
    for (Index k = weights.offsets[place(i)]; k < weights.offsets[place(i) + 1]; ++k) {
      const Index j{weights.indices[place(k)]};
      if (j <= before || j >= weights.cols)
        throw InvalidInput(fmt::format("Row {} of the weights is not in order at column {}.", i, j));
      before = j;
      const T weight = weights.values[place(k)];
      if (!is_weight(weight)) refuse_weight(i, j, static_cast<double>(weight));
      if (weight == T{0}) continue;
      observed.indices.push_back(static_cast<std::uint32_t>(j));
      observed.values.push_back(entry(static_cast<std::uint32_t>(j)));
      kept.push_back(weight);
    }
    observed.offsets.push_back(static_cast<Index>(observed.indices.size()));
  };
  if (is_sparse(data.storage())) {
    for_each_sparse_row(data, [&](Index i, std::span<const std::uint32_t> indices,
                                  std::span<const T> values) {
      auto next = indices.begin();
      add_row(i, [&](std::uint32_t j) {
        next = std::lower_bound(next, indices.end(), j);
        return next != indices.end() && *next == j ? values[static_cast<std::size_t>(next - indices.begin())]
                                                   : T{0};
      });
    });
  } else {
    for_each_row(data, [&](Index i, const T* row) { add_row(i, [&](std::uint32_t j) { return row[j]; }); });
  }
  return as_stored(std::move(observed), std::move(kept));
}

template <class T>
Made<T> with_dense_weights(std::unique_ptr<Data<T>> data, Matrix<T> weights) {
  check_size("The matrix of weights", weights.rows(), weights.cols(), data->rows(), data->cols());
  Index above_zero = 0;
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index j = 0; j < weights.cols(); ++j) {
      if (!is_weight(weights(i, j))) refuse_weight(i, j, static_cast<double>(weights(i, j)));
      above_zero += static_cast<Index>(weights(i, j) > T{0});
    }
  }
  if (above_zero == 0) refuse_nothing();
  if (static_cast<double>(above_zero) < kDenseShare * static_cast<double>(weights.size())) {
    return collected<T>(*data, [&](Index i, Index j, T /*x*/) { return weights(i, j); });
  }
  if (is_sparse(data->storage())) data = dense_copy(*data);
  Made<T> made{.data = std::move(data), .parts = {.counted = Counted::each}};
  made.parts.own = std::move(weights);
  return made;
}

}  // namespace

template <class T>
std::unique_ptr<Data<T>> weighted(std::unique_ptr<Data<T>> data, Weights<T> weights, Reducer* reducer) {
  if (reducer != nullptr && !std::holds_alternative<std::monostate>(weights.entries)) {
    throw InvalidInput(
        "Weights and masks of single entries do not go with several workers; those of rows and columns do.");
  }
  std::vector<T> rows = line_weights<T>("row", weights.rows, data->rows());
  std::vector<T> columns = line_weights<T>("column", weights.columns, data->cols());
  const bool in_memory = data->storage() == Storage::dense || data->storage() == Storage::sparse;
  const bool by_entry = !std::holds_alternative<std::monostate>(weights.entries);
  if (by_entry && !in_memory &&
      !(is_sparse(data->storage()) && std::holds_alternative<OnlyStored>(weights.entries))) {
    throw InvalidInput(
        fmt::format("Weights and masks of single entries need a matrix in memory; this one is {}.",
                    to_string(data->storage())));
  }
  Made<T> made;
  std::visit(
      [&]<class Kind>(Kind& kind) {
        if constexpr (std::is_same_v<Kind, OnlyStored>) {
          made = only_stored(std::move(data));
        } else if constexpr (std::is_same_v<Kind, Places>) {
          made = without_places(std::move(data), std::move(kind));
        } else if constexpr (std::is_same_v<Kind, Csr<T>>) {
          made = with_sparse_weights(*data, kind);
        } else if constexpr (std::is_same_v<Kind, Matrix<T>>) {
          made = with_dense_weights(std::move(data), std::move(kind));
        } else {
          made.parts.counted = data->counted();  // a stream may have gaps
          made.data = std::move(data);
        }
      },
      weights.entries);
  const bool as_it_is =
      made.parts.counted == Counted::all || std::holds_alternative<std::monostate>(weights.entries);
  if (as_it_is && rows.empty() && columns.empty()) {
    if (made.data->observed() == 0) refuse_nothing();
    return std::move(made.data);
  }
  made.parts.rows = std::move(rows);
  made.parts.columns = std::move(columns);
  auto result = std::make_unique<WeightedData<T>>(std::move(made.data), std::move(made.parts), reducer);
  if (result->observed() == 0) refuse_nothing();
  return result;
}

template <class T>
Places take_missing(MatrixView<T> M) {
  Places places{.rows = M.rows, .cols = M.cols, .offsets = {0}, .indices = {}};
  for (Index i = 0; i < M.rows; ++i) {
    for (Index j = 0; j < M.cols; ++j) {
      if (!std::isnan(M(i, j))) continue;
      M(i, j) = T{0};
      places.indices.push_back(static_cast<std::uint32_t>(j));
    }
    places.offsets.push_back(static_cast<Index>(places.indices.size()));
  }
  return places;
}

template Places take_missing(MatrixView<float>);
template Places take_missing(MatrixView<double>);
template std::unique_ptr<Data<float>> weighted(std::unique_ptr<Data<float>>, Weights<float>, Reducer*);
template std::unique_ptr<Data<double>> weighted(std::unique_ptr<Data<double>>, Weights<double>, Reducer*);

}  // namespace anmf
