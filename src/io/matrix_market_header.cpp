// SPDX-License-Identifier: MIT
// The format: https://math.nist.gov/MatrixMarket/formats.html
#include "io/matrix_market_header.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "io/input_file.h"
#include "io/text_number.h"

namespace anmf::io {

namespace {

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

void read_format(const LineReader& reader, std::string_view word, MarketBanner& banner) {
  if (word != "coordinate" && word != "array") {
    reader.fail(fmt::format("format {} found, expected coordinate or array.", in_quotes(word)));
  }
  banner.dense = word == "array";
}

void read_field(const LineReader& reader, std::string_view word, MarketBanner& banner) {
  if (word == "complex") {
    reader.fail(
        "complex values are not supported, a nonnegative matrix is real; expected real, integer or pattern.");
  }
  // scipy writes unsigned-integer for unsigned types, though the definition does not list it.
  banner.integer = word == "integer" || word == "unsigned-integer";
  banner.pattern = word == "pattern";
  if (word != "real" && !banner.integer && !banner.pattern) {
    reader.fail(fmt::format("field {} found, expected real, integer or pattern.", in_quotes(word)));
  }
  if (banner.dense && banner.pattern) {
    reader.fail("an array cannot be a pattern, which has no values; expected real or integer.");
  }
}

void read_symmetry(const LineReader& reader, std::string_view word, MarketBanner& banner) {
  if (word == "skew-symmetric") {
    reader.fail(
        "skew-symmetric matrices are not supported, since they hold negative entries; expected general or "
        "symmetric.");
  }
  if (word == "hermitian") {
    reader.fail(
        "hermitian matrices are not supported, since they are complex; expected general or symmetric.");
  }
  if (word != "general" && word != "symmetric") {
    reader.fail(fmt::format("symmetry {} found, expected general or symmetric.", in_quotes(word)));
  }
  banner.symmetric = word == "symmetric";
}

Index read_size(const LineReader& reader, std::string_view token, std::string_view name) {
  Index value = 0;
  const Parsed parsed = parse_number(token, value);
  if (parsed == Parsed::kTooLarge) {
    reader.fail(fmt::format("the {} {} does not fit into 64 bits.", name, in_quotes(token)));
  }
  if (parsed != Parsed::kOk || value < 0) {
    reader.fail(fmt::format("the {} is {}, expected a nonnegative whole number.", name, in_quotes(token)));
  }
  return value;
}

// Values in the file of an array: all of them by columns, or the lower triangle if symmetric.
Index count_array_values(const LineReader& reader, const MarketHeader& header) {
  Index all = 0;
  if (__builtin_mul_overflow(header.rows, header.cols, &all)) {
    reader.fail(fmt::format("an array of {} x {} has more entries than 64 bits can count.", header.rows,
                            header.cols));
  }
  const Index values = header.symmetric ? all / 2 + (header.rows + 1) / 2 : all;
  // Each value takes a digit and a line end, which only the last line may lack.
  const std::uint64_t room = (reader.most_text_bytes() + 1) / 2;
  if (static_cast<std::uint64_t>(values) > room) {
    reader.fail(
        fmt::format("an array of {} x {} needs {} values, but a file of {} bytes has room for at most {}.",
                    header.rows, header.cols, values, reader.bytes_on_disk(), room));
  }
  return values;
}

}  // namespace

bool starts_as_matrix_market(std::string_view text) {
  constexpr std::string_view kBanner = "%%matrixmarket";
  return lower(text.substr(0, kBanner.size())) == kBanner;
}

MarketBanner read_market_banner(LineReader& reader) {
  if (!reader.next()) reader.fail_at(1, "the file is empty, expected the line '%%MatrixMarket matrix ...'.");
  Tokens tokens(reader.line());
  const std::string banner_word = lower(tokens.next());
  if (banner_word != "%%matrixmarket") {
    reader.fail(fmt::format("{} found, expected '%%MatrixMarket'.", in_quotes(reader.line())));
  }
  constexpr int kWords = 5;
  const int found = count_tokens(reader.line());
  if (found != kWords) {
    reader.fail(
        fmt::format("{} words found, expected 5: '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'.", found));
  }
  const std::string object = lower(tokens.next());
  if (object != "matrix") reader.fail(fmt::format("object {} found, expected matrix.", in_quotes(object)));

  MarketBanner banner;
  read_format(reader, lower(tokens.next()), banner);
  read_field(reader, lower(tokens.next()), banner);
  read_symmetry(reader, lower(tokens.next()), banner);
  return banner;
}

MarketHeader read_market_header(LineReader& reader) {
  MarketHeader header;
  static_cast<MarketBanner&>(header) = read_market_banner(reader);
  const std::string_view expected = header.dense ? "ROWS COLUMNS" : "ROWS COLUMNS ENTRIES";

  bool found = false;
  while (!found && reader.next()) {
    const std::string_view first = Tokens(reader.line()).next();
    found = !first.empty() && !first.starts_with('%');
  }
  if (!found) reader.fail(fmt::format("the file ends before the line of sizes '{}'.", expected));
  const int words = count_tokens(reader.line());
  if (words != (header.dense ? 2 : 3)) {
    reader.fail(
        fmt::format("{} found as the line of sizes, expected '{}'.", in_quotes(reader.line()), expected));
  }

  Tokens tokens(reader.line());
  header.size_line = reader.line_number();
  header.rows = read_size(reader, tokens.next(), "number of rows");
  header.cols = read_size(reader, tokens.next(), "number of columns");
  if (header.symmetric && header.rows != header.cols) {
    reader.fail(
        fmt::format("a symmetric matrix must be square, but this one is {} x {}.", header.rows, header.cols));
  }
  header.entries = header.dense ? count_array_values(reader, header)
                                : read_size(reader, tokens.next(), "number of entries");
  return header;
}

}  // namespace anmf::io
