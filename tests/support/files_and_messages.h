// SPDX-License-Identifier: MIT
// Files made on the spot, and the messages of what is thrown.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "anmf/error.h"

namespace anmf::io_test {

/// A new empty folder that goes away with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "anmf-io-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::size_t files() const {
    const std::filesystem::directory_iterator all(path_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

inline void write_to(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Writes a file into the folder and returns its path.
inline std::filesystem::path write_bytes(const TemporaryFolder& folder, const std::string& name,
                                         std::string_view bytes) {
  std::filesystem::path path = folder.path() / name;
  write_to(path, bytes);
  return path;
}

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzipWrapper = 16;
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipWrapper, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// The bytes of numbers one after another, as this machine stores them or the other way round.
template <class S>
std::string stored(std::initializer_list<S> values, bool swapped = false) {
  std::string bytes;
  for (const S value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof(S));
    if (swapped) one.assign(one.rbegin(), one.rend());
    bytes += one;
  }
  return bytes;
}

/// A .npy file with the given dict, whatever it says.
inline std::string npy(std::string_view dict, std::string_view data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {version, '\0'};
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) bytes += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  bytes += dict;
  bytes += data;
  return bytes;
}

/// The message of the E that `act` throws. Fails the test if it throws nothing or something else.
template <class E, class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

inline void expect_phrase(const std::string& message, std::string_view phrase) {
  EXPECT_NE(message.find(phrase), std::string::npos) << message << "\nlacks\n" << phrase;
}

}  // namespace anmf::io_test
