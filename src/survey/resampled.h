// SPDX-License-Identifier: MIT
// A copy of M whose entries are drawn anew, so that the spread of the starts of a survey is that of the data,
// too:
//
//     poisson       m_ij becomes a number of Poisson's distribution with the mean m_ij
//     multinomial   every sample keeps its total, which falls on its features with the chances m_ij / total
//     uniform       m_ij is multiplied by a number that is equally likely anywhere in [1 - width, 1 + width]
//
// Means of poisson may be any numbers; multinomial deals out counts, which must be whole. What is drawn for
// an entry is a function of the seed and of its place in M, and of nothing else but the sample it is in.
#pragma once

#include <memory>

#include "anmf/survey.h"

namespace anmf {

/// Throws InvalidInput, before any work, where resampled() would: M is not in the memory of this process, or
/// has entries that cannot be drawn.
template <class T>
void check_resampling(const Data<T>& data, const Resampling& resampling);

/// Sparse M stays sparse: zeros stay zero. Weights and missing entries are those of M, and what has not been
/// observed is not drawn. Samples are the rows of M if the spectra are in H, else the columns. `data` must
/// outlive the result.
template <class T>
[[nodiscard]] std::unique_ptr<Data<T>> resampled(const Data<T>& data, const Resampling& resampling,
                                                 Side spectra, std::uint64_t seed);

/// The bytes that a copy of M takes.
template <class T>
[[nodiscard]] double resampled_bytes(Index rows, Index cols, Index nonzeros);

}  // namespace anmf
