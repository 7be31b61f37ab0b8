// SPDX-License-Identifier: MIT
// The paper's cost model (section 2): flops of every step, and rho, what the first inner iteration of a
// half-step costs relative to the next ones. K = stored nonzeros of M, N = rows of the updated factor
// (m or n), N_fixed = rows of the other one, r = rank.
#pragma once

#include <algorithm>

#include "anmf/matrix.h"

namespace anmf::cost {

/// Cross product and Gram matrix of one half: 2 K r + 2 N_fixed r^2.
[[nodiscard]] inline double products(Index K, Index N_fixed, Index r) {
  const auto rank = static_cast<double>(r);
  return 2.0 * static_cast<double>(K) * rank + 2.0 * static_cast<double>(N_fixed) * rank * rank;
}

/// A product of a tall factor with an r x r matrix: 2 N r^2.
[[nodiscard]] inline double tall_product(Index N, Index r) {
  return 2.0 * static_cast<double>(N) * static_cast<double>(r) * static_cast<double>(r);
}

/// `count` operations on every entry of a tall factor.
[[nodiscard]] inline double entrywise(double count, Index N, Index r) {
  return count * static_cast<double>(N) * static_cast<double>(r);
}

[[nodiscard]] inline double mu_sweep(Index N, Index r) { return tall_product(N, r) + entrywise(2, N, r); }
[[nodiscard]] inline double hals_sweep(Index N, Index r) { return tall_product(N, r) + entrywise(1, N, r); }
[[nodiscard]] inline double pg_gradient(Index N, Index r) { return tall_product(N, r); }
[[nodiscard]] inline double pg_trial(Index N, Index r) { return tall_product(N, r) + entrywise(2, N, r); }

/// rho = 1 + (K + N_fixed r) / (N r + N), the paper's section 3.1.
[[nodiscard]] inline double rho(Index K, Index N, Index N_fixed, Index r) {
  return (products(K, N_fixed, r) + mu_sweep(N, r)) / mu_sweep(N, r);
}

/// The same from a clock: the seconds of cross product and Gram matrix beside those of one sweep.
[[nodiscard]] inline double measured_rho(double product_seconds, double gram_seconds, double sweep_seconds) {
  constexpr double kShortest = 1e-9;  // a clock may show none at all
  return 1 + (product_seconds + gram_seconds) / std::max(sweep_seconds, kShortest);
}

}  // namespace anmf::cost
