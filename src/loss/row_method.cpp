// SPDX-License-Identifier: MIT
#include "loss/row_method.h"

#include "rules/rule_table.h"

namespace anmf {

template <class T>
std::unique_ptr<RowMethod<T>> make_row_method(const Rule& rule) {
  if (rule.name == kSpn.name) return make_shared_newton<T>();
  if (rule.name == kCcd.name) return make_kl_descent<T>();
  if (rule.name == kHals.name) return make_row_gram<T>();
  return make_mu_rows<T>();
}

template std::unique_ptr<RowMethod<float>> make_row_method(const Rule&);
template std::unique_ptr<RowMethod<double>> make_row_method(const Rule&);

}  // namespace anmf
