// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "anmf/data.h"
#include "validate/entries.h"

namespace anmf::io {

/// Throws InvalidInput for the first entry that is negative, NaN (unless there may be gaps) or infinite. The
/// rows of `block` are the lines of M from line `first` on, and begin at `first_position` of them.
template <class S>
void check_lines(ConstMatrixView<S> block, Index first, Layout layout, Index first_position = 0,
                 bool gaps = false) {
  if constexpr (std::is_floating_point_v<S>) {
    const auto good = [](S x) { return x >= S{0} && x <= std::numeric_limits<S>::max(); };  // not for NaN
    const auto gap = [gaps](S x) { return gaps && std::isnan(x); };
    for (Index i = 0; i < block.rows; ++i) {
      const S* const line = block.row(i);
      bool all_good = true;  // a loop without a way out is done in vectors
      for (Index j = 0; j < block.cols; ++j) all_good &= good(line[j]);
      for (Index j = 0; !all_good && j < block.cols; ++j) {
        if (good(line[j]) || gap(line[j])) continue;
        const bool by_rows = layout == Layout::row_major;
        const Index position = first_position + j;
        validate::reject_entry("M", by_rows ? first + i : position, by_rows ? position : first + i,
                               static_cast<double>(line[j]));
      }
    }
  }
}

}  // namespace anmf::io
