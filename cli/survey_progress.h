// SPDX-License-Identifier: MIT
// The live line of a survey, which passes signals on to it.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "anmf/survey.h"
#include "input.h"
#include "interrupt.h"
#include "progress.h"

namespace anmf::cli {

/// "k 9, start 12", "k 9, held out 3".
[[nodiscard]] std::string describe_job(const JobKey& key);

/// "job 312/1000 | k 9, start 12 | 4 at a time | 1.9 jobs/s | ETA 6m 02s"
[[nodiscard]] std::string survey_line(const JobRecord& record, const SurveyProgress& progress);

template <class T>
class SurveyLine final : public SurveyObserver<T> {
 public:
  /// `attend` is told the answer as often as the survey asks whether to stop.
  explicit SurveyLine(bool wanted, std::function<void(bool)> attend = {})
      : line_(wanted), attend_(std::move(attend)) {}

  void on_job(const JobRecord& record, const SurveyProgress& progress) override {
    constexpr double kLong = 0.05;  // seconds; to return memory takes a fraction of a millisecond
    if (record.seconds > kLong) return_memory();
    made_ = progress.made;
    if (line_.due()) line_.show(survey_line(record, progress));
  }
  void on_rank(Index rank) override {
    return_memory();  // of the jobs, or of the rank before
    if (line_.due()) line_.show(fmt::format("rank {} is summed up", rank));
  }
  bool stop() override {
    const bool ended = interrupt_requested();
    if (attend_) attend_(ended);
    return ended;
  }
  [[nodiscard]] Index made() const { return made_; }

 private:
  StatusLine line_;
  std::function<void(bool)> attend_;
  Index made_ = 0;
};

}  // namespace anmf::cli
