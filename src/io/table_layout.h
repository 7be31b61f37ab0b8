// SPDX-License-Identifier: MIT
// Where the names of a table are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "anmf/io.h"
#include "io/gzip_stream.h"

namespace anmf::io {

/// Where the names are, and how many numbers each line holds.
struct TableLayout {
  char separator = ',';
  bool has_header = false;
  bool has_row_names = false;
  std::size_t fields = 0;  ///< of a line of numbers, the name included
  Index model_line = 1;    ///< that has as many
};

/// Whether a field stands for an entry that is missing: "", "NA", "-" and the like.
[[nodiscard]] bool is_gap(std::string_view text);

/// False for numbers, and for what stands for a missing one or spells one in another way ("1,000").
[[nodiscard]] bool reads_as_name(std::string_view text);

/// Moves to the next line that is not blank, and at the beginning of the file not a comment either.
bool next_table_line(LineReader& reader, bool skip_comments);

/// From the first lines. Throws AmbiguousHeader if they do not tell. With `gaps`, fields
/// without a number are entries that nobody has observed.
[[nodiscard]] TableLayout find_table_layout(const std::filesystem::path& path, Header header,
                                            bool gaps = false);

}  // namespace anmf::io
