// SPDX-License-Identifier: MIT
#include "io/tiff.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "io/own.h"
#include "io/tiff_file.h"

namespace anmf::io {

namespace {

/// The type in which a page has its pixels, and the one in which they are kept: T, or a narrower one.
template <class T, class Use>
auto visit_pixel_type(const TiffPage& page, const Use& use) {
  if (page.kind == 'u' && page.bytes == 1) return use.template operator()<std::uint8_t, std::uint8_t>();
  if (page.kind == 'u' && page.bytes == 2) return use.template operator()<std::uint16_t, std::uint16_t>();
  if (page.kind == 'u') return use.template operator()<std::uint32_t, T>();
  return page.bytes == 4 ? use.template operator()<float, float>() : use.template operator()<double, T>();
}

template <class P, class S>
void put_page(const std::vector<std::byte>& pixels, Index column, Matrix<S>& matrix) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    P pixel{};
    std::memcpy(&pixel, pixels.data() + i * Index{sizeof(P)}, sizeof(P));
    if constexpr (std::is_same_v<P, double> && std::is_same_v<S, float>) {
      if (std::isfinite(pixel) && std::abs(pixel) > static_cast<double>(std::numeric_limits<float>::max()))
        throw InvalidInput(
            fmt::format("M[{}, {}] = {} is too large for single precision.", i, column, pixel));
    }
    matrix(i, column) = static_cast<S>(pixel);
  }
}

}  // namespace

bool starts_as_tiff(std::string_view start) {
  using namespace std::string_view_literals;
  return start.starts_with("II*\0"sv) || start.starts_with("MM\0*"sv) || start.starts_with("II+\0"sv) ||
         start.starts_with("MM\0+"sv);
}

template <class T>
LoadedMatrix<T> load_tiff(const std::filesystem::path& path, const Reading& reading) {
  TiffFile file(path);
  const TiffPage& page = file.page();
  auto result = visit_pixel_type<T>(page, [&]<class P, class S>() {
    Matrix<S> matrix(page.height * page.width, file.pages());
    for (Index j = 0; j < matrix.cols(); ++j) {
      const std::vector<std::byte>& pixels = file.read_next();
      naming_file(path, [&] { put_page<P>(pixels, j, matrix); });
    }
    return own_dense<T>(path, std::move(matrix), reading);
  });
  result.images = {.height = page.height, .width = page.width};
  return result;
}

template <class T>
StoredSizes tiff_sizes(const std::filesystem::path& path) {
  const TiffFile file(path);
  const TiffPage& page = file.page();
  const std::size_t bytes = visit_pixel_type<T>(page, []<class P, class S>() { return sizeof(S); });
  const Index pixels = page.height * page.width;
  return {pixels, file.pages(), pixels * file.pages(), false, bytes};
}

Image read_tiff_image(const std::filesystem::path& path) {
  TiffFile file(path);
  const TiffPage& page = file.page();
  if (file.pages() != 1 || page.kind != 'u' || page.bytes > 2) {
    throw InvalidInput(fmt::format(
        "{}: has {} page{} of {}, expected one page of 8 or 16 bits in a folder of images; a stack is "
        "read as a file.",
        path.string(), file.pages(), file.pages() == 1 ? "" : "s", page.type()));
  }
  Image image{.height = page.height, .width = page.width, .pixels = {}};
  const std::vector<std::byte>& bytes = file.read_next();
  const auto taken = [&]<class P>(std::vector<P> pixels) {
    std::memcpy(pixels.data(), bytes.data(), bytes.size());
    return pixels;
  };
  const auto count = static_cast<std::size_t>(page.height * page.width);
  if (page.bytes == 1) {
    image.pixels = taken(std::vector<std::uint8_t>(count));
  } else {
    image.pixels = taken(std::vector<std::uint16_t>(count));
  }
  return image;
}

template LoadedMatrix<float> load_tiff(const std::filesystem::path&, const Reading&);
template LoadedMatrix<double> load_tiff(const std::filesystem::path&, const Reading&);
template StoredSizes tiff_sizes<float>(const std::filesystem::path&);
template StoredSizes tiff_sizes<double>(const std::filesystem::path&);

}  // namespace anmf::io
