// SPDX-License-Identifier: MIT
#include "io/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "anmf/error.h"
#include "io/text_fields.h"

namespace anmf::io {

namespace {

FileHandle open_for_reading(const std::filesystem::path& path) {
  // O_NONBLOCK changes nothing for a regular file and keeps a pipe without a writer from hanging us.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw_io_error(path, "cannot be opened", errno);
  return FileHandle(descriptor);
}

}  // namespace

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int FileHandle::release() { return std::exchange(descriptor_, -1); }

InputFile::InputFile(const std::filesystem::path& path) : path_(path), handle_(open_for_reading(path)) {
  struct stat status{};
  if (::fstat(handle_.get(), &status) != 0) throw_io_error(path, "cannot be inspected", errno);
  if (S_ISDIR(status.st_mode)) throw_io_error(path, "cannot be read", EISDIR);
  if (!S_ISREG(status.st_mode))
    throw IoError(fmt::format(
        "{}: is not a regular file; what comes from a pipe or a device must be written to a file first.",
        path.string()));
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t InputFile::read(void* target, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::read(handle_.get(), static_cast<char*>(target) + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_io_error(path_, "cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void throw_io_error(const std::filesystem::path& path, std::string_view what, int error_number) {
  throw IoError(
      fmt::format("{}: {}: {}.", path.string(), what, std::generic_category().message(error_number)));
}

std::string counted(std::int64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (!noun.ends_with('y')) return fmt::format("{} {}s", count, noun);
  return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
}

std::string printable(std::string_view text) {
  const bool utf8 = is_utf8(text);
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool shown = byte >= 0x20 && byte != 0x7f && (byte < 0x80 || utf8);
    result += shown ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", byte);
    }
  }
  result += text.size() > kLongest ? "...'" : "'";
  return result;
}

}  // namespace anmf::io
