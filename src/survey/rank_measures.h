// SPDX-License-Identifier: MIT
// Measures of a rank that need no clusters.
#pragma once

#include "anmf/survey.h"

namespace anmf {

/// The mean over the components of the best start, those of zeros left out. Nothing without a best start.
template <class T>
void take_sparseness(const JobResult<T>& best, Side spectra, RankSummary& summary);

/// How differently the starts see components and samples: instability, dispersion, the consensus matrix of
/// some samples and its cophenetic correlation. One start, and one component, tell nothing.
template <class T>
void take_spread_of_starts(const RankSpectra& all, const SurveyOptions& options, ThreadPool& pool,
                           RankConsensus<T>& found);

}  // namespace anmf
