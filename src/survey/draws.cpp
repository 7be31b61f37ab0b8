// SPDX-License-Identifier: MIT
// Small means by inversion, others by transformed rejection (Hoermann 1993: PTRS for Poisson's distribution,
// BTRS for the binomial). Logarithms of probabilities are those of Loader (2000), which do not cancel where
// counts are large: with the deviance d(x, m) = x log(x / m) + m - x and Stirling's error
// s(x) = log x! - (x + 1/2) log x + x - log(2 pi) / 2,
//
//     Poisson    log P(k) = -s(k) - d(k, mean) - log(2 pi k) / 2
//     binomial   log P(k) = s(n) - s(k) - s(n - k) - d(k, n p) - d(n - k, n q)
//                           + log(n / (2 pi k (n - k))) / 2
#include "survey/draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace anmf {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kSmallMean = 10;  // rejection needs at least this

double stirling_error(double x) {
  constexpr double kSeriesFrom = 16;
  if (x < kSeriesFrom) {
    double factorial = 1;
    for (int i = 2; i <= static_cast<int>(x); ++i) factorial *= i;
    return std::log(factorial) - (x + 0.5) * std::log(x) + x - 0.5 * std::log(kTwoPi);
  }
  const double square = x * x;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / x;
}

double deviance(double x, double mean) {
  constexpr double kClose = 0.1;
  if (std::abs(x - mean) >= kClose * (x + mean)) return x * std::log(x / mean) + mean - x;
  const double v = (x - mean) / (x + mean);
  double sum = (x - mean) * v;
  double term = 2 * x * v;
  for (double j = 3;; j += 2) {
    term *= v * v;
    const double more = sum + term / j;
    if (more == sum) return sum;
    sum = more;
  }
}

double log_poisson(double k, double mean) {
  if (k == 0) return -mean;
  return -stirling_error(k) - deviance(k, mean) - 0.5 * std::log(kTwoPi * k);
}

double log_binomial(double k, double n, double p) {
  if (k == 0) return n * std::log1p(-p);
  if (k == n) return n * std::log(p);
  const double rest = n - k;
  return stirling_error(n) - stirling_error(k) - stirling_error(rest) - deviance(k, n * p) -
         deviance(rest, n * (1 - p)) + 0.5 * std::log(n / kTwoPi / k / rest);
}

/// What both rejections have in common: the hat's a, b and centre, a box that is within, and what P(k) is
/// compared with.
struct Hat {
  double a;
  double b;
  double centre;
  double box;
  double log_height;
};

template <class LogP>
double reject_until(const Hat& hat, double most, const LogP& log_p, PlaceNumbers& numbers) {
  constexpr double kWithin = 0.07;
  for (;;) {
    const double u = numbers.next() - 0.5;
    const double v = numbers.next();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * hat.a / us + hat.b) * u + hat.centre);
    if (k < 0 || k > most) continue;
    if (us >= kWithin && v <= hat.box) return k;
    if (std::log(v) + hat.log_height - std::log(hat.a / (us * us) + hat.b) <= log_p(k)) return k;
  }
}

double invert_poisson(double mean, double u) {
  double p = std::exp(-mean);
  double k = 0;
  while (u > p) {
    u -= p;
    ++k;
    p *= mean / k;
    if (p == 0) break;  // rounding has left something of u
  }
  return k;
}

double invert_binomial(double n, double p, double u) {
  const double odds = p / (1 - p);
  double probability = std::exp(n * std::log1p(-p));
  double k = 0;
  while (u > probability && k < n) {
    u -= probability;
    ++k;
    probability *= odds * (n - k + 1) / k;
    if (probability == 0) break;
  }
  return k;
}

}  // namespace

double PlaceNumbers::next() {
  constexpr unsigned kDropped = 11;
  constexpr unsigned kAttempts = 32;  // bits of a stream that name it
  const std::uint64_t word = drawn_ % 2;
  if (word == 0) {
    const std::uint64_t stream = streams::kResampling + ((drawn_ / 2) << kAttempts);
    bits_ = random_bits(seed_, stream, static_cast<Index>(place_));
  }
  ++drawn_;
  return (static_cast<double>(bits_[word] >> kDropped) + 0.5) * 0x1.0p-53;
}

double draw_poisson(double mean, PlaceNumbers& numbers) {
  if (mean == 0) return 0;
  if (mean < kSmallMean) return invert_poisson(mean, numbers.next());
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const Hat hat{.a = -0.059 + 0.02483 * b,
                .b = b,
                .centre = mean + 0.43,
                .box = 0.9277 - 3.6224 / (b - 2),
                .log_height = std::log(1.1239 + 1.1328 / (b - 3.4))};
  return reject_until(hat, HUGE_VAL, [=](double k) { return log_poisson(k, mean); }, numbers);
}

double draw_binomial(double count, double chance, PlaceNumbers& numbers) {
  if (count == 0 || chance <= 0) return 0;
  if (chance >= 1) return count;
  if (chance > 0.5) return count - draw_binomial(count, 1 - chance, numbers);
  if (count * chance < kSmallMean) return invert_binomial(count, chance, numbers.next());
  const double spread = std::sqrt(count * chance * (1 - chance));
  const double b = 1.15 + 2.53 * spread;
  const double mode = std::floor((count + 1) * chance);
  const Hat hat{.a = -0.0873 + 0.0248 * b + 0.01 * chance,
                .b = b,
                .centre = count * chance + 0.5,
                .box = 0.92 - 4.2 / b,
                .log_height = std::log((2.83 + 5.1 / b) * spread) + log_binomial(mode, count, chance)};
  return reject_until(hat, count, [=](double k) { return log_binomial(k, count, chance); }, numbers);
}

}  // namespace anmf
