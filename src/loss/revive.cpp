// SPDX-License-Identifier: MIT
#include "loss/revive.h"

#include <cmath>
#include <type_traits>

#include "kernels/gram.h"
#include "loss/balance.h"

namespace anmf {
namespace {

// The revived component relative to the whole fit: as little as the number type can tell.
template <class T>
constexpr double kTinyComponent = std::is_same_v<T, float> ? 1e-8 : 1e-16;

/// Makes column p constant, with the given norm over all rows, also those elsewhere.
template <class T>
void fill_column(FactorState<T>& state, Index p, double norm) {
  Matrix<T>& X = state.X;
  const auto value = static_cast<T>(norm / std::sqrt(static_cast<double>(state.all_rows())));
  for (Index i = 0; i < X.rows(); ++i) X(i, p) = value;
}

}  // namespace

template <class T>
Revived revive_zero_columns(FactorState<T>& updated, FactorState<T>& partner) {
  Revived revived;
  const double fit = std::sqrt(inner_product(updated.gram, partner.gram));  // ||W H||
  if (fit == 0) return revived;  // nothing to measure against, as for M = 0
  const double norm = std::sqrt(kTinyComponent<T> * fit);
  for (Index p = 0; p < updated.gram.rows(); ++p) {
    if (updated.gram(p, p) != 0) continue;
    revived.any = true;
    fill_column(updated, p, norm);
    if (partner.gram(p, p) == 0) {
      fill_column(partner, p, norm);
      revived.pair = true;
      continue;
    }
    const double shrink = std::ldexp(1.0, std::ilogb(norm / std::sqrt(partner.gram(p, p))));
    scale_component(partner, updated, p, shrink);
  }
  return revived;
}

template Revived revive_zero_columns(FactorState<float>&, FactorState<float>&);
template Revived revive_zero_columns(FactorState<double>&, FactorState<double>&);

}  // namespace anmf
