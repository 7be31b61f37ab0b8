// SPDX-License-Identifier: MIT
// What each step does. Sums and entries are computed in double, whatever M is stored in.
#include "prepare/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "anmf/error.h"
#include "prepare/own_entries.h"

namespace anmf {
namespace {

using Numbers = std::vector<double>;

template <class T>
std::size_t lines_of(const OwnEntries<T>& M, Side side) {
  return static_cast<std::size_t>(side == Side::W ? rows_of(M) : cols_of(M));
}

/// For every row (W) or column (H), what `add` makes of its entries one after another, from 0 on.
template <class T, class Add>
Numbers over_lines(const OwnEntries<T>& M, Side side, const Add& add) {
  Numbers result(lines_of(M, side));
  for_each_entry(M, [&](std::size_t i, std::size_t j, const T& x) {
    double& number = result[side == Side::W ? i : j];
    number = add(number, static_cast<double>(x));
  });
  return result;
}

template <class T>
Numbers sums(const OwnEntries<T>& M, Side side) {
  return over_lines(M, side, [](double sum, double x) { return sum + x; });
}

template <class T>
Numbers maxima(const OwnEntries<T>& M, Side side) {
  return over_lines(M, side, [](double most, double x) { return std::max(most, x); });
}

template <class T>
Numbers norms(const OwnEntries<T>& M, Side side) {
  Numbers result = over_lines(M, side, [](double sum, double x) { return sum + x * x; });
  for (double& norm : result) norm = std::sqrt(norm);
  return result;
}

struct Moments {
  Numbers mean;
  Numbers variance;  ///< with the number of rows as divisor
};

/// Around the mean, in a second pass: a difference of squares would lose the digits. Zeros that are not
/// stored are counted.
template <class T>
Moments moments(const OwnEntries<T>& M) {
  const auto rows = static_cast<double>(rows_of(M));
  Moments result{.mean = sums(M, Side::H), .variance = Numbers(lines_of(M, Side::H))};
  for (double& mean : result.mean) mean /= rows;
  Numbers stored(result.mean.size());
  for_each_entry(M, [&](std::size_t, std::size_t j, const T& x) {
    const double distance = static_cast<double>(x) - result.mean[j];
    result.variance[j] += distance * distance;
    ++stored[j];
  });
  for (std::size_t j = 0; j < stored.size(); ++j) {
    const double mean = result.mean[j];
    result.variance[j] = (result.variance[j] + (rows - stored[j]) * mean * mean) / rows;
  }
  return result;
}

/// Those of columns that differ by no more than rounding are 1, as in scikit-learn.
template <class T>
Numbers standard_deviations(const OwnEntries<T>& M) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const auto rows = static_cast<double>(rows_of(M));
  Moments m = moments(M);
  for (std::size_t j = 0; j < m.mean.size(); ++j) {
    const double rounding = rows * m.mean[j] * kEpsilon;
    const bool constant = m.variance[j] <= rows * kEpsilon * m.variance[j] + rounding * rounding;
    m.variance[j] = constant ? 1 : std::sqrt(m.variance[j]);
  }
  return m.variance;
}

/// ln((1 + rows) / (1 + rows with the column)) + 1.
template <class T>
Numbers inverse_document_frequencies(const OwnEntries<T>& M) {
  const auto rows = static_cast<double>(rows_of(M));
  Numbers result = over_lines(M, Side::H, [](double count, double x) { return count + (x != 0 ? 1 : 0); });
  for (double& number : result) number = std::log((1 + rows) / (1 + number)) + 1;
  return result;
}

template <class T>
std::vector<Index> most_variable(const OwnEntries<T>& M, double number) {
  const Numbers variance = moments(M).variance;
  const auto count = static_cast<std::size_t>(std::min(number, 1e15));
  if (count > variance.size()) {
    throw InvalidInput(fmt::format("top-variance={} asks for more features than the matrix has there: {}.",
                                   count, variance.size()));
  }
  std::vector<Index> columns(variance.size());
  std::iota(columns.begin(), columns.end(), Index{0});
  std::stable_sort(columns.begin(), columns.end(), [&](Index a, Index b) {
    return variance[static_cast<std::size_t>(a)] > variance[static_cast<std::size_t>(b)];
  });
  columns.resize(count);
  std::sort(columns.begin(), columns.end());
  return columns;
}

/// What brings lines from these numbers to `number`, and leaves lines of zeros as they are.
Numbers divisors(Numbers numbers, double number) {
  for (double& x : numbers) x = x > 0 ? x / number : 1;
  return numbers;
}

template <class T, class Change>
void change(const PrepareStep& step, OwnEntries<T>& M, const Change& new_value) {
  bool finite = true;
  for_each_entry(M, [&](std::size_t i, std::size_t j, T& x) {
    x = static_cast<T>(new_value(i, j, static_cast<double>(x)));
    finite = finite && std::isfinite(x);
  });
  if (finite) return;
  throw InvalidInput(fmt::format("an entry leaves the range of {} in the step {} of the preparation.",
                                 sizeof(T) == sizeof(float) ? "float32" : "float64", to_string(step)));
}

template <class T>
void divide(const PrepareStep& step, OwnEntries<T>& M, Side side, const Numbers& by) {
  change(step, M, [&](std::size_t i, std::size_t j, double x) { return x / by[side == Side::W ? i : j]; });
}

}  // namespace

