// SPDX-License-Identifier: MIT
// Jobs in the words of jobs.csv.
#include "anmf/survey.h"

namespace anmf {

std::string_view to_string(JobKind kind) {
  switch (kind) {
    case JobKind::start:
      return "start";
    case JobKind::heldout:
      return "heldout";
    case JobKind::bcv:
      return "bcv";
  }
  return {};
}

std::string_view to_string(JobStatus status) {
  switch (status) {
    case JobStatus::converged:
      return "converged";
    case JobStatus::iteration_limit:
      return "iteration_limit";
    case JobStatus::failed:
      return "failed";
  }
  return {};
}

}  // namespace anmf
