// SPDX-License-Identifier: MIT
// Tables in text, so that read_table() and others find the names again: names of rows stand below a corner
// that is empty.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/input_file.h"
#include "io/names_check.h"
#include "io/table_layout.h"
#include "io/text_writer.h"

namespace anmf::io {

namespace {

void check_table_names(const std::filesystem::path& path, const std::vector<std::string>& names, Index count,
                       std::string_view side) {
  check_names(path, names, count, side);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool fits = std::all_of(names[i].begin(), names[i].end(),
                                  [](char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\t'; });
    if (fits) continue;
    throw InvalidInput(
        fmt::format("{}: the name of {} {}, counted from 0, is {}; a table in text cannot hold "
                    "line breaks and other control characters. Rename it, or write .h5ad.",
                    path.string(), side, i, in_quotes(names[i])));
  }
}

// Beside names of rows, a first row such as 1, 2, 3 could be taken for names of columns.
template <class T>
bool counts_up(const T* row, Index cols) {
  bool all = cols > 1;
  for (Index j = 1; j < cols; ++j) all = all && row[j] == row[j - 1] + T{1};
  return all;
}

// Which names a reader would recognise alone; otherwise both sides get some.
template <class T>
bool recognised_alone(const Names& names, ConstMatrixView<T> first_rows) {
  if (names.rows.empty()) {
    const bool corner = names.cols.size() > 1 && names.cols[0].empty();
    return !corner && std::any_of(names.cols.begin(), names.cols.end(), reads_as_name);
  }
  const std::string& looked_at = names.rows[names.rows.size() > 1 ? 1 : 0];
  return !names.rows[0].empty() && reads_as_name(looked_at) && !counts_up(first_rows.row(0), first_rows.cols);
}

std::string name_or_number(const std::vector<std::string>& names, Index i, bool alone = false) {
  return as_field(names.empty() ? fmt::format("{}", i) : names[static_cast<std::size_t>(i)], alone);
}

bool ends_in_tsv(const std::filesystem::path& path) {
  return path.extension() == ".tsv" || (path.extension() == ".gz" && path.stem().extension() == ".tsv");
}

struct Form {
  char separator = ',';
  bool header = false;
  bool row_names = false;
};

std::string header_line(const Form& form, Index cols, const Names& names) {
  std::string line;
  for (Index j = 0; j < cols; ++j) {
    if (j > 0 || form.row_names) line += form.separator;
    line += name_or_number(names.cols, j, cols == 1 && !form.row_names);
  }
  line += '\n';
  return line;
}

template <class T>
void append_row(std::string& text, const Form& form, const T* row, Index cols) {
  for (Index j = 0; j < cols; ++j) {
    if (j > 0 || form.row_names) text += form.separator;
    append_number(text, row[j]);
  }
  text += '\n';
}

}  // namespace

template <class T>
void write_table(const std::filesystem::path& path, const DenseRows<T>& matrix, const Names& names) {
  if (matrix.rows < 1 || matrix.cols < 1) {
    throw InvalidInput(fmt::format("{}: the matrix is {} x {}; a table needs a row and a column.",
                                   path.string(), matrix.rows, matrix.cols));
  }
  check_table_names(path, names.rows, matrix.rows, "row");
  check_table_names(path, names.cols, matrix.cols, "column");
  const bool none = names.rows.empty() && names.cols.empty();
  write_text(path, [&](TextWriter& out) {
    Index done = 0;
    Form form{.separator = ends_in_tsv(path) ? '\t' : ','};
    matrix.for_each_block([&](ConstMatrixView<T> block) {
      if (done == 0) {
        const bool both =
            !none && ((!names.rows.empty() && !names.cols.empty()) || !recognised_alone(names, block));
        form.header = both || !names.cols.empty();
        form.row_names = both || !names.rows.empty();
        if (form.header) out.append(header_line(form, matrix.cols, names));
      }
      const Index step = std::max<Index>(1, kEntriesPerPiece / block.cols);
      out.append((block.rows + step - 1) / step, [&](Index piece, std::string& text) {
        const Index end = std::min(block.rows, (piece + 1) * step);
        for (Index i = piece * step; i < end; ++i) {
          if (form.row_names) text += name_or_number(names.rows, done + i);
          append_row(text, form, block.row(i), block.cols);
        }
      });
      done += block.rows;
    });
  });
}

template void write_table<float>(const std::filesystem::path&, const DenseRows<float>&, const Names&);
template void write_table<double>(const std::filesystem::path&, const DenseRows<double>&, const Names&);
template void write_table<std::uint16_t>(const std::filesystem::path&, const DenseRows<std::uint16_t>&,
                                         const Names&);
template void write_table<std::uint8_t>(const std::filesystem::path&, const DenseRows<std::uint8_t>&,
                                        const Names&);

}  // namespace anmf::io
