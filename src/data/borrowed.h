// SPDX-License-Identifier: MIT
#pragma once

#include "data/forwarding_data.h"

namespace anmf {

/// A matrix that belongs to somebody else, who keeps it for as long.
template <class T>
class Borrowed final : public ForwardingData<T> {
 public:
  explicit Borrowed(const Data<T>& data) : ForwardingData<T>(data) {}
};

}  // namespace anmf
