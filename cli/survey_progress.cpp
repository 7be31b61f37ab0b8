// SPDX-License-Identifier: MIT
#include "survey_progress.h"

#include <cmath>

namespace anmf::cli {

std::string describe_job(const JobKey& key) {
  switch (key.kind) {
    case JobKind::start:
      return fmt::format("k {}, start {}", key.rank, key.number);
    case JobKind::heldout:
      return fmt::format("k {}, held out {}", key.rank, key.number);
    case JobKind::bcv:
      return fmt::format("k {}, bcv {}", key.rank, key.number);
  }
  return {};
}

std::string survey_line(const JobRecord& record, const SurveyProgress& progress) {
  std::string line = fmt::format("job {}/{} | {} | {} at a time", progress.done, progress.total,
                                 describe_job(record.key), progress.at_a_time);
  if (progress.seconds > 0)
    line += fmt::format(" | {:.3g} jobs/s", static_cast<double>(progress.made) / progress.seconds);
  if (std::isfinite(progress.seconds_left))
    line += fmt::format(" | ETA {}", format_duration(progress.seconds_left));
  return line;
}

}  // namespace anmf::cli
