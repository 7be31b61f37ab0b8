// SPDX-License-Identifier: MIT
// Options of a subcommand in TOML: what --config reads, and what a checkpoint keeps of the command that began
// the run. Keys are the names of the options without their dashes, `input` is the file; flags are true or
// false, lists may be arrays, and what is not UTF-8 is { percent = "caf%E9.npy" }. What is typed wins.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace anmf::cli {

/// The heading under which the help lists --config, and the options of checkpoints.
inline constexpr const char* kSavedGroup = "Saved options and checkpoints";

struct Setting {
  std::string name;
  std::string value;
  std::string where;  ///< "run.toml, line 3"
};

/// Throws Failure(input) if it is no TOML, or holds something else than options.
[[nodiscard]] std::vector<Setting> parse_settings(std::string_view text, const std::string& source);
[[nodiscard]] std::vector<Setting> read_settings(const std::filesystem::path& path);

/// Gives every option that has no value yet the one that is set here. Throws Failure(usage) if there is no
/// such option or the value is wrong.
void apply_settings(CLI::App& app, std::span<const Setting> settings);

/// The options that have a value, those of `left_out` apart; those of `paths` as absolute paths.
[[nodiscard]] std::string settings_text(const CLI::App& app, std::span<const std::string_view> left_out,
                                        std::span<const std::string_view> paths);

/// Every option as it would be typed, with its value, whether typed or from a file: "given" for a flag, "not
/// given" if there is none.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> all_options(const CLI::App& app);

/// Adds --config FILE.
void add_config(CLI::App& app);

}  // namespace anmf::cli
