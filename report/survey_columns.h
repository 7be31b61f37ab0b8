// SPDX-License-Identifier: MIT
// The columns of survey.csv and components.csv in their order; the page has the same names.
#pragma once

#include <concepts>
#include <type_traits>

#include "anmf/survey.h"

namespace anmf::report {

/// Calls column(name, value) for every column. Values are Index, double or bool, and may be set if the row
/// may.
template <class Row, class Visit>
  requires std::same_as<std::remove_const_t<Row>, RankSummary>
void for_each_column(Row& row, const Visit& column) {
  column("rank", row.rank);
  column("starts", row.starts);
  column("failed", row.failed);
  column("converged", row.converged);
  column("error_best", row.error_best);
  column("error_median", row.error_median);
  column("error_worst", row.error_worst);
  column("explained", row.explained);
  column("silhouette", row.silhouette);
  column("silhouette_min", row.silhouette_min);
  column("silhouette_cosine", row.silhouette_cosine);
  column("instability", row.instability);
  column("cophenetic", row.cophenetic);
  column("dispersion", row.dispersion);
  column("sparseness_w", row.sparseness_w);
  column("sparseness_h", row.sparseness_h);
  column("consensus_error", row.consensus_error);
  column("heldout", row.heldout);
  column("heldout_se", row.heldout_se);
  column("bcv", row.bcv);
  column("outliers", row.outliers);
  column("seconds", row.seconds);
  column("suggested", row.suggested);
}

template <class Row, class Visit>
  requires std::same_as<std::remove_const_t<Row>, ComponentSummary>
void for_each_column(Row& row, const Visit& column) {
  column("rank", row.rank);
  column("component", row.component);
  column("members", row.members);
  column("silhouette", row.silhouette);
  column("spread", row.spread);
  column("usage", row.usage);
  column("parent", row.parent);
  column("parent_cosine", row.parent_cosine);
}

}  // namespace anmf::report
