// SPDX-License-Identifier: MIT
#include "io/stored_sizes.h"

#include <memory>
#include <string>

#include "io/detect.h"
#include "io/location.h"
#include "io/matrix_market_header.h"
#include "io/npz.h"
#include "io/own.h"
#include "io/sparse_text.h"
#include "io/ten_x.h"

namespace anmf::io {

namespace {

StoredSizes market_sizes(const std::filesystem::path& path) {
  LineReader reader(path);
  const MarketHeader header = read_market_header(reader);
  StoredSizes sizes{header.rows, header.cols, header.entries, !header.dense};
  if (header.dense) sizes.entries = header.rows * header.cols;  // which it has checked
  return sizes;
}

template <class T>
StoredSizes npz_sizes(const Location& at) {
  const ZipArchive archive(at.file);
  if (at.inside.empty() && npz_is_sparse(archive)) return npz_sparse_sizes(archive, at.file);
  const std::string key = choose_npz_key(archive, at.file, at.inside);
  const NpyHeader header = read_npy_header(*archive.open(key + ".npy"), npz_array_name(at.file, key));
  return {header.rows, header.cols, header.count, false, npy_entry_bytes<T>(header)};
}

template <class T>
std::optional<StoredSizes> sizes_at(const Location& at, Header header) {
  switch (detect(at.file)) {
    case Format::kMatrixMarket:
      return market_sizes(at.file);
    case Format::kTenX: {
      const auto matrix = ten_x_matrix(at.file);
      return matrix ? std::optional(market_sizes(*matrix)) : std::nullopt;
    }
    case Format::kNpz:
      return npz_sizes<T>(at);
    case Format::kTable:
      return table_sizes(at.file, header);
    case Format::kSvmlight:
      return svmlight_sizes(at.file);
    case Format::kCluto: {
      LineReader reader(at.file, longest_line_bytes(at.file));
      return read_cluto_sizes(reader);
    }
    case Format::kBagOfWords: {
      LineReader reader(at.file);
      return read_bag_sizes(reader);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

template <class T>
std::optional<StoredSizes> stored_sizes(const std::filesystem::path& path, Header header) {
  auto sizes = sizes_at<T>(split_location(path), header);
  if (!sizes || sizes->rows == 0 || sizes->cols == 0) return std::nullopt;
  if (sizes->sparse && (sizes->rows > kMostSparseRows || sizes->cols > kMostSparseRows)) return std::nullopt;
  if (sizes->entry_bytes == 0) sizes->entry_bytes = sizeof(T);
  return sizes;
}

template std::optional<StoredSizes> stored_sizes<float>(const std::filesystem::path&, Header);
template std::optional<StoredSizes> stored_sizes<double>(const std::filesystem::path&, Header);

}  // namespace anmf::io
