// SPDX-License-Identifier: MIT
#include "io/steady_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "anmf/error.h"

namespace anmf::io {

SteadyFile::SteadyFile(const std::filesystem::path& path)
    : path_(path), file_(path), descriptor_(file_.handle().get()), opened_(state()) {}

std::size_t SteadyFile::read(std::uint64_t offset, void* target, std::size_t count) const {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(descriptor_, static_cast<char*>(target) + done, count - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_io_error(path_, "cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

SteadyFile::State SteadyFile::state() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) throw_io_error(path_, "cannot be inspected", errno);
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void SteadyFile::expect_unchanged(std::string_view place) const {
  const State now = state();
  if (now == opened_) return;
  const std::string how = now.bytes == opened_.bytes
                              ? std::string("it was written to")
                              : fmt::format("it had {} bytes and has {}", opened_.bytes, now.bytes);
  throw IoError(
      fmt::format("{}: the file has changed since it was opened: {}, which was noticed at {}. Begin again "
                  "with a file that stays as it is.",
                  path_.string(), how, place));
}

}  // namespace anmf::io
