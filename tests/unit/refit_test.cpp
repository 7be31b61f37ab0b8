// SPDX-License-Identifier: MIT
// Components in other units, against numpy 2.4 and scipy 1.17: scipy.optimize.nnls for every feature, and
// numpy.linalg.lstsq of features that were centred and scaled.
#include "anmf/refit.h"

#include <gtest/gtest.h>

#include "anmf/data.h"
#include "anmf/error.h"
#include "support/loaded.h"

namespace anmf::refit_test {
namespace {

using test::matrix_of;

const Matrix<double> kUsages = matrix_of<double>(6, 2, {3, 1, 0, 2, 4, 4, 1, 0, 2, 6, 5, 1});
const Matrix<double> kOther =
    matrix_of<double>(6, 4, {9, 0, 2, 1, 1, 8, 2, 0, 6, 5, 2, 3, 4, 1, 2, 0, 2, 7, 2, 9, 8, 2, 2, 4});

void expect_near(const Matrix<double>& found, const Matrix<double>& expected, double tolerance = 1e-13) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  for (Index k = 0; k < found.size(); ++k) EXPECT_NEAR(found.data()[k], expected.data()[k], tolerance) << k;
}

TEST(Refit, GivesSpectraInOtherUnits) {
  const DenseData<double> X(kOther.view());
  expect_near(refit_spectra(X, kUsages.view()),
              matrix_of<double>(2, 4,
                                {7.63225806451613, 0.20322580645161298, 2, 1.8354838709677426,
                                 1.7096774193548385, 8.370967741935484, 2, 4.080645161290322}),
              1e-12);
}

TEST(Refit, ScoresFeatures) {
  const DenseData<double> X(kOther.view());
  expect_near(spectra_scores(X, kUsages.view()),
              matrix_of<double>(2, 4,
                                {0.346498294081419, -0.29219263687242186, 0, -0.08750870981594804,
                                 -0.3029169869065822, 0.33154753277315047, 0, 0.22683696391597066}));
}

TEST(Refit, ScoresFeaturesOfUsagesThatDependOnEachOther) {
  const DenseData<double> X(kOther.view());
  const Matrix<double> twins = matrix_of<double>(6, 2, {3, 3, 1, 1, 2, 2, 0, 0, 4, 4, 5, 5});
  expect_near(spectra_scores(X, twins.view()),
              matrix_of<double>(2, 4,
                                {0.04014436757421747, -0.004510782379799769, 0, 0.06532113625515196,
                                 0.04014436757421747, -0.004510782379799769, 0, 0.06532113625515196}));
}

TEST(Refit, IsTheSameForSparseMatrices) {
  Csr<double> csr{.rows = 6, .cols = 4, .offsets = {0}};
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 4; ++j) {
      if (kOther(i, j) == 0) continue;
      csr.indices.push_back(static_cast<decltype(csr.indices)::value_type>(j));
      csr.values.push_back(kOther(i, j));
    }
    csr.offsets.push_back(static_cast<decltype(csr.offsets)::value_type>(csr.values.size()));
  }
  const auto sparse = SparseData<double>::from_csr<std::uint32_t>(6, 4, csr.offsets, csr.indices, csr.values);
  const DenseData<double> dense(kOther.view());
  expect_near(spectra_scores(*sparse, kUsages.view()), spectra_scores(dense, kUsages.view()));
  expect_near(refit_spectra(*sparse, kUsages.view()), refit_spectra(dense, kUsages.view()), 1e-12);
}

TEST(Refit, NeedsTheSameSamples) {
  const DenseData<double> X(kOther.view());
  const Matrix<double> five(5, 2, 1.0);
  EXPECT_THROW((void)refit_spectra(X, five.view()), InvalidInput);
  EXPECT_THROW((void)spectra_scores(X, five.view()), InvalidInput);
}

}  // namespace
}  // namespace anmf::refit_test
