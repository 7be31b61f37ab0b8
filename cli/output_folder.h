// SPDX-License-Identifier: MIT
// The folder that receives the results of a run. All files of a run are first written beside the old ones
// and then renamed, so that a run that fails on the way leaves what was there untouched. They are one set:
// run.json describes it, with the size and checksum of every other file. It goes before any of them changes
// and comes when all of them have, so a run that is killed between two renames leaves a folder without it.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anmf::cli {

inline constexpr std::string_view kDescriptionFile = "run.json";

/// As it stands in a file: indented, with a line end.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

/// What run.json says of a file beside it: its size and checksum.
[[nodiscard]] nlohmann::ordered_json describe_file(const std::filesystem::path& file);

class OutputFolder {
 public:
  using Write = std::function<void(const std::filesystem::path&)>;

  /// Makes the folder and makes sure that files of these names can be put there: better to fail before a
  /// long computation than after it. Throws Failure(output).
  OutputFolder(const std::filesystem::path& folder, std::span<const std::string_view> names);
  /// Removes what was not published, and the folder itself if this object made it and it is empty.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

  /// Makes sure that the disk has room for so many bytes: better to fail before a long computation.
  void expect_room(double bytes) const;

  /// Where to write the file for now.
  [[nodiscard]] std::filesystem::path staged(std::string_view name);
  /// Writes a file that the others are worth having without: if there is no room for it, the set is published
  /// as it is, and expect_complete() says so. True if it was written.
  bool stage_extra(std::string_view name, const Write& write);
  /// An older file of this name goes away when the staged ones are moved: it would not belong to them.
  void replace_by_nothing(std::string_view name);
  /// Moves every staged file into its place, and the description, which gets `files`, as run.json.
  void publish(nlohmann::ordered_json& description);
  /// Throws Failure(output) if extra files are missing, once what is there has been published and told.
  void expect_complete() const;

 private:
  /// Folders that did not exist before, deepest first; removed again at the end where they are empty.
  struct NewFolders {
    std::vector<std::filesystem::path> paths;
    ~NewFolders();
  };
  struct Missing {
    std::string name;
    std::string reason;
  };

  void make_staging();
  void give_up(const std::string& name, std::string reason);
  void stage_description(nlohmann::ordered_json& description);
  void remove(std::string_view name) const;
  void put_in_place(std::string_view name) const;

  std::filesystem::path folder_;
  NewFolders created_;
  std::filesystem::path staging_;   // empty while there is none
  std::vector<std::string> names_;  // staged, but for the description
  std::vector<std::string> extras_;
  std::vector<std::string> outdated_;
  std::vector<Missing> missing_;
};

}  // namespace anmf::cli
