// SPDX-License-Identifier: MIT
// How many members an aggregate has: as many as it can be initialised with.
#pragma once

#include <cstddef>

namespace anmf::test {

struct Anything {
  template <class Value>
  operator Value() const;  // NOLINT(google-explicit-constructor): never called
};

template <class Aggregate, class... Some>
consteval std::size_t count_members() {
  if constexpr (requires { Aggregate{Some{}..., Anything{}}; }) {
    return count_members<Aggregate, Some..., Anything>();
  } else {
    return sizeof...(Some);
  }
}

}  // namespace anmf::test
