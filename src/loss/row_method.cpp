// SPDX-License-Identifier: MIT
#include "loss/row_method.h"

#include "rules/rule_table.h"

namespace anmf {

Index gentle_iterations(const Rule& rule, double beta) {
  constexpr Index kGentle = 20;
  return rule.name == kSpn.name && beta < 1 ? kGentle : 0;
}

template <class T>
std::unique_ptr<RowMethod<T>> make_row_method(const Rule& rule, double beta) {
  if (rule.name == kSpn.name) return make_shared_newton<T>(gentle_iterations(rule, beta));
  if (rule.name == kCcd.name) return make_kl_descent<T>();
  if (rule.name == kHals.name) return make_row_gram<T>();
  return make_mu_rows<T>();
}

template std::unique_ptr<RowMethod<float>> make_row_method(const Rule&, double);
template std::unique_ptr<RowMethod<double>> make_row_method(const Rule&, double);

}  // namespace anmf
