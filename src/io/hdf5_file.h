// SPDX-License-Identifier: MIT
// HDF5 files through the C library, its handles closed by themselves and its messages kept off the terminal.
// The library is not safe for threads; whoever uses this holds hdf5_mutex().
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/io.h"
#include "io/cube.h"
#include "io/hdf5_bytes.h"
#include "io/number_array.h"

namespace anmf::io {

[[nodiscard]] std::mutex& hdf5_mutex();

/// Keeps the library from printing errors, which it does otherwise, as long as it lives.
class Hdf5Quiet {
 public:
  Hdf5Quiet();
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;
  ~Hdf5Quiet();

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& from) noexcept : id_(std::exchange(from.id_, -1)), close_(from.close_) {}
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool ok() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

/// The type of HDF5 in which this machine stores T: double, float, uint16_t or uint8_t.
template <class T>
[[nodiscard]] hid_t native_hdf5_type() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return H5T_NATIVE_UINT16;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  return H5T_NATIVE_DOUBLE;
}

enum class Hdf5Kind { kNothing, kGroup, kDataset };

class Hdf5File {
 public:
  /// Throws InvalidInput if the library cannot open it.
  explicit Hdf5File(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] hid_t id() const { return file_.get(); }
  [[nodiscard]] const Hdf5Bytes& bytes() const { return bytes_; }
  /// What stands at a place such as "obs/_index". Links into other files count as nothing. Everything else
  /// here is for places of which this was asked: it throws InvalidInput if they cannot be trusted.
  [[nodiscard]] Hdf5Kind kind(const std::string& place) const;
  /// Where in the file it is described.
  [[nodiscard]] std::uint64_t address(const std::string& place) const;
  /// Throws InvalidInput if its entries are in other files, or in chunks that cannot be trusted.
  [[nodiscard]] Hdf5Handle open_dataset(const std::string& place) const;
  [[nodiscard]] bool has_dataset(const std::string& place) const { return kind(place) == Hdf5Kind::kDataset; }
  [[nodiscard]] bool has_group(const std::string& place) const { return kind(place) == Hdf5Kind::kGroup; }
  /// The names in a group, sorted.
  [[nodiscard]] std::vector<std::string> children(const std::string& group) const;
  /// A text that is attached to a group or dataset; empty if there is none.
  [[nodiscard]] std::string text_attribute(const std::string& place, const std::string& name) const;
  /// Whole numbers that are attached; empty if there are none.
  [[nodiscard]] std::vector<Index> whole_attribute(const std::string& place, const std::string& name) const;
  /// The lengths along the dimensions of a dataset.
  [[nodiscard]] std::vector<Index> shape(const std::string& place) const;
  /// True for a dataset of integers or floats.
  [[nodiscard]] bool holds_numbers(const std::string& place) const;
  /// How messages name a place: "file::/place".
  [[nodiscard]] std::string where(const std::string& place) const;

 private:
  Hdf5Quiet quiet_;
  std::filesystem::path path_;
  Hdf5Bytes bytes_;
  Hdf5Handle file_;
  Hdf5Handle within_;  ///< keeps the library from following links into other files
};

/// Throws InvalidInput unless a dataset that takes so many bytes, with entries of `entry_bytes` each, is
/// stored in as many, or was never written.
void check_hdf5_storage(const Hdf5File& file, const std::string& place, hid_t dataset,
                        std::size_t entry_bytes, std::uint64_t bytes);

/// A dataset of numbers, checked: it never promises much more than its stored bytes can hold.
class Hdf5Array final : public NumberArray {
 public:
  Hdf5Array(const Hdf5File& file, const std::string& place);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] const std::vector<Index>& shape() const { return shape_; }
  /// One of 'i', 'u' and 'f' with the bytes of an entry.
  [[nodiscard]] char number_kind() const { return kind_; }
  [[nodiscard]] std::size_t number_bytes() const { return bytes_; }

  /// Throws InvalidInput if the entries are floats.
  void expect_whole_numbers() const;

  void read(const Visit<Index>& visit) override;
  void read(const Visit<float>& visit) override;
  void read(const Visit<double>& visit) override;
  /// All of it at once, in row order.
  void read_all(hid_t memory_type, void* target) const;
  /// Entries [first, first + count) of a dataset of one dimension.
  void read_stretch(hid_t memory_type, Index first, Index count, void* target) const;
  /// Lines [first, first + count) of the dataset as it is unfolded, which has two or three dimensions.
  void read_lines(const Unfolded& as, hid_t memory_type, Index first, Index count, void* target) const;
  /// How many lines are stored together, which are best read together; 1 if the dataset is not cut.
  [[nodiscard]] Index lines_stored_together(const Unfolded& as) const;

 private:
  template <class T>
  void read_blocks(hid_t memory_type, const Visit<T>& visit);
  /// What lies from `begin` on along all dimensions.
  void read_box(hid_t memory_type, const std::vector<hsize_t>& begin, const std::vector<hsize_t>& size,
                void* target) const;
  /// Whether a line of the dataset as it is unfolded is a place on its first two axes, and not on the first.
  [[nodiscard]] bool lines_are_pixels(const Unfolded& as) const {
    return shape_.size() == 3 && !as.by_columns;
  }

  std::string name_;
  Hdf5Handle dataset_;
  std::vector<Index> shape_;
  Index size_ = 1;
  char kind_ = 'f';
  std::size_t bytes_ = 8;
};

/// Calls use.operator()<S>() with the type in which the entries of a dataset are kept: that in which they are
/// stored if it is narrower than T, else T.
template <class T, class Use>
auto visit_stored_type(const Hdf5Array& array, const Use& use) {
  const char kind = array.number_kind();
  if (kind == 'u' && array.number_bytes() == 1) return use.template operator()<std::uint8_t>();
  if (kind == 'u' && array.number_bytes() == 2) return use.template operator()<std::uint16_t>();
  if (kind == 'f' && array.number_bytes() <= 4) return use.template operator()<float>();
  return use.template operator()<T>();
}

/// Calls use(matrix) with the entries of a dataset of two or three dimensions, in that type.
template <class T, class Use>
auto visit_dataset(const Hdf5Array& array, const Unfolded& as, const Use& use) {
  return visit_stored_type<T>(array, [&]<class S>() {
    Matrix<S> lines(as.lines(), as.width());
    array.read_all(native_hdf5_type<S>(), lines.data());
    return use(arranged(as, std::move(lines)));
  });
}

}  // namespace anmf::io
