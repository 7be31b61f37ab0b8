// SPDX-License-Identifier: MIT
// Files that appear whole or not at all: write aside, sync, rename. A rename within one folder is atomic
// by POSIX; the two syncs make it hold after a power failure too.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <system_error>
#include <vector>

#include "anmf/error.h"
#include "anmf/io.h"
#include "io/atomic_file.h"
#include "io/input_file.h"

namespace anmf::io {

namespace {

namespace fs = std::filesystem;

// A stream buffer over a descriptor. Unlike std::ofstream it keeps the reason of the first failure.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), buffer_(kBufferBytes) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  [[nodiscard]] int error_number() const { return error_number_; }

 protected:
  int_type overflow(int_type c) override {
    if (!flush()) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (count > epptr() - pptr() && !flush()) return 0;
    if (count > epptr() - pptr()) return write_all(text, count) ? count : 0;
    std::copy_n(text, count, pptr());
    pbump(static_cast<int>(count));
    return count;
  }

  int sync() override { return flush() ? 0 : -1; }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

  bool flush() {
    const bool done = write_all(pbase(), pptr() - pbase());
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return done;
  }

  bool write_all(const char* text, std::streamsize count) {
    while (count > 0 && error_number_ == 0) {
      const ssize_t written = ::write(descriptor_, text, static_cast<std::size_t>(count));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        error_number_ = errno;
      } else {
        text += written;
        count -= written;
      }
    }
    return error_number_ == 0;
  }

  int descriptor_;
  int error_number_ = 0;
  std::vector<char> buffer_;
};

// .NAME. and the process, - and more: hidden, beside the file itself, and whose it is can be seen.
std::string before_process(std::string_view name) {
  return fmt::format(".{}.", name.substr(0, 200));  // leaves room below NAME_MAX
}

// The process that wrote something aside for a file of this name. Nothing if it is no such thing.
std::optional<pid_t> maker_of(std::string_view aside, std::string_view name) {
  const std::string prefix = before_process(name);
  if (!aside.starts_with(prefix)) return std::nullopt;
  pid_t process = 0;
  const char* const end = aside.data() + aside.size();
  const auto [stop, error] = std::from_chars(aside.data() + prefix.size(), end, process);
  if (error != std::errc{} || stop == end || *stop != '-' || process <= 0) return std::nullopt;
  return process;
}

// A new file beside the target, removed again unless it takes the target's place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : handle_(create(target, path_)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  [[nodiscard]] int descriptor() const { return handle_.get(); }
  [[nodiscard]] const fs::path& path() const { return path_; }

  void rename_to(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) throw_io_error(target, "cannot be replaced", errno);
    renamed_ = true;
  }

 private:
  // Tries names until one is free. open() and not mkstemp(), so that the user's umask sets the mode.
  static int create(const fs::path& target, fs::path& path) {
    static std::atomic<unsigned> counter{0};
    const std::string prefix = aside_prefix(target.filename().string());
    for (;;) {
      path = target.parent_path() / fmt::format("{}{}.tmp", prefix, counter++);
      const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) return descriptor;
      if (errno != EEXIST && errno != EINTR) throw_io_error(target, "cannot be created", errno);
    }
  }

  fs::path path_;
  FileHandle handle_;
  bool renamed_ = false;
};

// The file behind a symbolic link, so that the link stays one.
fs::path resolve(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  return ignored ? path : resolved;
}

// The permissions of the file that is about to be replaced, if there is one.
std::optional<mode_t> permissions(const fs::path& target) {
  struct stat status{};
  if (::stat(target.c_str(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode)) {
    throw IoError(fmt::format("{}: cannot be replaced: it is not a regular file.", target.string()));
  }
  return status.st_mode & 07777;
}

void fill(const fs::path& target, int descriptor, const std::function<void(std::ostream&)>& write) {
  DescriptorBuffer buffer(descriptor);
  std::ostream out(&buffer);
  try {
    write(out);
    out.flush();
  } catch (...) {
    // The writer may have thrown only because the stream had failed; the system's reason says more.
    if (buffer.error_number() != 0) throw_io_error(target, "cannot be written", buffer.error_number());
    throw;
  }
  if (buffer.error_number() != 0) throw_io_error(target, "cannot be written", buffer.error_number());
  if (!out)
    throw IoError(fmt::format("{}: cannot be written: the writer reported a failure.", target.string()));
  if (::fsync(descriptor) != 0) throw_io_error(target, "cannot be written", errno);
}

void sync_folder(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const FileHandle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0) return;  // a folder may be writable without being readable
  // Some file systems cannot sync a folder and say EINVAL.
  if (::fsync(handle.get()) != 0 && errno != EINVAL) throw_io_error(target, "cannot be made durable", errno);
}

// A library may have put another file in the place of the one that we made.
void sync_by_name(const fs::path& target, const fs::path& written, const std::optional<mode_t>& mode,
                  Durable durable) {
  const FileHandle handle(::open(written.c_str(), O_RDONLY | O_CLOEXEC));
  if (handle.get() < 0) throw_io_error(target, "cannot be written", errno);
  if (mode && ::fchmod(handle.get(), *mode) != 0) throw_io_error(target, "cannot be written", errno);
  if (durable == Durable::no) return;
  if (::fsync(handle.get()) != 0) throw_io_error(target, "cannot be written", errno);
}

}  // namespace

std::string aside_prefix(std::string_view name) {
  return fmt::format("{}{}-", before_process(name), ::getpid());
}

void remove_leftovers(const fs::path& folder, std::span<const std::string_view> names) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string aside = entry.path().filename().string();
    for (const std::string_view name : names) {
      const std::optional<pid_t> maker = maker_of(aside, name);
      if (maker && ::kill(*maker, 0) != 0 && errno == ESRCH) leftovers.push_back(entry.path());
    }
  }
  for (const fs::path& path : leftovers) fs::remove_all(path, error);
}

void remove_leftovers(const fs::path& file) {
  const fs::path target = resolve(file);
  const std::string name = target.filename().string();
  const std::string_view names[] = {name};
  remove_leftovers(target.has_parent_path() ? target.parent_path() : fs::path("."), names);
}

void write_atomically_by_name(const fs::path& path, const std::function<void(const fs::path&)>& write,
                              Durable durable) {
  const fs::path target = resolve(path);
  const std::optional<mode_t> mode = permissions(target);
  TemporaryFile temporary(target);
  if (mode && ::fchmod(temporary.descriptor(), *mode) != 0)
    throw_io_error(target, "cannot be written", errno);
  write(temporary.path());
  sync_by_name(target, temporary.path(), mode, durable);
  temporary.rename_to(target);
  if (durable == Durable::yes) sync_folder(target);
}

void expect_room(const fs::path& file, std::uint64_t bytes, const fs::path& target) {
  const FileHandle handle(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (handle.get() < 0) throw_io_error(target, "cannot be written", errno);
  if (::fallocate(handle.get(), 0, 0, static_cast<off_t>(bytes)) == 0) return;
  const bool full = errno == ENOSPC || errno == EFBIG || errno == EDQUOT;
  if (full) throw_io_error(target, "cannot be written", errno);
}

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path target = resolve(path);
  const std::optional<mode_t> mode = permissions(target);
  TemporaryFile temporary(target);
  // A file that replaces a private one must not become readable for others.
  if (mode && ::fchmod(temporary.descriptor(), *mode) != 0)
    throw_io_error(target, "cannot be written", errno);
  fill(target, temporary.descriptor(), write);
  temporary.rename_to(target);
  sync_folder(target);
}

}  // namespace anmf::io
