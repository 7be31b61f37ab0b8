// SPDX-License-Identifier: MIT
#include "io/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "anmf/error.h"
#include "io/image_decoder.h"
#include "io/input_file.h"
#include "io/own.h"
#include "io/text_fields.h"
#include "io/tiff.h"

namespace anmf::io {

namespace {

constexpr std::uint16_t kTo16 = 257;  // 255 becomes 65535

bool is_image(const std::filesystem::directory_entry& entry) {
  std::error_code ignored;
  std::string ending = entry.path().extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 6> kEndings = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm"};
  const bool known = std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
  return known && entry.is_regular_file(ignored);
}

std::string read_bytes(const std::filesystem::path& path) {
  InputFile file(path);
  std::string bytes(file.bytes(), '\0');
  bytes.resize(file.read(bytes.data(), bytes.size()));
  return bytes;
}

Image read_image(const std::filesystem::path& path) {
  const std::string bytes = read_bytes(path);
  if (starts_as_tiff(bytes)) return read_tiff_image(path);
  try {
    return decode_image(bytes);
  } catch (const IoError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw InvalidInput(
        fmt::format("{}: is not an image that can be read (PNG, JPEG, TIFF or binary PGM): {}.",
                    path.string(), printable(error.what())));
  }
}

void check_same_size(const Image& image, const std::filesystem::path& path, const Image& first,
                     const std::filesystem::path& first_path) {
  if (image.height == first.height && image.width == first.width) return;
  throw InvalidInput(fmt::format("{}: is {} x {} pixels, expected {} x {} as {}.", path.string(),
                                 image.height, image.width, first.height, first.width,
                                 first_path.filename().string()));
}

template <class P>
void put_column(const std::vector<P>& pixels, Index column, Matrix<P>& matrix) {
  for (Index i = 0; i < matrix.rows(); ++i) matrix(i, column) = pixels[static_cast<std::size_t>(i)];
}

Matrix<std::uint16_t> widened(const Matrix<std::uint8_t>& narrow) {
  Matrix<std::uint16_t> result(narrow.rows(), narrow.cols());
  for (Index k = 0; k < narrow.size(); ++k) {
    result.data()[k] = static_cast<std::uint16_t>(narrow.data()[k] * kTo16);
  }
  return result;
}

using Pixels = std::variant<Matrix<std::uint8_t>, Matrix<std::uint16_t>>;

// One column; everything becomes 16 bits with the first image that has them.
void put_image(const Image& image, Index column, Pixels& matrix) {
  if (std::holds_alternative<std::vector<std::uint16_t>>(image.pixels) &&
      std::holds_alternative<Matrix<std::uint8_t>>(matrix)) {
    matrix = widened(std::get<Matrix<std::uint8_t>>(matrix));
  }
  if (auto* narrow = std::get_if<Matrix<std::uint8_t>>(&matrix)) {
    put_column(std::get<std::vector<std::uint8_t>>(image.pixels), column, *narrow);
    return;
  }
  auto& wide = std::get<Matrix<std::uint16_t>>(matrix);
  if (const auto* pixels = std::get_if<std::vector<std::uint16_t>>(&image.pixels)) {
    put_column(*pixels, column, wide);
    return;
  }
  std::vector<std::uint16_t> pixels;
  for (const std::uint8_t p : std::get<std::vector<std::uint8_t>>(image.pixels)) {
    pixels.push_back(static_cast<std::uint16_t>(p * kTo16));
  }
  put_column(pixels, column, wide);
}

}  // namespace

std::vector<std::filesystem::path> images_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> result;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) throw_io_error(folder, "cannot be read", error.value());
  for (const auto& entry : entries) {
    if (is_image(entry)) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

template <class T>
LoadedMatrix<T> load_images(const std::filesystem::path& folder) {
  const std::vector<std::filesystem::path> paths = images_in(folder);
  if (paths.empty()) {
    throw InvalidInput(fmt::format("{}: there is no image (.png, .jpg, .tif, .pgm).", folder.string()));
  }
  const Image first = read_image(paths[0]);
  const auto count = static_cast<Index>(paths.size());
  Index entries = 0;
  if (__builtin_mul_overflow(first.height * first.width, count, &entries)) {
    throw InvalidInput(fmt::format("{}: {} images of {} x {} pixels are more than 64 bits can count.",
                                   folder.string(), count, first.height, first.width));
  }
  Pixels matrix = Matrix<std::uint8_t>(first.height * first.width, count);
  std::vector<std::string> names;
  for (Index j = 0; j < count; ++j) {
    const std::filesystem::path& path = paths[static_cast<std::size_t>(j)];
    const Image image = read_image(path);
    check_same_size(image, path, first, paths[0]);
    put_image(image, j, matrix);
    names.push_back(path.filename().string());
    if (!is_utf8(names.back())) {
      throw InvalidInput(
          fmt::format("{}: the name {} is not UTF-8.", folder.string(), in_quotes(names.back())));
    }
  }
  LoadedMatrix<T> result = std::visit(
      [&](auto& pixels) { return own_dense<T>(folder, std::move(pixels), Negative::error); }, matrix);
  result.col_names = std::move(names);
  result.images = {.height = first.height, .width = first.width};
  return result;
}

template LoadedMatrix<float> load_images<float>(const std::filesystem::path&);
template LoadedMatrix<double> load_images<double>(const std::filesystem::path&);

}  // namespace anmf::io
