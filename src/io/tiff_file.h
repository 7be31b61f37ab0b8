// SPDX-License-Identifier: MIT
// The pages of a TIFF file through libtiff, whose messages are kept off the terminal.
#pragma once

#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/matrix.h"

namespace anmf::io {

/// The handlers of messages belong to the whole program: who has replaced them keeps others from doing so.
class TiffQuiet {
 public:
  TiffQuiet();
  TiffQuiet(const TiffQuiet&) = delete;
  TiffQuiet& operator=(const TiffQuiet&) = delete;
  ~TiffQuiet();

 private:
  std::lock_guard<std::mutex> lock_;
  TIFFErrorHandler errors_;
  TIFFErrorHandler warnings_;
};

/// What a page holds.
struct TiffPage {
  Index height = 0;
  Index width = 0;
  char kind = 'u';  ///< whole numbers without a sign, or 'f' for floats
  Index bytes = 1;  ///< of a pixel

  [[nodiscard]] Index row_bytes() const { return width * bytes; }
  /// "16 bits", or "floats of 32 bits".
  [[nodiscard]] std::string type() const;
  bool operator==(const TiffPage&) const = default;
};

class TiffFile {
 public:
  /// Looks at all pages. Throws InvalidInput unless they are grey images of one size and type that the file
  /// has room for.
  explicit TiffFile(const std::filesystem::path& path);

  [[nodiscard]] const TiffPage& page() const { return page_; }
  [[nodiscard]] Index pages() const { return pages_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// The next page, the first one at the first call, row by row as this machine stores its numbers.
  [[nodiscard]] const std::vector<std::byte>& read_next();

 private:
  struct Close {
    void operator()(TIFF* file) const { TIFFClose(file); }
  };

  [[noreturn]] void fail(std::string_view message) const;
  [[nodiscard]] std::uint32_t tag(std::uint32_t name, std::uint32_t otherwise) const;
  [[nodiscard]] TiffPage look_at_page() const;
  void check_colours() const;
  void check_compression() const;
  void check_places() const;
  void check_all() const;
  void read_strips();
  void read_tiles();

  std::filesystem::path path_;
  std::uint64_t file_bytes_;
  TiffQuiet quiet_;
  std::unique_ptr<TIFF, Close> file_;
  Index number_ = 1;  ///< of the page at hand, counted from 1
  bool read_any_ = false;
  TiffPage page_;
  Index pages_ = 1;
  std::vector<std::byte> pixels_;
  std::vector<std::byte> tile_;
};

}  // namespace anmf::io
