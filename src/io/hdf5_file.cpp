// SPDX-License-Identifier: MIT
#include "io/hdf5_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "anmf/error.h"
#include "io/hdf5_chunks.h"
#include "io/hdf5_texts.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

std::uint64_t stored_bytes(hid_t dataset) { return H5Dget_storage_size(dataset); }

std::vector<Index> lengths(hid_t space) {
  const int dimensions = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(dimensions, 0)));
  if (dimensions > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  std::vector<Index> result;
  for (const hsize_t size : sizes) {
    constexpr auto kMost = static_cast<hsize_t>(std::numeric_limits<Index>::max());
    result.push_back(static_cast<Index>(std::min(size, kMost)));
  }
  return result;
}

#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info1_t;
#else
using ObjectInfo = H5O_info_t;
#endif

// What a link to an object leads to, if it stays within the file.
std::optional<ObjectInfo> find_object(hid_t file, const std::string& place, hid_t within) {
  ObjectInfo info{};
  if (H5Lexists(file, place.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  if (H5Oget_info_by_name2(file, place.c_str(), &info, H5O_INFO_BASIC, within) < 0) return std::nullopt;
  return info;
}

herr_t refuse_other_file(const char* /*parent*/, const char* /*group*/, const char* /*file*/,
                         const char* /*object*/, unsigned* /*flags*/, hid_t /*access*/, void* /*data*/) {
  return -1;
}

hid_t links_within() {
  const hid_t list = H5Pcreate(H5P_LINK_ACCESS);
  H5Pset_elink_cb(list, refuse_other_file, nullptr);
  return list;
}

// The library takes every bit of a number from where its type says that it is.
bool is_sound_number(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return false;
  const std::size_t bits = H5Tget_precision(type);
  const int first = H5Tget_offset(type);
  const std::size_t all = 8 * H5Tget_size(type);
  if (first < 0 || bits == 0 || bits > all || static_cast<std::size_t>(first) > all - bits) return false;
  if (kind == H5T_INTEGER) return true;
  std::size_t sign = 0;
  std::size_t exponent = 0;
  std::size_t exponent_bits = 0;
  std::size_t mantissa = 0;
  std::size_t mantissa_bits = 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0) return false;
  const auto fits = [&](std::size_t at, std::size_t length) { return length <= bits && at <= bits - length; };
  return fits(sign, 1) && fits(exponent, exponent_bits) && fits(mantissa, mantissa_bits) &&
         exponent_bits > 0 && mantissa_bits > 0;
}

herr_t add_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// One text of fixed length, up to its first zero.
std::string fixed_text(const char* bytes, std::size_t size) {
  return {bytes, std::find(bytes, bytes + size, '\0')};
}

}  // namespace

std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  // At the end of the program the library would once more try, and crash, to write a file for which the disk
  // was full. Everything here closes what it opens, so there is nothing else for it to do then.
  static const herr_t without_exit_handler = H5dont_atexit();
  static_cast<void>(without_exit_handler);
  return mutex;
}

Hdf5Quiet::Hdf5Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Quiet::~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Hdf5File::Hdf5File(const std::filesystem::path& path)
    : path_(path),
      bytes_(path),
      file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose),
      within_(links_within(), H5Pclose) {
  if (!file_.ok()) {
    throw InvalidInput(
        fmt::format("{}: the HDF5 file of {} bytes cannot be opened. Is it truncated, or open "
                    "for writing?",
                    path.string(), InputFile(path).bytes()));
  }
}

std::string Hdf5File::where(const std::string& place) const {
  return fmt::format("{}::{}{}", path_.string(), place.starts_with('/') ? "" : "/", printable(place));
}

Hdf5Kind Hdf5File::kind(const std::string& place) const {
  if (place.empty() || place == "/") return Hdf5Kind::kGroup;
  // Every component must be there, and be trusted, before the library is asked for the next.
  for (std::size_t end = place.find('/', 1);; end = place.find('/', end + 1)) {
    const auto info = find_object(id(), place.substr(0, end), within_.get());
    if (!info) return Hdf5Kind::kNothing;
    bytes_.check(info->addr);
    if (end != std::string::npos) continue;
    if (info->type == H5O_TYPE_DATASET) return Hdf5Kind::kDataset;
    return info->type == H5O_TYPE_GROUP ? Hdf5Kind::kGroup : Hdf5Kind::kNothing;
  }
}

std::uint64_t Hdf5File::address(const std::string& place) const {
  const auto info = find_object(id(), place, within_.get());
  if (!info) throw InvalidInput(fmt::format("{}: there is nothing of that name.", where(place)));
  return info->addr;
}

