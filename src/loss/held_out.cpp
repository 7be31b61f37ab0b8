// SPDX-License-Identifier: MIT
#include "loss/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "anmf/error.h"
#include "anmf/options.h"
#include "core/chunks.h"
#include "core/random.h"
#include "core/sums.h"
#include "data/borrowed.h"
#include "data/entry_rows.h"
#include "kernels/divergence.h"
#include "kernels/sparse_rows.h"
#include "loss/entry_pass.h"

namespace anmf {
namespace {

/// The columns of row i that are held out, of n, one in g; ascending.
class Speckles {
 public:
  Speckles(Index columns, Index g, std::uint64_t seed) : columns_(columns), g_(g), seed_(seed) {}

  template <class Visit>
  void for_each_of_row(Index row, const Visit& visit) const {
    const Index groups = (columns_ + g_ - 1) / g_;
    for (Index group = 0; group < groups; ++group) {
      const std::uint64_t bits = random_bits(seed_, streams::kHeldOut, row * groups + group)[0];
      const Index column = group * g_ + static_cast<Index>(bits % static_cast<std::uint64_t>(g_));
      if (column < columns_) visit(column);
    }
  }

 private:
  Index columns_;
  Index g_;
  std::uint64_t seed_;
};

/// Row by row of M: visit(i, columns, entries, weights), with what entries count in the problem of the row,
/// but for the weights of columns. Rows of which nothing but the stored entries counts have those alone;
/// others have all entries, and no columns.
template <class T, class Visit>
void for_each_row(const Data<T>& data, const Visit& visit) {
  const Index n = data.cols();
  data.for_each_block(Side::W, [&](const EntryBlock<T>& block) {
    if (block.weights.counted == Counted::stored) {
      const SparseRows<T> rows(block);
      for (Index i = 0; i < block.rows.count; ++i) {
        const auto indices = rows.indices(i);
        const auto first = static_cast<std::size_t>(rows.lines().offsets[static_cast<std::size_t>(i)]);
        std::vector<T> weights(indices.size(), T{1});
        for (std::size_t k = 0; k < weights.size() && !block.weights.of_stored.empty(); ++k)
          weights[k] = block.weights.of_stored[first + k];
        visit(block.rows.begin + i, indices, rows.values(i), std::span<const T>(weights));
      }
      return;
    }
    EntryBlock<T> shown = block;
    shown.weights.of_columns = {};
    Matrix<T> entries(1, n);
    Matrix<T> weights(1, n);
    for (Index i = 0; i < block.rows.count; ++i) {
      load_rows(shown, i, i + 1, entries.view());
      load_weights(shown, i, i + 1, weights.view());
      visit(block.rows.begin + i, std::span<const std::uint32_t>(),
            std::span<const T>(entries.data(), static_cast<std::size_t>(n)),
            std::span<const T>(weights.data(), static_cast<std::size_t>(n)));
    }
  });
}

template <class T>
double weight_of_line(const Data<T>& data, Side side, Index line) {
  const std::span<const T> weights = data.line_weights(side);
  return weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(line)]);
}

template <class T>
std::vector<double> doubled(std::span<const T> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// Sums of the entries that are left, with what they count in the problem of their row.
class Sums {
 public:
  Sums(Index rows, Index columns) : rows_(rows), columns_(columns) {}

  void add(Index row, Index column, double entry, double weight) {
    for (Line* line : {&rows_[row], &columns_[column], &all_}) {
      line->mass += weight * entry;
      line->weight += weight;
    }
  }
  /// Sets least_of_rows and least_of_columns. Lines of which next to nothing is left have a mean near that of
  /// all entries.
  template <class T>
  void set_least(HeldOut<T>& held) const {
    if (!(all_.mass > 0)) return;
    const double mean = all_.mass / all_.weight;
    const auto mean_of = [mean](const Line& line) { return (line.mass + mean) / (line.weight + 1); };
    for (Index i = 0; i < rows_.size(); ++i)
      held.least_of_rows.push_back(kLeastShare * mean_of(rows_[i]) / mean);
    for (Index j = 0; j < columns_.size(); ++j) held.least_of_columns.push_back(mean_of(columns_[j]));
  }

 private:
  static constexpr double kLeastShare = 0.05;
  struct Line {
    double mass = 0;
    double weight = 0;
  };
  class Lines {
   public:
    explicit Lines(Index count) : lines_(static_cast<std::size_t>(count)) {}
    [[nodiscard]] Index size() const { return std::ssize(lines_); }
    Line& operator[](Index i) { return lines_[static_cast<std::size_t>(i)]; }
    const Line& operator[](Index i) const { return lines_[static_cast<std::size_t>(i)]; }

   private:
    std::vector<Line> lines_;
  };
  Lines rows_;
  Lines columns_;
  Line all_;
};

/// g for a share of so many entries. Zeros of a sparse matrix that are held out cost as much as entries.
Index group_size(double entries, double share, bool zeros_count, Index nonzeros) {
  if (zeros_count) share = std::min(share, std::max(1.0, static_cast<double>(nonzeros)) / entries);
  return std::max<Index>(2, std::llround(1 / share));
}

template <class T>
Index group_size(const Data<T>& data, double share) {
  const double entries = static_cast<double>(data.rows()) * static_cast<double>(data.cols());
  const bool zeros_count = is_sparse(data.storage()) && data.counted() != Counted::stored;
  return group_size(entries, share, zeros_count, data.nonzeros());
}

}  // namespace

