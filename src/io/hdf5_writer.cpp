// SPDX-License-Identifier: MIT
#include "io/hdf5_writer.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "anmf/error.h"

namespace anmf::io {

namespace {

// Texts of any length in UTF-8.
hid_t text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

Hdf5Handle list_space(Index count) {
  const auto length = static_cast<hsize_t>(count);
  return {H5Screate_simple(1, &length, nullptr), H5Sclose};
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::filesystem::path& temporary, std::filesystem::path path, Open open)
    : path_(std::move(path)),
      file_(open == Open::create ? H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                 : H5Fopen(temporary.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {
  check(file_ < 0 ? -1 : 0, "the file");
}

Hdf5Writer::~Hdf5Writer() {
  if (file_ >= 0) H5Fclose(file_);
}

hid_t Hdf5Writer::checked(hid_t id, std::string_view what) const {
  check(id < 0 ? -1 : 0, what);
  return id;
}

void Hdf5Writer::check(herr_t code, std::string_view what) const {
  if (code >= 0) return;
  // The library does not tell, but it has just asked the system.
  const std::string reason = errno == 0 ? "is the disk full?" : std::generic_category().message(errno) + ".";
  throw IoError(fmt::format("{}: HDF5 cannot write {}: {}", path_.string(), what, reason));
}

void Hdf5Writer::make_group(const std::string& place) const {
  const Hdf5Handle group(
      checked(H5Gcreate2(file_, place.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), place), H5Gclose);
}

void Hdf5Writer::attach(const std::string& place, const std::string& name, hid_t type, hid_t space,
                        const void* data) const {
  const Hdf5Handle attribute(checked(H5Acreate_by_name(file_, place.c_str(), name.c_str(), type, space,
                                                       H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                     place),
                             H5Aclose);
  if (data != nullptr) check(H5Awrite(attribute.get(), type, data), place);
}

void Hdf5Writer::attach_text(const std::string& place, const std::string& name,
                             const std::string& text) const {
  const Hdf5Handle type(text_type(), H5Tclose);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const char* const pointer = text.c_str();
  attach(place, name, type.get(), space.get(), static_cast<const void*>(&pointer));
}

void Hdf5Writer::attach_texts(const std::string& place, const std::string& name,
                              const std::vector<std::string>& texts) const {
  const Hdf5Handle type(text_type(), H5Tclose);
  const Hdf5Handle space = list_space(static_cast<Index>(texts.size()));
  const std::vector<const char*> list = pointers(texts);
  attach(place, name, type.get(), space.get(),
         list.empty() ? nullptr : static_cast<const void*>(list.data()));
}

void Hdf5Writer::attach_numbers(const std::string& place, const std::string& name,
                                std::span<const Index> numbers) const {
  const Hdf5Handle space = list_space(static_cast<Index>(numbers.size()));
  attach(place, name, H5T_NATIVE_INT64, space.get(), numbers.data());
}

/// As h5py and so AnnData have them.
void Hdf5Writer::attach_truth(const std::string& place, const std::string& name, bool value) const {
  const Hdf5Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  const std::array<signed char, 2> values = {0, 1};
  H5Tenum_insert(type.get(), "FALSE", values.data());
  H5Tenum_insert(type.get(), "TRUE", values.data() + 1);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  attach(place, name, type.get(), space.get(), values.data() + (value ? 1 : 0));
}

void Hdf5Writer::detach(const std::string& place, const std::string& name) const {
  check(H5Adelete_by_name(file_, place.c_str(), name.c_str(), H5P_DEFAULT), place);
}

void Hdf5Writer::remove(const std::string& place) const {
  check(H5Ldelete(file_, place.c_str(), H5P_DEFAULT), place);
}

void Hdf5Writer::write(const std::string& place, hid_t file_type, hid_t memory_type, hid_t space,
                       const void* data) const {
  const Hdf5Handle dataset(
      checked(H5Dcreate2(file_, place.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
              place),
      H5Dclose);
  if (H5Sget_simple_extent_npoints(space) == 0) return;
  check(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), place);
}

void Hdf5Writer::write_text(const std::string& place, const std::string& text) const {
  const Hdf5Handle type(text_type(), H5Tclose);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const char* const pointer = text.c_str();
  write(place, type.get(), type.get(), space.get(), static_cast<const void*>(&pointer));
}

void Hdf5Writer::write_texts(const std::string& place, const std::vector<std::string>& texts) const {
  const Hdf5Handle type(text_type(), H5Tclose);
  const Hdf5Handle space = list_space(static_cast<Index>(texts.size()));
  const std::vector<const char*> list = pointers(texts);
  write(place, type.get(), type.get(), space.get(), static_cast<const void*>(list.data()));
}

void Hdf5Writer::write_list(const std::string& place, const void* numbers, Index count, hid_t memory_type,
                            hid_t file_type) const {
  const Hdf5Handle space = list_space(count);
  write(place, file_type, memory_type, space.get(), numbers);
}

void Hdf5Writer::write_number(const std::string& place, const void* number, hid_t type) const {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write(place, type, type, space.get(), number);
}

template <class T>
void Hdf5Writer::write_rows(const std::string& place, const DenseRows<T>& matrix) const {
  const std::array<hsize_t, 2> sizes = {static_cast<hsize_t>(matrix.rows), static_cast<hsize_t>(matrix.cols)};
  const Hdf5Handle space(H5Screate_simple(2, sizes.data(), nullptr), H5Sclose);
  const hid_t type = native_hdf5_type<T>();
  const Hdf5Handle dataset(
      checked(H5Dcreate2(file_, place.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
              place),
      H5Dclose);
  if (matrix.rows == 0 || matrix.cols == 0) return;
  hsize_t done = 0;
  matrix.for_each_block([&](ConstMatrixView<T> block) {
    const std::array<hsize_t, 2> here = {static_cast<hsize_t>(block.rows), sizes[1]};
    const std::array<hsize_t, 2> in_memory = {here[0], static_cast<hsize_t>(block.stride)};
    const std::array<hsize_t, 2> begin = {0, 0};
    const std::array<hsize_t, 2> target = {done, 0};
    const Hdf5Handle memory(H5Screate_simple(2, in_memory.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(memory.get(), H5S_SELECT_SET, begin.data(), nullptr, here.data(), nullptr);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, target.data(), nullptr, here.data(), nullptr);
    check(H5Dwrite(dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT, block.data), place);
    done += here[0];
  });
}

void Hdf5Writer::close() {
  check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "the file");
  const hid_t file = file_;
  file_ = -1;
  check(H5Fclose(file), "the file");
}

template void Hdf5Writer::write_rows(const std::string&, const DenseRows<float>&) const;
template void Hdf5Writer::write_rows(const std::string&, const DenseRows<double>&) const;
template void Hdf5Writer::write_rows(const std::string&, const DenseRows<std::uint16_t>&) const;
template void Hdf5Writer::write_rows(const std::string&, const DenseRows<std::uint8_t>&) const;

}  // namespace anmf::io
