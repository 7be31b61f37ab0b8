// SPDX-License-Identifier: MIT
#include "rules/rule_table.h"

#include <fmt/format.h>

#include <stdexcept>

namespace anmf {
namespace {

template <class T>
struct Maker {
  const Rule& rule;
  std::unique_ptr<UpdateRule<T>> (*make)(double delta);
};

template <class T>
constexpr Maker<T> kMakers[] = {
    {kHals, [](double) { return make_hals<T>(); }},
    {kMu, make_mu<T>},
    {kPg, [](double) { return make_pg<T>(); }},
    {kBpp, [](double) { return make_bpp<T>(); }},
    // The model of these is swept over by hals, and their bound is the same.
    {kSpn, [](double) { return make_hals<T>(); }},
    {kCcd, [](double) { return make_hals<T>(); }},
};

}  // namespace

template <class T>
std::unique_ptr<UpdateRule<T>> make_rule(const Rule& rule, double delta) {
  for (const Maker<T>& maker : kMakers<T>) {
    if (maker.rule.name == rule.name) return maker.make(delta);
  }
  throw std::logic_error(fmt::format("Nobody makes the update rule {}.", rule.name));
}

template std::unique_ptr<UpdateRule<float>> make_rule(const Rule&, double);
template std::unique_ptr<UpdateRule<double>> make_rule(const Rule&, double);

}  // namespace anmf