template <class T>
HeldOut<T> hold_out(const Data<T>& data, double share, std::uint64_t seed, double beta) {
  if (data.storage() != Storage::dense && data.storage() != Storage::sparse) {
    throw InvalidInput(fmt::format("heldout needs a matrix in the memory of one process; this one is {}.",
                                   to_string(data.storage())));
  }
  const Index g = group_size(data, share);
  const Speckles speckles(data.cols(), g, seed);
  HeldOut<T> result;
  result.beta = beta;
  result.entries = {.rows = data.rows(), .cols = data.cols(), .offsets = {0}, .indices = {}, .values = {}};
  const Counted counted = data.counted();
  Weights<T> rest{.rows = doubled(data.line_weights(Side::W)),
                  .columns = doubled(data.line_weights(Side::H))};
  Places places{.rows = data.rows(), .cols = data.cols(), .offsets = {0}, .indices = {}};
  Csr<T> stored{.rows = data.rows(), .cols = data.cols(), .offsets = {0}, .indices = {}, .values = {}};
  Matrix<T> own;
  if (counted == Counted::each) own = Matrix<T>(data.rows(), data.cols());
  if (counted != Counted::stored) {  // lists that grow would leave their old places behind
    const auto most = static_cast<std::size_t>(data.rows() * ((data.cols() + g - 1) / g));
    places.indices.reserve(most);
    result.entries.indices.reserve(most);
    result.entries.values.reserve(most);
    result.weights.reserve(most);
  }
  double left = 0;
  const bool bounded_below = beta <= 1;
  Sums sums(data.rows(), data.cols());
  const auto is_left = [&](Index i, Index column, T entry, T weight) {
    if (weight == T{0}) return;
    ++left;
    if (bounded_below) sums.add(i, column, static_cast<double>(entry), static_cast<double>(weight));
    result.greatest = std::max(result.greatest, static_cast<double>(entry));
  };
  for_each_row<T>(data, [&](Index i, std::span<const std::uint32_t> indices, std::span<const T> entries,
                            std::span<const T> weights) {
    const double of_row = weight_of_line(data, Side::W, i);
    const auto hold = [&](Index column, T entry, T weight) {
      const double all = of_row * weight_of_line(data, Side::H, column) * static_cast<double>(weight);
      if (all == 0) return;
      result.entries.indices.push_back(static_cast<std::uint32_t>(column));
      result.entries.values.push_back(entry);
      result.weights.push_back(static_cast<T>(all));
    };
    std::size_t k = 0;
    if (counted == Counted::stored) {
      const auto keep_until = [&](Index column) {
        for (; k < indices.size() && Index{indices[k]} < column; ++k) {
          stored.indices.push_back(indices[k]);
          stored.values.push_back(weights[k]);
          is_left(i, Index{indices[k]}, entries[k], weights[k]);
        }
      };
      speckles.for_each_of_row(i, [&](Index column) {
        keep_until(column);
        if (k >= indices.size() || Index{indices[k]} != column) return;
        hold(column, entries[k], weights[k]);
        ++k;
      });
      keep_until(data.cols());
      stored.offsets.push_back(static_cast<Index>(stored.indices.size()));
    } else {
      // What was missing before is missing still.
      const auto skip_until = [&](std::size_t end) {
        for (; k < end; ++k) {
          if (weights[k] == T{0} && counted != Counted::each)
            places.indices.push_back(static_cast<std::uint32_t>(k));
          if (counted == Counted::each) own(i, static_cast<Index>(k)) = weights[k];
          is_left(i, static_cast<Index>(k), entries[k], weights[k]);
        }
      };
      speckles.for_each_of_row(i, [&](Index column) {
        skip_until(static_cast<std::size_t>(column));
        hold(column, entries[k], weights[k]);
        places.indices.push_back(static_cast<std::uint32_t>(column));
        ++k;
      });
      skip_until(weights.size());
      places.offsets.push_back(static_cast<Index>(places.indices.size()));
    }
    result.entries.offsets.push_back(static_cast<Index>(result.entries.indices.size()));
  });
  if (result.entries.indices.empty() || left == 0) {
    throw InvalidInput(
        fmt::format("heldout = {} leaves {} of the entries of this matrix to {}; it has too few of them.",
                    share, left == 0 ? "none" : "all", left == 0 ? "fit" : "fit and none to judge by"));
  }
  if (counted == Counted::stored) {
    rest.entries = std::move(stored);
  } else if (counted == Counted::each) {
    rest.entries = std::move(own);
  } else {
    rest.entries = std::move(places);
  }
  result.training = weighted<T>(std::make_unique<Borrowed<T>>(data), std::move(rest));

  if (bounded_below) sums.set_least(result);
  double mass = 0;
  double weight = 0;
  for (std::size_t k = 0; k < result.weights.size(); ++k) {
    mass += static_cast<double>(result.weights[k]) * static_cast<double>(result.entries.values[k]);
    weight += static_cast<double>(result.weights[k]);
  }
  const std::vector<T> mean(result.weights.size(), std::max(static_cast<T>(mass / weight), kLeastModel<T>));
  result.error_of_mean =
      std::sqrt(2 * divergence_kernels<T>().value(beta, mean.size(), result.entries.values.data(),
                                                  mean.data(), nullptr, T{0}, result.weights.data()));
  return result;
}

