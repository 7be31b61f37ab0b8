// SPDX-License-Identifier: MIT
// The factors W (m x r) and H (r x n) with the names of the rows and columns of M, for the next tool:
//   W.tsv         a line for each row of M, a column for each component; if the names of the rows are known
//   H.tsv         a line for each component, a column for each column of M; if the names of those are known
//   top.tsv       the strongest features of each component; if there are names of features
//   factors.h5ad  obsm["X_nmf"], varm["nmf"] and uns["nmf"]; if the input is an AnnData file
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "output_folder.h"
#include "report_labels.h"

namespace anmf::cli {

/// component_1, component_2, ...
[[nodiscard]] std::vector<std::string> component_names(Index rank);
/// Names as a table in text takes them.
[[nodiscard]] std::vector<std::string> names_on_one_line(std::vector<std::string> names);

inline constexpr std::array<std::string_view, 4> kNamedFiles = {"W.tsv", "H.tsv", "top.tsv", "factors.h5ad"};

template <class T>
struct NamedFactors {
  const Matrix<T>& W;
  const Matrix<T>& H;
  const MatrixLabels& labels;
  bool fitted_H = true;  ///< false if H was given: then it is not written anew
  Index top = 20;
  bool anndata = false;
  std::filesystem::path source = {};  ///< the AnnData file, whose columns of obs and var are kept
  bool transposed = false;            ///< the rows of M are the columns of the file
  /// uns["nmf"]
  std::vector<std::pair<std::string, typename io::AnnData<T>::Value>> about;
};

/// Stages those of kNamedFiles that there are names and room for; older ones of the others go away with the
/// publication. Returns what was staged.
template <class T>
std::vector<std::string_view> stage_named_factors(OutputFolder& folder, const NamedFactors<T>& factors);

}  // namespace anmf::cli
