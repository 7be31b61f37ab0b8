// SPDX-License-Identifier: MIT
#include "io/npy_dict.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "anmf/error.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

// Recursive descent over the few forms of Python literals that the header may hold.
class DictParser {
 public:
  DictParser(std::string_view text, const std::filesystem::path& path) : rest_(text), path_(path) {}

  NpyDict parse() {
    expect('{');
    while (!accept('}')) {
      parse_item();
      if (!accept(',') && !next_is('}')) fail("',' or '}'");
    }
    skip_blanks();
    if (!rest_.empty()) fail("nothing after the dict");
    if (!has_descr_) fail("the key 'descr'");
    if (!has_order_) fail("the key 'fortran_order'");
    if (!has_shape_) fail("the key 'shape'");
    return dict_;
  }

 private:
  void parse_item() {
    const std::string_view before = rest_;
    const std::string key = parse_string();
    expect(':');
    if (key == "descr" && !has_descr_) {
      dict_.descr = parse_descr();
      has_descr_ = true;
    } else if (key == "fortran_order" && !has_order_) {
      dict_.fortran_order = parse_bool();
      has_order_ = true;
    } else if (key == "shape" && !has_shape_) {
      dict_.shape = parse_shape();
      has_shape_ = true;
    } else {
      rest_ = before;
      fail("one each of the keys 'descr', 'fortran_order' and 'shape'");
    }
  }

  std::string parse_descr() {
    if (next_is('[')) {
      throw InvalidInput(fmt::format("{}: the entries are records, dtype {}; expected single numbers.",
                                     path_.string(), in_quotes(rest_)));
    }
    return parse_string();
  }

  std::string parse_string() {
    const char quote = next_is('"') ? '"' : '\'';
    if (!next_is(quote)) fail("a string in quotes");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail("a string that ends");
    const std::string result(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return result;
  }

  bool parse_bool() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    }
    fail("True or False");
  }

  std::vector<Index> parse_shape() {
    constexpr std::size_t kMostDimensions = 64;  // as NumPy allows
    std::vector<Index> shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMostDimensions) fail("at most 64 dimensions");
      shape.push_back(parse_length());
      if (!accept(',') && !next_is(')')) fail("',' or ')'");
    }
    return shape;
  }

  Index parse_length() {
    skip_blanks();
    Index length = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
    if (error == std::errc::result_out_of_range) fail("a length that fits into 64 bits");
    if (error != std::errc{} || length < 0) fail("a nonnegative whole number");
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 writes long integers as 3L
    return length;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool next_is(char c) {
    skip_blanks();
    return rest_.starts_with(c);
  }
  bool accept(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c));
  }
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string found = rest_.empty() ? "its end" : in_quotes(rest_);
    throw InvalidInput(
        fmt::format("{}: malformed .npy header: {} found, expected {}.", path_.string(), found, expected));
  }

  std::string_view rest_;
  const std::filesystem::path& path_;
  NpyDict dict_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

NpyDict parse_npy_dict(std::string_view text, const std::filesystem::path& path) {
  return DictParser(text, path).parse();
}

}  // namespace anmf::io
