// SPDX-License-Identifier: MIT
// Columns of data frames in AnnData files. Texts of any length are read by our own code and written anew: the
// library would trust what a damaged file says of their places.
#include "anmf/anndata_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/anndata_frame.h"
#include "io/atomic_file.h"
#include "io/hdf5_file.h"
#include "io/hdf5_texts.h"
#include "io/hdf5_writer.h"

namespace anmf::io {

namespace {

constexpr Index kAnyLength = -1;

/// Nothing if they are no texts.
std::vector<std::string> index_of(const Hdf5File& file, const std::string& frame) {
  const std::string place = frame + "/" + index_column(file, frame);
  if (!file.has_group(frame) || !file.has_dataset(place)) return {};
  const std::vector<Index> shape = file.shape(place);
  return shape.size() == 1 ? read_hdf5_texts(file, place, shape[0]) : std::vector<std::string>();
}

class ColumnCopier {
 public:
  ColumnCopier(const Hdf5File& from, const Hdf5Writer& to) : from_(from), to_(to) {}

  void copy_frame(const std::string& frame, Index rows) const {
    std::vector<std::string> copied;
    for (const std::string& name : frame_columns(from_, frame)) {
      if (copy_column(fmt::format("{}/{}", frame, name), rows)) copied.push_back(name);
    }
    if (copied.empty()) return;
    to_.detach(frame, "column-order");
    to_.attach_texts(frame, "column-order", copied);
  }

 private:
  [[nodiscard]] bool copy_column(const std::string& place, Index rows) const {
    if (from_.has_dataset(place)) return copy_array(place, rows);
    if (!from_.has_group(place)) return false;
    const std::string kind = from_.text_attribute(place, "encoding-type");
    std::array<std::pair<std::string, Index>, 2> parts = {{{"/values", rows}, {"/mask", rows}}};
    if (kind == "categorical") {
      parts = {{{"/codes", rows}, {"/categories", kAnyLength}}};
    } else if (kind != "nullable-integer" && kind != "nullable-boolean") {
      return false;
    }
    to_.make_group(place);
    const bool complete = std::all_of(parts.begin(), parts.end(), [&](const auto& part) {
      return from_.has_dataset(place + part.first) && copy_array(place + part.first, part.second);
    });
    if (!complete) {
      to_.remove(place);
      return false;
    }
    mark(place, kind, from_.text_attribute(place, "encoding-version"));
    if (kind == "categorical") to_.attach_truth(place, "ordered", truth(place, "ordered"));
    return true;
  }

  [[nodiscard]] bool copy_array(const std::string& place, Index expected) const {
    const std::vector<Index> shape = from_.shape(place);
    if (shape.size() != 1 || (expected != kAnyLength && shape[0] != expected)) return false;
    const Hdf5Handle dataset = from_.open_dataset(place);
    const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
    switch (H5Tget_class(type.get())) {
      case H5T_STRING:
        to_.write_texts(place, read_hdf5_texts(from_, place, shape[0]));
        mark(place, "string-array", "0.2.0");
        return true;
      case H5T_INTEGER:
      case H5T_FLOAT: {
        const Hdf5Handle native(H5Tget_native_type(type.get(), H5T_DIR_ASCEND), H5Tclose);
        const Hdf5Array numbers(from_, place);  // checks it
        std::vector<unsigned char> bytes(static_cast<std::size_t>(shape[0]) * H5Tget_size(native.get()));
        numbers.read_all(native.get(), bytes.data());
        to_.write_list(place, bytes.data(), shape[0], native.get(), native.get());
        mark(place, "array", "0.2.0");
        return true;
      }
      case H5T_ENUM:
        return copy_truth_values(place, dataset.get(), type.get(), shape[0]);
      default:
        return false;
    }
  }

  /// Which are numbers of one byte with names.
  [[nodiscard]] bool copy_truth_values(const std::string& place, hid_t dataset, hid_t type,
                                       Index count) const {
    const std::vector<unsigned char> bytes = read_truth_values(from_, place, dataset, type, count);
    if (static_cast<Index>(bytes.size()) != count) return false;
    const Hdf5Handle own(H5Tcopy(type), H5Tclose);
    to_.write_list(place, bytes.data(), count, own.get(), own.get());
    mark(place, "array", "0.2.0");
    return true;
  }

  [[nodiscard]] bool truth(const std::string& place, const char* name) const {
    const Hdf5Handle attribute(H5Aopen_by_name(from_.id(), place.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    if (!attribute.ok()) return false;
    const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
    const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
    const bool single = H5Sget_simple_extent_npoints(space.get()) == 1 && H5Tget_size(type.get()) == 1;
    const H5T_class_t kind = H5Tget_class(type.get());
    unsigned char value = 0;
    if (!single || (kind != H5T_ENUM && kind != H5T_INTEGER)) return false;
    return H5Aread(attribute.get(), type.get(), &value) >= 0 && value != 0;
  }

  void mark(const std::string& place, const std::string& type, const std::string& version) const {
    to_.attach_text(place, "encoding-type", type);
    to_.attach_text(place, "encoding-version", version);
  }

  const Hdf5File& from_;
  const Hdf5Writer& to_;
};

}  // namespace

void copy_anndata_columns(const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::lock_guard lock(hdf5_mutex());
  const Hdf5File source(from);
  std::vector<std::pair<std::string, Index>> frames;
  {
    const Hdf5File target(to);
    for (const char* const frame : {"obs", "var"}) {
      const std::vector<std::string> names = index_of(target, frame);
      const bool same = !names.empty() && index_of(source, frame) == names;
      if (same && source.text_attribute(frame, "encoding-version") == "0.2.0")
        frames.emplace_back(frame, static_cast<Index>(names.size()));
    }
  }
  if (frames.empty()) return;
  constexpr std::uint64_t kPerEntry = 64;  // a text of usual length, with its place
  std::uint64_t bytes = std::filesystem::file_size(to);
  for (const auto& [frame, rows] : frames)
    bytes += kPerEntry * static_cast<std::uint64_t>(rows) * frame_columns(source, frame).size();
  expect_room(to, bytes, to);
  Hdf5Writer target(to, to, Hdf5Writer::Open::extend);
  const ColumnCopier copier(source, target);
  for (const auto& [frame, rows] : frames) copier.copy_frame(frame, rows);
  target.close();
}

}  // namespace anmf::io
