// SPDX-License-Identifier: MIT
// Entries of W H, which nobody need have observed, without the whole product in memory.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "anmf/entries.h"
#include "anmf/matrix.h"

namespace anmf {

/// W diag(scale) H at places of W H, beside `places.indices`: W is m x r, H r x n, `scale` r numbers, or
/// empty for ones (Result::scale). Throws InvalidInput for sizes that do not fit together and for places
/// outside. The result does not depend on the number of threads.
template <class T>
[[nodiscard]] std::vector<T> predict_entries(ConstMatrixView<T> W, ConstMatrixView<T> H, PlacesView places,
                                             std::span<const double> scale = {}, int threads = 0);

/// The same for all entries of some rows of W H, one after the other block of rows: visit(first row, rows).
/// A block has about 16 MB.
template <class T>
void predict_rows(ConstMatrixView<T> W, ConstMatrixView<T> H, std::span<const double> scale,
                  const std::function<void(Index, ConstMatrixView<T>)>& visit, int threads = 0);

}  // namespace anmf
