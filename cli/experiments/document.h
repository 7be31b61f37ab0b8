// SPDX-License-Identifier: MIT
// comparison.json: figures, claims and tables for people, for the report page and for other programs. What
// depends on the clock is in members called "seconds" and nowhere else.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/claim.h"
#include "experiments/results.h"

namespace anmf::cli {

/// A table as text, ready to print.
struct TextTable {
  std::string id;
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;
};

struct Skipped {
  std::string data;
  std::string reason;
};

struct Comparison {
  std::string title;
  std::string command;
  int jobs = 1;
  std::vector<FigureResult> figures;
  std::vector<Claim> claims;
  std::vector<TextTable> tables;
  std::vector<Skipped> skipped;
};

[[nodiscard]] nlohmann::ordered_json document(const Comparison& comparison);

/// Panels with final E and the way to E = 0.01, tables and claims, for a terminal.
void print_comparison(const Comparison& comparison);

}  // namespace anmf::cli
