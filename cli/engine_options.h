// SPDX-License-Identifier: MIT
// The options of the engine on the command line, under the names they have in anmf::Options.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "anmf/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace anmf::cli {

/// Adds an option for every field a user of the command line can choose, but for those of `without` (names as
/// in Options); `--rank` is required. `options` has the defaults and must outlive the parsing.
void add_engine_options(CLI::App& app, Options& options, std::span<const std::string_view> without = {});

/// Adds `--loss NAME|BETA`, which `assign` receives once it is known to be one.
CLI::Option* add_loss(CLI::App& app, std::function<void(const std::string&)> assign, const std::string& help);

}  // namespace anmf::cli
