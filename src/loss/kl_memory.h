// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/divergence.h"
#include "kernels/kl_panel.h"

namespace anmf {

/// What one thread needs to sweep over panels (kernels/kl_panel.h), kept from panel to panel.
template <class T>
class KlMemory {
 public:
  /// For a panel with so many nonzeros in each of its lanes.
  [[nodiscard]] KlScratch<T> of(std::size_t nonzeros, std::size_t lanes, std::size_t rank) {
    const std::size_t places = nonzeros * lanes;
    const bool direct = places * rank * sizeof(T) > kMostPanelBytes && rank > 2;
    make_room(panel_, places * (direct ? 2 : rank));
    make_room(x_, places);
    make_room(y_, places);
    make_room(z_, places);
    make_room(w_, 2 * rank * lanes);
    return {.panel = panel_.data(),
            .x = x_.data(),
            .y = y_.data(),
            .z = z_.data(),
            .w = w_.data(),
            .direct = direct};
  }

  /// What one thread has for rows of at most K nonzeros.
  [[nodiscard]] static double bytes(Index K, std::size_t lanes, Index rank) {
    const double places = static_cast<double>(K) + static_cast<double>(lanes);
    const double panel = std::min(places * static_cast<double>(rank) * sizeof(T),
                                  std::max(static_cast<double>(kMostPanelBytes), 2 * places * sizeof(T)));
    return panel + (3 * places + 2 * static_cast<double>(rank) * static_cast<double>(lanes)) * sizeof(T);
  }

 private:
  // A panel larger than this is not made: F is read again for every coordinate.
  static constexpr std::size_t kMostPanelBytes = std::size_t{16} << 20U;
  using Array = std::vector<T, detail::Allocator<T>>;
  static void make_room(Array& array, std::size_t size) {
    if (array.size() < size) array.resize(size);
  }
  Array panel_;
  Array x_;
  Array y_;
  Array z_;
  Array w_;
};

/// The loss of the nonzeros in so many places of a panel that was swept over, without their models, which are
/// among those of all columns. Places without an entry cancel.
template <class T>
[[nodiscard]] double loss_of_nonzeros(std::size_t places, const KlScratch<T>& memory) {
  double sum = divergence_kernels<T>().value(1, places, memory.x, memory.y, nullptr, T{0}, nullptr);
  for (std::size_t k = 0; k < places; ++k) sum -= static_cast<double>(memory.y[k]);
  return sum;
}

}  // namespace anmf
