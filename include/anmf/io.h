// SPDX-License-Identifier: MIT
// Matrices in files. Every reader throws InvalidInput with the file, the line or byte, what was found
// and what was expected; a file that cannot be opened or written throws IoError. Every writer puts its file
// aside, syncs it and renames it, so that `path` is either whole or as it was before.
#pragma once

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

/// The entries of a dense matrix in the type in which they are stored; nothing if the matrix is not dense.
using DenseEntries = std::variant<std::monostate, ConstMatrixView<double>, ConstMatrixView<float>,
                                  ConstMatrixView<std::uint16_t>, ConstMatrixView<std::uint8_t>>;

/// What becomes of negative entries: an error that names the first one, or zeros.
enum class Negative { error, clip };

/// Whether the first line of a table holds the names of the columns: as it looks like, yes, or no.
enum class Header { automatic, yes, no };

/// A matrix read from a file, dense or sparse, with the Data that stands on it. Entries of a .npy file of
/// uint8, uint16 or, if T is double, float stay in that type.
template <class T>
struct LoadedMatrix {
  std::shared_ptr<const void> entries;  ///< owns the memory under `data` when the file is dense
  DenseEntries dense;                   ///< a view of it, row by row
  std::unique_ptr<Data<T>> data;
  std::vector<std::string> row_names;  ///< as many as rows, in UTF-8; empty if the file has none
  std::vector<std::string> col_names;  ///< the same of the columns
  Index image_height = 0;              ///< of the images in the columns; 0 if they are none
  Index image_width = 0;
  bool single_precision = false;  ///< the values of a sparse file have 32 bits there
  Index clipped = 0;              ///< entries that were negative and are zeros now
  bool anndata = false;           ///< rows are the observations, columns the variables of an AnnData file
};

/// A dense matrix with the names of its rows and columns, either of which may be missing.
template <class T>
struct Table {
  Matrix<T> matrix;
  std::vector<std::string> row_names;
  std::vector<std::string> col_names;
};

/// .npy of two dimensions, C or Fortran order, either byte order; bool, integers and floats of any size.
/// T is float or double; or uint8_t or uint16_t, for a file of that very type.
template <class T>
[[nodiscard]] Matrix<T> read_npy(const std::filesystem::path& path);

/// A matrix of a NumPy .npz archive: that of the given key, or the only one if the key is empty.
template <class T>
[[nodiscard]] Matrix<T> read_npz(const std::filesystem::path& path, const std::string& key = {});

/// A sparse .npz as scipy.sparse.save_npz writes it: CSR, CSC or COO.
template <class T>
[[nodiscard]] Triplets<T> read_npz_sparse(const std::filesystem::path& path);

/// True if the first line of a Matrix Market file (plain or gzip) says `array`, false for `coordinate`.
[[nodiscard]] bool matrix_market_is_dense(const std::filesystem::path& path);

/// Matrix Market `coordinate`: real, integer or pattern; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Triplets<T> read_matrix_market(const std::filesystem::path& path);

/// Matrix Market `array`: real or integer; general or symmetric; plain or gzip.
template <class T>
[[nodiscard]] Matrix<T> read_matrix_market_array(const std::filesystem::path& path);

/// Numbers in lines of text, plain or gzip, separated by tabs, commas, semicolons or blanks. Which lines and
/// columns are taken for names is in docs/formats.md. Throws AmbiguousHeader if the first line could be
/// either.
template <class T>
[[nodiscard]] Table<T> read_table(const std::filesystem::path& path, Header header = Header::automatic);

/// svmlight or libsvm, plain or gzip: labels are skipped. Indices begin with 1, or with 0 if one is 0.
template <class T>
[[nodiscard]] Triplets<T> read_svmlight(const std::filesystem::path& path);

/// A sparse matrix of CLUTO, plain or gzip.
template <class T>
[[nodiscard]] Triplets<T> read_cluto(const std::filesystem::path& path);

/// A bag of words of the UCI repository (docword.NAME.txt), plain or gzip: documents x words.
template <class T>
[[nodiscard]] Triplets<T> read_bag_of_words(const std::filesystem::path& path);

/// Reads any supported file or folder, found by content first and name second. "file::name" is one matrix of
/// a file that holds several. `header` is for tables, other files have none.
template <class T>
[[nodiscard]] LoadedMatrix<T> load(const std::filesystem::path& path, Negative negative = Negative::error,
                                   Header header = Header::automatic);

/// The rows and columns at these places, counted from 0, in this order; nothing stands for all of them. The
/// shape of images is known only as long as all their pixels are there.
template <class T>
[[nodiscard]] LoadedMatrix<T> select(const LoadedMatrix<T>& matrix,
                                     const std::optional<std::vector<Index>>& rows,
                                     const std::optional<std::vector<Index>>& cols);

/// Reads any supported dense file. Throws InvalidInput for a sparse one and for an entry that is negative,
/// NaN or infinite.
template <class T>
[[nodiscard]] Matrix<T> load_dense(const std::filesystem::path& path);

/// Names of rows and columns in UTF-8, as many as there are; either list may be empty.
struct Names {
  std::vector<std::string> rows;
  std::vector<std::string> cols;
};

/// The matrix in a file as blocks of lines, for matrices larger than memory: .npy (rows, or columns in
/// Fortran order), the container .anmf, and HDF5 with its AnnData and 10x files (rows of datasets and CSR,
/// columns of CSC). A block takes at most `most_bytes` in memory, but has at least 48 lines; all have a
/// multiple of that but the last. Null if the format cannot be read in parts. A file that changes while it is
/// in use is an IoError.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_blocks(const std::filesystem::path& path,
                                                          double most_bytes,
                                                          Negative negative = Negative::error);

