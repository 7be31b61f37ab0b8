// SPDX-License-Identifier: MIT
// A subcommand of the program. Each lives in one file and offers one function that adds it.
#pragma once

#include <functional>
#include <memory>

#include "failure.h"

namespace CLI {
class App;
}

namespace anmf::cli {

struct Command {
  CLI::App* app = nullptr;        ///< its options, help and examples
  std::function<ExitCode()> run;  ///< what it does once its options are parsed
};

class SurveyTeam;
struct Teams;

[[nodiscard]] Command add_factorize(CLI::App& program);
/// The same, computed by these instead of this process alone.
[[nodiscard]] Command add_factorize(CLI::App& program, const Teams& teams);
[[nodiscard]] Command add_survey(CLI::App& program);
[[nodiscard]] Command add_survey(CLI::App& program, std::shared_ptr<SurveyTeam> team);
[[nodiscard]] Command add_consensus(CLI::App& program);
[[nodiscard]] Command add_transform(CLI::App& program);
[[nodiscard]] Command add_predict(CLI::App& program);
[[nodiscard]] Command add_info(CLI::App& program);
[[nodiscard]] Command add_convert(CLI::App& program);
[[nodiscard]] Command add_compare(CLI::App& program);
[[nodiscard]] Command add_reproduce(CLI::App& program);
[[nodiscard]] Command add_demo(CLI::App& program);
/// These two print what they know of the others.
[[nodiscard]] Command add_completion(CLI::App& program);
[[nodiscard]] Command add_manual(CLI::App& program);

}  // namespace anmf::cli
