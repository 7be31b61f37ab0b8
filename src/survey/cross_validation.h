// SPDX-License-Identifier: MIT
// Bi-cross-validation (Owen and Perry 2009), 2 x 2. Rows and columns of M (m x n) are halved at random:
//
//     M = [A B]     D ~ W_D H_D  by a factorization,
//         [C D]     W_A (rows of A) fits B ~ W_A H_D, H_A (columns of A) fits C ~ W_D H_A,
//
// and W_A H_A is what D, B and C say of A, which none of them has seen. Each quarter takes the place of A
// once, so that all of M is foretold.
#pragma once

#include "anmf/factorize.h"

namespace anmf {

/// Throws InvalidInput, before any work, where cross_validate() would: M is not in the memory of this
/// process, or too small to be halved.
template <class T>
void check_cross_validation(const Data<T>& data, Index rank);

struct CrossValidated {
  double error = 0;                   ///< sqrt(2 D) of all quarters as they were foretold
  double relative_error = 0;          ///< over that of the mean of each quarter in its place
  double kkt = 0;                     ///< the largest of the four factorizations
  Index iterations = 0;               ///< of all four
  Status status = Status::converged;  ///< of the first one that did not converge
};

/// The halves hang on the seed of the options, and so do the factorizations, which are as the options say.
template <class T>
[[nodiscard]] CrossValidated cross_validate(const Data<T>& data, const Options& options,
                                            Observer<T>* observer = nullptr, ThreadPool* pool = nullptr);

/// The bytes that the quarters of M take, and the rows that are fitted to them.
template <class T>
[[nodiscard]] double cross_validation_bytes(Index rows, Index cols, Index nonzeros, const Options& options);

}  // namespace anmf
