// SPDX-License-Identifier: MIT
#include "fit_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "anmf/fit_quality.h"
#include "component_report.h"
#include "factor_pictures.h"
#include "json_values.h"
#include "strongest.h"

namespace anmf::report {
namespace {

constexpr std::size_t kBins = 30;
constexpr Index kWorstLines = 8;
constexpr Index kEntriesOfExample = 10;
/// The examples: one that fits well, one in the middle and one that fits badly, by their place in the order.
constexpr std::array<double, 3> kExamplePlaces = {0.1, 0.5, 0.9};

double relative_residual(const LineFit& fit, Index i) {
  return fit.residuals[static_cast<std::size_t>(i)] / fit.norms[static_cast<std::size_t>(i)];
}

/// The lines that are not empty, those that fit best first.
std::vector<Index> by_residual(const LineFit& fit) {
  std::vector<Index> order;
  for (Index i = 0; i < static_cast<Index>(fit.norms.size()); ++i) {
    if (fit.norms[static_cast<std::size_t>(i)] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return relative_residual(fit, a) < relative_residual(fit, b); });
  return order;
}

Index at_share(const std::vector<Index>& order, double share) {
  return order[static_cast<std::size_t>(std::floor(share * static_cast<double>(order.size() - 1)))];
}

/// The distribution of the relative residuals, and the lines that hold most of what is left of M.
Json describe_lines(const LineFit& fit, const std::vector<std::string>& names, Axis axis) {
  const std::vector<Index> order = by_residual(fit);
  if (order.empty()) return nullptr;
  double total = 0;
  for (const double residual : fit.residuals) total += residual * residual;
  const double top = std::max(relative_residual(fit, order.back()), 1e-300);
  std::array<Index, kBins> counts{};
  for (const Index i : order) {
    const auto bin = static_cast<std::size_t>(relative_residual(fit, i) / top * static_cast<double>(kBins));
    ++counts[std::min(bin, kBins - 1)];
  }
  const auto share = [&](Index i) {
    const double residual = fit.residuals[static_cast<std::size_t>(i)];
    return total > 0 ? residual * residual / total : 0;
  };
  Json worst = Json::array();
  for (const Index i : strongest(static_cast<Index>(fit.norms.size()), kWorstLines, share)) {
    worst.push_back(
        {{"name", line_name(names, axis, i)},
         {"share", number(share(i))},
         {"residual",
          fit.norms[static_cast<std::size_t>(i)] > 0 ? number(relative_residual(fit, i)) : Json(nullptr)}});
  }
  return {{"count", fit.norms.size()},
          {"empty", fit.norms.size() - order.size()},
          {"least", number(relative_residual(fit, order.front()))},
          {"median", number(relative_residual(fit, at_share(order, 0.5)))},
          {"most", number(relative_residual(fit, order.back()))},
          {"counts", counts},
          {"worst", std::move(worst)}};
}

/// Some rows (or columns) of M, as the columns of a matrix.
template <class T>
Matrix<T> lines_of(const Data<T>& M, Axis axis, std::span<const Index> chosen, ThreadPool& pool) {
  const bool rows = axis == Axis::rows;
  Matrix<T> unit_vectors(rows ? M.rows() : M.cols(), static_cast<Index>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) unit_vectors(chosen[k], static_cast<Index>(k)) = T{1};
  Matrix<T> lines(rows ? M.cols() : M.rows(), static_cast<Index>(chosen.size()));
  M.cross(rows ? Side::H : Side::W, unit_vectors.view(), lines.view(), pool);
  return lines;
}

/// The same row (or column) of W diag(scale) H.
template <class T>
std::vector<double> fitted_line(const TallFactors<T>& factors, const std::vector<double>& scale, Axis axis,
                                Index line) {
  const TallView<T> here = factors.of(axis);
  const TallView<T> there = factors.of(other(axis));
  std::vector<double> values(static_cast<std::size_t>(there.rows), 0.0);
  for (Index p = 0; p < here.cols; ++p) {
    const double weight = static_cast<double>(here(line, p)) * scale[static_cast<std::size_t>(p)];
    for (Index j = 0; j < there.rows; ++j)
      values[static_cast<std::size_t>(j)] += weight * static_cast<double>(there(j, p));
  }
  return values;
}

/// Both as images in the same shades.
Json image_pair(const std::vector<double>& data, const std::vector<double>& fit, ImageShape shape) {
  const Index shrink = shrink_to_fit(shape, 6);
  Matrix<double> both(static_cast<Index>(data.size()), 2);
  double largest = 0;
  for (Index i = 0; i < both.rows(); ++i) {
    both(i, 0) = data[static_cast<std::size_t>(i)];
    both(i, 1) = fit[static_cast<std::size_t>(i)];
    largest = std::max({largest, both(i, 0), both(i, 1)});
  }
  const ImageShape small = shrunk(shape, shrink);
  const auto picture = [&](Index p) {
    return base64(component_image(tall(both), p, shape, shrink, largest));
  };
  return {{"height", small.height}, {"width", small.width}, {"data", picture(0)}, {"fit", picture(1)}};
}

Json describe_example(const std::vector<double>& data, const std::vector<double>& fit,
                      const ReportLabels& labels) {
  const Axis features = labels.feature_axis();
  Json example;
  if (labels.ordered) {
    example["curve"] = {{"data", curve_values(data)}, {"fit", curve_values(fit)}};
  } else if (labels.image_shape && labels.image_axis == features) {
    example["image"] = image_pair(data, fit, *labels.image_shape);
  } else {
    Json& entries = example["entries"] = Json::array();
    const auto value = [&](Index j) { return data[static_cast<std::size_t>(j)]; };
    for (const Index j : strongest(static_cast<Index>(data.size()), kEntriesOfExample, value)) {
      entries.push_back({{"name", line_name(labels.names, features, j)},
                         {"data", number(value(j))},
                         {"fit", number(fit[static_cast<std::size_t>(j)])}});
    }
  }
  return example;
}

template <class T>
Json describe_examples(const Data<T>& M, const Result<T>& result, const LineFit& fit,
                       const ReportLabels& labels, ThreadPool& pool) {
  const std::vector<Index> order = by_residual(fit);
  Json examples = Json::array();
  if (order.empty()) return examples;
  std::vector<Index> chosen;
  chosen.reserve(std::size(kExamplePlaces));
  for (const double place : kExamplePlaces) chosen.push_back(at_share(order, place));
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  const Axis axis = labels.sample_axis();
  const Matrix<T> lines = lines_of(M, axis, chosen, pool);
  const TallFactors<T> factors = {tall(result.W), turned(result.H)};
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    std::vector<double> data;
    data.reserve(static_cast<std::size_t>(lines.rows()));
    for (Index j = 0; j < lines.rows(); ++j)
      data.push_back(static_cast<double>(lines(j, static_cast<Index>(k))));
    Json example = describe_example(data, fitted_line(factors, result.scale, axis, chosen[k]), labels);
    example["name"] = line_name(labels.sample_names, axis, chosen[k]);
    example["residual"] = number(relative_residual(fit, chosen[k]));
    examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace

template <class T>
Json describe_fit(const Data<T>& M, const Result<T>& result, const ReportLabels& labels, int threads,
                  Interrupt interrupt) {
  const auto fit = fit_by_line(M, result, threads, interrupt);
  if (!fit) return nullptr;
  ThreadPool pool(threads, std::move(interrupt));
  const auto names = [&](Axis axis) -> const std::vector<std::string>& {
    static const std::vector<std::string> none;
    if (axis == labels.sample_axis()) return labels.sample_names;
    return axis == labels.name_axis ? labels.names : none;
  };
  const bool rows = labels.sample_axis() == Axis::rows;
  return {{"sample_side", name_of(labels.sample_axis())},
          {"rows", describe_lines(fit->rows, names(Axis::rows), Axis::rows)},
          {"columns", describe_lines(fit->columns, names(Axis::columns), Axis::columns)},
          {"examples", describe_examples(M, result, rows ? fit->rows : fit->columns, labels, pool)}};
}

template Json describe_fit(const Data<float>&, const Result<float>&, const ReportLabels&, int, Interrupt);
template Json describe_fit(const Data<double>&, const Result<double>&, const ReportLabels&, int, Interrupt);

}  // namespace anmf::report
