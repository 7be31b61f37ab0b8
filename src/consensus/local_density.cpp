// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "anmf/consensus.h"
#include "anmf/error.h"
#include "consensus/unit_spectra.h"

namespace anmf {

Index density_neighbours(double share, Index spectra, Index k) {
  if (!(share >= 0) || !std::isfinite(share)) {
    throw InvalidInput(fmt::format("share = {}; it must be finite and >= 0.", share));
  }
  if (spectra < 0 || k < 1) {
    throw InvalidInput(fmt::format("{} spectra of {} components; there must be at least one.", spectra, k));
  }
  // In this order of operations cNMF has the same number where the quotient is close to a whole one.
  const double neighbours = share * static_cast<double>(spectra) / static_cast<double>(k);
  return static_cast<Index>(std::clamp(neighbours, 1.0, std::max(1.0, static_cast<double>(spectra))));
}

std::vector<double> local_density(ConstMatrixView<double> unit, Index neighbours, ThreadPool& pool) {
  check_spectra("unit", unit);
  if (neighbours < 1)
    throw InvalidInput(fmt::format("neighbours = {}; there must be at least one.", neighbours));
  const std::vector<double> squares = squared_norms(unit);
  std::vector<double> density(static_cast<std::size_t>(unit.rows), std::numeric_limits<double>::quiet_NaN());
  const Chunks chunks = product_rows(unit.rows);
  pool.for_each_chunk(chunks.count(), product_flops(unit), [&](Index chunk) {
    const Index begin = chunks.begin(chunk);
    const Matrix<double> products = rows_of_products(unit, begin, chunks.end(chunk));
    std::vector<double> distances;
    for (Index i = begin; i < chunks.end(chunk); ++i) {
      const double square = squares[static_cast<std::size_t>(i)];
      if (square == 0) continue;
      distances.clear();
      for (Index j = 0; j < unit.rows; ++j) {
        const double other = squares[static_cast<std::size_t>(j)];
        if (other == 0) continue;
        distances.push_back(i == j ? 0
                                   : std::sqrt(squared_distance(unit.row(i), unit.row(j), unit.cols, square,
                                                                other, products(i - begin, j))));
      }
      const auto nearest = distances.begin() + std::min<Index>(neighbours + 1, std::ssize(distances));
      std::partial_sort(distances.begin(), nearest, distances.end());
      density[static_cast<std::size_t>(i)] =
          std::accumulate(distances.begin(), nearest, 0.0) / static_cast<double>(neighbours);
    }
  });
  return density;
}

}  // namespace anmf
