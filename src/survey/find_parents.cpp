// SPDX-License-Identifier: MIT
#include <cmath>

#include "anmf/survey.h"

namespace anmf {
namespace {

template <class T>
double cosine(ConstMatrixView<T> X, Index i, ConstMatrixView<T> Y, Index j) {
  double product = 0;
  double square_x = 0;
  double square_y = 0;
  for (Index k = 0; k < X.cols; ++k) {
    const auto x = static_cast<double>(X(i, k));
    const auto y = static_cast<double>(Y(j, k));
    product += x * y;
    square_x += x * x;
    square_y += y * y;
  }
  return square_x > 0 && square_y > 0 ? product / std::sqrt(square_x) / std::sqrt(square_y) : 0;
}

}  // namespace

template <class T>
void find_parents(std::vector<ComponentSummary>& components, ConstMatrixView<T> spectra,
                  ConstMatrixView<T> smaller) {
  for (ComponentSummary& component : components) {
    component.parent = 0;
    component.parent_cosine = RankSummary::kNone;
    for (Index parent = 0; parent < smaller.rows; ++parent) {
      const double similarity = cosine(spectra, component.component - 1, smaller, parent);
      if (similarity <= 0 || (component.parent > 0 && similarity <= component.parent_cosine)) continue;
      component.parent = parent + 1;
      component.parent_cosine = similarity;
    }
  }
}

template void find_parents(std::vector<ComponentSummary>&, ConstMatrixView<float>, ConstMatrixView<float>);
template void find_parents(std::vector<ComponentSummary>&, ConstMatrixView<double>, ConstMatrixView<double>);

}  // namespace anmf
