// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace anmf::io_test {

/// Writes an HDF5 file with the plain calls of the library.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer() { H5Fclose(file_); }

  void group(const char* name) const {
    H5Gclose(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }

  void numbers(const char* name, const std::vector<hsize_t>& shape, const std::vector<double>& values,
               hid_t stored = H5T_NATIVE_DOUBLE, hid_t creation = H5P_DEFAULT) const {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file_, name, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    H5Sclose(space);
  }

  void whole(const char* name, const std::vector<double>& values) const {
    numbers(name, {values.size()}, values, H5T_NATIVE_INT32);
  }

  // Variable length, or fixed if a length is given.
  void texts(const char* name, const std::vector<std::string>& values, std::size_t length = 0,
             hid_t creation = H5P_DEFAULT) const {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length == 0 ? H5T_VARIABLE : length);
    const hsize_t count = values.size();
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t dataset = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    std::vector<const char*> pointers;
    std::string bytes;
    for (const std::string& value : values) {
      pointers.push_back(value.c_str());
      std::string padded = value;
      padded.resize(length);
      bytes += padded;
    }
    const void* data = length == 0 ? static_cast<const void*>(pointers.data()) : bytes.data();
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
  }

  void text_attribute(const char* place, const char* name, const char* value, bool variable = false) const {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, variable ? H5T_VARIABLE : std::string_view(value).size());
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(file_, place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, variable ? static_cast<const void*>(&value) : value);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  }

  void texts_attribute(const char* place, const char* name, const std::vector<const char*>& values) const {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    const hsize_t count = values.size();
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t attribute =
        H5Acreate_by_name(file_, place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, values.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  }

  void shape_attribute(const char* place, const std::vector<std::int64_t>& shape) const {
    const hsize_t count = shape.size();
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t attribute = H5Acreate_by_name(file_, place, "shape", H5T_NATIVE_INT64, space, H5P_DEFAULT,
                                              H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT64, shape.data());
    H5Aclose(attribute);
    H5Sclose(space);
  }

  [[nodiscard]] hid_t id() const { return file_; }

 private:
  hid_t file_;
};

}  // namespace anmf::io_test
