// SPDX-License-Identifier: MIT
#include "io/formats.h"

#include <fmt/format.h>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/container.h"
#include "io/container_format.h"
#include "io/detect_text.h"
#include "io/hdf5.h"
#include "io/image_folder.h"
#include "io/input_file.h"
#include "io/matlab.h"
#include "io/matrix_market_header.h"
#include "io/npy_header.h"
#include "io/npz.h"
#include "io/own.h"
#include "io/ten_x.h"
#include "io/text_formats.h"
#include "io/tiff.h"

namespace anmf::io {

namespace {

template <class T>
Matrix<T> refuse_sparse(const Location& at) {
  throw InvalidInput(
      fmt::format("{}: holds a sparse matrix, expected a dense one (.npy).", at.file.string()));
}

template <class T>
Matrix<T> refuse_several(const Location& at) {
  throw InvalidInput(fmt::format("{}: is an HDF5 or MATLAB file, expected .npy.", at.file.string()));
}

template <class T>
Matrix<T> refuse_images(const Location& at) {
  throw InvalidInput(fmt::format("{}: holds images, expected a matrix (.npy).", at.file.string()));
}

NpyHeader npy_header_of(const Location& at) {
  InputFile file(at.file);
  return read_npy_header(file, at.file, at.cube);
}

/// Of a file that comes in blocks, these tell it.
template <class T>
std::optional<StoredSizes> sizes_of_whole_npy(const Location& at, Header /*header*/) {
  const NpyHeader header = npy_header_of(at);
  if (!header.matrix.turned) return std::nullopt;
  return npy_sizes<T>(header);
}

Annotations npy_annotations(const Location& at) {
  return {.names = {}, .images = npy_header_of(at).matrix.images, .anndata = false, .library_bytes = 0};
}

/// In the order in which messages list them.
template <class T>
constexpr std::array kFormats = {
    Format<T>{
        .name = ".npy",
        .listed = "NumPy (.npy, .npz)",
        .promised_by = {".npy"},
        .has_mark = [](std::string_view start) { return start.starts_with(kNpyMagic); },
        .has_shape = nullptr,
        .is_folder = nullptr,
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = true,
        .load =
            [](const Location& at, const LoadOptions& options) {
              InputFile file(at.file);
              return own_npy<T>(at.file, file, at.cube, options.reading);
            },
        .load_dense = [](const Location& at) { return read_npy<T>(at.file); },
        .sizes = sizes_of_whole_npy<T>,
        .blocks = [](const Location& at,
                     const BlockOptions& options) { return open_npy_blocks<T>(at, options); },
        .comes_whole = npy_comes_whole,
        .part = [](const Location& at, const BlockOptions& options,
                   const Part& part) { return open_npy_blocks<T>(at, options, part); },
        .annotations = npy_annotations,
        .lines = stream_npy,
    },
    Format<T>{
        .name = ".npz",
        .listed = "",
        .promised_by = {".npz"},
        .has_mark = starts_as_zip,
        .has_shape = nullptr,
        .is_folder = nullptr,
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = true,
        .holds_cubes = true,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_npz<T>(at, options.reading); },
        .load_dense =
            [](const Location& at) {
              return holds_sparse_npz(at) ? refuse_sparse<T>(at) : read_npz<T>(at.file, at.inside);
            },
        .sizes = [](const Location& at, Header) { return std::optional(npz_sizes<T>(at)); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "Matrix Market",
        .listed = "Matrix Market (.mtx, .mtx.gz)",
        .promised_by = {".mtx", ".gz"},
        .has_mark = starts_as_matrix_market,
        .has_shape = nullptr,
        .is_folder = nullptr,
        .may_be_gzip = true,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_matrix_market<T>(at.file, options.reading); },
        .load_dense =
            [](const Location& at) {
              return matrix_market_is_dense(at.file) ? read_matrix_market_array<T>(at.file)
                                                     : refuse_sparse<T>(at);
            },
        .sizes = [](const Location& at, Header) { return std::optional(matrix_market_sizes(at.file)); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "table",
        .listed = "a table of numbers (.csv, .tsv)",
        .promised_by = {},
        .has_mark = nullptr,
        .has_shape = looks_like_table,
        .is_folder = nullptr,
        .may_be_gzip = true,
        .is_table = true,
        .holds_several = false,
        .holds_cubes = false,
        .load =
            [](const Location& at, const LoadOptions& options) {
              return load_table<T>(at.file, options.reading, options.header);
            },
        .load_dense = [](const Location& at) { return read_table<T>(at.file).matrix; },
        .sizes = [](const Location& at,
                    Header header) { return std::optional(table_sizes(at.file, header)); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "HDF5",
        .listed = "HDF5 (.h5, .h5ad)",
        .promised_by = {},
        .has_mark = [](std::string_view start) { return start.starts_with(kHdf5Magic); },
        .has_shape = nullptr,
        .is_folder = nullptr,
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = true,
        .holds_cubes = true,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_hdf5<T>(at, options.reading); },
        .load_dense = refuse_several<T>,
        .sizes = nullptr,
        .blocks = open_hdf5_blocks<T>,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = hdf5_annotations,
        .lines = stream_hdf5,
    },
    Format<T>{
        .name = ".mat",
        .listed = "MATLAB (.mat)",
        .promised_by = {},  // not by .mat, since version 4 has no mark to know it by
        .has_mark = starts_as_matlab,
        .has_shape = nullptr,
        .is_folder = nullptr,
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = true,
        .holds_cubes = true,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_matlab<T>(at, options.reading); },
        .load_dense = refuse_several<T>,
        .sizes = nullptr,
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "TIFF",
        .listed = "TIFF (.tif)",
        .promised_by = {".tif", ".tiff"},
        .has_mark = starts_as_tiff,
        .has_shape = nullptr,
        .is_folder = nullptr,
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,  // its pages are images, whatever anybody says
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_tiff<T>(at.file, options.reading); },
        .load_dense = refuse_images<T>,
        .sizes = [](const Location& at, Header) { return std::optional(tiff_sizes<T>(at.file)); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = ".anmf",
        .listed = "a container (.anmf)",
        .promised_by = {".anmf"},
        .has_mark = [](std::string_view start) { return start.starts_with(kContainerMagic); },
        .has_shape = nullptr,
        .is_folder = nullptr,
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load = [](const Location& at, const LoadOptions&) { return load_container<T>(at.file); },
        .load_dense = refuse_sparse<T>,
        .sizes = nullptr,
        .blocks = [](const Location& at,
                     const BlockOptions& options) { return open_container_blocks<T>(at.file, options); },
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations =
            [](const Location& at) {
              return Annotations{.names = Container(at.file).read_names(),
                                 .images = {},
                                 .anndata = false,
                                 .library_bytes = 0};
            },
        .lines = nullptr,
    },
    Format<T>{
        .name = "svmlight",
        .listed = "svmlight",
        .promised_by = {},
        .has_mark = nullptr,
        .has_shape = looks_like_svmlight,
        .is_folder = nullptr,
        .may_be_gzip = true,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load =
            [](const Location& at, const LoadOptions& options) {
              return own_sparse(at.file, read_svmlight<T>(at.file), options.reading);
            },
        .load_dense = refuse_sparse<T>,
        .sizes = [](const Location& at, Header) { return std::optional(svmlight_sizes(at.file)); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "CLUTO",
        .listed = "CLUTO",
        .promised_by = {},
        .has_mark = nullptr,
        .has_shape = looks_like_cluto,
        .is_folder = nullptr,
        .may_be_gzip = true,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_cluto<T>(at.file, options.reading); },
        .load_dense = refuse_sparse<T>,
        .sizes = [](const Location& at, Header) { return std::optional(cluto_sizes(at.file)); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "bag of words",
        .listed = "a bag of words",
        .promised_by = {},
        .has_mark = nullptr,
        .has_shape = looks_like_bag_of_words,
        .is_folder = nullptr,
        .may_be_gzip = true,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_bag_of_words<T>(at.file, options.reading); },
        .load_dense = refuse_sparse<T>,
        .sizes = [](const Location& at, Header) { return std::optional(bag_of_words_sizes(at.file)); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "triplets",
        .listed = "triplets",
        .promised_by = {},
        .has_mark = nullptr,
        .has_shape = looks_like_triplets,
        .is_folder = nullptr,
        .may_be_gzip = true,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_triplets<T>(at.file, options.reading); },
        .load_dense = refuse_sparse<T>,
        .sizes = nullptr,  // which depend on the names that occur
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "10x folder",
        .listed = "",
        .promised_by = {},
        .has_mark = nullptr,
        .has_shape = nullptr,
        .is_folder = [](const std::filesystem::path& folder) { return ten_x_matrix(folder).has_value(); },
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load = [](const Location& at,
                   const LoadOptions& options) { return load_ten_x<T>(at.file, options.reading); },
        .load_dense = refuse_sparse<T>,
        .sizes = [](const Location& at, Header) { return ten_x_sizes(at.file); },
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    },
    Format<T>{
        .name = "images",
        .listed = "",
        .promised_by = {},
        .has_mark = nullptr,
        .has_shape = nullptr,
        .is_folder = [](const std::filesystem::path& folder) { return !images_in(folder).empty(); },
        .may_be_gzip = false,
        .is_table = false,
        .holds_several = false,
        .holds_cubes = false,
        .load = [](const Location& at, const LoadOptions&) { return load_images<T>(at.file); },
        .load_dense = refuse_images<T>,
        .sizes = nullptr,
        .blocks = nullptr,
        .comes_whole = nullptr,
        .part = nullptr,
        .annotations = nullptr,
        .lines = nullptr,
    }};

}  // namespace

template <class T>
std::span<const Format<T>> formats() {
  return kFormats<T>;
}

template std::span<const Format<float>> formats<float>();
template std::span<const Format<double>> formats<double>();

}  // namespace anmf::io
