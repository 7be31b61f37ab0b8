// SPDX-License-Identifier: MIT
// Kernels are chosen at run time; tests look at those of every instruction set that this machine has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

namespace anmf::test {

/// body() with each instruction set in turn, the best one last.
template <class Body>
void for_each_target(const Body& body) {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  ASSERT_FALSE(targets.empty());
  std::reverse(targets.begin(), targets.end());
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace anmf::test
