// SPDX-License-Identifier: MIT
#include "survey_refit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "anmf/refit.h"
#include "failure.h"
#include "named_factors.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

void expect_same_samples(const std::string& file, const std::vector<std::string>& names,
                         const std::vector<std::string>& expected) {
  if (names.empty() || expected.empty() || names == expected) return;
  const auto [a, b] = std::ranges::mismatch(names, expected);
  throw Failure(
      ExitCode::input,
      fmt::format("the samples of '{}' are not those of the survey in the same order: number {} is '{}' "
                  "there, and '{}' here.",
                  file, a - names.begin() + 1, *a, *b));
}

void write_both(const fs::path& folder, const std::string& name, const Matrix<double>& matrix,
                const std::vector<std::string>& features) {
  io::write_npy<double>(folder / (name + ".npy"), matrix.view());
  const fs::path table = folder / (name + ".tsv");
  if (features.empty()) {
    std::error_code ignored;
    fs::remove(table, ignored);
    return;
  }
  io::write_table(table, io::rows_of(matrix.view()),
                  {component_names(matrix.rows()), names_on_one_line(features)});
}

}  // namespace

template <class T>
RefitMatrix open_refit_matrix(const std::string& file, const SurveyArguments& survey,
                              const SurveyMatrix<T>& matrix) {
  const bool columns = survey.options.spectra == Side::H;
  InputArguments arguments;
  arguments.file = file;
  // Samples are rows then, wherever they are in the file.
  arguments.transpose = survey.input.transpose != (survey.options.spectra == Side::W);
  RefitMatrix other;
  other.file = std::make_unique<io::MatrixFile>(open_file(file, arguments));
  other.input = read_input<double>(*other.file, arguments, ReportArguments{});
  const Index samples = columns ? matrix.data().rows() : matrix.data().cols();
  if (other.input.matrix.data->rows() != samples) {
    throw Failure(
        ExitCode::input,
        fmt::format("'{}' has {} samples, and the matrix of the survey has {}: --refit needs the same "
                    "samples in the same order.",
                    file, other.input.matrix.data->rows(), samples));
  }
  const io::Names& names = matrix.input.labels.names;
  expect_same_samples(file, other.input.labels.names.rows, columns ? names.rows : names.cols);
  return other;
}

template <class T>
void write_refit(const fs::path& folder, const RefitMatrix& other, const Matrix<T>& usages, int threads) {
  Matrix<double> U(usages.rows(), usages.cols());
  std::ranges::transform(usages.values(), U.values().begin(),
                         [](T value) { return static_cast<double>(value); });
  const Data<double>& X = *other.input.matrix.data;
  const std::vector<std::string>& features = other.input.labels.names.cols;
  write_both(folder, "refit", refit_spectra(X, std::as_const(U).view(), threads), features);
  write_both(folder, "scores", spectra_scores(X, std::as_const(U).view(), threads), features);
}

template RefitMatrix open_refit_matrix(const std::string&, const SurveyArguments&,
                                       const SurveyMatrix<float>&);
template RefitMatrix open_refit_matrix(const std::string&, const SurveyArguments&,
                                       const SurveyMatrix<double>&);
template void write_refit(const fs::path&, const RefitMatrix&, const Matrix<float>&, int);
template void write_refit(const fs::path&, const RefitMatrix&, const Matrix<double>&, int);

}  // namespace anmf::cli