/// Rows and columns that lie together.
struct Part {
  RowRange rows;
  RowRange cols;
};

/// The same of a part of the matrix, which must not be empty. Nothing else of a .npy file is read; of the
/// other files, the lines of the part are read whole.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_part(const std::filesystem::path& path, const Part& part,
                                                        double most_bytes,
                                                        Negative negative = Negative::error);

/// All blocks of a source as one matrix in memory. If it is sparse, there is room for so many entries from
/// the beginning.
template <class T>
[[nodiscard]] LoadedMatrix<T> collect(BlockSource<T>& source, Index expected = 0);

/// M' in the blocks of M.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> transposed(std::unique_ptr<BlockSource<T>> source);

/// What a file that open_blocks() reads says of its rows and columns.
struct Annotations {
  Names names;
  bool anndata = false;      ///< as in LoadedMatrix
  double library_bytes = 0;  ///< that the library which reads such files has in memory
};
[[nodiscard]] Annotations read_annotations(const std::filesystem::path& path);

/// The rows of a dense matrix in order, a block after another, from wherever they come: a writer that takes
/// them never needs more memory than a block.
template <class T>
struct DenseRows {
  using Visit = std::function<void(ConstMatrixView<T>)>;

  Index rows = 0;
  Index cols = 0;
  std::function<void(const Visit&)> for_each_block;  ///< may be called again, for a second pass
};

/// The rows of a matrix in memory, which must outlive the result.
template <class T>
[[nodiscard]] DenseRows<T> rows_of(ConstMatrixView<T> matrix) {
  return {matrix.rows, matrix.cols, [matrix](const auto& visit) { visit(matrix); }};
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
/// double, uint16_t or uint8_t, here and in the writers below. Throws InvalidInput if the ending is another
/// one.
template <class T>
void save(const std::filesystem::path& path, ConstMatrixView<T> matrix, const Names& names = {});

/// The same for a sparse matrix; .npy, .csv and .tsv hold dense ones only.
template <class T>
void save(const std::filesystem::path& path, const CsrView<T>& matrix, const Names& names = {});

/// .npy of version 1.0 in C order.
template <class T>
void write_npy(const std::filesystem::path& path, const DenseRows<T>& matrix);
template <class T>
void write_npy(const std::filesystem::path& path, ConstMatrixView<T> matrix) {
  write_npy(path, rows_of(matrix));
}

/// .npz as numpy.savez writes it, with the matrix under the name arr_0.
template <class T>
void write_npz(const std::filesystem::path& path, ConstMatrixView<T> matrix);

/// .npz as scipy.sparse.save_npz writes CSR.
template <class T>
void write_npz(const std::filesystem::path& path, const CsrView<T>& matrix);

/// Matrix Market `coordinate`; `integer` if every entry is a whole number below 2^53, else `real` with as
/// many digits as bring the same number back. Gzip if the name ends in .gz.
template <class T>
void write_matrix_market(const std::filesystem::path& path, const CsrView<T>& matrix);

/// Matrix Market `array`, in which entries stand column by column: the rows of `columns` are the columns of
/// M.
template <class T>
void write_matrix_market_array(const std::filesystem::path& path, const DenseRows<T>& columns);

/// A table in text, separated by tabs if the name ends in .tsv or .tsv.gz, else by commas; gzip if it ends in
/// .gz. Names stand in quotes where they must. If names of one side only would be taken for entries, or
/// the first row for names of columns, the other side is numbered, so that there is an empty corner. Throws
/// InvalidInput if a name holds a line break or another control character than a tab.
template <class T>
void write_table(const std::filesystem::path& path, const DenseRows<T>& matrix, const Names& names = {});

/// The container .anmf of docs/formats.md: a sparse matrix in blocks with checksums.
template <class T>
void write_container(const std::filesystem::path& path, const CsrView<T>& matrix, const Names& names = {});
/// The same, with no more than a block in memory. Zeros of a dense matrix are left out. T is float or double;
/// `after_block` may throw to end it.
template <class T>
void write_container(const std::filesystem::path& path, BlockSource<T>& matrix, const Names& names = {},
                     const std::function<void(Index)>& after_block = {});

/// What an AnnData file holds. Observations or variables without names are numbered from 0.
template <class T>
struct AnnData {
  using Value = std::variant<std::string, double, Index, std::vector<double>>;

  Index observations = 0;
  Index variables = 0;
  std::variant<std::monostate, DenseRows<T>, CsrView<T>> X;      ///< observations x variables, or nothing
  Names names;                                                   ///< of observations (rows) and variables
  std::vector<std::pair<std::string, ConstMatrixView<T>>> obsm;  ///< each with a row per observation
  std::vector<std::pair<std::string, ConstMatrixView<T>>> varm;  ///< each with a row per variable
  /// Groups of values: uns["nmf"]["rank"] is the value "rank" of the group "nmf".
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, Value>>>> uns;
};

/// .h5ad
template <class T>
void write_h5ad(const std::filesystem::path& path, const AnnData<T>& data);
/// A checkpoint with the settings of the program that wrote it: an .npz archive, whose matrices and numbers
/// NumPy can read.
template <class T>
void write_checkpoint(const std::filesystem::path& path, const Checkpoint<T>& checkpoint,
                      const std::string& settings);
/// Throws InvalidInput if the file is damaged, or no checkpoint. The checkpoint has a trace.
template <class T>
[[nodiscard]] Checkpoint<T> read_checkpoint(const std::filesystem::path& path);
[[nodiscard]] std::string read_checkpoint_settings(const std::filesystem::path& path);

}  // namespace anmf::io
