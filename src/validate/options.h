// SPDX-License-Identifier: MIT
// Checks of the options and of given start factors, one function per rule. All throw InvalidInput.
#pragma once

#include "anmf/factorize.h"

namespace anmf::validate {

/// Every option is in its range, on its own and together with the method.
void options(const Options& options);

/// A number of threads, where 0 is every core.
void threads(int count);

/// M has entries, and a finite norm.
template <class T>
void data(const Data<T>& data);

/// The way to start goes with the rank, with what is given and, if there is a reducer, with the workers.
template <class T>
void init(Init init, const Start<T>& given, const Data<T>& data, Index rank, const Reducer* reducer);

/// Negative entries of M, if there are any, go with the loss, the method and the start.
template <class T>
void signs(const Data<T>& data, const Options& options, const Method& method, double beta);

/// What entries count goes with the options.
template <class T>
void weights(const Data<T>& data, const Options& options);

/// The factors of an m x n matrix are not too large to be counted.
void sizes(Index rows, Index cols, Index rank);

/// A given start factor has the right shape and entries; `rows` and `cols` are those that this worker owns.
template <class T>
void start(const Start<T>& start, Index rows, Index cols, Index rank);

}  // namespace anmf::validate
