// SPDX-License-Identifier: MIT
// Maps of a survey: how far the spectra of all starts are from each other, and how often samples go together.
// Both are symmetric, so the lower triangle is enough.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "anmf/consensus.h"

namespace anmf::report {

/// Bytes of the lower triangle, row by row with the diagonal: size (size + 1) / 2 of them, 255 standing for
/// `max`.
struct SquareMap {
  Index size = 0;
  double max = 1;
  std::vector<std::uint8_t> triangle;
};

/// Spectra side by side: those of a cluster, the most typical first, in a few pixels, each the mean of some.
struct SpectraGroup {
  Index cluster = 0;                ///< kNoCluster: those that were left out, the last group
  std::vector<Index> members = {};  ///< in the order of the map
  Index pixels = 0;
};

/// Groups that are not empty, in the order of clusters, with about `most` pixels in all. `silhouettes` may be
/// empty.
[[nodiscard]] std::vector<SpectraGroup> spectra_groups(std::span<const Index> labels,
                                                       std::span<const double> silhouettes, Index k,
                                                       Index most);

/// 1 - cosine of the spectra (N x n), the mean over those of two pixels: with u_i = x_i / ||x_i|| the product
/// of the means of both, so it takes size^2 n operations beyond one look at all spectra. Spectra of zeros are
/// far from all.
[[nodiscard]] SquareMap distance_map(ConstMatrixView<double> spectra, std::span<const SpectraGroup> groups,
                                     int threads);

/// Entries from 0 to 1 of a symmetric matrix in `most` pixels at most, each the mean of some.
[[nodiscard]] SquareMap share_map(const Matrix<float>& shares, Index most);

}  // namespace anmf::report
