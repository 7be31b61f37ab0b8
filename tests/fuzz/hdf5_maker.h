// SPDX-License-Identifier: MIT
// Sound HDF5 files with odd contents. The library itself does not bear damaged files, and not every damage
// can be found before it reads beyond its memory. So the fuzzer does not choose bytes here but types, sizes,
// values, layouts, attributes and names. An input that is used up chooses what is right, so the empty one
// makes a good file.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace anmf::io_fuzz {

using Choices = FuzzedDataProvider;

/// True rarely, and never once the input is used up.
inline bool oddly(Choices& choices, int one_in = 16) {
  return choices.ConsumeIntegralInRange<int>(0, one_in - 1) == 1;
}

/// Any type at all, to be closed by the caller.
inline hid_t odd_type(Choices& choices) {
  const std::array<hid_t, 18> plain = {
      H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16LE,  H5T_STD_U16BE,  H5T_STD_I32LE,   H5T_STD_U32LE,
      H5T_STD_I64BE, H5T_STD_U64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE,  H5T_NATIVE_LDOUBLE,
      H5T_C_S1,      H5T_STD_B16LE, H5T_STD_I16BE,  H5T_UNIX_D32LE, H5T_STD_REF_OBJ, H5T_FORTRAN_S1};
  const hid_t type = H5Tcopy(plain[choices.ConsumeIntegralInRange<std::size_t>(0, plain.size() - 1)]);
  switch (choices.ConsumeIntegralInRange<int>(0, 7)) {
    case 1:
      if (H5Tget_class(type) == H5T_STRING) H5Tset_size(type, H5T_VARIABLE);
      return type;
    case 2:
      if (H5Tget_class(type) == H5T_STRING)
        H5Tset_size(type, choices.ConsumeIntegralInRange<std::size_t>(1, 9));
      return type;
    case 3: {  // fewer bits than bytes hold
      if (H5Tget_class(type) == H5T_INTEGER) H5Tset_precision(type, 7);
      return type;
    }
    case 4: {
      const std::size_t bytes = std::min<std::size_t>(H5Tget_size(type), 64);
      const hid_t compound = H5Tcreate(H5T_COMPOUND, bytes);
      H5Tinsert(compound, "a", 0, type);
      H5Tclose(type);
      return compound;
    }
    case 5: {
      const hsize_t length = 2;
      const hid_t array = H5Tarray_create2(type, 1, &length);
      H5Tclose(type);
      return array;
    }
    case 6: {  // as h5py writes bool
      H5Tclose(type);
      const hid_t enumeration = H5Tenum_create(H5T_STD_I8LE);
      std::int8_t value = 0;
      H5Tenum_insert(enumeration, "FALSE", &value);
      value = 1;
      H5Tenum_insert(enumeration, "TRUE", &value);
      return enumeration;
    }
    default:
      return type;
  }
}

