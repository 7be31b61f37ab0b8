// SPDX-License-Identifier: MIT
#include "experiments/experiment.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "anmf/error.h"
#include "experiments/toml_reader.h"

namespace anmf::cli {
namespace {

constexpr double kSmallestLimit = 1e-9;

class ExperimentReader {
 public:
  ExperimentReader(TomlReader& top, Scope scope) : top_(top), quick_(scope == Scope::quick) {}

  Experiment read(const std::string& stem) {
    experiment_.id = top_.text("id").value_or(stem);
    experiment_.title = top_.text("title").value_or(experiment_.id);
    experiment_.caption = top_.text("caption").value_or("");
    experiment_.notes = top_.texts("notes");
    const std::optional<std::string> loss = top_.text("loss");
    read_kind();
    if (experiment_.kind == ExperimentKind::table) {
      experiment_.exchanged_columns = top_.flag("exchanged_columns").value_or(false);
      top_.each("row", [&](TomlReader& reader) { read_row(reader); });
      return experiment_;
    }
    read_starts();
    if (experiment_.kind == ExperimentKind::half_step) {
      experiment_.outer_iterations = top_.wholes("outer_iterations", 1);
      if (experiment_.outer_iterations.empty()) top_.complain("", "outer_iterations = [...] is missing.");
    }
    top_.each("data", [&](TomlReader& reader) { read_group(reader); });
    top_.each("method", [&](TomlReader& reader) { read_variant(reader); });
    if (experiment_.groups.empty()) top_.complain("", "there is no [[data]]: name the data sets to use.");
    if (experiment_.variants.empty())
      top_.complain("", "there is no [[method]]: name the methods to compare.");
    if (loss) {
      try {
        set_loss(experiment_, *loss);
      } catch (const InvalidInput& error) {
        top_.complain("loss", error.what());
      }
    }
    return experiment_;
  }

 private:
  void read_kind() {
    const std::string kind = top_.text("kind").value_or("traces");
    if (kind == "half-step") {
      experiment_.kind = ExperimentKind::half_step;
    } else if (kind == "table") {
      experiment_.kind = ExperimentKind::table;
    } else if (kind != "traces") {
      top_.complain("kind",
                    fmt::format("kind = \"{}\" is unknown; choose one of traces, half-step, table.", kind));
    }
  }

  void read_starts() {
    experiment_.pooled = top_.flag("pooled").value_or(false);
    experiment_.seed = static_cast<std::uint64_t>(top_.whole("seed", 0).value_or(0));
    const Index starts = top_.whole("starts", 1).value_or(1);
    const Index quick = top_.whole("quick_starts", 1).value_or(starts);
    experiment_.starts = static_cast<int>(quick_ ? quick : starts);
  }

  /// With `quick_work` the quick scope is limited by work alone, the same on every machine.
  Limit read_limit(TomlReader& reader) const {
    Limit limit;
    limit.seconds = reader.number("seconds", kSmallestLimit).value_or(limit.seconds);
    limit.work = reader.number("work", kSmallestLimit).value_or(limit.work);
    const std::optional<double> quick = reader.number("quick_work", kSmallestLimit);
    return quick_ && quick ? Limit{.work = *quick} : limit;
  }

  void read_group(TomlReader& reader) {
    DataGroup group;
    group.title = reader.text("title").value_or("");
    group.data = reader.texts("names");
    if (group.data.empty()) reader.complain("names", "names = [\"...\"] is missing: which data sets?");
    group.ranks = reader.wholes("ranks", 1);
    if (group.ranks.empty()) reader.complain("ranks", "ranks = [...] is missing.");
    const std::vector<Index> quick_ranks = reader.wholes("quick_ranks", 1);
    if (quick_ && !quick_ranks.empty()) group.ranks = quick_ranks;
    group.limit = read_limit(reader);
    experiment_.groups.push_back(std::move(group));
  }

  void read_variant(TomlReader& reader) {
    Variant variant;
    const std::optional<std::string> method = reader.text("method");
    if (!method) reader.complain("method", "method = \"...\" is missing.");
    variant.method = *method;
    variant.label = reader.text("label").value_or(*method);
    variant.alpha = reader.number("alpha", 0);
    variant.epsilon = reader.number("epsilon", 0);
    variant.delta = reader.number("delta", 0);
    const std::optional<std::string> inner_stop = reader.text("inner_stop");
    const std::optional<std::string> rho = reader.text("rho");
    try {
      if (inner_stop) variant.inner_stop = parse_inner_stop(*inner_stop);
      if (rho) variant.rho = parse_rho(*rho);
      check(variant);
    } catch (const InvalidInput& error) {
      reader.complain("method", error.what());
    }
    if (quick_) variant.rho = RhoSource::flops;
    experiment_.variants.push_back(std::move(variant));
  }

  void read_row(TomlReader& reader) {
    TableRow row;
    row.data = reader.text("data").value_or("");
    row.rows = reader.whole("rows", 1).value_or(0);
    row.cols = reader.whole("cols", 1).value_or(0);
    row.nonzeros = reader.whole("nonzeros", 1).value_or(row.rows * row.cols);
    row.ranks = reader.wholes("ranks", 1);
    row.printed_rho_w = reader.wholes("printed_rho_w", 0);
    row.printed_rho_h = reader.wholes("printed_rho_h", 0);
    row.ranks_behind = reader.wholes("ranks_behind", 1);
    if (row.ranks_behind.empty()) row.ranks_behind = row.ranks;
    row.source = reader.text("source").value_or("");
    const std::size_t count = row.ranks.size();
    if (row.data.empty() || row.rows == 0 || row.cols == 0 || count == 0 ||
        row.ranks_behind.size() != count || row.printed_rho_w.size() != count ||
        row.printed_rho_h.size() != count) {
      reader.complain("data",
                      "a [[row]] needs data, rows, cols, ranks, printed_rho_w and printed_rho_h, as many "
                      "of each rho as ranks.");
    }
    experiment_.table.push_back(std::move(row));
  }

  TomlReader& top_;
  bool quick_;
  Experiment experiment_;
};

}  // namespace

void set_loss(Experiment& experiment, const std::string& loss) {
  const double beta = beta_of(loss);
  experiment.loss = loss_name(beta);
  for (Variant& variant : experiment.variants) {
    if (variant.method == "auto" && beta != 2) {
      throw InvalidInput(fmt::format(
          "auto chooses by the matrix where the loss is {}; name the methods to compare.", experiment.loss));
    }
    variant.loss = experiment.loss;
    check(variant);
  }
}

Experiment parse_experiment(std::string_view text, const std::string& name, Scope scope) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InvalidInput(fmt::format("{}, line {}: this is not TOML: {}.", name, error.source().begin.line,
                                   error.description()));
  }
  TomlReader top(table, name);
  Experiment experiment = ExperimentReader(top, scope).read(std::filesystem::path(name).stem().string());
  top.finish();
  return experiment;
}

Experiment read_experiment(const std::filesystem::path& path, Scope scope) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw IoError(fmt::format("cannot read '{}'.", path.string()));
  return parse_experiment(text.str(), path.string(), scope);
}

}  // namespace anmf::cli
