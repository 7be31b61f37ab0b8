// SPDX-License-Identifier: MIT
// AnnData files. Every group and dataset says in the attributes encoding-type and encoding-version what it
// is: https://anndata.readthedocs.io/en/latest/fileformat-prose.html
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/atomic_file.h"
#include "io/hdf5_writer.h"
#include "io/names_check.h"

namespace anmf::io {

namespace {

void encode(Hdf5Writer& file, const std::string& place, const std::string& type, const std::string& version) {
  file.attach_text(place, "encoding-type", type);
  file.attach_text(place, "encoding-version", version);
}

void make_dict(Hdf5Writer& file, const std::string& place) {
  file.make_group(place);
  encode(file, place, "dict", "0.1.0");
}

// A data frame with no column but its index.
void write_frame(Hdf5Writer& file, const std::string& place, std::vector<std::string> names, Index count) {
  if (names.empty()) {
    for (Index i = 0; i < count; ++i) names.push_back(fmt::format("{}", i));
  }
  file.make_group(place);
  encode(file, place, "dataframe", "0.2.0");
  file.attach_text(place, "_index", "_index");
  file.attach_texts(place, "column-order", {});
  file.write_texts(place + "/_index", names);
  encode(file, place + "/_index", "string-array", "0.2.0");
}

template <class T>
void write_array(Hdf5Writer& file, const std::string& place, const DenseRows<T>& matrix) {
  file.write_rows(place, matrix);
  encode(file, place, "array", "0.2.0");
}

// HDF5 converts the indices on their way into the file.
template <class T>
void write_csr(Hdf5Writer& file, const std::string& place, const CsrView<T>& matrix) {
  constexpr Index kLimit = std::numeric_limits<std::int32_t>::max();
  const auto count = static_cast<Index>(matrix.values.size());
  const hid_t index_type = count <= kLimit && matrix.cols <= kLimit ? H5T_STD_I32LE : H5T_STD_I64LE;
  file.make_group(place);
  encode(file, place, "csr_matrix", "0.1.0");
  file.attach_numbers(place, "shape", std::array<Index, 2>{matrix.rows, matrix.cols});
  const hid_t type = native_hdf5_type<T>();
  file.write_list(place + "/data", matrix.values.data(), count, type, type);
  file.write_list(place + "/indices", matrix.indices.data(), count, H5T_NATIVE_UINT32, index_type);
  file.write_list(place + "/indptr", matrix.offsets.data(), static_cast<Index>(matrix.offsets.size()),
                  H5T_NATIVE_INT64, index_type);
}

template <class Value>
void write_value(Hdf5Writer& file, const std::string& place, const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) {
    file.write_text(place, *text);
    encode(file, place, "string", "0.2.0");
  } else if (const auto* const list = std::get_if<std::vector<double>>(&value)) {
    file.write_list(place, list->data(), static_cast<Index>(list->size()), H5T_NATIVE_DOUBLE,
                    H5T_NATIVE_DOUBLE);
    encode(file, place, "array", "0.2.0");
  } else {
    if (const auto* const number = std::get_if<double>(&value))
      file.write_number(place, number, H5T_NATIVE_DOUBLE);
    if (const auto* const whole = std::get_if<Index>(&value))
      file.write_number(place, whole, H5T_NATIVE_INT64);
    encode(file, place, "numeric-scalar", "0.2.0");
  }
}

template <class T>
void write_content(Hdf5Writer& file, const AnnData<T>& data) {
  encode(file, "/", "anndata", "0.1.0");
  std::visit(
      [&](const auto& X) {
        using Stored = std::remove_cvref_t<decltype(X)>;
        if constexpr (std::is_same_v<Stored, DenseRows<T>>) write_array(file, "X", X);
        if constexpr (std::is_same_v<Stored, CsrView<T>>) write_csr(file, "X", X);
      },
      data.X);
  write_frame(file, "obs", data.names.rows, data.observations);
  write_frame(file, "var", data.names.cols, data.variables);
  for (const char* const group : {"layers", "obsm", "obsp", "uns", "varm", "varp"}) make_dict(file, group);
  for (const auto& [name, matrix] : data.obsm) write_array(file, "obsm/" + name, matrix);
  for (const auto& [name, matrix] : data.varm) write_array(file, "varm/" + name, matrix);
  for (const auto& [group, values] : data.uns) {
    make_dict(file, "uns/" + group);
    for (const auto& [name, value] : values) write_value(file, fmt::format("uns/{}/{}", group, name), value);
  }
}

std::uint64_t most_bytes(const std::vector<std::string>& names, Index count) {
  constexpr std::uint64_t kPerText = 64;  // where it is, how long it is, and what a number as a name takes
  std::uint64_t bytes = kPerText * static_cast<std::uint64_t>(count);
  for (const std::string& name : names) bytes += name.size();
  return bytes;
}

// At least as much as the file will have.
template <class T>
std::uint64_t most_bytes(const AnnData<T>& data) {
  const auto product = [](Index rows, Index cols) { return static_cast<std::uint64_t>(rows * cols); };
  std::uint64_t bytes = std::uint64_t{1} << 16;  // groups and attributes
  if (const auto* const dense = std::get_if<DenseRows<T>>(&data.X))
    bytes += sizeof(T) * product(dense->rows, dense->cols);
  if (const auto* const sparse = std::get_if<CsrView<T>>(&data.X))
    bytes += (sizeof(T) + sizeof(Index)) * sparse->values.size() + sizeof(Index) * sparse->offsets.size();
  for (const auto& list : {&data.obsm, &data.varm}) {
    for (const auto& [name, matrix] : *list) bytes += sizeof(T) * product(matrix.rows, matrix.cols);
  }
  for (const auto& [group, values] : data.uns) {
    for (const auto& [name, value] : values) {
      const auto* const numbers = std::get_if<std::vector<double>>(&value);
      bytes += 1024 + (numbers == nullptr ? 0 : sizeof(double) * numbers->size());
    }
  }
  return bytes + most_bytes(data.names.rows, data.observations) + most_bytes(data.names.cols, data.variables);
}

// A text of HDF5 ends at its first zero byte.
void check_hdf5_names(const std::filesystem::path& path, const std::vector<std::string>& names, Index count,
                      std::string_view side) {
  check_names(path, names, count, side);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].find('\0') == std::string::npos) continue;
    throw InvalidInput(
        fmt::format("{}: the name of {} {}, counted from 0, is {}; HDF5 cannot hold zero "
                    "bytes. Rename it.",
                    path.string(), side, i, in_quotes(names[i])));
  }
}

}  // namespace

template <class T>
void write_h5ad(const std::filesystem::path& path, const AnnData<T>& data) {
  check_hdf5_names(path, data.names.rows, data.observations, "row");
  check_hdf5_names(path, data.names.cols, data.variables, "column");
  write_atomically_by_name(path, [&](const std::filesystem::path& temporary) {
    expect_room(temporary, most_bytes(data), path);
    const std::lock_guard lock(hdf5_mutex());
    Hdf5Writer file(temporary, path);
    write_content(file, data);
    file.close();
  });
}

template void write_h5ad<float>(const std::filesystem::path&, const AnnData<float>&);
template void write_h5ad<double>(const std::filesystem::path&, const AnnData<double>&);
template void write_h5ad<std::uint16_t>(const std::filesystem::path&, const AnnData<std::uint16_t>&);
template void write_h5ad<std::uint8_t>(const std::filesystem::path&, const AnnData<std::uint8_t>&);

}  // namespace anmf::io
