// SPDX-License-Identifier: MIT
#include "io/dense_stream.h"

#include <utility>

#include "io/formats.h"
#include "io/input_file.h"
#include "io/line_checks.h"
#include "io/npy_reader.h"
#include "io/own.h"
#include "validate/entries.h"

namespace anmf::io {

namespace {

// The file is opened anew for every pass.
template <class T>
DenseRows<T> lines_in_file(const Location& at, const NpyHeader& header) {
  const auto visit_blocks = [at](const typename DenseRows<T>::Visit& visit) {
    InputFile file(at.file);
    const NpyHeader again = read_npy_header(file, at.file, at.cube);
    read_npy_lines<T>(file, again, at.file, visit);
  };
  return {header.matrix.lines(), header.matrix.width(), visit_blocks};
}

template <class T>
DenseRows<T> checked(DenseRows<T> lines, bool by_columns, const std::string& name) {
  naming_file(name, [&] { validate::shape("M", lines.rows, lines.cols); });
  const Index rows = lines.rows;
  const Index cols = lines.cols;
  const auto visit_blocks = [lines = std::move(lines), by_columns,
                             name](const typename DenseRows<T>::Visit& visit) {
    Index first = 0;
    lines.for_each_block([&](ConstMatrixView<T> block) {
      naming_file(name,
                  [&] { check_lines(block, first, by_columns ? Layout::column_major : Layout::row_major); });
      first += block.rows;
      visit(block);
    });
  };
  return {rows, cols, visit_blocks};
}

}  // namespace

std::optional<DenseStream> stream_npy(const Location& at) {
  InputFile file(at.file);
  const NpyHeader header = read_npy_header(file, at.file, at.cube);
  if (header.matrix.turned) return std::nullopt;
  DenseStream result;
  result.name = at.file.string();
  result.by_columns = header.matrix.by_columns;
  result.images = header.matrix.images;
  if (header.kind == 'u' && header.item_bytes == 1) {
    result.lines = lines_in_file<std::uint8_t>(at, header);
  } else if (header.kind == 'u' && header.item_bytes == 2) {
    result.lines = lines_in_file<std::uint16_t>(at, header);
  } else if (header.kind == 'f' && header.item_bytes == 4) {
    result.lines = lines_in_file<float>(at, header);
  } else {
    result.lines = lines_in_file<double>(at, header);
  }
  return result;
}

std::optional<DenseStream> open_dense_stream(const MatrixFile& file) {
  const auto& open_format = format_of<double>(file).lines;
  if (open_format == nullptr) return std::nullopt;
  std::optional<DenseStream> result = open_format(file.location());
  if (!result) return std::nullopt;
  DenseStream& stream = *result;
  std::visit([&](auto& lines) { lines = checked(lines, stream.by_columns, stream.name); }, stream.lines);
  return result;
}

}  // namespace anmf::io
