// SPDX-License-Identifier: MIT
#include "io/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "anmf/error.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using MemberHandle = std::unique_ptr<zip_file_t, CloseMember>;

class ZipMember final : public ByteSource {
 public:
  ZipMember(MemberHandle file, std::uint64_t bytes, std::string where)
      : file_(std::move(file)), bytes_(bytes), where_(std::move(where)) {}

  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

  [[nodiscard]] std::size_t read(void* target, std::size_t count) override {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes_ - done_));
    std::size_t got = 0;
    while (got < wanted) {
      const std::size_t now = read_some(static_cast<char*>(target) + got, wanted - got);
      if (now == 0) fail(fmt::format("it ends after {} bytes", done_));
      got += now;
      done_ += now;
    }
    if (done_ == bytes_) expect_end();
    return got;
  }

 private:
  std::size_t read_some(void* target, std::size_t count) {
    const zip_int64_t now = zip_fread(file_.get(), target, count);
    if (now < 0) fail(zip_file_strerror(file_.get()));
    return static_cast<std::size_t>(now);
  }

  // libzip compares the checksum when it meets the end.
  void expect_end() {
    char beyond = 0;
    if (read_some(&beyond, 1) != 0) fail("it goes on beyond its declared size");
  }

  [[noreturn]] void fail(std::string_view reason) const {
    throw InvalidInput(fmt::format("{}: the {} bytes cannot be uncompressed: {}.", where_, bytes_, reason));
  }

  MemberHandle file_;
  std::uint64_t bytes_;
  std::uint64_t done_ = 0;
  std::string where_;
};

void check_promise(const zip_stat_t& status, std::uint64_t bytes_on_disk, const std::string& where) {
  constexpr std::uint64_t kLargestDeflateRatio = 1032;
  if (status.encryption_method != ZIP_EM_NONE) {
    throw InvalidInput(fmt::format("{}: is encrypted, expected plain data.", where));
  }
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
    throw InvalidInput(fmt::format("{}: is compressed by method {}, expected 0 (stored) or 8 (deflated).",
                                   where, status.comp_method));
  }
  const std::uint64_t packed = std::min<std::uint64_t>(status.comp_size, bytes_on_disk);
  const std::uint64_t most =
      status.comp_method == ZIP_CM_STORE ? packed : (packed + 1) * kLargestDeflateRatio;
  if (status.size > most) {
    throw InvalidInput(fmt::format("{}: promises {} bytes, but its {} compressed bytes can hold at most {}.",
                                   where, status.size, packed, most));
  }
}

}  // namespace

void ZipArchive::Close::operator()(zip* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(const std::filesystem::path& path)
    : path_(path), bytes_on_disk_(InputFile(path).bytes()) {
  int code = 0;
  archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive_) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw InvalidInput(fmt::format("{}: the zip archive of {} bytes cannot be read: {}. Is it truncated?",
                                   path.string(), bytes_on_disk_, reason));
  }
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(std::max<zip_int64_t>(count, 0)); ++i) {
    if (const char* name = zip_get_name(archive_.get(), i, ZIP_FL_ENC_RAW)) members_.emplace(name, i);
  }
}

std::unique_ptr<ByteSource> ZipArchive::open(const std::string& name) const {
  const std::string where = fmt::format("{}, member {}", path_.string(), in_quotes(name));
  const auto found = members_.find(name);
  if (found == members_.end()) throw InvalidInput(fmt::format("{}: is missing.", where));
  zip_stat_t status;
  zip_stat_init(&status);
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive_.get(), found->second, 0, &status) != 0 || (status.valid & kNeeded) != kNeeded) {
    throw InvalidInput(fmt::format("{}: its entry in the archive is damaged.", where));
  }
  check_promise(status, bytes_on_disk_, where);
  MemberHandle file(zip_fopen_index(archive_.get(), found->second, 0));
  if (!file) {
    throw InvalidInput(fmt::format("{}: cannot be opened: {}.", where, zip_strerror(archive_.get())));
  }
  return std::make_unique<ZipMember>(std::move(file), status.size, where);
}

std::string ZipArchive::text(const std::string& name) const {
  const auto source = open(name);
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = source->read(buffer.data(), buffer.size())) {
    text.append(buffer.data(), count);
  }
  return text;
}

}  // namespace anmf::io
