// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/data.h"
#include "anmf/parallel.h"

namespace anmf {

/// Throws InvalidInput if M is no matrix for a loss other than least squares: one that shows no entries, or
/// no whole rows and columns to workers that share it, or one with zeros, beside which the loss is infinite
/// for beta <= 0.
template <class T>
void check_loss(const Data<T>& data, double beta, Reducer* reducer = nullptr);

}  // namespace anmf
