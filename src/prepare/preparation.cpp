// SPDX-License-Identifier: MIT
// The steps of a preparation one after another, and whether what they have learnt goes together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "anmf/error.h"
#include "prepare/own_entries.h"
#include "prepare/steps.h"

namespace anmf {
namespace {

void require_learnt(bool sound, const PrepareStep& step) {
  if (sound) return;
  throw InvalidInput(fmt::format(
      "what the step {} of the preparation has learnt is damaged, or of another matrix.", to_string(step)));
}

/// Checks one step for a matrix of so many columns, and returns how many it leaves.
Index check_step(const PrepareStep& step, Index columns) {
  const bool cuts = step.kind == PrepareKind::top_variance;
  const bool divides = step.learns() && !cuts;
  require_learnt(std::cmp_equal(step.learnt.size(), divides ? columns : 0), step);
  require_learnt(
      std::all_of(step.learnt.begin(), step.learnt.end(), [](double x) { return std::isfinite(x) && x > 0; }),
      step);
  if (!cuts) {
    require_learnt(step.kept.empty(), step);
    return columns;
  }
  const bool ascending =
      std::adjacent_find(step.kept.begin(), step.kept.end(), std::greater_equal<>()) == step.kept.end();
  require_learnt(!step.kept.empty() && ascending && step.kept.front() >= 0 && step.kept.back() < columns,
                 step);
  return static_cast<Index>(step.kept.size());
}

}  // namespace

Preparation::Preparation(std::string_view list) : steps_(parse_steps(list)) {}

Preparation::Preparation(std::vector<PrepareStep> steps, Index features)
    : steps_(std::move(steps)), features_(features) {
  Index columns = features;
  for (const PrepareStep& step : steps_) columns = check_step(step, columns);
}

std::string Preparation::text() const {
  if (steps_.empty()) return "none";
  std::vector<std::string> words;
  words.reserve(steps_.size());
  for (const PrepareStep& step : steps_) words.push_back(to_string(step));
  return fmt::format("{}", fmt::join(words, ","));
}

bool Preparation::learns() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const PrepareStep& step) { return step.learns(); });
}

std::optional<std::vector<Index>> Preparation::kept() const {
  std::optional<std::vector<Index>> all;
  for (const PrepareStep& step : steps_) {
    if (step.kind != PrepareKind::top_variance) continue;
    std::vector<Index> places = step.kept;
    if (all) {
      for (Index& place : places) place = (*all)[static_cast<std::size_t>(place)];
    }
    all = std::move(places);
  }
  return all;
}

template <class T>
void Preparation::learn_and_apply(OwnEntries<T>& M) {
  features_ = cols_of(M);
  for (PrepareStep& step : steps_) {
    step.learnt.clear();
    step.kept.clear();
    learn(step, M);
    apply_step(step, M);
  }
}

template <class T>
void Preparation::apply(OwnEntries<T>& M) const {
  if (features_ == 0 && learns())
    throw InvalidInput(fmt::format("the preparation {} has not learnt from a matrix yet.", text()));
  if (features_ > 0 && features_ != cols_of(M)) {
    throw InvalidInput(fmt::format("the preparation {} was learnt from {} features, but the matrix has {}.",
                                   text(), features_, cols_of(M)));
  }
  for (const PrepareStep& step : steps_) apply_step(step, M);
}

template void Preparation::learn_and_apply(OwnEntries<float>&);
template void Preparation::learn_and_apply(OwnEntries<double>&);
template void Preparation::apply(OwnEntries<float>&) const;
template void Preparation::apply(OwnEntries<double>&) const;

}  // namespace anmf
