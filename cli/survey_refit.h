// SPDX-License-Identifier: MIT
// anmf consensus --refit: the components of a rank in other units, into
//   refit.npy    the spectra (k x features of the other matrix), and refit.tsv where its features have names
//   scores.npy   how much each feature goes with each component beside the others, and scores.tsv
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "input.h"
#include "survey_input.h"
#include "survey_options.h"

namespace anmf::cli {

inline constexpr std::array<std::string_view, 4> kRefitFiles = {"refit.npy", "refit.tsv", "scores.npy",
                                                                "scores.tsv"};

/// The other matrix, its rows the samples.
struct RefitMatrix {
  std::unique_ptr<io::MatrixFile> file;
  Input<double> input;
};

/// Reads it as the matrix of the survey was read. Throws Failure if it has not the same samples.
template <class T>
[[nodiscard]] RefitMatrix open_refit_matrix(const std::string& file, const SurveyArguments& survey,
                                            const SurveyMatrix<T>& matrix);

/// Of usages (samples x k).
template <class T>
void write_refit(const std::filesystem::path& folder, const RefitMatrix& other, const Matrix<T>& usages,
                 int threads);

}  // namespace anmf::cli