Hdf5Handle Hdf5File::open_dataset(const std::string& place) const {
  Hdf5Handle dataset(H5Dopen2(id(), place.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) return dataset;
  const Hdf5Handle plan(H5Dget_create_plist(dataset.get()), H5Pclose);
  if (H5Pget_layout(plan.get()) == H5D_VIRTUAL || H5Pget_external_count(plan.get()) > 0) {
    throw InvalidInput(
        fmt::format("{}: its entries are in other files, which are not read; copy them into this one first.",
                    where(place)));
  }
  bytes_.check_chunks(address(place), H5Pget_nfilters(plan.get()) > 0);
  return dataset;
}

void check_hdf5_storage(const Hdf5File& file, const std::string& place, hid_t dataset,
                        std::size_t entry_bytes, std::uint64_t bytes) {
  if (const Hdf5Chunks chunks(dataset, entry_bytes, file.where(place), file.bytes().size()); chunks.any()) {
    chunks.check_first();
    return;
  }
  const std::uint64_t stored = stored_bytes(dataset);
  const Hdf5Handle plan(H5Dget_create_plist(dataset), H5Pclose);
  const bool written = H5Dget_offset(dataset) != HADDR_UNDEF || H5Pget_layout(plan.get()) == H5D_COMPACT;
  if (written && stored < bytes) {
    throw InvalidInput(
        fmt::format("{}: the HDF5 file is damaged: the dataset takes {} bytes, but {} are stored.",
                    file.where(place), bytes, stored));
  }
}

std::vector<std::string> Hdf5File::children(const std::string& group) const {
  std::vector<std::string> names;
  const Hdf5Handle opened(H5Gopen2(id(), group.c_str(), H5P_DEFAULT), H5Gclose);
  // For any other order the library makes a table, and frees what is not yet in it if a name is damaged.
  if (opened.ok()) H5Literate(opened.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_name, &names);
  std::sort(names.begin(), names.end());
  return names;
}

std::string Hdf5File::text_attribute(const std::string& place, const std::string& name) const {
  if (H5Aexists_by_name(id(), place.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return {};
  const Hdf5Handle attribute(H5Aopen_by_name(id(), place.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  if (!attribute.ok()) return {};
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  if (H5Tis_variable_str(type.get()) > 0) {
    return follow_references(bytes_, bytes_.attribute(address(place), name), 1, where(place))[0];
  }
  constexpr std::size_t kLongest = 4096;  // a word is meant
  std::string bytes(std::min(H5Tget_size(type.get()), kLongest), '\0');
  if (H5Tget_size(type.get()) > kLongest || H5Aread(attribute.get(), type.get(), bytes.data()) < 0) return {};
  return fixed_text(bytes.data(), bytes.size());
}

std::vector<Index> Hdf5File::whole_attribute(const std::string& place, const std::string& name) const {
  if (H5Aexists_by_name(id(), place.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return {};
  const Hdf5Handle attribute(H5Aopen_by_name(id(), place.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  if (!attribute.ok()) return {};
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  constexpr hssize_t kMost = 64;
  if (H5Tget_class(type.get()) != H5T_INTEGER || count < 1 || count > kMost) return {};
  if (!is_sound_number(type.get())) return {};
  std::vector<Index> values(static_cast<std::size_t>(count));
  if (H5Aread(attribute.get(), H5T_NATIVE_INT64, values.data()) < 0) return {};
  return values;
}

std::vector<Index> Hdf5File::shape(const std::string& place) const {
  const Hdf5Handle dataset = open_dataset(place);
  if (!dataset.ok()) return {};
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  return lengths(space.get());
}

bool Hdf5File::holds_numbers(const std::string& place) const {
  const Hdf5Handle dataset = open_dataset(place);
  if (!dataset.ok()) return false;
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

Hdf5Array::Hdf5Array(const Hdf5File& file, const std::string& place)
    : name_(file.where(place)),
      dataset_(file.has_dataset(place) ? file.open_dataset(place) : Hdf5Handle(-1, H5Dclose)) {
  if (!dataset_.ok()) fail("there is no such dataset.");
  const Hdf5Handle type(H5Dget_type(dataset_.get()), H5Tclose);
  const H5T_class_t type_class = H5Tget_class(type.get());
  bytes_ = H5Tget_size(type.get());
  if ((type_class != H5T_INTEGER && type_class != H5T_FLOAT) || bytes_ > sizeof(double)) {
    fail("its entries are no numbers of at most 64 bits, expected integers or floats.");
  }
  if (!is_sound_number(type.get())) fail("the HDF5 file is damaged: its entries are of an impossible type.");
  kind_ = type_class == H5T_FLOAT ? 'f' : (H5Tget_sign(type.get()) == H5T_SGN_NONE ? 'u' : 'i');
  const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose);
  shape_ = lengths(space.get());
  bool overflow = false;
  for (const Index length : shape_) overflow = __builtin_mul_overflow(size_, length, &size_) || overflow;
  Index bytes = 0;
  if (overflow || __builtin_mul_overflow(size_, static_cast<Index>(bytes_), &bytes)) {
    fail(fmt::format("a dataset of {} has more bytes than 64 bits can count.", fmt::join(shape_, " x ")));
  }
  // Parts that were never written take no room in the file, so a small file may promise anything.
  constexpr std::uint64_t kLargestRatio = 1032;
  constexpr std::uint64_t kAlways = std::uint64_t{1} << 22;
  const std::uint64_t most = stored_bytes(dataset_.get()) * kLargestRatio + kAlways;
  if (static_cast<std::uint64_t>(bytes) > most) {
    fail(fmt::format("the dataset of {} promises {} bytes, but the {} that are stored can hold at most {}.",
                     fmt::join(shape_, " x "), bytes, stored_bytes(dataset_.get()), most));
  }
  check_hdf5_storage(file, place, dataset_.get(), bytes_, static_cast<std::uint64_t>(bytes));
}

void Hdf5Array::read_all(hid_t memory_type, void* target) const {
  if (size_ == 0) return;
  if (H5Dread(dataset_.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, target) < 0) {
    fail("the data cannot be read; they are damaged, or compressed by a filter that is not installed.");
  }
}

void Hdf5Array::read_box(hid_t memory_type, const std::vector<hsize_t>& begin,
                         const std::vector<hsize_t>& size, void* target) const {
  const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr);
  if (H5Dread(dataset_.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, target) < 0) {
    fail("the data cannot be read; they are damaged, or compressed by a filter that is not installed.");
  }
}

void Hdf5Array::read_lines(const Unfolded& as, hid_t memory_type, Index first, Index count,
                           void* target) const {
  std::vector<hsize_t> size(shape_.begin(), shape_.end());
  std::vector<hsize_t> begin(size.size(), 0);
  if (!lines_are_pixels(as)) {
    begin[0] = static_cast<hsize_t>(first);
    size[0] = static_cast<hsize_t>(count);
    read_box(memory_type, begin, size, target);
    return;
  }
  // The end of a row of pixels, whole rows, and the beginning of another.
  const Index row = as.images.width;
  const std::size_t entry_bytes = H5Tget_size(memory_type);
  auto* to = static_cast<char*>(target);
  while (count > 0) {
    const bool whole = first % row == 0 && count >= row;
    const Index pixels = whole ? count / row * row : std::min(row - first % row, count);
    begin = {static_cast<hsize_t>(first / row), static_cast<hsize_t>(first % row), 0};
    size = {static_cast<hsize_t>(whole ? pixels / row : 1), static_cast<hsize_t>(whole ? row : pixels),
            static_cast<hsize_t>(as.cols)};
    read_box(memory_type, begin, size, to);
    first += pixels;
    count -= pixels;
    to += static_cast<std::size_t>(pixels * as.cols) * entry_bytes;
  }
}

Index Hdf5Array::lines_stored_together(const Unfolded& as) const {
  const Hdf5Handle layout(H5Dget_create_plist(dataset_.get()), H5Pclose);
  if (H5Pget_layout(layout.get()) != H5D_CHUNKED) return 1;
  std::vector<hsize_t> chunk(shape_.size(), 1);
  const int axes = static_cast<int>(shape_.size());
  if (H5Pget_chunk(layout.get(), axes, chunk.data()) != axes) return 1;
  const Index along = std::clamp<Index>(static_cast<Index>(chunk[0]), 1, std::max<Index>(1, shape_[0]));
  return lines_are_pixels(as) ? along * std::max<Index>(1, as.images.width) : along;
}

void Hdf5Array::read_stretch(hid_t memory_type, Index first, Index count, void* target) const {
  if (shape_.size() != 1)
    fail(fmt::format("{} found, expected 1.", counted(static_cast<Index>(shape_.size()), "dimension")));
  if (count == 0) return;
  const auto begin = static_cast<hsize_t>(first);
  const auto size = static_cast<hsize_t>(count);
  const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &begin, nullptr, &size, nullptr);
  if (H5Dread(dataset_.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, target) < 0) {
    fail("the data cannot be read; they are damaged, or compressed by a filter that is not installed.");
  }
}

template <class T>
void Hdf5Array::read_blocks(hid_t memory_type, const Visit<T>& visit) {
  constexpr Index kBlock = Index{1} << 18;
  std::vector<T> block(static_cast<std::size_t>(std::min(kBlock, size_)));
  read_stretch(memory_type, 0, 0, nullptr);  // that it is a list, also if it is empty
  for (Index first = 0; first < size_; first += kBlock) {
    const Index count = std::min(kBlock, size_ - first);
    read_stretch(memory_type, first, count, block.data());
    visit(std::span<const T>(block).first(static_cast<std::size_t>(count)));
  }
}

void Hdf5Array::expect_whole_numbers() const {
  if (kind_ == 'f') fail("entries that are floats found, expected whole numbers.");
}

void Hdf5Array::read(const Visit<Index>& visit) {
  expect_whole_numbers();
  read_blocks<Index>(H5T_NATIVE_INT64, visit);
}

void Hdf5Array::read(const Visit<float>& visit) { read_blocks<float>(H5T_NATIVE_FLOAT, visit); }

void Hdf5Array::read(const Visit<double>& visit) { read_blocks<double>(H5T_NATIVE_DOUBLE, visit); }

}  // namespace anmf::io
