// SPDX-License-Identifier: MIT
// The first lines of a Matrix Market file: the banner that names the format, and the line of sizes.
#pragma once

#include <string_view>

#include "anmf/matrix.h"
#include "io/gzip_stream.h"

namespace anmf::io {

struct MarketBanner {
  bool dense = false;      // array, else coordinate
  bool integer = false;    // every value is a whole number
  bool pattern = false;    // positions without values; each stands for 1
  bool symmetric = false;  // only the diagonal and the entries below it are in the file
};

struct MarketHeader : MarketBanner {
  Index rows = 0;
  Index cols = 0;
  Index entries = 0;    // lines that follow: stored positions, or values of an array
  Index size_line = 0;  // where the sizes stand
};

/// True if a text starts as every Matrix Market file does.
[[nodiscard]] bool starts_as_matrix_market(std::string_view text);

/// Reads line 1. Fails if it is no banner or names a kind of matrix that is not supported.
[[nodiscard]] MarketBanner read_market_banner(LineReader& reader);

/// Reads the banner, the comments and the sizes; the next line is the first entry. Fails if the sizes of
/// an array need more values than the file has room for, so that the caller may allocate them.
[[nodiscard]] MarketHeader read_market_header(LineReader& reader);

}  // namespace anmf::io
