// SPDX-License-Identifier: MIT
#include "npy_blocks.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/detect.h"
#include "io/input_file.h"
#include "io/own.h"
#include "validate/entries.h"

namespace anmf::mpi {
namespace {

void read_at(io::InputFile& file, const std::filesystem::path& path, void* target, std::size_t bytes,
             Index offset) {
  auto* to = static_cast<char*>(target);
  while (bytes > 0) {
    const ssize_t got = pread(file.handle().get(), to, bytes, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) io::throw_io_error(path, "cannot read", errno);
    if (got == 0) throw IoError(path.string() + ": became shorter while it was read.");
    to += got;
    bytes -= static_cast<std::size_t>(got);
    offset += got;
  }
}

}  // namespace

std::optional<NpyBlocks> NpyBlocks::open(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || io::detect(path) != io::Format::kNpy)
    return std::nullopt;
  io::InputFile file(path);
  NpyBlocks blocks;
  blocks.path_ = path;
  blocks.header_ = io::read_npy_header(file, path);
  const io::NpyHeader& header = blocks.header_;
  const bool as_it_is =
      (header.kind == 'f' && header.item_bytes >= 4) || (header.kind == 'u' && header.item_bytes <= 2);
  if (header.swapped || !as_it_is) return std::nullopt;
  blocks.first_byte_ = static_cast<Index>(file.bytes()) - header.count * header.item_bytes;
  return blocks;
}

template <class T, class Stored>
io::LoadedMatrix<T> NpyBlocks::read_as(RowRange rows, RowRange cols) const {
  using Kept = std::conditional_t<std::is_same_v<T, float> && std::is_same_v<Stored, double>, float, Stored>;
  // In Fortran order the file has the columns one after the other.
  const bool by_rows = !header_.fortran_order;
  const auto [lines, part] = by_rows ? std::pair(rows, cols) : std::pair(cols, rows);
  const Index width = by_rows ? header_.cols : header_.rows;
  auto entries = std::make_shared<Matrix<Kept>>(lines.count, part.count);
  io::InputFile file(path_);
  std::vector<Stored> line(static_cast<std::size_t>(part.count));
  for (Index i = 0; i < lines.count; ++i) {
    const Index place = (lines.begin + i) * width + part.begin;
    read_at(file, path_, line.data(), line.size() * sizeof(Stored),
            first_byte_ + place * static_cast<Index>(sizeof(Stored)));
    Kept* const to = entries->view().row(i);
    for (Index j = 0; j < part.count; ++j) {
      to[j] = static_cast<Kept>(line[static_cast<std::size_t>(j)]);
      if (to[j] >= Kept{0} && to[j] <= std::numeric_limits<Kept>::max()) continue;
      io::naming_file(path_, [&] {
        validate::reject_entry("M", by_rows ? lines.begin + i : part.begin + j,
                               by_rows ? part.begin + j : lines.begin + i,
                               static_cast<double>(line[static_cast<std::size_t>(j)]));
      });
    }
  }
  io::LoadedMatrix<T> result;
  if (entries->size() == 0) return result;
  result.data = std::make_unique<DenseData<T>>(std::as_const(*entries).view(),
                                               by_rows ? Layout::row_major : Layout::column_major);
  result.entries = entries;
  return result;
}

template <class T>
io::LoadedMatrix<T> NpyBlocks::read(RowRange rows, RowRange cols) const {
  if (header_.kind == 'u') {
    return header_.item_bytes == 1 ? read_as<T, std::uint8_t>(rows, cols)
                                   : read_as<T, std::uint16_t>(rows, cols);
  }
  return header_.item_bytes == 4 ? read_as<T, float>(rows, cols) : read_as<T, double>(rows, cols);
}

template io::LoadedMatrix<float> NpyBlocks::read(RowRange, RowRange) const;
template io::LoadedMatrix<double> NpyBlocks::read(RowRange, RowRange) const;

}  // namespace anmf::mpi
