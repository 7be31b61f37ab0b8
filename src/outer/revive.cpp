// SPDX-License-Identifier: MIT
#include "outer/revive.h"

#include <algorithm>
#include <cmath>

namespace anmf {
namespace {

// Relative to a typical entry of the largest column.
constexpr double kTinyValue = 1e-16;
constexpr double kTinyPair = 1e-8;

/// Root mean square of the largest column.
template <class T>
double typical_entry(const FactorState<T>& factor) {
  double largest = 0;
  for (Index p = 0; p < factor.gram.rows(); ++p) largest = std::max(largest, factor.gram(p, p));
  return std::sqrt(largest / static_cast<double>(factor.X.rows()));
}

template <class T>
void fill_column(FactorState<T>& factor, Index p, double value) {
  for (Index i = 0; i < factor.X.rows(); ++i) factor.X(i, p) = static_cast<T>(value);
}

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
Revived revive_zero_columns(FactorState<T>& updated, FactorState<T>& partner) {
  const double typical = typical_entry(updated);
  const double typical_partner = typical_entry(partner);
  Revived revived;
  if (typical == 0 || typical_partner == 0) return revived;  // M = 0: nothing to measure against
  for (Index p = 0; p < updated.gram.rows(); ++p) {
    if (updated.gram(p, p) != 0) continue;
    revived.any = true;
    if (partner.gram(p, p) == 0) {
      fill_column(updated, p, kTinyPair * typical);
      fill_column(partner, p, kTinyPair * typical_partner);
      revived.pair = true;
      continue;
    }
    const double tiny_norm = kTinyValue * typical * std::sqrt(static_cast<double>(updated.X.rows()));
    const double balance = std::sqrt(std::sqrt(partner.gram(p, p)) / tiny_norm);
    fill_column(updated, p, kTinyValue * typical * balance);
    scale_column(partner.X, p, 1 / balance);
    scale_gram(partner.gram, p, 1 / balance);
    scale_column(updated.cross, p, 1 / balance);
  }
  return revived;
}

template Revived revive_zero_columns(FactorState<float>&, FactorState<float>&);
template Revived revive_zero_columns(FactorState<double>&, FactorState<double>&);

}  // namespace anmf
