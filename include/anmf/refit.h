// SPDX-License-Identifier: MIT
// Components in other units: what known usages U (samples x k) say of other measurements X of the same
// samples (samples x features), counts per million of all genes, say, where the components were found in some
// genes.
#pragma once

#include "anmf/data.h"

namespace anmf {

/// The spectra S (k x features) >= 0 that minimise ||X - U S||_F^2, with the rows of U divided by their sums.
template <class T>
[[nodiscard]] Matrix<T> refit_spectra(const Data<T>& X, ConstMatrixView<T> usages, int threads = 0);

/// How much each feature goes with each component beside the others (k x features): least squares of the
/// features, centred and scaled to variance 1, on U as it is, (U'U)^+ (U'X - (U'1) mean') diag(1 / sd), as
/// cNMF's gene scores. Features that do not vary have zeros. X is multiplied with, never written out.
template <class T>
[[nodiscard]] Matrix<double> spectra_scores(const Data<T>& X, ConstMatrixView<T> usages, int threads = 0);

}  // namespace anmf
