// SPDX-License-Identifier: MIT
// Folders, compressed texts, and what is no file at all.
#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "support/broken_files.h"
#include "support/files_and_messages.h"

namespace anmf::io_test {

namespace {

namespace fs = std::filesystem;

auto folder(std::vector<std::pair<std::string, std::string>> files) {
  return [files = std::move(files)](const fs::path& path) {
    fs::create_directory(path);
    for (const auto& [name, bytes] : files) write_to(path / name, bytes);
  };
}

const std::string kMarket = "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 4\n2 2 1\n";
const std::string kImage = "P5\n3 2\n255\nabcdef";
const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\3\0\0\0\2\x8\0\0\0\0", 29);

// One table of quantisation, a frame of 8 x 8, two tables with one code each, and a scan of one byte.
std::string jpeg() {
  using namespace std::string_literals;
  const std::string table = "\xff\xc4\0\x14"s;
  const std::string one_code = "\1"s + std::string(16, '\0');
  return "\xff\xd8\xff\xdb\0\x43\0"s + std::string(64, '\x10') + "\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0"s +
         table + "\0"s + one_code + table + "\x10"s + one_code + "\xff\xda\0\x08\1\1\0\0\x3f\0\x3f\xff\xd9"s;
}

}  // namespace

BrokenFiles broken_folders_and_others() {
  const std::string packed = gzip(kMarket);
  std::string damaged = packed;
  damaged[damaged.size() - 8] = static_cast<char>(damaged[damaged.size() - 8] ^ 1);  // of the checksum
  std::string many_codes = jpeg();
  const std::size_t counts = many_codes.rfind("\xff\xc4") + 5;
  many_codes[counts + 1] = '\xff';
  many_codes[counts + 2] = '\xff';
  return {
      {"gzip_magic_only.mtx.gz", file(packed.substr(0, 2))},
      {"gzip_cut_in_header.mtx.gz", file(packed.substr(0, 8))},
      {"gzip_cut_in_data.mtx.gz", file(packed.substr(0, packed.size() / 2))},
      {"gzip_cut_in_checksum.mtx.gz", file(packed.substr(0, packed.size() - 5))},
      {"gzip_damaged.mtx.gz", file(damaged)},
      {"gzip_of_words.csv.gz", file(gzip("Nothing but words"))},
      {"gzip_bomb_of_digits.csv.gz", file(gzip("1,2\n" + std::string(std::size_t{1} << 23, '0')))},
      {"folder_empty", folder({})},
      {"folder_named.npy", folder({})},
      {"folder_of_words", folder({{"a.txt", "words"}})},
      {"ten_x_folder_few_features", folder({{"matrix.mtx", kMarket}, {"features.tsv", "1\ta\n"}})},
      {"ten_x_folder_many_barcodes", folder({{"matrix.mtx", kMarket}, {"barcodes.tsv", "a\nb\nc\nd\n"}})},
      {"ten_x_folder_name_not_utf8", folder({{"matrix.mtx", kMarket}, {"barcodes.tsv", "a\nb\xff\nc\n"}})},
      {"ten_x_folder_negative",
       folder({{"matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -4\n"}})},
      {"ten_x_folder_of_words", folder({{"matrix.mtx", "Nothing but words"}})},
      {"images_of_two_sizes", folder({{"a.pgm", kImage}, {"b.pgm", "P5\n2 2\n255\nabcd"}})},
      {"images_empty", folder({{"a.png", ""}})},
      {"images_of_words", folder({{"a.jpg", "Nothing but words"}})},
      {"images_cut_in_pixels", folder({{"a.pgm", kImage.substr(0, kImage.size() - 1)}})},
      {"images_huge_promise", folder({{"a.pgm", "P5\n60000 60000\n255\nabc"}})},
      {"images_without_pixels", folder({{"a.pgm", "P5\n0 2\n255\n"}})},
      {"images_huge_chunk", folder({{"a.png", kPng + std::string("\0\0\0\0\x3f\xff\xff\xffIDAT", 12)}})},
      {"images_jpeg_cut", folder({{"a.jpg", jpeg().substr(0, jpeg().size() - 2)}})},
      {"images_jpeg_fill_bytes", folder({{"a.jpg", "\xff\xff" + jpeg()}})},
      {"images_jpeg_many_codes", folder({{"a.jpg", many_codes}})},
      {"images_png_cut", folder({{"a.png", kPng}})},
      {"images_name_not_utf8", folder({{"caf\xe9.pgm", kImage}})},
      {"pipe.mtx", [](const fs::path& path) { ::mkfifo(path.c_str(), 0600); }},
      {"images_pipe",
       [](const fs::path& path) {
         fs::create_directory(path);
         ::mkfifo((path / "a.png").c_str(), 0600);
       }},
      {"link_to_nowhere.npy", [](const fs::path& path) { fs::create_symlink("nowhere.npy", path); }},
      {"link_to_itself.npy", [](const fs::path& path) { fs::create_symlink(path.filename(), path); }},
      {"missing.npy", [](const fs::path&) {}},
  };
}

}  // namespace anmf::io_test
