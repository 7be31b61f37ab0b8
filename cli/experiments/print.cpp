// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "experiments/document.h"

namespace anmf::cli {
namespace {

void print_table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(columns[c].size());
    for (const auto& row : rows) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) line += fmt::format(" {:<{}} ", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  };
  print_row(columns);
  for (const auto& row : rows) print_row(row);
}

std::string reach(const Curve& curve, double level, std::string_view format_unit) {
  const std::optional<double> x = first_at_most(curve, level);
  return x ? fmt::format("{:.3g}{}", *x, format_unit) : "-";
}

/// In words, where there is somebody to win against.
std::string who_won(const PanelResult& panel) {
  const std::vector<const CurveResult*> order = panel.ranking();
  const auto final_gap = [&panel](const CurveResult* c) { return panel.whole(*c).mean.back(); };
  const double end = panel.whole(*order.front()).x.back();
  const std::string when = panel.limited_by == Cost::seconds
                               ? fmt::format("after {:.3g} s", end)
                               : fmt::format("after {:.3g} {}", end, panel.flops_label);
  const std::string first = fmt::format("{} has the lowest E {}", order.front()->label, when);
  if (order.size() == 1) return first + ".";
  if (final_gap(order[0]) == final_gap(order[1]))
    return fmt::format("{}, {:.2e}; so has {}.", first, final_gap(order[0]), order[1]->label);
  return fmt::format("{}, {:.2e}; next is {} with {:.2e}.", first, final_gap(order[0]), order[1]->label,
                     final_gap(order[1]));
}

void print_panel(const PanelResult& panel) {
  fmt::print("\n  {} ({} start{}{})\n", panel.title, panel.starts, panel.starts == 1 ? "" : "s",
             panel.sets.size() > 1 ? fmt::format("; {}", fmt::join(panel.sets, ", ")) : "");
  std::vector<std::vector<std::string>> rows;
  for (const CurveResult& c : panel.curves) {
    std::vector<std::string> row = {c.label, describe(c.behaviour),
                                    fmt::format("{:.2e}", panel.whole(c).mean.back()),
                                    reach(c.flops, 1e-2, "")};
    row.push_back(c.seconds.x.empty() ? "" : reach(c.seconds, 1e-2, " s"));
    rows.push_back(std::move(row));
  }
  print_table({"method", "parameters", "final E", panel.flops_label + " to E = 0.01", "time to E = 0.01"},
              rows);
  fmt::print("  {}\n", who_won(panel));
}

/// One data set a line, under the claim.
std::string indented(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at)
    text.replace(at, 1, "\n    ");
  return text;
}

}  // namespace

void print_comparison(const Comparison& comparison) {
  for (const FigureResult& figure : comparison.figures) {
    fmt::print("\n{}: {}\n", figure.id, figure.title);
    if (figure.loss != loss_name(2))
      fmt::print("  The loss D is {}; E is that of the error sqrt(2 D).\n", figure.loss);
    for (const PanelResult& panel : figure.panels) print_panel(panel);
  }
  for (const TextTable& table : comparison.tables) {
    fmt::print("\n{}: {}\n\n", table.id, table.title);
    print_table(table.columns, table.rows);
    for (const std::string& note : table.notes) fmt::print("  {}\n", note);
  }
  if (!comparison.claims.empty()) {
    fmt::print(
        "\nThe paper's claims, judged by flops and beside it by solver time. \"Times as fast\" compares the "
        "way\nto an average E of {}, or to the worse of both ends if that is higher.\n",
        kThere);
  }
  for (const Claim& claim : comparison.claims) {
    fmt::print("\n  {} [{}, {}]\n    {}\n    {}\n", to_string(claim.verdict), claim.figure, claim.id,
               claim.text, indented(claim.numbers));
    if (!claim.reason.empty()) fmt::print("    {}\n", claim.reason);
    if (claim.seconds_verdict) {
      fmt::print("    By time: {}.\n    {}\n", to_string(*claim.seconds_verdict),
                 indented(claim.seconds_numbers));
    }
  }
  for (const Skipped& skipped : comparison.skipped) {
    fmt::print("\nskipped: {}: {}\n", skipped.data, skipped.reason);
  }
}

}  // namespace anmf::cli
