// SPDX-License-Identifier: MIT
// A variable of version 5 has the parts
//   flags        the class (6 to 15 are numbers, 5 is sparse) and whether it is complex
//   dimensions   m, n, and k of an array of three axes, as int32
//   name
//   numbers      in Fortran order; of a sparse one ir (rows), jc (offsets, n + 1) and the entries
// and is one element of the file, or the content of a compressed one.
#include "io/matlab_5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "io/cube.h"
#include "io/input_file.h"
#include "io/matlab_check.h"
#include "io/matlab_names.h"
#include "io/matlab_parts.h"
#include "io/own.h"

namespace anmf::io {

namespace {

constexpr int kSparse = 5;
constexpr int kFirstNumber = 6;
constexpr int kLastNumber = 15;
constexpr std::uint32_t kMatrix = 14;
constexpr std::size_t kTag = 8;

struct Variable {
  std::string name;
  int kind = 0;  // class
  bool complex = false;
  std::vector<Index> dims;
  MatlabElement element;

  [[nodiscard]] bool is_single() const {
    return std::all_of(dims.begin(), dims.end(), [](Index length) { return length == 1; });
  }
  [[nodiscard]] bool is_matrix() const {
    const bool numbers = kind == kSparse || (kind >= kFirstNumber && kind <= kLastNumber);
    return numbers && !complex && (dims.size() == 2 || (dims.size() == 3 && kind != kSparse));
  }
};

// Flags, dimensions and name, behind which `parts` is left.
Variable read_header(MatlabParts& parts, const MatlabElement& element, const std::string& where) {
  Variable result;
  result.element = element;
  const MatlabPart flags = parts.next("flags");
  if (flags.bytes.size() != 8) {
    throw InvalidInput(fmt::format("{}: its flags have {} bytes, expected 8.", where, flags.bytes.size()));
  }
  constexpr std::uint32_t kComplex = 0x800;
  const std::uint32_t word = matlab_word(flags.bytes.data(), element.big_endian);
  result.kind = static_cast<int>(word & 0xff);
  result.complex = (word & kComplex) != 0;
  if (result.kind > kLastNumber) return result;  // objects, whose parts are others
  const MatlabPart dims = parts.next("dimensions");
  MatlabNumbers lengths(dims, element.big_endian, where);
  lengths.read(Visit<Index>([&](std::span<const Index> block) {
    constexpr std::size_t kMostDimensions = 64;
    result.dims.assign(block.begin(),
                       block.begin() + static_cast<Index>(std::min(block.size(), kMostDimensions)));
  }));
  for (const Index length : result.dims) {
    if (length < 0)
      throw InvalidInput(fmt::format("{}: a dimension is {}, expected 0 or more.", where, length));
  }
  const MatlabPart name = parts.next("name");
  result.name.assign(name.bytes.begin(), name.bytes.end());
  return result;
}

std::string element_where(const std::filesystem::path& path, const MatlabElement& element) {
  return fmt::format("{}, byte {}", path.string(), element.at);
}

// The header of the variable that an element is; nothing if it is none.
std::optional<Variable> look_at(const std::filesystem::path& path, const MatlabElement& element) {
  constexpr std::size_t kEnough = 4096;
  const std::vector<unsigned char> start = read_matlab_element(path, element, kEnough);
  const std::string where = element_where(path, element);
  if (start.size() < kTag || matlab_word(start.data(), element.big_endian) != kMatrix) return std::nullopt;
  MatlabParts parts(Bytes(start).subspan(kTag), element.big_endian, where);
  return read_header(parts, element, where);
}

// Whether the bytes are enough for the entries, before room is made for them.
void expect_entries(const MatlabNumbers& numbers, Index rows, Index cols) {
  Index entries = 0;
  if (__builtin_mul_overflow(rows, cols, &entries) || numbers.size() != entries) {
    numbers.fail(fmt::format("{} found, expected {} x {}.", counted(numbers.size(), "entry"), rows, cols));
  }
}

template <class T, class S>
LoadedMatrix<T> own_entries(MatlabNumbers& numbers, const Unfolded& as, const Reading& reading) {
  Matrix<S> matrix(as.rows, as.cols);
  Index done = 0;
  numbers.read(Visit<S>([&](std::span<const S> block) {
    put_run(as, done, block, matrix);
    done += static_cast<Index>(block.size());
  }));
  auto result = own_dense<T>(numbers.name(), std::move(matrix), reading);
  result.images = as.images;
  return result;
}

/// Keeps entries of a type narrower than T as they are.
template <class T>
LoadedMatrix<T> own_numbers(MatlabNumbers& numbers, int kind, const Unfolded& as, const Reading& reading) {
  expect_entries(numbers, as.rows, as.cols);
  constexpr int kSingle = 7;
  constexpr int kUint8 = 9;
  constexpr int kUint16 = 11;
  if (kind == kUint8 && numbers.type() == kMatlabType<std::uint8_t>)
    return own_entries<T, std::uint8_t>(numbers, as, reading);
  if (kind == kUint16 && numbers.type() == kMatlabType<std::uint16_t>)
    return own_entries<T, std::uint16_t>(numbers, as, reading);
  if (kind == kSingle) return own_entries<T, float>(numbers, as, reading);
  return own_entries<T, T>(numbers, as, reading);
}

template <class T>
LoadedMatrix<T> load_sparse(MatlabParts& parts, const Variable& variable, const std::string& where,
                            const Reading& reading) {
  const bool big_endian = variable.element.big_endian;
  MatlabNumbers rows(parts.next("rows (ir)"), big_endian, where + "::ir");
  MatlabNumbers offsets(parts.next("offsets (jc)"), big_endian, where + "::jc");
  MatlabNumbers values(parts.next("entries"), big_endian, where + "::data");
  // MATLAB may write the spare room of either.
  const Index stored = std::min(rows.size(), values.size());
  rows.shorten(stored);
  values.shorten(stored);
  Triplets<T> result;
  result.rows = variable.dims[0];
  result.cols = variable.dims[1];
  read_compressed(offsets, rows, values, false, result);
  return own_sparse(where, std::move(result), reading);
}

Variable choose(const Location& at) {
  std::vector<Variable> variables;
  std::vector<MatlabMatrix> matrices;
  for (const MatlabElement& element : check_matlab_elements(at.file)) {
    if (auto variable = look_at(at.file, element); variable && !variable->name.empty()) {
      if (variable->is_matrix()) matrices.push_back({variable->name, variable->is_single()});
      variables.push_back(std::move(*variable));
    }
  }
  const std::string name = at.inside.empty() ? only_matlab_matrix(at.file, std::move(matrices)) : at.inside;
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const Variable& variable) { return variable.name == name; });
  if (found == variables.end()) fail_no_variable(matlab_where(at.file, name));
  return *found;
}

}  // namespace

template <class T>
LoadedMatrix<T> load_matlab_5(const Location& at, const Reading& reading) {
  const Variable variable = choose(at);
  const std::string where = matlab_where(at.file, variable.name);
  if (!variable.is_matrix()) fail_no_matrix(where);
  const std::vector<unsigned char> content =
      read_matlab_element(at.file, variable.element, variable.element.content_bytes);
  MatlabParts parts(Bytes(content).subspan(kTag), variable.element.big_endian, where);
  static_cast<void>(read_header(parts, variable.element, where));
  if (variable.kind == kSparse) {
    expect_no_cube(where, at.cube);
    return load_sparse<T>(parts, variable, where, reading);
  }
  MatlabNumbers numbers(parts.next("entries"), variable.element.big_endian, where);
  return own_numbers<T>(numbers, variable.kind, unfold(where, variable.dims, true, at.cube), reading);
}

template LoadedMatrix<float> load_matlab_5<float>(const Location&, const Reading&);
template LoadedMatrix<double> load_matlab_5<double>(const Location&, const Reading&);

}  // namespace anmf::io
