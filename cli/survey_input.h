// SPDX-License-Identifier: MIT
// The matrix of a survey, and how many of its jobs go side by side within --memory.
#pragma once

#include <memory>
#include <string>

#include "anmf/estimate.h"
#include "input.h"
#include "survey_folder.h"
#include "survey_options.h"

namespace anmf::cli {

template <class T>
struct SurveyMatrix {
  std::unique_ptr<io::MatrixFile> file;
  Input<T> input;
  double peak_bytes = 0;  ///< of the whole program, with so many jobs at a time as the options have now

  [[nodiscard]] const Data<T>& data() const { return *input.matrix.data; }
  [[nodiscard]] SurveyInput place() const {
    return input.stream != nullptr ? SurveyInput::disk : SurveyInput::memory;
  }
};

/// Reads the matrix, or leaves it on disk where --memory asks for it; then options.jobs is as many as fit.
/// Throws Failure.
template <class T>
[[nodiscard]] SurveyMatrix<T> open_survey_matrix(SurveyArguments& arguments);

/// How a folder keeps a survey of this matrix.
template <class T>
[[nodiscard]] report::SurveyFolderSettings folder_settings(const SurveyArguments& arguments,
                                                           const SurveyMatrix<T>& matrix);

}  // namespace anmf::cli
