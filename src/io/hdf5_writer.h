// SPDX-License-Identifier: MIT
// A new HDF5 file, or one that gets more, through the C library; every call that fails becomes an IoError.
// Whoever uses this holds hdf5_mutex().
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"
#include "io/hdf5_file.h"

namespace anmf::io {

class Hdf5Writer {
 public:
  enum class Open { create, extend };
  /// `temporary` is where it is written, `path` is for messages.
  Hdf5Writer(const std::filesystem::path& temporary, std::filesystem::path path, Open open = Open::create);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  void make_group(const std::string& place) const;
  void attach_text(const std::string& place, const std::string& name, const std::string& text) const;
  void attach_texts(const std::string& place, const std::string& name,
                    const std::vector<std::string>& texts) const;
  void attach_numbers(const std::string& place, const std::string& name,
                      std::span<const Index> numbers) const;

  void attach_truth(const std::string& place, const std::string& name, bool value) const;
  void detach(const std::string& place, const std::string& name) const;
  void remove(const std::string& place) const;

  void write_text(const std::string& place, const std::string& text) const;
  void write_texts(const std::string& place, const std::vector<std::string>& texts) const;
  /// A list of numbers that lie in memory as `memory_type`, stored as `file_type`.
  void write_list(const std::string& place, const void* numbers, Index count, hid_t memory_type,
                  hid_t file_type) const;
  /// A single number.
  void write_number(const std::string& place, const void* number, hid_t type) const;
  template <class T>
  void write_rows(const std::string& place, const DenseRows<T>& matrix) const;

  /// Must be the last call; what it does not report is on its way to the disk.
  void close();

 private:
  [[nodiscard]] hid_t checked(hid_t id, std::string_view what) const;
  void check(herr_t code, std::string_view what) const;
  void attach(const std::string& place, const std::string& name, hid_t type, hid_t space,
              const void* data) const;
  void write(const std::string& place, hid_t file_type, hid_t memory_type, hid_t space,
             const void* data) const;

  Hdf5Quiet quiet_;
  std::filesystem::path path_;
  hid_t file_ = -1;
};

}  // namespace anmf::io
