// SPDX-License-Identifier: MIT
// The options of the engine on the command line, under the names they have in anmf::Options.
#pragma once

#include "anmf/options.h"

namespace CLI {
class App;
}

namespace anmf::cli {

/// Adds an option for every field a user of the command line can choose; `--rank` is required. `options`
/// must outlive the parsing.
void add_engine_options(CLI::App& app, Options& options);

}  // namespace anmf::cli
