// SPDX-License-Identifier: MIT
#include "experiments/document.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "anmf/version.h"

namespace anmf::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Curves are looked at: six digits are plenty, and the file is a third as long.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

Json curve(const Curve& c) {
  return {{"x", rounded(c.x)}, {"mean", rounded(c.mean)}, {"low", rounded(c.low)}, {"high", rounded(c.high)}};
}

Json panel(const PanelResult& p) {
  const bool single = p.rank > 0;
  Json json = {{"title", p.title},
               {"data", p.data},
               {"rank", single ? Json(p.rank) : Json(nullptr)},
               {"rows", single ? Json(p.rows) : Json(nullptr)},
               {"cols", single ? Json(p.cols) : Json(nullptr)},
               {"nonzeros", single && !p.dense() ? Json(p.nonzeros) : Json(nullptr)},
               {"storage", to_string(p.storage)},
               {"sets", p.sets},
               {"starts", p.starts},
               {"e_min", single && std::isfinite(p.e_min) ? Json(p.e_min) : Json(nullptr)},
               {"norm", single ? Json(p.norm) : Json(nullptr)},
               {"flops_label", p.flops_label},
               {"limited_by", p.limited_by == Cost::seconds ? "seconds" : "flops"},
               {"winner", p.ranking().front()->label},
               {"curves", Json::array()}};
  for (const CurveResult& c : p.curves) {
    json["curves"].push_back({{"label", c.label},
                              {"method", c.method},
                              {"parameters", describe(c.behaviour)},
                              {"ours", c.behaviour.extrapolated},
                              {"seconds", curve(c.seconds)},
                              {"flops", curve(c.flops)}});
  }
  return json;
}

}  // namespace

Json document(const Comparison& comparison) {
  Json json = {{"format", 1},
               {"kind", "comparison"},
               {"title", comparison.title},
               {"version", kVersion},
               {"command", comparison.command}};
  json["figures"] = Json::array();
  for (const FigureResult& figure : comparison.figures) {
    Json panels = Json::array();
    for (const PanelResult& p : figure.panels) panels.push_back(panel(p));
    json["figures"].push_back({{"id", figure.id},
                               {"title", figure.title},
                               {"caption", figure.caption},
                               {"loss", figure.loss},
                               {"panels", panels}});
  }
  json["claims"] = Json::array();
  for (const Claim& claim : comparison.claims) {
    Json shown = {{"id", claim.id},           {"figure", claim.figure},
                  {"text", claim.text},       {"verdict", to_string(claim.verdict)},
                  {"numbers", claim.numbers}, {"data", claim.data},
                  {"reason", claim.reason}};
    if (claim.seconds_verdict) {
      shown["seconds"] = {{"verdict", to_string(*claim.seconds_verdict)}, {"numbers", claim.seconds_numbers}};
    }
    json["claims"].push_back(std::move(shown));
  }
  json["tables"] = Json::array();
  for (const TextTable& table : comparison.tables) {
    json["tables"].push_back({{"id", table.id},
                              {"title", table.title},
                              {"columns", table.columns},
                              {"rows", table.rows},
                              {"notes", table.notes}});
  }
  json["skipped"] = Json::array();
  for (const Skipped& skipped : comparison.skipped) {
    json["skipped"].push_back({{"data", skipped.data}, {"reason", skipped.reason}});
  }
  json["seconds"] = {
      {"jobs", comparison.jobs},
      {"note", comparison.jobs == 1 ? "Runs were made one at a time."
                                    : fmt::format("Up to {} runs were made side by side, which "
                                                  "seconds show; flops do not.",
                                                  comparison.jobs)}};
  return json;
}

}  // namespace anmf::cli
