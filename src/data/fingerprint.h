// SPDX-License-Identifier: MIT
#pragma once

#include "anmf/data.h"
#include "anmf/fingerprint.h"

namespace anmf {

/// The part of the fingerprint of M that the entries of a block of M make.
template <class T>
[[nodiscard]] Fingerprint block_fingerprint(const EntryBlock<T>& block, ThreadPool& pool);

}  // namespace anmf
