// SPDX-License-Identifier: MIT
// The paper's data sets, where this machine has them. Tests without their data skip and say so.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "anmf/anmf.h"
#include "support/places.h"

namespace anmf::test {

/// ANMF_DATA in the environment, or the folder the build was configured with.
inline std::filesystem::path data_folder() {
  const char* chosen = std::getenv("ANMF_DATA");
  return chosen != nullptr ? chosen : kDataSets;
}

/// The file of one data set, or an empty path.
inline std::filesystem::path data_set_path(const std::string& name) {
  for (const char* extension : {".npy", ".mtx.gz"}) {
    const std::filesystem::path path = data_folder() / name / (name + extension);
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

#define ANMF_REQUIRE_DATA_SET(name)                                                         \
  if (anmf::test::data_set_path(name).empty()) {                                            \
    GTEST_SKIP() << "the data set " << (name) << " is not in " << anmf::test::data_folder() \
                 << "; set ANMF_DATA to the folder that holds it";                          \
  }                                                                                         \
  static_assert(true)

/// Builds with sanitizers are some twenty times slower and run a sample of the slow cases.
#ifdef ANMF_SAMPLE_SLOW_TESTS
inline constexpr bool kSampleSlowTests = true;
#else
inline constexpr bool kSampleSlowTests = false;
#endif

}  // namespace anmf::test
