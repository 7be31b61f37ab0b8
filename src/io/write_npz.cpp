// SPDX-License-Identifier: MIT
// .npz archives as NumPy and scipy write them.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/io.h"
#include "io/atomic_file.h"
#include "io/dense_rows.h"
#include "io/npz_writer.h"

namespace anmf::io {

namespace {

template <class T>
std::string shape_of(std::span<const T> values) {
  return fmt::format("({},)", values.size());
}

// scipy wants both index arrays in one type.
template <class I, class T>
void add_csr(NpzWriter& archive, const CsrView<T>& matrix, const std::vector<I>& indices,
             const std::vector<I>& offsets) {
  const auto add = [&](std::string_view name, auto values) {
    archive.add(name, shape_of(values), values, NpzWriter::Packing::deflate);
  };
  static constexpr std::string_view kCsrFormat = "csr";
  const std::array<std::int64_t, 2> shape = {matrix.rows, matrix.cols};
  add("indices", std::span<const I>(indices));
  add("indptr", std::span<const I>(offsets));
  archive.add_member("format.npy", npy_header("|S3", "()"), std::as_bytes(std::span(kCsrFormat)),
                     NpzWriter::Packing::deflate);
  add("shape", std::span<const std::int64_t>(shape));
  add("data", matrix.values);
  archive.close();
}

template <class I, class T>
void write_csr(const std::filesystem::path& path, const CsrView<T>& matrix) {
  const std::vector<I> indices(matrix.indices.begin(), matrix.indices.end());
  const std::vector<I> offsets(matrix.offsets.begin(), matrix.offsets.end());
  write_atomically_by_name(path, [&](const std::filesystem::path& temporary) {
    NpzWriter archive(temporary, path);
    add_csr(archive, matrix, indices, offsets);
  });
}

}  // namespace

template <class T>
void write_npz(const std::filesystem::path& path, ConstMatrixView<T> matrix) {
  if (matrix.stride != matrix.cols && matrix.rows > 1) {  // libzip wants the bytes without gaps
    const Matrix<T> copy = collected(rows_of(matrix));
    write_npz<T>(path, copy.view());
    return;
  }
  write_atomically_by_name(path, [&](const std::filesystem::path& temporary) {
    NpzWriter archive(temporary, path);
    archive.add("arr_0", matrix);
    archive.close();
  });
}

template <class T>
void write_npz(const std::filesystem::path& path, const CsrView<T>& matrix) {
  constexpr Index kLimit = std::numeric_limits<std::int32_t>::max();
  const bool fits = static_cast<Index>(matrix.values.size()) <= kLimit && matrix.cols <= kLimit;
  fits ? write_csr<std::int32_t>(path, matrix) : write_csr<std::int64_t>(path, matrix);
}

void write_npz(const std::filesystem::path& path, std::span<const NpzMember> members, Durable durable) {
  const auto write = [&](const std::filesystem::path& temporary) {
    NpzWriter archive(temporary, path);
    for (const NpzMember& member : members) {
      std::visit(
          [&]<class Content>(const Content& content) {
            if constexpr (std::is_same_v<Content, std::string>) {
              archive.add_text(member.name, content);
            } else {
              archive.add(member.name, content);
            }
          },
          member.content);
    }
    archive.close();
  };
  write_atomically_by_name(path, write, durable);
}

template void write_npz<float>(const std::filesystem::path&, ConstMatrixView<float>);
template void write_npz<double>(const std::filesystem::path&, ConstMatrixView<double>);
template void write_npz<std::uint16_t>(const std::filesystem::path&, ConstMatrixView<std::uint16_t>);
template void write_npz<std::uint8_t>(const std::filesystem::path&, ConstMatrixView<std::uint8_t>);
template void write_npz<float>(const std::filesystem::path&, const CsrView<float>&);
template void write_npz<double>(const std::filesystem::path&, const CsrView<double>&);
template void write_npz<std::uint16_t>(const std::filesystem::path&, const CsrView<std::uint16_t>&);
template void write_npz<std::uint8_t>(const std::filesystem::path&, const CsrView<std::uint8_t>&);

}  // namespace anmf::io
