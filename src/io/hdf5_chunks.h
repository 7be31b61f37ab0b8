// SPDX-License-Identifier: MIT
// The chunks into which a dataset is cut, as they are stored.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace anmf::io {

/// What a chunk must be for the library to be trusted with it.
class Hdf5Chunks {
 public:
  /// Of a dataset whose entries take so many bytes. `where` is for messages, and no chunk has more bytes than
  /// `most`.
  Hdf5Chunks(hid_t dataset, std::size_t entry_bytes, std::string where, std::size_t most);

  /// True if the dataset is cut.
  [[nodiscard]] bool any() const { return !lengths_.empty(); }
  /// Entries along each dimension.
  [[nodiscard]] const std::vector<hsize_t>& lengths() const { return lengths_; }
  /// The entries of the chunk that begins there, as stored before they were compressed; no bytes if it was
  /// never written. Nothing if there is a filter other than deflate, shuffle and fletcher32. Throws
  /// InvalidInput if it does not have as many bytes as a chunk has: the library would read on behind them.
  [[nodiscard]] std::optional<std::vector<unsigned char>> read(const std::vector<hsize_t>& begin) const;
  /// Reads the first chunk that was written, which has the lengths of all.
  void check_first() const;

 private:
  struct Filter {
    H5Z_filter_t id = 0;
    std::size_t entry_bytes = 1;  // of shuffle
  };

  [[noreturn]] void fail(const std::string& what) const;

  hid_t dataset_;
  std::string where_;
  std::size_t most_;
  std::vector<hsize_t> lengths_;
  std::size_t bytes_;
  std::vector<Filter> filters_;
};

}  // namespace anmf::io
