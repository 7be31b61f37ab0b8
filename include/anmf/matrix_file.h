// SPDX-License-Identifier: MIT
// A matrix in a file of any supported format: its format is recognised once, and then the matrix is read
// whole, in blocks or in parts. docs/formats.md has the formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "anmf/data.h"
#include "anmf/matrix.h"
#include "anmf/stream.h"
#include "anmf/weights.h"

namespace anmf::io {

/// Which two axes of an array of three are the pixels of images: (height, width, bands), the first two, or
/// (frames, height, width), the last two; the first if nobody says. Rows of the matrix are the pixels, row by
/// row of the images, and columns the bands or frames.
enum class Cube { automatic, pixels_first, pixels_last };

/// Where a matrix is: in a file or folder, and for a file that holds several matrices under a name inside it.
struct Location {
  std::filesystem::path file;
  std::string inside;           ///< empty for the only matrix of the file, or its usual one
  Cube cube = Cube::automatic;  ///< how an array of three axes becomes a matrix
};

/// The images in the columns of a matrix: pixel (i, j) is row i * width + j.
struct Images {
  Index height = 0;  ///< 0 if the columns are no images
  Index width = 0;
  bool guessed = false;  ///< of an array of three axes, nobody said which are the pixels
};

/// What the lines of a file in text are, where that is no other format: rows of a table, or triplets "ROW
/// COLUMN VALUE", perhaps with a time behind them; or what they look like.
enum class TextLines { automatic, rows, triplets };

/// A file, or a folder of files, whose format is known. Every function below that takes one opens the file
/// anew, but none looks for its format again. A reader throws InvalidInput if the file has become something
/// else.
class MatrixFile {
 public:
  /// The name that open() was given.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const Location& location() const { return at_; }
  /// The name of the format: ".npy", "Matrix Market", "HDF5", ...
  [[nodiscard]] std::string_view format() const;
  /// Whether the file is a table in text, to which alone a Header applies.
  [[nodiscard]] bool is_table() const;
  /// Whether open_blocks() can read the file. It cannot if its format does not come in blocks, or if it is a
  /// .npy file in Fortran order with three axes: there, pixels that follow each other in M are far apart.
  [[nodiscard]] bool comes_in_blocks() const;
  /// Whether open_part() reads and checks nothing beside the part.
  [[nodiscard]] bool comes_in_parts() const;

 private:
  friend struct FormatOf;  // the row of a file in the table of formats
  friend MatrixFile open(const std::filesystem::path& path, TextLines lines, Cube cube);
  MatrixFile(std::filesystem::path path, Location at, std::size_t row, bool whole);

  std::filesystem::path path_;
  Location at_;
  std::size_t row_ = 0;
  bool whole_ = false;  ///< it does not come in blocks, although its format does
};

/// Recognises the format of a file or folder, by its content first and by its name second. "file::name" is
/// one matrix of a file that holds several. Throws IoError if the file cannot be opened, and InvalidInput if
/// it has none of the formats, or if a name follows where the format has none. `lines` is for text in which
/// both could be meant, and no other format; anything but `automatic` is an error for other files. `cube` is
/// for arrays of three axes; anything but `automatic` is an error for others, here or where they are read.
[[nodiscard]] MatrixFile open(const std::filesystem::path& path, TextLines lines = TextLines::automatic,
                              Cube cube = Cube::automatic);

/// What becomes of negative entries: an error that names the first one, zeros, or they stay (Sign::any).
enum class Negative { error, clip, allow };

/// Which entries of a file nobody has observed: none, so that one that is no number is an error; those that
/// are no numbers, which are empty or NA fields in a table; or all but those that a sparse file stores, zeros
/// among them too (of a dense file: all that are zero).
enum class Missing { error, nan, zeros };

/// What becomes of entries that a matrix cannot hold, or that nobody has observed.
struct Reading {
  Negative negative = Negative::error;
  Missing missing = Missing::error;

  Reading() = default;
  Reading(Negative n, Missing m = Missing::error)  // NOLINT(google-explicit-constructor): one is enough
      : negative(n), missing(m) {}

