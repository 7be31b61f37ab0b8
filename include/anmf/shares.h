// SPDX-License-Identifier: MIT
// How workers share the rows of a factor, for a Data of which each worker holds a part (Data::owned).
#pragma once

#include "anmf/data.h"

namespace anmf {

/// Share number `part` of `parts` of these rows: runs of whole blocks in order, whose lengths differ by one
/// block at most. A block is 48 rows, which stop their inner iterations together, so that iterates do not
/// depend on the number of workers; the first row must begin one. The last block may be shorter, and a share
/// empty.
[[nodiscard]] RowRange row_share(RowRange rows, Index parts, Index part);

}  // namespace anmf
