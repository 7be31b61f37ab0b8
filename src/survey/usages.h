// SPDX-License-Identifier: MIT
// How much of every component every sample has.
#pragma once

#include <vector>

#include "anmf/survey.h"

namespace anmf {

template <class T>
struct FittedUsages {
  Matrix<T> usages;                   ///< samples x k
  double error = RankSummary::kNone;  ///< sqrt(2 D) of M from their product with the spectra
};

/// The usages that fit M best beside these spectra (k x features), by the loss, without penalties: those
/// would hang on the scale that somebody gave the spectra.
template <class T>
[[nodiscard]] FittedUsages<T> fit_usages(const Data<T>& data, const SurveyOptions& options,
                                         const Matrix<T>& spectra);

/// The mean over the samples that have any component of the share of each one.
template <class T>
[[nodiscard]] std::vector<double> mean_shares(const Matrix<T>& usages);

}  // namespace anmf