  [[nodiscard]] Sign sign() const { return negative == Negative::allow ? Sign::any : Sign::nonnegative; }
};

/// Whether the first line of a table holds the names of the columns: as the line looks like, yes, or no.
enum class Header { automatic, yes, no };

/// Names of rows and columns in UTF-8, one for each row or column; either list may be empty.
struct Names {
  std::vector<std::string> rows;
  std::vector<std::string> cols;
};

/// The size of a matrix, as it is known before the entries are read.
struct StoredSizes {
  Index rows = 0;
  Index cols = 0;
  Index entries = 0;  ///< entries that are stored, zeros and repeated positions included
  bool sparse = false;
  std::size_t entry_bytes = 0;  ///< bytes that an entry of a dense matrix takes in memory
};

/// The size that the beginning of a file tells, or for text without sizes the number of its lines, if the
/// entries are to be read as T. Nothing for folders of images, MATLAB files and sizes that the reader is
/// going to refuse, nor for files that come in blocks: their BlockSource tells its size.
template <class T>
[[nodiscard]] std::optional<StoredSizes> stored_sizes(const MatrixFile& file,
                                                      Header header = Header::automatic);

/// The entries of a dense matrix in the type in which they are stored; nothing if the matrix is not dense.
using DenseEntries = std::variant<std::monostate, ConstMatrixView<double>, ConstMatrixView<float>,
                                  ConstMatrixView<std::uint16_t>, ConstMatrixView<std::uint8_t>>;

/// A matrix read from a file, dense or sparse, with the Data that stands on it. Entries that a file stores as
/// uint8, uint16 or, if T is double, float stay in that type where the matrix is dense.
template <class T>
struct LoadedMatrix {
  std::shared_ptr<const void> entries;  ///< owns the memory under `data` when the file is dense
  DenseEntries dense;                   ///< a view of that memory, row by row
  std::unique_ptr<Data<T>> data;
  Weights<T> weights;                  ///< what of it counts, as Missing says: weighted() joins both
  std::vector<std::string> row_names;  ///< as many as rows, in UTF-8; empty if the file has none
  std::vector<std::string> col_names;  ///< as many as columns, in UTF-8; empty if the file has none
  Images images;
  bool single_precision = false;  ///< a sparse file stores its values in 32 bits
  Index clipped = 0;              ///< entries that were negative and are zeros now
  Index repeated = 0;             ///< triplets at places that had one before, and were added
  bool anndata = false;           ///< rows are the observations, columns the variables of an AnnData file
};

/// Reads the matrix in a file. `header` is for tables; other files have no such line.
template <class T>
[[nodiscard]] LoadedMatrix<T> load(const MatrixFile& file, const Reading& reading = {},
                                   Header header = Header::automatic);
template <class T>
[[nodiscard]] LoadedMatrix<T> load(const std::filesystem::path& path, const Reading& reading = {},
                                   Header header = Header::automatic) {
  return load<T>(open(path), reading, header);
}

/// Reads the matrix in a dense file. Throws InvalidInput for a sparse file and for an entry that is negative,
/// NaN or infinite.
template <class T>
[[nodiscard]] Matrix<T> load_dense(const MatrixFile& file);
template <class T>
[[nodiscard]] Matrix<T> load_dense(const std::filesystem::path& path) {
  return load_dense<T>(open(path));
}

/// One number for each row or column of a matrix: in the lines of a text, plain or gzip, or in a .npy array
/// of any shape with no more than one axis longer than 1.
[[nodiscard]] std::vector<double> read_numbers(const std::filesystem::path& path);

/// The rows and columns of a matrix at these places, counted from 0, in this order; nothing stands for all of
/// them. The shape of images is known only as long as all their pixels are there.
template <class T>
[[nodiscard]] LoadedMatrix<T> select(const LoadedMatrix<T>& matrix,
                                     const std::optional<std::vector<Index>>& rows,
                                     const std::optional<std::vector<Index>>& cols);

/// The matrix in a file as blocks of lines, for matrices larger than memory: .npy (rows, or columns in
/// Fortran order), the container .anmf, and HDF5 with its AnnData and 10x files (rows of datasets and CSR,
/// columns of CSC). A block takes at most `most_bytes` in memory, but has at least 48 lines; the number of
/// lines is a multiple of 48 in all blocks but the last. Null if the file does not come in blocks. A file
/// that changes while it is in use is an IoError.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_blocks(const MatrixFile& file, double most_bytes,
                                                          const Reading& reading = {});
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_blocks(const std::filesystem::path& path,
                                                          double most_bytes, const Reading& reading = {}) {
  return open_blocks<T>(open(path), most_bytes, reading);
}

/// Rows and columns that lie together.
struct Part {
  RowRange rows;
  RowRange cols;
};

/// A part of the matrix in a file, which must not be empty, as blocks like those of open_blocks(). The file
/// must come in blocks. Of a .npy file, nothing beside the part is read; of the other files, the lines that
/// go through the part are read from end to end.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_part(const MatrixFile& file, const Part& part,
                                                        double most_bytes, const Reading& reading = {});
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> open_part(const std::filesystem::path& path, const Part& part,
                                                        double most_bytes, const Reading& reading = {}) {
  return open_part<T>(open(path), part, most_bytes, reading);
}

/// All blocks of a source as one matrix in memory. If the matrix is sparse, there is room for `expected`
/// entries from the beginning.
template <class T>
[[nodiscard]] LoadedMatrix<T> collect(BlockSource<T>& source, Index expected = 0);

/// M' in the blocks of M.
template <class T>
[[nodiscard]] std::unique_ptr<BlockSource<T>> transposed(std::unique_ptr<BlockSource<T>> source);

/// What a file that comes in blocks says of its rows and columns.
struct Annotations {
  Names names;
  Images images;
  bool anndata = false;      ///< rows are the observations, columns the variables of an AnnData file
  double library_bytes = 0;  ///< memory of the library that reads such files
};

/// Reads the annotations of a file; there are none in formats that do not come in blocks.
[[nodiscard]] Annotations read_annotations(const MatrixFile& file);
[[nodiscard]] inline Annotations read_annotations(const std::filesystem::path& path) {
  return read_annotations(open(path));
}

}  // namespace anmf::io
