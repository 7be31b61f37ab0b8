// SPDX-License-Identifier: MIT
#include "experiments/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/cost_model.h"

namespace anmf::cli {
namespace {

struct Rho {
  double w = 0;
  double h = 0;
};

Rho rho(const TableRow& row, Index rank) {
  return {.w = cost::rho(row.nonzeros, row.rows, row.cols, rank),
          .h = cost::rho(row.nonzeros, row.cols, row.rows, rank)};
}

Index floor_of(double value) { return static_cast<Index>(std::floor(value)); }

std::string budgets(const Rho& value, std::string_view method) {
  const double alpha = find_method(method).inner_stop.alpha;
  return fmt::format("{}, {}", floor_of(1 + alpha * value.w), floor_of(1 + alpha * value.h));
}

/// How printed numbers compare with computed ones.
struct Agreement {
  int entries = 0;
  int floors = 0;
  int rounded = 0;
  std::vector<std::string> roundings;

  void add(const std::string& name, Index printed, double computed) {
    ++entries;
    if (printed == floor_of(computed)) {
      ++floors;
    } else if (printed == static_cast<Index>(std::lround(computed))) {
      ++rounded;
      roundings.push_back(fmt::format("{} {:.3f} printed as {}", name, computed, printed));
    }
  }
  [[nodiscard]] bool complete() const { return floors == entries; }
};

/// As the paper labels its columns and ranks.
Agreement as_printed(const Experiment& table) {
  Agreement agreement;
  for (const TableRow& row : table.table) {
    for (std::size_t k = 0; k < row.ranks.size(); ++k) {
      const Rho value = rho(row, row.ranks[k]);
      agreement.add(row.data, row.printed_rho_w[k], value.w);
      agreement.add(row.data, row.printed_rho_h[k], value.h);
    }
  }
  return agreement;
}

/// With the columns and the ranks that explain them.
Agreement as_explained(const Experiment& table) {
  Agreement agreement;
  for (const TableRow& row : table.table) {
    for (std::size_t k = 0; k < row.ranks.size(); ++k) {
      Rho value = rho(row, row.ranks_behind[k]);
      if (table.exchanged_columns) std::swap(value.w, value.h);
      agreement.add(row.data, row.printed_rho_w[k], value.w);
      agreement.add(row.data, row.printed_rho_h[k], value.h);
    }
  }
  return agreement;
}

std::string explanation(const Experiment& table) {
  const Agreement agreement = as_explained(table);
  std::string text =
      table.exchanged_columns
          ? "The two columns of rho are exchanged in the paper"
          : "The paper's numbers belong to other ranks, the number of classes of each set and twice that";
  text +=
      fmt::format(": read so, {} of {} are the floor of the formula", agreement.floors, agreement.entries);
  if (agreement.rounded > 0) {
    text += fmt::format(" and {} rounded to the nearest ({})", agreement.rounded,
                        fmt::join(agreement.roundings, ", "));
  }
  return text + ".";
}

Claim table_claim(const Experiment& table) {
  const Agreement printed = as_printed(table);
  Claim claim{.id = table.id + "-rho", .figure = table.id};
  claim.text = "The rho of this table are those of the formula 1 + (K + n r) / (m r + m), rounded down.";
  claim.verdict = printed.complete() ? Verdict::holds : Verdict::fails;
  claim.numbers = fmt::format("As labelled, {} of {} entries are.", printed.floors, printed.entries);
  if (!printed.complete()) claim.reason = explanation(table);
  for (const TableRow& row : table.table) claim.data.push_back(row.data);
  return claim;
}

/// The paper's example of budgets that differ: CBCL at r = 20.
Claim example_claim(const TableRow& cbcl) {
  constexpr Index kRank = 20;
  const Rho value = rho(cbcl, kRank);
  Claim claim{.id = "cbcl-example", .figure = "section 3.3", .data = {"cbcl r = 20"}};
  claim.text = "For CBCL with r = 20, rho_W is about 123 and rho_H about 18.";
  claim.verdict = std::lround(value.w) == 123 && std::lround(value.h) == 18 ? Verdict::holds : Verdict::fails;
  claim.numbers = fmt::format(
      "rho_W = {:.2f}, rho_H = {:.2f}; floor(1 + alpha rho) for W and H: {} (A-MU), "
      "{} (A-HALS).",
      value.w, value.h, budgets(value, "a-mu"), budgets(value, "a-hals"));
  return claim;
}

/// Calls `visit(row, rank)` for every data set and rank at which the factors are smaller than the data.
template <class Visit>
void for_each_compressing(const std::vector<Experiment>& tables, const Visit& visit) {
  for (const Experiment& table : tables) {
    for (const TableRow& row : table.table) {
      for (const Index rank : row.ranks) {
        if (row.nonzeros >= rank * (row.rows + row.cols)) visit(row, rank);
      }
    }
  }
}

Claim bound_claim(const std::vector<Experiment>& tables) {
  Claim claim{.id = "rho-at-least-two", .figure = "section 3.1"};
  claim.text = "K >= r (m + n) implies rho_W >= 2 r / (r + 1), and rho_W >= 1 + n / (r + 1) if M is dense.";
  double smallest = HUGE_VAL;
  bool holds = true;
  for_each_compressing(tables, [&](const TableRow& row, Index rank) {
    const auto r = static_cast<double>(rank);
    const double value = rho(row, rank).w;
    smallest = std::min(smallest, value / (2 * r / (r + 1)));
    const bool dense = row.nonzeros == row.rows * row.cols;
    holds &= value >= 2 * r / (r + 1) && (!dense || value >= 1 + static_cast<double>(row.cols) / (r + 1));
    claim.data.push_back(fmt::format("{} r = {}", row.data, rank));
  });
  claim.verdict = claim.data.empty() ? Verdict::undecided : holds ? Verdict::holds : Verdict::fails;
  claim.numbers = fmt::format("The smallest rho_W is {:.3g} times the bound.", smallest);
  return claim;
}

Claim dearest_claim(const std::vector<Experiment>& tables) {
  Claim claim{.id = "product-dearest", .figure = "section 2"};
  claim.text = "If K >= r (m + n), the product M H' is the dearest step of an update of W.";
  double smallest = HUGE_VAL;
  for_each_compressing(tables, [&](const TableRow& row, Index rank) {
    const double product = cost::products(row.nonzeros, 0, rank);
    const double gram = cost::products(0, row.cols, rank);
    smallest = std::min(smallest, product / std::max(gram, cost::mu_sweep(row.rows, rank)));
    claim.data.push_back(fmt::format("{} r = {}", row.data, rank));
  });
  claim.verdict = claim.data.empty() ? Verdict::undecided : smallest >= 1 ? Verdict::holds : Verdict::fails;
  claim.numbers = fmt::format("It costs at least {:.3g} times the next dearest step.", smallest);
  return claim;
}

}  // namespace

TextTable rho_table(const Experiment& experiment) {
  TextTable table{.id = experiment.id, .title = experiment.title};
  table.columns = {"data",    "m",     "n",        "nonzeros",  "r",          "rho_W",
                   "printed", "rho_H", "printed ", "A-MU W, H", "A-HALS W, H"};
  for (const TableRow& row : experiment.table) {
    for (std::size_t k = 0; k < row.ranks.size(); ++k) {
      const Rho value = rho(row, row.ranks[k]);
      table.rows.push_back({row.data, fmt::to_string(row.rows), fmt::to_string(row.cols),
                            fmt::to_string(row.nonzeros), fmt::to_string(row.ranks[k]),
                            fmt::format("{:.3f}", value.w), fmt::to_string(row.printed_rho_w[k]),
                            fmt::format("{:.3f}", value.h), fmt::to_string(row.printed_rho_h[k]),
                            budgets(value, "a-mu"), budgets(value, "a-hals")});
    }
  }
  table.notes = experiment.notes;
  if (!as_printed(experiment).complete()) table.notes.push_back(explanation(experiment));
  return table;
}

std::vector<Claim> rho_claims(const std::vector<Experiment>& tables) {
  std::vector<Claim> claims;
  claims.reserve(tables.size());
  for (const Experiment& table : tables) claims.push_back(table_claim(table));
  for (const Experiment& table : tables) {
    for (const TableRow& row : table.table) {
      if (row.data == "cbcl") claims.push_back(example_claim(row));
    }
  }
  if (!tables.empty()) {
    claims.push_back(bound_claim(tables));
    claims.push_back(dearest_claim(tables));
  }
  return claims;
}

}  // namespace anmf::cli
