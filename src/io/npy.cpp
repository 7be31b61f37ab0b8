// SPDX-License-Identifier: MIT
// NumPy's .npy files of two dimensions, or of three. The entries are converted block by block while they are
// read, so that memory holds the result and one small buffer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/byte_source.h"
#include "io/dense_rows.h"
#include "io/input_file.h"
#include "io/npy_header.h"
#include "io/npy_reader.h"

namespace anmf::io {

namespace {

constexpr Index kBlockEntries = Index{1} << 16;

template <class S>
S stored_value(const std::byte* bytes, bool swapped) {
  std::array<std::byte, sizeof(S)> raw{};
  std::memcpy(raw.data(), bytes, sizeof(S));
  if (swapped) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<S>(raw);
}

// Converts entries stored as S. Returns how many came before the first one too large for T.
template <class S, class T>
Index convert(const std::byte* source, Index count, bool swapped, T* target) {
  for (Index i = 0; i < count; ++i) {
    const S value = stored_value<S>(source + i * Index{sizeof(S)}, swapped);
    if constexpr (std::is_same_v<S, double> && std::is_same_v<T, float>) {
      if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) return i;
    }
    if constexpr (std::is_same_v<S, std::uint64_t> && std::is_same_v<T, Index>) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) return i;
    }
    target[i] = static_cast<T>(value);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
  }
  return count;
}

// NumPy takes every byte but 0 for True.
template <class T>
Index convert_bool(const std::byte* source, Index count, bool /*swapped*/, T* target) {
  for (Index i = 0; i < count; ++i) target[i] = source[i] == std::byte{0} ? T{0} : T{1};
  return count;
}

template <class T>
using Converter = Index (*)(const std::byte*, Index, bool, T*);

template <class T>
Converter<T> converter(const NpyHeader& header) {
  if constexpr (std::is_unsigned_v<T>) {
    return convert<T, T>;  // only for files of that very type
  } else {
    const bool is_signed = header.kind == 'i';
    if (header.kind == 'b') return convert_bool<T>;
    if constexpr (std::is_floating_point_v<T>) {
      if (header.kind == 'f') return header.item_bytes == 4 ? convert<float, T> : convert<double, T>;
    }
    switch (header.item_bytes) {
      case 1:
        return is_signed ? convert<std::int8_t, T> : convert<std::uint8_t, T>;
      case 2:
        return is_signed ? convert<std::int16_t, T> : convert<std::uint16_t, T>;
      case 4:
        return is_signed ? convert<std::int32_t, T> : convert<std::uint32_t, T>;
      default:
        return is_signed ? convert<std::int64_t, T> : convert<std::uint64_t, T>;
    }
  }
}

void read_fully(ByteSource& file, void* target, Index bytes, const std::filesystem::path& path) {
  const std::size_t found = file.read(target, static_cast<std::size_t>(bytes));
  if (found == static_cast<std::size_t>(bytes)) return;
  throw IoError(fmt::format("{}: the file shrank while it was read: {} bytes expected, {} found.",
                            path.string(), bytes, found));
}

// Where entry number `entry` of the file stands in the matrix.
struct Position {
  Index row;
  Index col;
};

Position position(const NpyHeader& header, Index entry) {
  const Unfolded& as = header.matrix;
  const Index line = entry / as.width();
  const Index at = entry % as.width();
  return as.by_columns ? Position{as.row_of(at), line} : Position{as.row_of(line), at};
}

template <class T>
bool is_stored_as(const NpyHeader& header) {
  constexpr char kKind = std::is_integral_v<T> ? 'u' : 'f';
  return header.kind == kKind && header.item_bytes == sizeof(T);
}

template <class T>
void read_other_order(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path,
                      Matrix<T>& matrix) {
  const Index block = std::min(kBlockEntries, matrix.size());
  std::vector<T> in_file_order(static_cast<std::size_t>(block));
  for (Index first = 0; first < matrix.size(); first += block) {
    const Index count = std::min(block, matrix.size() - first);
    read_npy_run(file, header, path, first, count, in_file_order.data());
    put_run<T>(header.matrix, first, std::span(in_file_order).first(static_cast<std::size_t>(count)), matrix);
  }
}

}  // namespace

template <class T>
void read_npy_run(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path, Index first,
                  Index count, T* target) {
  if (is_stored_as<T>(header) && !header.swapped) {
    read_fully(file, target, count * Index{sizeof(T)}, path);
    return;
  }
  const Converter<T> convert_block = converter<T>(header);
  const Index block = std::min(kBlockEntries, count);
  std::vector<std::byte> stored(static_cast<std::size_t>(block * header.item_bytes));
  for (Index done = 0; done < count; done += block) {
    const Index now = std::min(block, count - done);
    read_fully(file, stored.data(), now * header.item_bytes, path);
    const Index good = convert_block(stored.data(), now, header.swapped, target + done);
    if (good == now) continue;
    const auto [row, col] = position(header, first + done + good);
    throw InvalidInput(fmt::format("{}: entry ({}, {}), counted from 0, is too large for single precision.",
                                   path.string(), row, col));
  }
}

template <class T>
Matrix<T> read_npy(ByteSource& file, const std::filesystem::path& path) {
  const NpyHeader header = read_npy_header(file, path);
  return read_npy<T>(file, header, path);
}

template <class T>
Matrix<T> read_npy(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path) {
  if (std::is_integral_v<T> && !is_stored_as<T>(header)) {
    throw InvalidInput(fmt::format("{}: holds entries of type {}, expected u{}.", path.string(),
                                   in_quotes(header.descr), sizeof(T)));
  }
  const Unfolded& as = header.matrix;
  Matrix<T> matrix(as.rows, as.cols);
  if (matrix.size() == 0) return matrix;
  // A single row or column is the same in either order.
  if (!as.turned && (!as.by_columns || as.rows == 1 || as.cols == 1)) {
    read_npy_run(file, header, path, 0, matrix.size(), matrix.data());
  } else {
    read_other_order(file, header, path, matrix);
  }
  return matrix;
}

