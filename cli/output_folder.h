// SPDX-License-Identifier: MIT
// The folder that receives the results of a run. All files of a run are first written beside the old ones
// and then renamed together, so that a run that fails on the way leaves what was there untouched.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anmf::cli {

class OutputFolder {
 public:
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
  /// An older file of this name goes away when the staged ones are moved: it would not belong to them.
  void replace_by_nothing(std::string_view name);
  /// Moves every staged file into its place, in the order of staging.
  void publish();

 private:
  /// Folders that did not exist before, deepest first; removed again at the end where they are empty.
  struct NewFolders {
    std::vector<std::filesystem::path> paths;
    ~NewFolders();
  };

  void make_staging();

  std::filesystem::path folder_;
  NewFolders created_;
  std::filesystem::path staging_;  // empty while there is none
  std::vector<std::string> names_;
  std::vector<std::string> outdated_;
};

}  // namespace anmf::cli
