// SPDX-License-Identifier: MIT
#include <algorithm>

#include "anmf/shares.h"
#include "kernels/panels.h"

namespace anmf {

RowRange row_share(RowRange rows, Index parts, Index part) {
  const Index blocks = (rows.count + kBlockRows - 1) / kBlockRows;
  const auto begin_of = [&](Index p) {
    const Index block = blocks / parts * p + std::min(p, blocks % parts);
    return std::min(rows.count, block * kBlockRows);
  };
  return {rows.begin + begin_of(part), begin_of(part + 1) - begin_of(part)};
}

}  // namespace anmf
