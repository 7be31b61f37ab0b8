// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <utility>

#include "loss/entry_fit.h"
#include "loss/row_method.h"

namespace anmf {

template <class T>
double entry_fit_bytes(const Rule& rule, double beta, bool sparse, Index rows, Index cols, Index rank,
                       int threads) {
  const double factors = static_cast<double>((rows + cols) * rank) * sizeof(T);
  const std::unique_ptr<RowMethod<T>> method = make_row_method<T>(rule, beta);
  double looks = 0;
  double methods = 0;
  for (const auto& [N, K] : {std::pair(rows, cols), std::pair(cols, rows)}) {
    const RowSizes sizes{
        .rows = N, .columns = K, .rank = rank, .skips_zeros = sparse && beta == 1, .threads = threads};
    looks = std::max(looks, look_bytes<T>(sizes));
    methods += method->bytes(sizes);
  }
  // Gradients are sums and curvatures of both sides. A block of columns is turned into rows.
  const double turned = 2 * sizeof(Index) * static_cast<double>(std::max(rows, cols));
  return methods + 2 * factors + looks + turned;
}

template double entry_fit_bytes<float>(const Rule&, double, bool, Index, Index, Index, int);
template double entry_fit_bytes<double>(const Rule&, double, bool, Index, Index, Index, int);

}  // namespace anmf
