// SPDX-License-Identifier: MIT
// How workers share the rows of a factor. Shares end where blocks of rows do that stop their sweeps together
// (kBlockRows), so that iterates do not depend on the number of workers.
#pragma once

#include <algorithm>

#include "anmf/data.h"
#include "kernels/panels.h"

namespace anmf {

/// Share number `part` of `parts` of these rows, which begin with a block: runs of whole blocks in order,
/// whose lengths differ by one block at most. The last block may be shorter, and a share empty.
[[nodiscard]] inline RowRange row_share(RowRange rows, Index parts, Index part) {
  const Index blocks = (rows.count + kBlockRows - 1) / kBlockRows;
  const auto begin_of = [&](Index p) {
    const Index block = blocks / parts * p + std::min(p, blocks % parts);
    return std::min(rows.count, block * kBlockRows);
  };
  return {rows.begin + begin_of(part), begin_of(part + 1) - begin_of(part)};
}

}  // namespace anmf
