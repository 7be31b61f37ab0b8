// SPDX-License-Identifier: MIT
#include "io/anndata_frame.h"

#include <cstdint>

#include "anmf/error.h"
#include "io/hdf5_texts.h"

namespace anmf::io {

namespace {

/// The names in the attribute column-order; nothing if it is not there, or empty.
std::vector<std::string> column_order(const Hdf5File& file, const std::string& frame) {
  const Hdf5Handle attribute(
      H5Aopen_by_name(file.id(), frame.c_str(), "column-order", H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) return {};
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) <= 0 || count < 1) return {};
  return follow_references(file.bytes(), file.bytes().attribute(file.address(frame), "column-order"),
                           static_cast<std::size_t>(count), file.where(frame));
}

}  // namespace

std::string index_column(const Hdf5File& file, const std::string& frame) {
  const std::string name = file.text_attribute(frame, "_index");
  return name.empty() ? "_index" : name;
}

std::vector<std::string> frame_columns(const Hdf5File& file, const std::string& frame) {
  const std::string index = index_column(file, frame);
  std::vector<std::string> columns = column_order(file, frame);
  std::erase_if(columns, [&](const std::string& name) {
    return name == index || name == "_index" || name.find('/') != std::string::npos;
  });
  return columns;
}

std::vector<unsigned char> read_truth_values(const Hdf5File& file, const std::string& place, hid_t dataset,
                                             hid_t type, Index count) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1) return {};
  check_hdf5_storage(file, place, dataset, 1, static_cast<std::uint64_t>(count));
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    throw InvalidInput(file.where(place) + ": the HDF5 file is damaged: its entries cannot be read.");
  return bytes;
}

}  // namespace anmf::io
