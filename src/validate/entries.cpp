// SPDX-License-Identifier: MIT
#include "validate/entries.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "anmf/error.h"

namespace anmf::validate {

void shape(std::string_view name, Index rows, Index cols) {
  if (rows < 1 || cols < 1) {
    throw InvalidInput(
        fmt::format("{} is {} x {}; it must have at least one row and one column.", name, rows, cols));
  }
  if (rows > std::numeric_limits<Index>::max() / cols) {
    throw InvalidInput(
        fmt::format("{} is {} x {}; the number of entries must be below 2^63.", name, rows, cols));
  }
}

void reject_entry(std::string_view name, Index row, Index col, double value) {
  const auto sentence = [&](std::string_view what, std::string_view advice) {
    return fmt::format(
        "{}[{}, {}] = {} {} (row and column counted from 0); entries must be finite and >= 0: {}.", name, row,
        col, value, what, advice);
  };
  constexpr std::string_view kReplace = "replace or remove such entries first";
  if (std::isnan(value)) throw MissingEntry(sentence("is not a number", kReplace));
  if (std::isinf(value)) throw InvalidInput(sentence("is infinite", kReplace));
  throw NegativeEntry(sentence("is negative", "shift or clip the data first"));
}

template <class T>
void entries(std::string_view name, ConstMatrixView<T> matrix, Layout layout, Sign sign) {
  const T least = sign == Sign::any ? std::numeric_limits<T>::lowest() : T{0};
  for (Index i = 0; i < matrix.rows; ++i) {
    const T* row = matrix.row(i);
    for (Index j = 0; j < matrix.cols; ++j) {
      // False for NaN too.
      if (!(row[j] >= least && row[j] <= std::numeric_limits<T>::max())) {
        const bool by_rows = layout == Layout::row_major;
        reject_entry(name, by_rows ? i : j, by_rows ? j : i, static_cast<double>(row[j]));
      }
    }
  }
}

template void entries(std::string_view, ConstMatrixView<float>, Layout, Sign);
template void entries(std::string_view, ConstMatrixView<double>, Layout, Sign);

}  // namespace anmf::validate