const std::vector<PrepareKindInfo>& prepare_kinds() {
  static const std::vector<PrepareKindInfo> kinds = {
      {PrepareKind::log1p, "log1p", false, {}, "ln(1 + x)"},
      {PrepareKind::sqrt, "sqrt", false, {}, "the square root"},
      {PrepareKind::tfidf,
       "tfidf",
       false,
       {},
       "times ln((1 + m) / (1 + rows with the column)) + 1, then norm 1"},
      {PrepareKind::total, "total", true, Side::W, "every row to this sum"},
      {PrepareKind::unit_variance, "unit-variance", false, {}, "every column by its standard deviation"},
      {PrepareKind::max, "max", true, Side::H, "every column to this maximum"},
      {PrepareKind::top_variance, "top-variance", true, {}, "only so many columns, the most variable"},
  };
  return kinds;
}

const PrepareKindInfo& info_of(PrepareKind kind) {
  return prepare_kinds()[static_cast<std::size_t>(kind)];  // which are in that order
}

bool PrepareStep::learns() const {
  switch (kind) {
    case PrepareKind::tfidf:
    case PrepareKind::unit_variance:
    case PrepareKind::top_variance:
      return true;
    case PrepareKind::total:
    case PrepareKind::max:
      return side == Side::H;
    default:
      return false;
  }
}

template <class T>
void learn(PrepareStep& step, const OwnEntries<T>& M) {
  if (!step.learns()) return;
  switch (step.kind) {
    case PrepareKind::tfidf:
      step.learnt = inverse_document_frequencies(M);
      break;
    case PrepareKind::unit_variance:
      step.learnt = standard_deviations(M);
      break;
    case PrepareKind::top_variance:
      step.kept = most_variable(M, step.number);
      break;
    case PrepareKind::total:
      step.learnt = divisors(sums(M, Side::H), step.number);
      break;
    default:
      step.learnt = divisors(maxima(M, Side::H), step.number);
  }
}

template <class T>
void apply_step(const PrepareStep& step, OwnEntries<T>& M) {
  switch (step.kind) {
    case PrepareKind::log1p:
      return change(step, M, [](std::size_t, std::size_t, double x) { return std::log1p(x); });
    case PrepareKind::sqrt:
      return change(step, M, [](std::size_t, std::size_t, double x) { return std::sqrt(x); });
    case PrepareKind::tfidf:
      change(step, M, [&](std::size_t, std::size_t j, double x) { return x * step.learnt[j]; });
      return divide(step, M, Side::W, divisors(norms(M, Side::W), 1));
    case PrepareKind::unit_variance:
      return divide(step, M, Side::H, step.learnt);
    case PrepareKind::total:
      return divide(step, M, step.side,
                    step.learns() ? step.learnt : divisors(sums(M, Side::W), step.number));
    case PrepareKind::max:
      return divide(step, M, step.side,
                    step.learns() ? step.learnt : divisors(maxima(M, Side::W), step.number));
    case PrepareKind::top_variance:
      keep_columns(M, step.kept);
  }
}

template void learn(PrepareStep&, const OwnEntries<float>&);
template void learn(PrepareStep&, const OwnEntries<double>&);
template void apply_step(const PrepareStep&, OwnEntries<float>&);
template void apply_step(const PrepareStep&, OwnEntries<double>&);

}  // namespace anmf
