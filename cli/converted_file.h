// SPDX-License-Identifier: MIT
// The file that `anmf convert` writes, in the format that its name ends in. While it is written, a line on
// the terminal moves, and Ctrl-C leaves the file as it was before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "anmf/io.h"
#include "io/save.h"
#include "progress.h"

namespace anmf::cli {

/// A dense M in the ways in which it may be written. Where it is read from a file line by line, only the
/// order that the output wants can be had; the other has its sizes.
template <class T>
struct DenseSource {
  io::DenseRows<T> rows;
  io::DenseRows<T> columns;
  std::optional<ConstMatrixView<T>> whole;  ///< M in memory, row by row
};

/// What was written, for the summary.
struct Written {
  Index rows = 0;
  Index cols = 0;
  std::string_view storage;
  std::string_view type;
  bool names_lost = false;
  io::Images images;  ///< in the columns of the input
};

class ConvertedFile {
 public:
  /// Names are as typed. `line` must outlive it. Throws Failure(usage) if no format is written under such a
  /// name.
  ConvertedFile(std::string input, std::string output, StatusLine& line);

  [[nodiscard]] io::Target target() const { return target_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Whether the entries of dense matrices stand column by column in this format.
  [[nodiscard]] bool by_columns() const { return target_ == io::Target::kMatrixMarket; }
  /// Throws Failure(output) if the folder of the file cannot be written to.
  void expect_folder() const;
  /// Throws Failure(output) if a dense matrix of this size is more than the disk holds, or the memory where
  /// the format must have it there as a whole: the zeros that a sparse matrix need not store may be many.
  void expect_room(Index rows, Index cols, std::size_t entry_bytes) const;

  /// The same rows, which move the status line on their way, in blocks small enough that Ctrl-C is heard
  /// between them. `what` is the file of which the line tells.
  template <class T>
  [[nodiscard]] io::DenseRows<T> watched(const io::DenseRows<T>& rows, const std::string& what);

  /// T is double, float, uint16_t or uint8_t. Throws Failure.
  template <class T>
  Written write(const DenseSource<T>& source, const io::Names& names);
  template <class T>
  Written write(const io::CsrView<T>& matrix, const io::Names& names);
  /// A container, from blocks; T is double or float.
  template <class T>
  Written write_blocks(BlockSource<T>& source, const io::Names& names);

 private:
  template <class Body>
  void writing(const Body& body) const;
  void expect_no_interrupt() const;
  template <class T>
  [[nodiscard]] Written written(Index rows, Index cols, std::string_view storage,
                                const io::Names& names) const;

  std::string input_;
  std::string output_;
  std::filesystem::path path_;
  io::Target target_;
  StatusLine& line_;
};

}  // namespace anmf::cli