template <class T>
Matrix<T> read_npy(const std::filesystem::path& path) {
  InputFile file(path);
  return read_npy<T>(file, path);
}

template <class T>
void read_npy_entries(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path,
                      const std::function<void(std::span<const T>)>& visit) {
  if (std::is_integral_v<T> && header.kind != 'i' && header.kind != 'u') {
    throw InvalidInput(fmt::format("{}: entries of dtype {} found, expected whole numbers.", path.string(),
                                   in_quotes(header.descr)));
  }
  const Converter<T> convert_block = converter<T>(header);
  const Index block = std::min(kBlockEntries, header.count);
  std::vector<std::byte> stored(static_cast<std::size_t>(block * header.item_bytes));
  std::vector<T> converted(static_cast<std::size_t>(block));
  for (Index first = 0; first < header.count; first += block) {
    const Index count = std::min(block, header.count - first);
    read_fully(file, stored.data(), count * header.item_bytes, path);
    const Index good = convert_block(stored.data(), count, header.swapped, converted.data());
    if (good != count) {
      throw InvalidInput(fmt::format("{}: entry {}, counted from 0, is too large for {}.", path.string(),
                                     first + good,
                                     std::is_integral_v<T> ? "64 bits with a sign" : "single precision"));
    }
    visit(std::span<const T>(converted).first(static_cast<std::size_t>(count)));
  }
}

template <class T>
void read_npy_lines(ByteSource& file, const NpyHeader& header, const std::filesystem::path& path,
                    const std::function<void(ConstMatrixView<T>)>& visit) {
  const Index lines = header.matrix.lines();
  const Index length = header.matrix.width();
  const Index step = std::min(lines, rows_per_block(length * Index{sizeof(T)}));
  const Converter<T> convert_block = converter<T>(header);
  std::vector<std::byte> stored(static_cast<std::size_t>(step * length * header.item_bytes));
  Matrix<T> block(step, length);
  for (Index first = 0; first < lines; first += step) {
    const Index count = std::min(step, lines - first) * length;
    read_fully(file, stored.data(), count * header.item_bytes, path);
    static_cast<void>(convert_block(stored.data(), count, header.swapped, block.data()));
    visit(std::as_const(block).view().middle_rows(0, count / length));
  }
}

template Matrix<float> read_npy<float>(const std::filesystem::path&);
template Matrix<double> read_npy<double>(const std::filesystem::path&);
template Matrix<std::uint8_t> read_npy<std::uint8_t>(const std::filesystem::path&);
template Matrix<std::uint16_t> read_npy<std::uint16_t>(const std::filesystem::path&);
template Matrix<float> read_npy<float>(ByteSource&, const NpyHeader&, const std::filesystem::path&);
template Matrix<double> read_npy<double>(ByteSource&, const NpyHeader&, const std::filesystem::path&);
template Matrix<std::uint8_t> read_npy<std::uint8_t>(ByteSource&, const NpyHeader&,
                                                     const std::filesystem::path&);
template Matrix<std::uint16_t> read_npy<std::uint16_t>(ByteSource&, const NpyHeader&,
                                                       const std::filesystem::path&);
template Matrix<float> read_npy<float>(ByteSource&, const std::filesystem::path&);
template Matrix<double> read_npy<double>(ByteSource&, const std::filesystem::path&);
template Matrix<std::uint8_t> read_npy<std::uint8_t>(ByteSource&, const std::filesystem::path&);
template Matrix<std::uint16_t> read_npy<std::uint16_t>(ByteSource&, const std::filesystem::path&);
template void read_npy_run<float>(ByteSource&, const NpyHeader&, const std::filesystem::path&, Index, Index,
                                  float*);
template void read_npy_run<double>(ByteSource&, const NpyHeader&, const std::filesystem::path&, Index, Index,
                                   double*);
template void read_npy_run<std::uint16_t>(ByteSource&, const NpyHeader&, const std::filesystem::path&, Index,
                                          Index, std::uint16_t*);
template void read_npy_run<std::uint8_t>(ByteSource&, const NpyHeader&, const std::filesystem::path&, Index,
                                         Index, std::uint8_t*);
template void read_npy_entries<float>(ByteSource&, const NpyHeader&, const std::filesystem::path&,
                                      const std::function<void(std::span<const float>)>&);
template void read_npy_entries<double>(ByteSource&, const NpyHeader&, const std::filesystem::path&,
                                       const std::function<void(std::span<const double>)>&);
template void read_npy_entries<Index>(ByteSource&, const NpyHeader&, const std::filesystem::path&,
                                      const std::function<void(std::span<const Index>)>&);
template void read_npy_lines<float>(ByteSource&, const NpyHeader&, const std::filesystem::path&,
                                    const std::function<void(ConstMatrixView<float>)>&);
template void read_npy_lines<double>(ByteSource&, const NpyHeader&, const std::filesystem::path&,
                                     const std::function<void(ConstMatrixView<double>)>&);
template void read_npy_lines<std::uint16_t>(ByteSource&, const NpyHeader&, const std::filesystem::path&,
                                            const std::function<void(ConstMatrixView<std::uint16_t>)>&);
template void read_npy_lines<std::uint8_t>(ByteSource&, const NpyHeader&, const std::filesystem::path&,
                                           const std::function<void(ConstMatrixView<std::uint8_t>)>&);

}  // namespace anmf::io
