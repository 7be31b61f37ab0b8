// SPDX-License-Identifier: MIT
#include "io/npz_writer.h"

#include <fmt/format.h>
#include <zip.h>

#include <array>
#include <system_error>
#include <utility>

#include "anmf/error.h"

namespace anmf::io {

void NpzWriter::Discard::operator()(zip* archive) const { zip_discard(archive); }

void NpzWriter::fail(std::string_view reason) const {
  throw IoError(fmt::format("{}: cannot be written: {}.", path_.string(), reason));
}

NpzWriter::NpzWriter(const std::filesystem::path& temporary, std::filesystem::path path)
    : path_(std::move(path)) {
  int code = 0;
  archive_.reset(zip_open(temporary.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (archive_) return;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail(reason);
}

void NpzWriter::add_member(const std::string& name, std::string head, std::span<const std::byte> bytes,
                           Packing packing) {
  heads_.push_back(std::move(head));
  const std::string& begin = heads_.back();
  // libzip only reads what these point to.
  std::array<zip_buffer_fragment_t, 2> parts{};
  parts[0].data = reinterpret_cast<zip_uint8_t*>(const_cast<char*>(begin.data()));
  parts[0].length = begin.size();
  parts[1].data = reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data()));
  parts[1].length = bytes.size();
  zip_source_t* source =
      zip_source_buffer_fragment(archive_.get(), parts.data(), bytes.empty() ? 1 : 2, /*freep=*/0);
  if (source == nullptr) fail(zip_strerror(archive_.get()));
  const zip_int64_t index = zip_file_add(archive_.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    fail(zip_strerror(archive_.get()));
  }
  const zip_int32_t method = packing == Packing::store ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
  constexpr zip_uint32_t kLevel = 4;  // for the reason of text_writer.cpp
  if (zip_set_file_compression(archive_.get(), static_cast<zip_uint64_t>(index), method, kLevel) != 0)
    fail(zip_strerror(archive_.get()));
}

void NpzWriter::close() {
  if (zip_close(archive_.get()) != 0) {
    const zip_error_t* const error = zip_get_error(archive_.get());
    const int system = zip_error_code_system(error);
    fail(zip_error_system_type(error) == ZIP_ET_SYS && system != 0 ? std::generic_category().message(system)
                                                                   : zip_strerror(archive_.get()));
  }
  const zip_t* const freed = archive_.release();  // by zip_close()
  static_cast<void>(freed);
}

}  // namespace anmf::io