class Hdf5Maker {
 public:
  Hdf5Maker(const std::filesystem::path& path, Choices& choices, std::size_t user_block = 0)
      : choices_(choices) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, user_block);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    H5Pclose(creation);
  }
  Hdf5Maker(const Hdf5Maker&) = delete;
  Hdf5Maker& operator=(const Hdf5Maker&) = delete;
  ~Hdf5Maker() { H5Fclose(file_); }

  void group(const std::string& name) {
    if (oddly(choices_)) return odd_object(name);
    H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }

  /// Numbers of the given type; now and then others, of other types, in another shape.
  template <class S>
  void numbers(const std::string& name, hid_t stored, hid_t memory, std::vector<hsize_t> shape,
               std::vector<S> values) {
    if (oddly(choices_)) return odd_object(name);
    for (S& value : values) {
      if (oddly(choices_)) value = static_cast<S>(choices_.ConsumeIntegral<std::int16_t>());
      if (oddly(choices_, 64)) value = static_cast<S>(choices_.ConsumeIntegral<std::int64_t>());
    }
    change(shape);
    hsize_t count = 1;
    for (const hsize_t length : shape) count = count > kWritten ? count : count * length;
    const hid_t type = oddly(choices_) ? odd_type(choices_) : H5Tcopy(stored);
    const hid_t dataset = create(name, type, shape);
    const H5T_class_t kind = H5Tget_class(type);
    if (count <= kWritten && (kind == H5T_INTEGER || kind == H5T_FLOAT) && !oddly(choices_)) {
      values.resize(count);
      H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Tclose(type);
    H5Dclose(dataset);
  }
  void doubles(const std::string& name, std::vector<hsize_t> shape, std::vector<double> values) {
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_I32LE};
    numbers(name, types[choices_.ConsumeIntegralInRange<int>(0, 4)], H5T_NATIVE_DOUBLE, std::move(shape),
            std::move(values));
  }
  void wholes(const std::string& name, std::vector<std::int64_t> values) {
    const hid_t types[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U64LE, H5T_STD_U8LE};
    const hsize_t count = values.size();
    numbers(name, types[choices_.ConsumeIntegralInRange<int>(0, 3)], H5T_NATIVE_INT64, {count},
            std::move(values));
  }

  /// Texts "a", "b", ..., of fixed or variable length.
  void texts(const std::string& name, std::size_t count) {
    if (oddly(choices_)) return odd_object(name);
    std::vector<std::string> texts(count);
    for (std::size_t i = 0; i < count; ++i) {
      texts[i] = oddly(choices_) ? choices_.ConsumeRandomLengthString(8)
                                 : std::string(1, static_cast<char>('a' + i));
      texts[i] = texts[i].c_str();  // up to a zero
    }
    std::vector<hsize_t> shape = {count};
    change(shape);
    const bool fits = shape == std::vector<hsize_t>{count};
    const hid_t type = H5Tcopy(H5T_C_S1);
    const bool fixed = choices_.ConsumeBool();
    constexpr std::size_t kLength = 4;
    H5Tset_size(type, fixed ? kLength : H5T_VARIABLE);
    const hid_t dataset = create(name, type, shape);
    if (fits && fixed) {
      std::string bytes;
      for (const std::string& text : texts) bytes += (text + std::string(kLength, '\0')).substr(0, kLength);
      H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    } else if (fits && !oddly(choices_)) {
      std::vector<const char*> pointers;
      for (const std::string& text : texts) pointers.push_back(text.c_str());
      H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
    }
    H5Tclose(type);
    H5Dclose(dataset);
  }

  void text_attribute(const std::string& place, const char* name, std::string text) {
    if (oddly(choices_)) return odd_attribute(place, name);
    if (oddly(choices_)) text = choices_.ConsumeRandomLengthString(12);
    const hid_t type = H5Tcopy(H5T_C_S1);
    const bool fixed = choices_.ConsumeBool();
    H5Tset_size(type, fixed ? text.size() + 1 : H5T_VARIABLE);
    const char* pointer = text.c_str();
    attach(place, name, type, {},
           fixed ? static_cast<const void*>(pointer) : static_cast<const void*>(&pointer));
    H5Tclose(type);
  }
  void texts_attribute(const std::string& place, const char* name, const std::vector<const char*>& texts) {
    if (oddly(choices_)) return odd_attribute(place, name);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    attach(place, name, type, {texts.size()}, texts.data());
    H5Tclose(type);
  }
  void whole_attribute(const std::string& place, const char* name, std::vector<std::int64_t> values) {
    if (oddly(choices_)) return odd_attribute(place, name);
    for (std::int64_t& value : values) {
      if (oddly(choices_)) value = choices_.ConsumeIntegral<std::int16_t>();
      if (oddly(choices_, 64)) value = choices_.ConsumeIntegral<std::int64_t>();
    }
    if (oddly(choices_)) values.resize(choices_.ConsumeIntegralInRange<std::size_t>(0, 70));
    attach(place, name, H5T_NATIVE_INT64, {values.size()}, values.data());
  }

  /// The four kinds of links, or nothing, or a type, or a dataset of any kind.
  void odd_object(const std::string& name) {
    switch (choices_.ConsumeIntegralInRange<int>(0, 6)) {
      case 0:
        H5Lcreate_soft("/nowhere", file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        return;
      case 1:
        H5Lcreate_soft(("/" + name).c_str(), file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        return;
      case 2:
        H5Lcreate_external("other.h5", "/X", file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        return;
      case 3:
        H5Lcreate_hard(file_, "/", file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        return;
      case 4: {
        const hid_t type = odd_type(choices_);
        H5Tcommit2(file_, name.c_str(), type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Tclose(type);
        return;
      }
      case 5: {
        const hid_t type = odd_type(choices_);
        std::vector<hsize_t> shape(choices_.ConsumeIntegralInRange<std::size_t>(0, 4), 2);
        change(shape);
        const hid_t dataset = create(name, type, shape);
        H5Dclose(dataset);
        H5Tclose(type);
        return;
      }
      default:
        return;  // nothing
    }
  }

 private:
  static constexpr hsize_t kWritten = 4096;  // entries; larger datasets stay unwritten and take no room

  void change(std::vector<hsize_t>& shape) {
    if (oddly(choices_)) shape.resize(choices_.ConsumeIntegralInRange<std::size_t>(0, 4), 3);
    for (hsize_t& length : shape) {
      if (oddly(choices_)) length = choices_.ConsumeIntegralInRange<hsize_t>(0, 20);
      if (oddly(choices_, 64))
        length = choices_.ConsumeIntegral<hsize_t>() >> choices_.ConsumeIntegralInRange(0, 63);
    }
  }

  hid_t create(const std::string& name, hid_t type, const std::vector<hsize_t>& shape) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const int layout = choices_.ConsumeIntegralInRange<int>(0, 4);
    const bool chunked = layout >= 2 && !shape.empty();
    if (layout == 1) H5Pset_layout(creation, H5D_COMPACT);
    if (chunked) {
      std::vector<hsize_t> chunk;
      for (const hsize_t length : shape)
        chunk.push_back(std::clamp<hsize_t>(length, 1, static_cast<hsize_t>(1 + layout)));
      H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
      if (layout == 3) H5Pset_deflate(creation, 1);
      if (layout == 4) H5Pset_fletcher32(creation);
    }
    if (layout != 1) H5Pset_alloc_time(creation, chunked ? H5D_ALLOC_TIME_INCR : H5D_ALLOC_TIME_LATE);
    const hid_t space = shape.empty()
                            ? H5Screate(oddly(choices_) ? H5S_NULL : H5S_SCALAR)
                            : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(creation);
    return dataset;
  }

  void attach(const std::string& place, const char* name, hid_t type, const std::vector<hsize_t>& shape,
              const void* value) {
    const hid_t space = shape.empty()
                            ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t attribute =
        H5Acreate_by_name(file_, place.c_str(), name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0 && value != nullptr) H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
  }

  /// Of any type and never written, or none at all.
  void odd_attribute(const std::string& place, const char* name) {
    if (choices_.ConsumeBool()) return;
    const hid_t type = odd_type(choices_);
    std::vector<hsize_t> shape(choices_.ConsumeIntegralInRange<std::size_t>(0, 2), 2);
    attach(place, name, type, shape, nullptr);
    H5Tclose(type);
  }

  Choices& choices_;
  hid_t file_ = -1;
};

}  // namespace anmf::io_fuzz
