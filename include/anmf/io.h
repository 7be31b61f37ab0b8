// SPDX-License-Identifier: MIT
// Matrices in files: readers and writers of every format; matrix_file.h has the files of any format. Every
// reader throws InvalidInput with the file, the line or byte, what was found and what was expected; a file
// that cannot be opened or written throws IoError. Every writer puts its file aside, syncs it and renames it,
// so that `path` is either whole or as it was before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "anmf/checkpoint.h"
#include "anmf/data.h"
#include "anmf/files.h"  // IWYU pragma: export
#include "anmf/matrix.h"
#include "anmf/matrix_file.h"  // IWYU pragma: export
#include "anmf/stream.h"

namespace anmf::io {

/// Triplets as a sparse file holds them: 0-based positions, duplicates and zeros as they come.
template <class T>
struct Triplets {
  Index rows = 0;
  Index cols = 0;
  std::vector<std::uint32_t> row_indices;
  std::vector<std::uint32_t> col_indices;
  std::vector<T> values;
  bool single_precision = false;  ///< the file holds its values in 32 bits
};

/// A dense matrix with the names of its rows and columns, either of which may be missing.
template <class T>
struct Table {
  Matrix<T> matrix;
  std::vector<std::string> row_names;
  std::vector<std::string> col_names;
};

/// Reads a .npy file of two dimensions, in C or Fortran order and either byte order, of bool, integers or
/// floats of any size. T is float or double; or uint8_t or uint16_t, for a file of that very type.
template <class T>
[[nodiscard]] Matrix<T> read_npy(const std::filesystem::path& path);

/// Reads a matrix of a NumPy .npz archive: the matrix under the given key, or the only matrix if the key is
/// empty. T is float or double; or uint16_t, for a matrix of that very type.
template <class T>
[[nodiscard]] Matrix<T> read_npz(const std::filesystem::path& path, const std::string& key = {});

/// Reads a sparse .npz file as scipy.sparse.save_npz writes it: CSR, CSC or COO.
template <class T>
[[nodiscard]] Triplets<T> read_npz_sparse(const std::filesystem::path& path);

/// True if the first line of a Matrix Market file (plain or gzip) says `array`, false for `coordinate`.
[[nodiscard]] bool matrix_market_is_dense(const std::filesystem::path& path);

/// Reads a Matrix Market file `coordinate`: real, integer or pattern; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Triplets<T> read_matrix_market(const std::filesystem::path& path);

/// Reads a Matrix Market file `array`: real or integer; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Matrix<T> read_matrix_market_array(const std::filesystem::path& path);

/// Reads a table of numbers in lines of text, plain or gzip, separated by tabs, commas, semicolons or blanks.
/// docs/formats.md says which lines and columns are taken for names. Throws AmbiguousHeader if the first line
/// could hold names or entries.
template <class T>
[[nodiscard]] Table<T> read_table(const std::filesystem::path& path, Header header = Header::automatic);

/// Reads a file of svmlight or libsvm, plain or gzip, without its labels. Indices begin with 1, or with 0 if
/// an index is 0.
template <class T>
[[nodiscard]] Triplets<T> read_svmlight(const std::filesystem::path& path);

/// Reads a sparse matrix of CLUTO, plain or gzip.
template <class T>
[[nodiscard]] Triplets<T> read_cluto(const std::filesystem::path& path);

/// Reads a bag of words of the UCI repository (docword.NAME.txt), plain or gzip: documents x words.
template <class T>
[[nodiscard]] Triplets<T> read_bag_of_words(const std::filesystem::path& path);

/// Triplets with the names that stand in the file.
template <class T>
struct NamedTriplets {
  Triplets<T> triplets;
  Names names;
};

/// Reads lines "ROW COLUMN VALUE" or "ROW COLUMN VALUE TIME", plain or gzip, separated by tabs, commas,
/// semicolons, blanks or "::", perhaps below a line that names them. Rows and columns are what occurs there,
/// in the order of numbers if all of them are whole numbers, and else of text.
template <class T>
[[nodiscard]] NamedTriplets<T> read_triplets(const std::filesystem::path& path);

/// The rows of a dense matrix in order, a block after another, from wherever they come: a writer of such rows
/// never needs more memory than a block.
template <class T>
struct DenseRows {
  using Visit = std::function<void(ConstMatrixView<T>)>;

