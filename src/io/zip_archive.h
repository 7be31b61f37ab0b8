// SPDX-License-Identifier: MIT
// The members of a zip archive, through libzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "io/byte_source.h"

struct zip;

namespace anmf::io {

class ZipArchive {
 public:
  /// Throws InvalidInput if the file is no whole archive.
  explicit ZipArchive(const std::filesystem::path& path);

  /// The members by name, with their numbers in the archive.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& members() const { return members_; }
  [[nodiscard]] bool has(const std::string& name) const { return members_.contains(name); }

  /// The uncompressed bytes of a member, whose checksum is verified with its last byte. Throws InvalidInput
  /// if there is none of that name, or if it promises more than its compressed bytes can hold: whoever
  /// allocates the promised size never needs more than 1032 times the file. The archive must outlive the
  /// source.
  [[nodiscard]] std::unique_ptr<ByteSource> open(const std::string& name) const;
  /// All bytes of a member.
  [[nodiscard]] std::string text(const std::string& name) const;

 private:
  struct Close {
    void operator()(zip* archive) const;
  };

  std::filesystem::path path_;
  std::uint64_t bytes_on_disk_ = 0;
  std::unique_ptr<zip, Close> archive_;
  std::map<std::string, std::uint64_t> members_;
};

}  // namespace anmf::io
