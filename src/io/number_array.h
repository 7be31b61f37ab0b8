// SPDX-License-Identifier: MIT
// The arrays that a compressed sparse matrix consists of, in whatever file they are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/io.h"

namespace anmf::io {

template <class T>
using Visit = std::function<void(std::span<const T>)>;

/// A list of numbers, read once from its beginning to its end.
class NumberArray {
 public:
  NumberArray() = default;
  NumberArray(const NumberArray&) = delete;
  NumberArray& operator=(const NumberArray&) = delete;
  virtual ~NumberArray() = default;

  /// How messages name it: "file::array".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Index size() const = 0;
  /// Visits the entries block by block; for Index they must be whole numbers.
  virtual void read(const Visit<Index>& visit) = 0;
  virtual void read(const Visit<float>& visit) = 0;
  virtual void read(const Visit<double>& visit) = 0;

  /// Throws InvalidInput: "name: message".
  [[noreturn]] void fail(std::string_view message) const;
  void expect_size(Index expected, std::string_view why) const;
};

using Positions = std::vector<std::uint32_t>;

/// All entries, each of which must be below `size`; there must be `count`.
[[nodiscard]] Positions read_positions(NumberArray& array, Index count, Index size);

/// Appends positions, each of which must be below `size`. In messages entries are counted from `first` on.
void append_positions(const NumberArray& array, std::span<const Index> block, Index size, Positions& result,
                      Index first = 0);

/// Where the lines of CSR or CSC begin among the `count` entries, and where the last one ends.
[[nodiscard]] std::vector<Index> read_offsets(NumberArray& array, Index count, Index lines);

/// The line of every entry, from where the lines begin.
[[nodiscard]] Positions expand_offsets(const std::vector<Index>& offsets);

/// Rows and columns of a sparse matrix, from an array of two numbers.
void read_sparse_shape(NumberArray& array, Index& rows, Index& cols);

/// All entries as T.
template <class T>
[[nodiscard]] std::vector<T> read_values(NumberArray& array);

/// CSR (`by_rows`) or CSC as triplets. `result` has its sizes already. Entries behind the last offset are
/// ignored.
template <class T>
void read_compressed(NumberArray& offsets, NumberArray& indices, NumberArray& values, bool by_rows,
                     Triplets<T>& result);

}  // namespace anmf::io
