// SPDX-License-Identifier: MIT
// Matrix Market files, counted from 1: "ROW COLUMN VALUE" lines of a sparse matrix row by row, or the values
// of a dense one column by column.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "anmf/io.h"
#include "io/text_writer.h"

namespace anmf::io {

namespace {

std::string banner(std::string_view layout, bool whole) {
  return fmt::format("%%MatrixMarket matrix {} {} general\n", layout, whole ? "integer" : "real");
}

// The lines of the entries in [begin, end).
template <class T>
void append_entries(std::string& text, const CsrView<T>& M, Index begin, Index end) {
  const auto row_after = std::upper_bound(M.offsets.begin(), M.offsets.end(), begin);
  auto row = static_cast<Index>(row_after - M.offsets.begin());  // counted from 1
  for (Index k = begin; k < end; ++k) {
    while (M.offsets[static_cast<std::size_t>(row)] <= k) ++row;
    append_number(text, row);
    text += ' ';
    append_number(text, Index{M.indices[static_cast<std::size_t>(k)]} + 1);
    text += ' ';
    append_number(text, M.values[static_cast<std::size_t>(k)]);
    text += '\n';
  }
}

template <class T>
bool all_whole(const DenseRows<T>& M) {
  if constexpr (std::is_integral_v<T>) return true;
  bool whole = true;
  M.for_each_block([&](ConstMatrixView<T> block) {
    for (Index i = 0; i < block.rows && whole; ++i)
      whole = std::all_of(block.row(i), block.row(i) + block.cols, is_whole<T>);
  });
  return whole;
}

}  // namespace

template <class T>
void write_matrix_market(const std::filesystem::path& path, const CsrView<T>& matrix) {
  const auto count = static_cast<Index>(matrix.values.size());
  const bool whole = std::all_of(matrix.values.begin(), matrix.values.end(), is_whole<T>);
  write_text(path, [&](TextWriter& out) {
    out.append(banner("coordinate", whole));
    out.append(fmt::format("{} {} {}\n", matrix.rows, matrix.cols, count));
    out.append((count + kEntriesPerPiece - 1) / kEntriesPerPiece, [&](Index piece, std::string& text) {
      const Index begin = piece * kEntriesPerPiece;
      append_entries(text, matrix, begin, std::min(count, begin + kEntriesPerPiece));
    });
  });
}

template <class T>
void write_matrix_market_array(const std::filesystem::path& path, const DenseRows<T>& columns) {
  const bool whole = all_whole(columns);
  write_text(path, [&](TextWriter& out) {
    out.append(banner("array", whole));
    out.append(fmt::format("{} {}\n", columns.cols, columns.rows));
    columns.for_each_block([&](ConstMatrixView<T> block) {
      const Index count = block.rows * block.cols;
      out.append((count + kEntriesPerPiece - 1) / kEntriesPerPiece, [&](Index piece, std::string& text) {
        const Index begin = piece * kEntriesPerPiece;
        const Index end = std::min(count, begin + kEntriesPerPiece);
        for (Index k = begin; k < end; ++k) {
          append_number(text, block(k / block.cols, k % block.cols));
          text += '\n';
        }
      });
    });
  });
}

template void write_matrix_market<float>(const std::filesystem::path&, const CsrView<float>&);
template void write_matrix_market<double>(const std::filesystem::path&, const CsrView<double>&);
template void write_matrix_market<std::uint16_t>(const std::filesystem::path&, const CsrView<std::uint16_t>&);
template void write_matrix_market<std::uint8_t>(const std::filesystem::path&, const CsrView<std::uint8_t>&);
template void write_matrix_market_array<float>(const std::filesystem::path&, const DenseRows<float>&);
template void write_matrix_market_array<double>(const std::filesystem::path&, const DenseRows<double>&);
template void write_matrix_market_array<std::uint16_t>(const std::filesystem::path&,
                                                       const DenseRows<std::uint16_t>&);
template void write_matrix_market_array<std::uint8_t>(const std::filesystem::path&,
                                                      const DenseRows<std::uint8_t>&);

}  // namespace anmf::io
