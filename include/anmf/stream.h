// SPDX-License-Identifier: MIT
// Matrices that stay on disk: M (m x n) comes in blocks of whole rows, or of whole columns, and is read anew
// in every pass.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "anmf/data.h"
#include "anmf/matrix.h"

namespace anmf {

/// The entries of one block in memory, lines x width: a line is a row of M, or a column of it if the source
/// is column-major. Dense entries stay in the type in which they are stored, as those of DenseData do.
template <class T>
using BlockEntries = std::conditional_t<
    std::is_same_v<T, float>,
    std::variant<Matrix<float>, Matrix<std::uint16_t>, Matrix<std::uint8_t>, Csr<float>>,
    std::variant<Matrix<double>, Matrix<float>, Matrix<std::uint16_t>, Matrix<std::uint8_t>, Csr<double>>>;

/// So many lines stop their inner iterations together (inner_stop = block). M is read once per iteration only
/// if the number of lines of every block but the last one is a multiple of this number. Otherwise M is read
/// twice, and the iterates are the same.
inline constexpr Index kLinesPerGroup = 48;

/// So many blocks are in memory at a time: one block in use, and the blocks that are read ahead.
inline constexpr Index kBlocksInMemory = 3;

/// Where the blocks come from: a file, or whatever the caller has.
template <class T>
class BlockSource {
 public:
  BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;
  virtual ~BlockSource() = default;

  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index cols() const = 0;
  /// The number of stored nonzeros, or m * n for a dense matrix.
  [[nodiscard]] virtual Index nonzeros() const = 0;
  [[nodiscard]] virtual bool sparse() const = 0;
  /// Whether the lines of a block are rows or columns of M.
  [[nodiscard]] virtual Layout layout() const = 0;

  [[nodiscard]] virtual Index blocks() const = 0;
  /// The first line of a block; first_line(blocks()) is the number of lines.
  [[nodiscard]] virtual Index first_line(Index block) const = 0;
  /// The bytes that are read from the disk for a block.
  [[nodiscard]] virtual double bytes(Index block) const = 0;
  /// The bytes that a block takes in memory, at most.
  [[nodiscard]] virtual double bytes_in_memory(Index block) const { return bytes(block); }
  /// Reads a block into `entries`, whose memory may be used again. Called by one thread at a time, which need
  /// not be the one that made the source. Throws IoError or InvalidInput, with the file and the place, also
  /// if the file has changed since it was opened. Entries are finite and >= 0, which is checked at the first
  /// read of a block at least; indices are ascending within a line, and there are no explicit zeros.
  virtual void read(Index block, BlockEntries<T>& entries) = 0;
  /// Whether entries of dense blocks may be NaN, which says that nobody has observed them.
  [[nodiscard]] virtual bool has_gaps() const { return false; }
  /// The number of negative entries that all reads so far took for zeros; 0 for a source that refuses them.
  [[nodiscard]] virtual Index clipped() const { return 0; }
};

/// What the reading of a matrix has cost so far.
struct StreamStatistics {
  Index passes = 0;            ///< complete passes, the first look included
  double bytes = 0;            ///< bytes read from the source
  double pass_seconds = 0;     ///< time from the beginning of each pass to its end
  double reading_seconds = 0;  ///< time that the reading thread spent in the source
  double waiting_seconds = 0;  ///< time in which the computing threads had no block to work on
};

/// A matrix that is read anew for every product, by a thread of its own that reads ahead. One read makes both
/// products of an iteration where the method allows it (Data::one_pass). The results have the same bits for
/// any number of threads; they depend on where the blocks end, to rounding.
template <class T>
class StreamedData final : public Data<T> {
 public:
  /// Reads all blocks once. Throws InvalidInput if the blocks do not make up the matrix that the source
  /// speaks of, and whatever the source throws; the products throw the same.
  explicit StreamedData(std::unique_ptr<BlockSource<T>> source);
  ~StreamedData() override;

  [[nodiscard]] Index rows() const override;
  [[nodiscard]] Index cols() const override;
  [[nodiscard]] Index nonzeros() const override;
  [[nodiscard]] Storage storage() const override;
  [[nodiscard]] double norm() const override;
  /// Those that are numbers, of a source with gaps.
  [[nodiscard]] Counted counted() const override;
  [[nodiscard]] double observed() const override;
  [[nodiscard]] std::span<const Index> unobserved(Side side) const override;
  [[nodiscard]] Index empty_rows() const override;
  [[nodiscard]] Index empty_cols() const override;
  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override;
  [[nodiscard]] std::optional<Side> pass_side(Index r, const ThreadPool& pool) const override;
  void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update, MatrixView<T> result,
                ThreadPool& pool) const override;
  [[nodiscard]] bool shows_entries() const override { return true; }
  /// For the side whose rows are the lines of the blocks.
  [[nodiscard]] bool whole_rows(Side side) const override;
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override;
  /// None where there are gaps: that of all entries would not be the one that is asked for.
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override;
  /// The norms of the columns are known from the first look; those of the rows take a pass.
  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override;
  /// Made in a pass of its own, once.
  [[nodiscard]] std::optional<Fingerprint> fingerprint(ThreadPool& pool) const override;

  /// The number of entries of M that are negative and that the source takes for zeros, as the first look
  /// found them.
  [[nodiscard]] Index clipped() const;
  /// The cost of reading so far. May be called at any time, from any thread.
  [[nodiscard]] StreamStatistics statistics() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The bytes that StreamedData keeps for the rows and columns of M, beside the blocks.
[[nodiscard]] double streamed_bytes(Index rows, Index cols);

extern template class StreamedData<float>;
extern template class StreamedData<double>;

}  // namespace anmf
