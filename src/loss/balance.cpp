// SPDX-License-Identifier: MIT
#include "loss/balance.h"

#include <cmath>

namespace anmf {
namespace {

// Norms may be off their geometric mean by two to this power. Ordinary runs of some hundred iterations drift
// by six.
constexpr double kMostShift = 8;

template <class T>
void scale_column(Matrix<T>& X, Index p, double by) {
  for (Index i = 0; i < X.rows(); ++i) X(i, p) = static_cast<T>(static_cast<double>(X(i, p)) * by);
}

/// Row and column p of X'X when column p of X changes by a factor.
void scale_gram(Matrix<double>& gram, Index p, double by) {
  for (Index q = 0; q < gram.rows(); ++q) gram(p, q) *= by;
  for (Index q = 0; q < gram.rows(); ++q) gram(q, p) *= by;
}

}  // namespace

template <class T>
void scale_component(FactorState<T>& scaled, FactorState<T>& other_one, Index p, double by) {
  scale_column(scaled.X, p, by);
  scale_gram(scaled.gram, p, by);
  scale_column(other_one.cross, p, by);
}

template <class T>
bool balance_components(FactorState<T>& first, FactorState<T>& second) {
  bool any = false;
  for (Index p = 0; p < first.gram.rows(); ++p) {
    if (first.gram(p, p) == 0 || second.gram(p, p) == 0) continue;
    const double shift = 0.25 * (std::log2(second.gram(p, p)) - std::log2(first.gram(p, p)));
    if (std::abs(shift) <= kMostShift) continue;
    const double scale = std::exp2(std::nearbyint(shift));
    scale_component(first, second, p, scale);
    scale_component(second, first, p, 1 / scale);
    any = true;
  }
  return any;
}

template void scale_component(FactorState<float>&, FactorState<float>&, Index, double);
template void scale_component(FactorState<double>&, FactorState<double>&, Index, double);
template bool balance_components(FactorState<float>&, FactorState<float>&);
template bool balance_components(FactorState<double>&, FactorState<double>&);

}  // namespace anmf