template <class T>
double HeldOut<T>::error(ConstMatrixView<T> W, ConstMatrixView<T> Ht, double scale, ThreadPool& pool) const {
  const Chunks chunks(entries.rows, 16, 1024);
  PartialSums<1> sums(chunks.count());
  const double flops = 2.0 * static_cast<double>(entries.values.size()) * static_cast<double>(W.cols);
  pool.for_each_chunk(chunks.count(), flops, [&](Index chunk) {
    std::vector<T> models;
    for (Index i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const auto begin = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(i)]);
      const auto end = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(i) + 1]);
      models.resize(end - begin);
      sparse_row_kernels<T>().model(Ht, W.row(i), entries.indices.data() + begin, end - begin, models.data());
      for (std::size_t k = begin; k < end; ++k) {
        double y = std::min(scale * static_cast<double>(models[k - begin]), greatest);
        if (!least_of_rows.empty())
          y = std::max(y, least_of_rows[static_cast<std::size_t>(i)] * least_of_columns[entries.indices[k]]);
        models[k - begin] = std::max(static_cast<T>(y), kLeastModel<T>);
      }
      sums.at(chunk)[0] +=
          divergence_kernels<T>().value(beta, end - begin, entries.values.data() + begin, models.data(),
                                        nullptr, T{0}, weights.data() + begin);
    }
  });
  return std::sqrt(2 * std::max(0.0, sums.total()[0]));
}

template <class T>
double heldout_bytes(Index rows, Index cols, Index nonzeros, double share) {
  const double entries = static_cast<double>(rows) * static_cast<double>(cols);
  const bool sparse = static_cast<double>(nonzeros) < entries;
  const double held = entries / static_cast<double>(group_size(entries, share, sparse, nonzeros));
  // Places by rows and by columns; entries with their places and weights, and a list of their means.
  const double each = 3 * sizeof(std::uint32_t) + 3 * sizeof(T);
  const double lines = static_cast<double>(rows) + static_cast<double>(cols);
  // M has zeros there.
  const double copy =
      sparse ? 2 * static_cast<double>(nonzeros) * (sizeof(T) + sizeof(std::uint32_t)) : entries * sizeof(T);
  return held * each + copy + 6 * sizeof(double) * lines;
}

template struct HeldOut<float>;
template struct HeldOut<double>;
template HeldOut<float> hold_out(const Data<float>&, double, std::uint64_t, double);
template HeldOut<double> hold_out(const Data<double>&, double, std::uint64_t, double);
template double heldout_bytes<float>(Index, Index, Index, double);
template double heldout_bytes<double>(Index, Index, Index, double);

}  // namespace anmf
