// SPDX-License-Identifier: MIT
// A statement of the paper, and what the results say about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anmf::cli {

enum class Verdict { holds, fails, undecided };

[[nodiscard]] constexpr std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "does not hold";
    case Verdict::undecided:
      return "undecided";
  }
  return "";
}

struct Claim {
  std::string id;
  std::string figure;
  std::string text;  ///< with the threshold that makes it a predicate
  Verdict verdict = Verdict::undecided;
  std::string numbers;
  std::vector<std::string> data;  ///< what it was tried on
  std::string reason;             ///< why it fails, if that is known
  /// The same claim judged by solver time, where it is about time: verdict and numbers.
  std::optional<Verdict> seconds_verdict;
  std::string seconds_numbers;
};

}  // namespace anmf::cli