  Index rows = 0;
  Index cols = 0;
  std::function<void(const Visit&)> for_each_block;  ///< every call is a pass over all rows
};

/// The rows of a matrix in memory, which must outlive the result.
template <class T>
[[nodiscard]] DenseRows<T> rows_of(ConstMatrixView<T> matrix) {
  return {matrix.rows, matrix.cols, [matrix](const auto& visit) { visit(matrix); }};
}

/// How many rows of this many bytes make a block; at least 1.
[[nodiscard]] inline Index rows_per_block(Index row_bytes) {
  constexpr Index kBlockBytes = Index{1} << 24;
  return std::max<Index>(1, kBlockBytes / std::max<Index>(1, row_bytes));
}

/// The rows of M', so the columns of a matrix M in memory, which must outlive the result.
template <class T>
[[nodiscard]] DenseRows<T> columns_of(ConstMatrixView<T> M) {
  const auto visit_blocks = [M](const typename DenseRows<T>::Visit& visit) {
    // Fewer than eight columns at a time would fetch most cache lines of M more than once.
    const Index step = std::max<Index>(8, rows_per_block(M.rows * Index{sizeof(T)}));
    Matrix<T> block(std::min(step, M.cols), M.rows);
    for (Index begin = 0; begin < M.cols; begin += step) {
      const Index count = std::min(step, M.cols - begin);
      for (Index i = 0; i < M.rows; ++i) {
        for (Index j = 0; j < count; ++j) block(j, i) = M(i, begin + j);
      }
      visit(std::as_const(block).view().middle_rows(0, count));
    }
  };
  return {M.cols, M.rows, visit_blocks};
}

/// Compressed sparse rows over memory that somebody else owns, in canonical form as SparseData keeps them.
template <class T>
struct CsrView {
  Index rows = 0;
  Index cols = 0;
  std::span<const Index> offsets;
  std::span<const std::uint32_t> indices;
  std::span<const T> values;
};

template <class T>
[[nodiscard]] CsrView<T> view_of(const Csr<T>& matrix) {
  return {matrix.rows, matrix.cols, matrix.offsets, matrix.indices, matrix.values};
}

/// Writes a matrix in the format that the ending of the name says: .npy, .npz, .mtx, .csv, .tsv, .h5ad or
/// .anmf, and .mtx.gz, .csv.gz, .tsv.gz. Names are written where the format has a place for them. T is float,
/// double, uint16_t or uint8_t, here and in the writers below. Throws InvalidInput for any other ending.
template <class T>
void save(const std::filesystem::path& path, ConstMatrixView<T> matrix, const Names& names = {});

/// Writes a sparse matrix like that; .npy, .csv and .tsv hold dense matrices only.
template <class T>
void save(const std::filesystem::path& path, const CsrView<T>& matrix, const Names& names = {});

/// Writes .npy of version 1.0 in C order.
template <class T>
void write_npy(const std::filesystem::path& path, const DenseRows<T>& matrix);
template <class T>
void write_npy(const std::filesystem::path& path, ConstMatrixView<T> matrix) {
  write_npy(path, rows_of(matrix));
}

/// Writes .npz as numpy.savez does, with the matrix under the name arr_0.
template <class T>
void write_npz(const std::filesystem::path& path, ConstMatrixView<T> matrix);

/// Writes .npz as scipy.sparse.save_npz does for CSR.
template <class T>
void write_npz(const std::filesystem::path& path, const CsrView<T>& matrix);

/// A member of an archive: a text under its whole name, or a matrix without gaps between its rows under its
/// key.
struct NpzMember {
  std::string name;
  std::variant<std::string, ConstMatrixView<float>, ConstMatrixView<double>, ConstMatrixView<std::uint16_t>>
      content;
};

/// Whether a writer waits until its file would survive a power failure.
enum class Durable { yes, no };

/// Writes these members, each with a checksum, and nothing else.
void write_npz(const std::filesystem::path& path, std::span<const NpzMember> members,
               Durable durable = Durable::yes);

/// The text of that name in an .npz archive, "record.json" say. Throws InvalidInput if it is damaged, or if
/// there is none.
[[nodiscard]] std::string read_npz_text(const std::filesystem::path& path, const std::string& name);

/// Writes Matrix Market `coordinate`; `integer` if every entry is a whole number below 2^53, else `real` with
/// as many digits as bring the same number back. The file is gzip if its name ends in .gz.
template <class T>
void write_matrix_market(const std::filesystem::path& path, const CsrView<T>& matrix);

/// Writes Matrix Market `array`, in which entries stand column by column: the rows of `columns` are the
/// columns of M.
template <class T>
void write_matrix_market_array(const std::filesystem::path& path, const DenseRows<T>& columns);

/// Writes a table in text, separated by tabs if the name of the file ends in .tsv or .tsv.gz, else by commas;
/// the file is gzip if its name ends in .gz. Names stand in quotes where they must. Where a reader would take
/// names of rows or columns alone for entries, or the first row for names of columns, rows and columns both
/// get names, numbers if there are no others, so that there is an empty corner. Throws InvalidInput if a name
/// holds a line break or another control character than a tab.
template <class T>
void write_table(const std::filesystem::path& path, const DenseRows<T>& matrix, const Names& names = {});

/// Writes the container .anmf of docs/formats.md: a sparse matrix in blocks with checksums.
template <class T>
void write_container(const std::filesystem::path& path, const CsrView<T>& matrix, const Names& names = {});
/// Writes a container with no more than a block of the matrix in memory. Zeros of a dense matrix are left
/// out. T is float or double; `after_block` is called with the number of every block that is written, and may
/// throw to end the writing.
template <class T>
void write_container(const std::filesystem::path& path, BlockSource<T>& matrix, const Names& names = {},
                     const std::function<void(Index)>& after_block = {});

/// What an AnnData file holds. Observations or variables without names are numbered from 0.
template <class T>
struct AnnData {
  using Value = std::variant<std::string, double, Index, std::vector<double>>;

  Index observations = 0;
  Index variables = 0;
  std::variant<std::monostate, DenseRows<T>, CsrView<T>> X;  ///< observations x variables, or nothing
  Names names;                                               ///< of observations (rows) and variables
  std::vector<std::pair<std::string, DenseRows<T>>> obsm;    ///< each with a row per observation
  std::vector<std::pair<std::string, DenseRows<T>>> varm;    ///< each with a row per variable
  /// Groups of values: uns["nmf"]["rank"] is the value "rank" of the group "nmf".
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, Value>>>> uns;
};

/// Writes .h5ad.
template <class T>
void write_h5ad(const std::filesystem::path& path, const AnnData<T>& data);

/// Writes a checkpoint with the settings of the program: an .npz archive, whose matrices and numbers NumPy
/// can read.
template <class T>
void write_checkpoint(const std::filesystem::path& path, const Checkpoint<T>& checkpoint,
                      const std::string& settings);
/// Reads a checkpoint, which has a trace. Throws InvalidInput if the file is damaged, or no checkpoint.
template <class T>
[[nodiscard]] Checkpoint<T> read_checkpoint(const std::filesystem::path& path);
[[nodiscard]] std::string read_checkpoint_settings(const std::filesystem::path& path);

}  // namespace anmf::io
