// SPDX-License-Identifier: MIT
// What many factorizations of one matrix agree on. A component of a factorization of rank k has a spectrum
// over the n features; the spectra of S starts, N = S k of them, stand below one another, those of a start
// together. All functions are pure: the same numbers for any number of threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "anmf/matrix.h"
#include "anmf/parallel.h"

namespace anmf {

/// x / ||x||_2 of every row; rows of zeros stay what they are.
[[nodiscard]] Matrix<double> unit_rows(ConstMatrixView<double> spectra);

inline constexpr Index kNoCluster = -1;

/// Spectra that belong together.
struct Clusters {
  std::vector<Index> labels;  ///< of every spectrum, 0 to k - 1; kNoCluster where it was left out
  Matrix<double> centres;     ///< k x n
  Index rounds = 0;           ///< until nothing moved
};

/// Every start gives one spectrum to each cluster: those of a start are matched to the centres by the
/// assignment of the least sum of 1 - cosine, the centres are the means of their spectra scaled to norm 1,
/// and so on until nothing moves, at most 100 times. It begins from the spectra of one start. `unit` is N x
/// n, N = S k, as unit_rows() makes it; spectra of zeros are left out.
[[nodiscard]] Clusters matched_clusters(ConstMatrixView<double> unit, Index k, Index first_start,
                                        ThreadPool& pool);

/// k-means, the best of ten starts by k-means++, of the spectra for which `kept` is true (all, if it is
/// empty); a start may give several spectra to a cluster, or none. A centre is the entrywise median of its
/// spectra, divided by its sum. Spectra of zeros are left out. Where fewer than k spectra differ, clusters
/// stay empty, with a centre of zeros. Throws InvalidInput if fewer than k spectra are kept.
[[nodiscard]] Clusters free_clusters(ConstMatrixView<double> unit, Index k, std::span<const bool> kept,
                                     std::uint64_t seed, ThreadPool& pool);

/// How many neighbours local_density() looks at: this share of the starts, the whole part of share * N / k,
/// and at least 1.
[[nodiscard]] Index density_neighbours(double share, Index spectra, Index k);

/// Of every spectrum the sum of the L + 1 smallest Euclidean distances to spectra, that to itself included,
/// divided by L: small where spectra are dense. Spectra of zeros are nobody's neighbours, and have NaN.
[[nodiscard]] std::vector<double> local_density(ConstMatrixView<double> unit, Index neighbours,
                                                ThreadPool& pool);

enum class Distance { euclidean, cosine };

/// How much closer every spectrum is to its own cluster than to the next one, from -1 to 1; 0 in a cluster of
/// one. NaN where there is nothing to compare: one cluster, none with two spectra, one without any, or
/// spectra that are left out.
struct Silhouettes {
  std::vector<double> of_spectra;
  std::vector<double> of_clusters;  ///< means
  double mean = std::numeric_limits<double>::quiet_NaN();
};

/// Several distances from one pass over the products of all spectra.
[[nodiscard]] std::vector<Silhouettes> silhouettes(ConstMatrixView<double> unit,
                                                   std::span<const Index> labels, Index k,
                                                   std::span<const Distance> distances, ThreadPool& pool);

/// How differently two starts see the components, from 0, the same spectra in some order, to 1: with the
/// correlations rho of their spectra, 1 - (sum_i max_j |rho_ij| + sum_j max_i |rho_ij|) / (2 k), the mean
/// over all pairs of starts. NaN for one start.
[[nodiscard]] double instability(ConstMatrixView<double> spectra, Index k, ThreadPool& pool);

/// The strongest component of every sample, 1 to k, or 0 where it has none, a row for each start: S x m.
using SampleLabels = Matrix<std::uint16_t>;

/// 1 + 4 mean_ij (C_ij - 1) C_ij, of the share C_ij of starts in which samples i and j have the same label: 1
/// where all starts agree. Samples without a label in a start agree with none there but themselves. From
/// tables of two starts at a time, without anything of m x m. NaN for one start.
[[nodiscard]] double dispersion(const SampleLabels& labels, Index k, ThreadPool& pool);

/// At most `count` of m samples, ascending: all of them, or some by random numbers of the seed.
[[nodiscard]] std::vector<Index> sampled_rows(Index m, Index count, std::uint64_t seed);

/// C_ij of some samples, rows by rows, with 1 on the diagonal.
[[nodiscard]] Matrix<float> consensus_matrix(const SampleLabels& labels, std::span<const Index> samples,
                                             ThreadPool& pool);

/// Average linkage of a matrix of distances, as scipy's: row t joins clusters a < b at a height; those below
/// count are single items, count + t is the cluster made by row t. `order` is that of the leaves.
struct Linkage {
  struct Join {
    Index a;
    Index b;
    double height;
    Index size;
  };
  std::vector<Join> joins;
  std::vector<Index> order;
};
[[nodiscard]] Linkage average_linkage(const Matrix<float>& distances);

/// The correlation of 1 - C with the heights at which the linkage joins two samples. NaN if either does not
/// vary.
[[nodiscard]] double cophenetic(const Matrix<float>& consensus, const Linkage& linkage);

/// Hoyer's (sqrt(n) - ||x||_1 / ||x||_2) / (sqrt(n) - 1), 0 for equal entries, 1 for a single one; NaN for
/// zeros and for n = 1.
[[nodiscard]] double sparseness(std::span<const double> x);

/// What is known of a rank when one is suggested. NaN, or nothing, where it was not looked at.
struct RankEvidence {
  Index rank = 0;
  Index starts = 0;                                                  ///< asked for
  Index done = 0;                                                    ///< of these
  Index converged = 0;                                               ///< of those done
  double silhouette_min = std::numeric_limits<double>::quiet_NaN();  ///< of the worst component
  /// Errors of the entries held out, the same masks in the same order; NaN where that job failed.
  std::vector<double> heldout;
};

struct RankSuggestion {
  Index rank = 0;                    ///< 0: undecided, or nothing to go by
  std::string rule;                  ///< the name of the rule and its version
  std::vector<std::string> reasons;  ///< sentences
  std::vector<Index> alternatives;   ///< other ranks that may be right, the likeliest first
  bool edge = false;                 ///< the rank is the first (but 1) or the last that could be judged
};

/// The rank with the least mean error of the entries held out, in words (docs/survey.md). `evidence` is in
/// ascending order of ranks.
[[nodiscard]] RankSuggestion suggest_rank(std::span<const RankEvidence> evidence);

}  // namespace anmf
