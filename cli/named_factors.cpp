// SPDX-License-Identifier: MIT
#include "named_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "anmf/anndata_columns.h"
#include "anmf/error.h"
#include "anmf/files.h"
#include "strongest.h"
#include "tall_view.h"

namespace anmf::cli {
namespace {

/// Names come from anywhere, and a run is not lost for odd ones: what is not UTF-8 becomes a question mark.
std::string in_utf8(std::string name) {
  if (io::is_utf8(name)) return name;
  for (char& c : name) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return name;
}

/// A table in text has no place for line breaks and the like.
std::string on_one_line(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return in_utf8(std::move(name));
}

/// HDF5 ends a text at a zero byte.
std::vector<std::string> without_zeros(std::vector<std::string> names) {
  for (std::string& name : names) {
    std::replace(name.begin(), name.end(), '\0', ' ');
    name = in_utf8(std::move(name));
  }
  return names;
}

/// `share` is the part of the sum over all features of the component, `particular` what it tells of it
/// (report/strongest.h).
template <class T>
void write_top(std::ostream& out, const NamedFactors<T>& factors) {
  const bool columns = factors.labels.feature_axis == Axis::columns;
  const report::TallView<T> factor = columns ? report::turned(factors.H) : report::tall(factors.W);
  const report::Particularity<T> particularity(factor);
  const std::vector<std::string> names = names_on_one_line(factors.labels.features());
  out << "component\trank\tfeature\tweight\tshare\tparticular\n";
  for (Index p = 0; p < factor.cols; ++p) {
    Index place = 0;
    for (const Index i : report::strongest(factor.rows, factors.top, [&](Index k) { return factor(k, p); })) {
      out << fmt::format("{}\t{}\t{}\t{}\t{:.6g}\t{:.6g}\n", p + 1, ++place,
                         io::as_field(names[static_cast<std::size_t>(i)]), factor(i, p),
                         particularity.share(i, p), particularity(i, p));
    }
  }
}

/// Observations are the rows of the file and variables its columns, whichever of both were the rows of M.
template <class T>
void write_anndata(const std::filesystem::path& path, const NamedFactors<T>& factors) {
  io::AnnData<T> data;
  data.names = {without_zeros(factors.labels.names.rows), without_zeros(factors.labels.names.cols)};
  if (factors.transposed) std::swap(data.names.rows, data.names.cols);
  io::DenseRows<T> obs = io::rows_of(factors.W.view());
  io::DenseRows<T> var = io::columns_of(factors.H.view());
  if (factors.transposed) std::swap(obs, var);
  data.observations = obs.rows;
  data.variables = var.rows;
  data.obsm.emplace_back("X_nmf", std::move(obs));
  data.varm.emplace_back("nmf", std::move(var));
  data.uns.emplace_back("nmf", factors.about);
  io::write_h5ad(path, data);
}

}  // namespace

std::vector<std::string> component_names(Index rank) {
  std::vector<std::string> names;
  for (Index p = 1; p <= rank; ++p) names.push_back(fmt::format("component_{}", p));
  return names;
}

std::vector<std::string> names_on_one_line(std::vector<std::string> names) {
  for (std::string& name : names) name = on_one_line(std::move(name));
  return names;
}

template <class T>
std::vector<std::string_view> stage_named_factors(OutputFolder& folder, const NamedFactors<T>& factors) {
  const io::Names& names = factors.labels.names;
  std::vector<std::string_view> staged;
  const auto stage = [&](std::string_view name, bool wanted, const auto& write) {
    if (!wanted) folder.replace_by_nothing(name);
    if (wanted && folder.stage_extra(name, write)) staged.push_back(name);
  };
  const Index rank = factors.H.rows();
  stage("W.tsv", !names.rows.empty(), [&](const std::filesystem::path& path) {
    io::write_table(path, io::rows_of(factors.W.view()),
                    {names_on_one_line(names.rows), component_names(rank)});
  });
  stage("H.tsv", factors.fitted_H && !names.cols.empty(), [&](const std::filesystem::path& path) {
    io::write_table(path, io::rows_of(factors.H.view()),
                    {component_names(rank), names_on_one_line(names.cols)});
  });
  stage("top.tsv", factors.fitted_H && !factors.labels.features().empty(),
        [&](const std::filesystem::path& path) {
          io::write_atomically(path, [&](std::ostream& out) { write_top(out, factors); });
        });
  stage("factors.h5ad", factors.anndata, [&](const std::filesystem::path& path) {
    write_anndata(path, factors);
    try {
      io::copy_anndata_columns(factors.source, path);
    } catch (const InvalidInput&) {  // a run is not lost for a column that is damaged
      write_anndata(path, factors);
    }
  });
  return staged;
}

template std::vector<std::string_view> stage_named_factors(OutputFolder&, const NamedFactors<float>&);
template std::vector<std::string_view> stage_named_factors(OutputFolder&, const NamedFactors<double>&);

}  // namespace anmf::cli
