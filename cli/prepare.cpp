// SPDX-License-Identifier: MIT
#include "prepare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "entries.h"
#include "failure.h"
#include "option_helpers.h"
#include "output_folder.h"
#include "run_folder.h"

namespace anmf::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

void keep(std::vector<std::string>& names, const std::vector<Index>& places) {
  if (names.empty()) return;
  std::vector<std::string> kept;
  kept.reserve(places.size());
  for (const Index place : places) kept.push_back(std::move(names[static_cast<std::size_t>(place)]));
  names = std::move(kept);
}

template <class T>
void put_back(io::LoadedMatrix<T>& matrix, OwnEntries<T> entries) {
  if (auto* const dense = std::get_if<Matrix<T>>(&entries)) {
    const auto owned = std::make_shared<const Matrix<T>>(std::move(*dense));
    matrix.entries = owned;
    matrix.dense = owned->view();
    matrix.data = std::make_unique<DenseData<T>>(owned->view());
    return;
  }
  const Csr<T>& csr = std::get<Csr<T>>(entries);
  matrix.data = SparseData<T>::template from_csr<std::uint32_t>(csr.rows, csr.cols, csr.offsets, csr.indices,
                                                                csr.values);
}

/// `act` prepares the entries.
template <class T, class Act>
void prepare_matrix(io::LoadedMatrix<T>& matrix, const Preparation& preparation, const Act& act) {
  if (preparation.empty()) return;
  in_phase(ExitCode::input, [&] {
    OwnEntries<T> entries = copy_entries(*matrix.data);
    matrix.data.reset();
    matrix.dense = std::monostate{};
    matrix.entries.reset();
    act(entries);
    put_back(matrix, std::move(entries));
  });
  if (const auto kept = preparation.kept()) keep(matrix.col_names, *kept);
}

template <class T, class Act>
void prepare_input(Input<T>& input, const Preparation& preparation, const Act& act) {
  input.preparing_bytes = preparation.empty() ? 0 : matrix_bytes(input.matrix);
  prepare_matrix(input.matrix, preparation, act);
  if (!preparation.empty()) input.preparing_bytes += matrix_bytes(input.matrix);
  const auto kept = preparation.kept();
  if (!kept) return;
  keep(input.labels.names.cols, *kept);
  select(input.labels, std::nullopt, kept);
}

Json to_json(const PrepareStep& step) {
  Json json = {{"step", to_string(step)}};
  if (!step.learnt.empty()) json["learnt"] = step.learnt;
  if (!step.kept.empty()) json["kept"] = step.kept;
  return json;
}

Preparation from_json(const Json& json) {
  std::vector<PrepareStep> steps;
  for (const Json& one : json.at("steps")) {
    const Preparation parsed(one.at("step").get<std::string>());
    if (parsed.steps().size() != 1) throw InvalidInput("a step of the preparation is not one step.");
    PrepareStep step = parsed.steps().front();
    step.learnt = one.value("learnt", std::vector<double>{});
    step.kept = one.value("kept", std::vector<Index>{});
    steps.push_back(std::move(step));
  }
  return {std::move(steps), json.at("features").get<Index>()};
}

}  // namespace

CLI::Option* add_prepare(CLI::App& app, std::function<void(Preparation)> assign, std::string_view help) {
  const auto parse = [assign = std::move(assign)](const std::string& text) {
    try {
      assign(Preparation(text));
    } catch (const InvalidInput& error) {
      std::string sentence = fmt::format("--prepare: {}", error.what());
      if (sentence.ends_with('.')) sentence.pop_back();  // which the program adds
      throw CLI::ValidationError(sentence);
    }
  };
  return add_text(app, "--prepare", parse, wrapped(help), "STEPS");
}

template <class T>
void learn_and_prepare(io::LoadedMatrix<T>& matrix, Preparation& preparation) {
  prepare_matrix(matrix, preparation, [&](OwnEntries<T>& entries) { preparation.learn_and_apply(entries); });
}

template <class T>
void learn_and_prepare(Input<T>& input, Preparation& preparation) {
  prepare_input(input, preparation, [&](OwnEntries<T>& entries) { preparation.learn_and_apply(entries); });
}

template <class T>
void prepare(Input<T>& input, const Preparation& preparation) {
  prepare_input(input, preparation, [&](OwnEntries<T>& entries) { preparation.apply(entries); });
}

Json list_of(const Preparation& preparation) {
  Json list = Json::array();
  for (const PrepareStep& step : preparation.steps()) list.push_back(to_string(step));
  return list;
}

void write_preparation(const fs::path& path, const Preparation& preparation) {
  Json json = {{"features", preparation.features()}, {"steps", Json::array()}};
  for (const PrepareStep& step : preparation.steps()) json["steps"].push_back(to_json(step));
  io::write_atomically(path, [&](std::ostream& out) { out << json.dump() << '\n'; });
}

Preparation preparation_of_run(const fs::path& components) {
  const Json run = description_of_run(components);
  if (run.is_null() || !run["files"].contains(kPrepareFile)) return {};
  std::error_code error;
  const fs::path folder = fs::is_directory(components, error) ? components : components.parent_path();
  const fs::path file = file_of_run(folder / kPrepareFile, kPrepareFile);
  return in_phase(ExitCode::input, [&] {
    try {
      std::ifstream in(file, std::ios::binary);
      return from_json(Json::parse(in));
    } catch (const Json::exception&) {
      throw InvalidInput(fmt::format("'{}' is not what a run writes: it cannot be read.", file.string()));
    } catch (const InvalidInput& wrong) {
      throw InvalidInput(fmt::format("'{}': {}", file.string(), wrong.what()));
    }
  });
}

template void learn_and_prepare(io::LoadedMatrix<float>&, Preparation&);
template void learn_and_prepare(io::LoadedMatrix<double>&, Preparation&);
template void learn_and_prepare(Input<float>&, Preparation&);
template void learn_and_prepare(Input<double>&, Preparation&);
template void prepare(Input<float>&, const Preparation&);
template void prepare(Input<double>&, const Preparation&);

}  // namespace anmf::cli
