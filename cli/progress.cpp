// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace anmf::cli {
namespace {

constexpr auto kDrawInterval = std::chrono::milliseconds(100);
// Where lines stay, they come ever less often: a log of a day should be readable.
constexpr auto kFirstLineAfter = std::chrono::seconds(5);
constexpr auto kLongestInterval = std::chrono::minutes(5);

/// The terminal may have added ^C to the line.
constexpr std::size_t kInterruptEcho = 2;

/// Characters of a line that may be used: one as wide as the terminal would wrap, and the carriage return
/// would not reach its beginning. Unlimited if the width is unknown.
std::size_t room() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1U : std::string::npos;
}

}  // namespace

std::string format_duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  if (seconds < 3600) {
    const auto whole = static_cast<int>(seconds);
    return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  }
  if (seconds < 100 * 3600) {
    const auto minutes = static_cast<int>(seconds / 60);
    return fmt::format("{}h {:02}m", minutes / 60, minutes % 60);
  }
  return fmt::format("{:.3g} days", seconds / 86400);
}

double seconds_to_limit(const IterationRecord& record, double wall_seconds, const Options& options,
                        const IterationRecord& from) {
  double left = std::numeric_limits<double>::infinity();
  if (record.iteration > from.iteration) {
    const double pace = wall_seconds / static_cast<double>(record.iteration - from.iteration);
    left = pace * static_cast<double>(std::max<Index>(0, options.max_iterations - record.iteration));
  }
  const double solver_seconds = record.seconds - from.seconds;
  if (solver_seconds > 0 && std::isfinite(options.time_limit)) {
    // Evaluating the error is not solver time, so a second of the limit lasts longer than a second.
    const double stretch = std::max(1.0, wall_seconds / solver_seconds);
    left = std::min(left, std::max(0.0, options.time_limit - record.seconds) * stretch);
  }
  return left;
}

std::string progress_line(const IterationRecord& record, double wall_seconds, const Options& options,
                          const IterationRecord& from) {
  std::string line = fmt::format("iteration {}/{} | relative error {:.6g}", record.iteration,
                                 options.max_iterations, record.relative_error);
  if (record.iteration > from.iteration && wall_seconds > 0) {
    line +=
        fmt::format(" | {:.3g} it/s", static_cast<double>(record.iteration - from.iteration) / wall_seconds);
  }
  line += fmt::format(" | {}", format_duration(wall_seconds));
  const double left = seconds_to_limit(record, wall_seconds, options, from);
  if (std::isfinite(left)) line += fmt::format(" | ETA {}", format_duration(left));
  return line;
}

StatusLine::StatusLine(bool wanted)
    : wanted_(wanted),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      interval_(on_terminal_ ? Clock::duration(kDrawInterval) : Clock::duration(kFirstLineAfter)),
      next_draw_(on_terminal_ ? begin_ : begin_ + interval_) {}

StatusLine::~StatusLine() {
  if (drawn_ == 0) return;
  // Not by show(), which allocates and may throw.
  std::fputc('\r', stderr);
  for (std::size_t k = std::min(drawn_ + kInterruptEcho, room()); k > 0; --k) std::fputc(' ', stderr);
  std::fputc('\r', stderr);
  std::fflush(stderr);
}

void StatusLine::show(const std::string& text) {
  if (!due()) return;
  if (!on_terminal_) {
    fmt::print(stderr, "{}\n", text);
    interval_ = std::min(2 * interval_, Clock::duration(kLongestInterval));
    next_draw_ = Clock::now() + interval_;
    return;
  }
  next_draw_ = Clock::now() + interval_;
  const std::size_t limit = room();
  const std::string shown = text.substr(0, limit);
  // Blanks over the older text work on every terminal; escape codes do not.
  const std::size_t older = std::min(drawn_ + kInterruptEcho, limit);
  const std::size_t blanks = older > shown.size() ? older - shown.size() : 0;
  fmt::print(stderr, "\r{}{:{}}", shown, "", blanks);
  std::fflush(stderr);
  drawn_ = shown.size();
}

void LiveLine::update(const IterationRecord& record) {
  if (!line_.due()) return;
  const std::string line = progress_line(record, line_.seconds(), options_, from_);
  line_.show(more_ ? fmt::format("{} | {}", line, more_()) : line);
}

}  // namespace anmf::cli
