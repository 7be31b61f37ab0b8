// SPDX-License-Identifier: MIT
// Zip archives of .npy members, through libzip. The arrays are handed over where they lie; libzip reads them
// when it closes the archive.
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "anmf/matrix.h"
#include "io/npy_type.h"

struct zip;

namespace anmf::io {

class NpzWriter {
 public:
  enum class Packing { store, deflate };

  /// `temporary` is where it is written, `path` is for messages.
  NpzWriter(const std::filesystem::path& temporary, std::filesystem::path path);

  /// Adds NAME.npy of a shape as Python writes it. What the span views must stay until close().
  template <class T>
  void add(std::string_view name, std::string_view shape, std::span<const T> values, Packing packing) {
    add_member(std::string(name) + ".npy", npy_header(npy_type<T>(), shape), std::as_bytes(values), packing);
  }
  /// The same for a matrix without gaps between its rows.
  template <class T>
  void add(std::string_view name, ConstMatrixView<T> matrix) {
    add_member(std::string(name) + ".npy", npy_header(npy_type<T>(), matrix.rows, matrix.cols),
               std::as_bytes(std::span(matrix.data, static_cast<std::size_t>(matrix.rows * matrix.cols))),
               Packing::store);
  }
  /// Any member: `head` is kept, `bytes` must stay until close().
  void add_member(const std::string& name, std::string head, std::span<const std::byte> bytes,
                  Packing packing);
  void add_text(const std::string& name, std::string_view text) {
    add_member(name, std::string(text), {}, Packing::store);
  }

  /// Writes all of it.
  void close();

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };

  [[noreturn]] void fail(std::string_view reason) const;

  std::filesystem::path path_;
  std::list<std::string> heads_;  // a list, so that they stay where they are
  std::unique_ptr<zip, Discard> archive_;
};

}  // namespace anmf::io
