// SPDX-License-Identifier: MIT
// A multinomial sample is a row of binomials: of what is left of the total, each feature gets a share with
// the chance m_ij / (m_ij + what follows it).
#include "survey/resampled.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "data/borrowed.h"
#include "data/transposed_data.h"
#include "survey/draws.h"
#include "survey/part_of_matrix.h"

namespace anmf {
namespace {

using Kind = Resampling::Kind;

constexpr double kMostCounts = 0x1.0p53;  // beyond, not every whole number can be told

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::none:
      return "none";
    case Kind::poisson:
      return "poisson";
    case Kind::multinomial:
      return "multinomial";
    case Kind::uniform:
      return "uniform";
  }
  return {};
}

/// Whether entry (row, column) can be drawn.
void check_entry(double value, Index row, Index column, Kind kind) {
  const auto refuse = [&](std::string_view what) {
    throw InvalidInput(
        fmt::format("M[{}, {}] = {} (row and column counted from 0); {}", row, column, value, what));
  };
  if (value < 0) {
    refuse(fmt::format("resample {} draws counts, which are not negative. Use uniform.", name_of(kind)));
  }
  if (value > kMostCounts) {
    refuse(fmt::format("resample {} draws counts of at most 2^53. Scale M down, or use uniform.",
                       name_of(kind)));
  }
  if (kind == Kind::multinomial && value != std::floor(value)) {
    refuse(
        "resample multinomial deals out the counts of a sample, which are whole numbers. Use M before it "
        "was normalised, or resample poisson.");
  }
}

/// Entries of M, or of M', by their places in M.
class Drawing {
 public:
  Drawing(const Resampling& resampling, std::uint64_t seed, Index columns_of_M, bool turned)
      : resampling_(resampling), seed_(seed), columns_(columns_of_M), turned_(turned) {}

  template <class T>
  void draw_row(Index row, std::span<const std::uint32_t> columns, std::span<T> values) const {
    const auto column = [&](std::size_t k) {
      return columns.empty() ? static_cast<Index>(k) : Index{columns[k]};
    };
    double left_total = 0;  // of multinomial: what is not dealt out yet
    if (resampling_.kind == Kind::multinomial) {
      for (const T value : values) left_total += static_cast<double>(value);
      check_total(row, left_total);
    }
    double left_mass = left_total;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto value = static_cast<double>(values[k]);
      if (value == 0) continue;
      PlaceNumbers numbers(seed_, place(row, column(k)));
      if (resampling_.kind == Kind::poisson) {
        values[k] = static_cast<T>(draw_poisson(value, numbers));
      } else if (resampling_.kind == Kind::uniform) {
        values[k] = static_cast<T>(value * (1 + resampling_.width * (2 * numbers.next() - 1)));
      } else {
        const double drawn = draw_binomial(left_total, value / left_mass, numbers);
        values[k] = static_cast<T>(drawn);
        left_total -= drawn;
        left_mass -= value;
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t place(Index row, Index column) const {
    const auto i = static_cast<std::uint64_t>(turned_ ? column : row);
    const auto j = static_cast<std::uint64_t>(turned_ ? row : column);
    return i * static_cast<std::uint64_t>(columns_) + j;  // may wrap, for sparse M
  }
  void check_total(Index sample, double total) const {
    if (total <= kMostCounts) return;
    throw InvalidInput(fmt::format(
        "{} {} of M (counted from 0) has a total of {}; resample multinomial deals out at most 2^53 counts. "
        "Scale M down, or use uniform.",
        turned_ ? "Column" : "Row", sample, total));
  }

  Resampling resampling_;
  std::uint64_t seed_;
  Index columns_;
  bool turned_;
};

std::vector<Index> all_of(Index count) {
  std::vector<Index> lines(static_cast<std::size_t>(count));
  std::iota(lines.begin(), lines.end(), Index{0});
  return lines;
}

template <class T>
void check_where(const Data<T>& data, Kind kind) {
  if (data.storage() == Storage::dense || data.storage() == Storage::sparse) return;
  throw InvalidInput(fmt::format("resample {} needs a matrix in the memory of one process; this one is {}.",
                                 name_of(kind), to_string(data.storage())));
}

}  // namespace

template <class T>
void check_resampling(const Data<T>& data, const Resampling& resampling) {
  if (resampling.kind == Kind::none) return;
  check_where(data, resampling.kind);
  if (resampling.kind == Kind::uniform) {
    if (resampling.width >= 0 && resampling.width <= 1) return;
    throw InvalidInput(
        fmt::format("resample uniform has width {}; it must be in [0, 1], since entries are "
                    "multiplied by a number in [1 - width, 1 + width].",
                    resampling.width));
  }
  look_at_rows<T>(data, [&](Index row, std::span<const std::uint32_t> columns, std::span<T> values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      check_entry(static_cast<double>(values[k]), row,
                  columns.empty() ? static_cast<Index>(k) : Index{columns[k]}, resampling.kind);
    }
  });
}

template <class T>
std::unique_ptr<Data<T>> resampled(const Data<T>& data, const Resampling& resampling, Side spectra,
                                   std::uint64_t seed) {
  auto borrowed = std::make_unique<Borrowed<T>>(data);
  if (resampling.kind == Kind::none) return borrowed;
  check_resampling(data, resampling);
  const bool turned = spectra == Side::W;
  const Drawing drawing(resampling, seed, data.cols(), turned);
  const auto draw = [&](const Data<T>& samples) {
    return part_of_matrix<T>(samples, all_of(samples.rows()), all_of(samples.cols()),
                             [&](Index row, std::span<const std::uint32_t> columns, std::span<T> values) {
                               drawing.draw_row(row, columns, values);
                             });
  };
  if (!turned) return draw(data);
  return transposed(draw(TransposedData<T>(std::move(borrowed))));
}

template <class T>
double resampled_bytes(Index rows, Index cols, Index nonzeros) {
  const double entries = static_cast<double>(rows) * static_cast<double>(cols);
  const auto stored = static_cast<double>(nonzeros);
  if (stored >= entries) return entries * sizeof(T);
  // By rows and by columns.
  return 2 * stored * (sizeof(T) + sizeof(std::uint32_t)) + sizeof(Index) * static_cast<double>(rows + cols);
}

template void check_resampling(const Data<float>&, const Resampling&);
template void check_resampling(const Data<double>&, const Resampling&);
template std::unique_ptr<Data<float>> resampled(const Data<float>&, const Resampling&, Side, std::uint64_t);
template std::unique_ptr<Data<double>> resampled(const Data<double>&, const Resampling&, Side, std::uint64_t);
template double resampled_bytes<float>(Index, Index, Index);
template double resampled_bytes<double>(Index, Index, Index);

}  // namespace anmf
