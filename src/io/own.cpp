// SPDX-License-Identifier: MIT
#include "io/own.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace anmf::io {

template <class T>
Places take_missing(Triplets<T>& triplets) {
  Places places{.rows = triplets.rows, .cols = triplets.cols, .offsets = {0}, .indices = {}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < triplets.values.size(); ++k) {
    if (std::isnan(triplets.values[k])) {
      found.emplace_back(triplets.row_indices[k], triplets.col_indices[k]);
      continue;
    }
    triplets.row_indices[kept] = triplets.row_indices[k];
    triplets.col_indices[kept] = triplets.col_indices[k];
    triplets.values[kept++] = triplets.values[k];
  }
  if (found.empty()) return places;
  triplets.row_indices.resize(kept);
  triplets.col_indices.resize(kept);
  triplets.values.resize(kept);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  places.offsets.assign(static_cast<std::size_t>(triplets.rows) + 1, 0);
  for (const auto& [row, col] : found) {
    ++places.offsets[std::size_t{row} + 1];
    places.indices.push_back(col);
  }
  std::partial_sum(places.offsets.begin(), places.offsets.end(), places.offsets.begin());
  return places;
}

template Places take_missing(Triplets<float>&);
template Places take_missing(Triplets<double>&);

}  // namespace anmf::io
