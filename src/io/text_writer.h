// SPDX-License-Identifier: MIT
// Text files of numbers, plain or gzip, made piece by piece on all cores.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "anmf/parallel.h"

namespace anmf::io {

/// Whole numbers below this are exact in double precision.
inline constexpr double kWholeLimit = 9007199254740992.0;  // 2^53

/// True if the value is written without a point and without an exponent.
template <class T>
[[nodiscard]] bool is_whole(T value) {
  if constexpr (std::is_integral_v<T>) {
    return true;
  } else {
    // The comparison comes first: beyond it the conversion to an integer is not defined.
    return value >= 0 && value < static_cast<T>(kWholeLimit) && !std::signbit(value) &&
           static_cast<T>(static_cast<std::int64_t>(value)) == value;
  }
}

/// Appends the shortest text that reads back as the same number.
template <class T>
void append_number(std::string& text, T value) {
  char digits[32];
  char* const end = digits + sizeof(digits);
  const auto result = is_whole(value) ? std::to_chars(digits, end, static_cast<std::int64_t>(value))
                                      : std::to_chars(digits, end, value);
  text.append(digits, static_cast<std::size_t>(result.ptr - digits));
}

/// Pieces of a matrix of about so many entries keep all threads busy and need little memory.
inline constexpr Index kEntriesPerPiece = Index{1} << 15;

class TextWriter {
 public:
  /// Makes piece number `piece`, appending to `text`; called from several threads at once.
  using Make = std::function<void(Index piece, std::string& text)>;

  TextWriter(std::ostream& out, bool gzip);
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;
  ~TextWriter();

  void append(Index pieces, const Make& make);
  void append(std::string_view text);
  /// Must be the last call.
  void finish();

 private:
  struct Piece;

  std::ostream& out_;
  bool gzip_;
  ThreadPool pool_{0};
  std::vector<Piece> round_;  // the pieces that are made side by side
  std::uint32_t checksum_ = 0;
  std::uint64_t bytes_ = 0;  // of text
};

/// Writes a file atomically, gzip if its name ends in .gz.
void write_text(const std::filesystem::path& path, const std::function<void(TextWriter&)>& write);

}  // namespace anmf::io
