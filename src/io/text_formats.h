// SPDX-License-Identifier: MIT
// The formats of plain text as the table of formats takes them: each with the names that stand in the file or
// beside it, and the size that its first lines tell.
#pragma once

#include <filesystem>

#include "anmf/io.h"

namespace anmf::io {

template <class T>
[[nodiscard]] LoadedMatrix<T> load_matrix_market(const std::filesystem::path& path, const Reading& reading);
[[nodiscard]] StoredSizes matrix_market_sizes(const std::filesystem::path& path);

template <class T>
[[nodiscard]] LoadedMatrix<T> load_table(const std::filesystem::path& path, const Reading& reading,
                                         Header header);
[[nodiscard]] StoredSizes table_sizes(const std::filesystem::path& path, Header header);

/// There may be more columns: their number is the largest index.
[[nodiscard]] StoredSizes svmlight_sizes(const std::filesystem::path& path);

template <class T>
[[nodiscard]] LoadedMatrix<T> load_cluto(const std::filesystem::path& path, const Reading& reading);
[[nodiscard]] StoredSizes cluto_sizes(const std::filesystem::path& path);

template <class T>
[[nodiscard]] LoadedMatrix<T> load_triplets(const std::filesystem::path& path, const Reading& reading);

template <class T>
[[nodiscard]] LoadedMatrix<T> load_bag_of_words(const std::filesystem::path& path, const Reading& reading);
[[nodiscard]] StoredSizes bag_of_words_sizes(const std::filesystem::path& path);

}  // namespace anmf::io
