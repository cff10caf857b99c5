#include "base/system/out_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/system/blocked_signal.h"
#include "base/text.h"

namespace trireme {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWaiting = std::size_t{1} << 16;

std::string cannot_write(const fs::path& file, const std::string& reason) {
  return fmt::format("cannot write {}: {}", printable(file.string()), reason);
}

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
  throw bad_input(cannot_write(file, reason), "name a file in a writable folder");
}

[[noreturn]] void fail_to_write(const fs::path& file, int reason) {
  throw std::runtime_error(cannot_write(file, std::strerror(reason)));
}

// A full disk is not the fault of the user who named the file.
[[noreturn]] void fail_to_open(const fs::path& file, int reason) {
  if (reason == ENOSPC || reason == EDQUOT) fail_to_write(file, reason);
  if (reason == ELOOP) refuse(file, "it is a symbolic link, and none is followed");
  if (reason == ENXIO) refuse(file, "it is no regular file");
  refuse(file, std::strerror(reason));
}

struct stat status_of(const Fd& fd, const fs::path& file) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_to_open(file, errno);
  return status;
}

// Returns an empty `Fd` if the file does not exist. O_NONBLOCK: opening a pipe must not wait for its reader.
Fd open_existing(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return {};
  if (fd < 0) fail_to_open(file, errno);
  Fd existing = own(fd, "write a file");
  const struct stat status = status_of(existing, file);
  if (!S_ISREG(status.st_mode)) refuse(file, "it is no regular file");
  if (status.st_uid != ::geteuid()) refuse(file, "it belongs to another user");
  if (status.st_nlink > 1) refuse(file, "it has a second name, as a hard link");
  return existing;
}

// Returns an empty `Fd` if `name` exists already. Errors name `file`, for which it is made.
Fd make_new(const fs::path& name, const fs::path& file) {
  const int fd = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) return {};
  if (fd < 0) fail_to_open(file, errno);
  return own(fd, "write a file");
}

// The descriptor that is open in this process under that name; nobody else can redirect it.
std::optional<int> open_stream(const fs::path& file) {
  if (file == "/dev/stdout") return STDOUT_FILENO;
  if (file == "/dev/stderr") return STDERR_FILENO;
  if (file.parent_path() != "/dev/fd" && file.parent_path() != "/proc/self/fd") return std::nullopt;
  const std::string digits = file.filename();
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

bool is_device_or_pipe(const fs::path& file) {
  struct stat status {};
  return ::lstat(file.c_str(), &status) == 0 && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode));
}

}  // namespace

Fd open_own_file(const fs::path& file) {
  // If another process creates or removes the file at the same moment, try again; but not forever.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (Fd existing = open_existing(file)) return existing;
    if (Fd made = make_new(file, file)) return made;
  }
  refuse(file, "it comes and goes");
}

Fd open_empty_file(const fs::path& file) {
  Fd fd = open_own_file(file);
  if (::ftruncate(fd.get(), 0) != 0) fail_to_write(file, errno);
  return fd;
}

OutFile::OutFile(fs::path file) : file_(std::move(file)) {
  if (const std::optional<int> stream = open_stream(file_)) {
    const int fd = ::fcntl(*stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd < 0) fail_to_open(file_, errno);
    fd_ = Fd(fd);
  } else if (is_device_or_pipe(file_)) {
    open_in_place();
  } else {
    open_beside();
  }
}

OutFile::~OutFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void OutFile::open_in_place() {
  const int fd = ::open(file_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) fail_to_open(file_, errno);
  fd_ = own(fd, "write a file");
  if (S_ISREG(status_of(fd_, file_).st_mode)) refuse(file_, "it comes and goes");
}

void OutFile::open_beside() {
  const Fd existing = open_existing(file_);
  constexpr int kMostAttempts = 100;  // a process that was killed leaves its file behind
  for (int attempt = 0; !fd_ && attempt < kMostAttempts; ++attempt) {
    fs::path beside = file_;
    beside += fmt::format(".{}-{}.part", ::getpid(), attempt);
    fd_ = make_new(beside, file_);
    if (fd_) beside_ = std::move(beside);
  }
  if (!fd_) fail_to_open(file_, EEXIST);
  if (!existing) return;
  // Keeps the old file's permissions, where the file system has permissions.
  [[maybe_unused]] const int unknown = ::fchmod(fd_.get(), status_of(existing, file_).st_mode & 0777);
}

void OutFile::write(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= kMostWaiting) flush();
}

void OutFile::flush() {
  const BlockedSignal limit(SIGXFSZ);  // so that `write` reports the file size limit as an error
  if (!write_all(fd_.get(), waiting_)) fail_to_write(file_, errno);
  waiting_.clear();
}

void OutFile::finish() {
  flush();
  if (beside_.empty()) return;
  // Some disks report that they are full only when the bytes are flushed.
  if (::fsync(fd_.get()) != 0) fail_to_write(file_, errno);
  if (::rename(beside_.c_str(), file_.c_str()) != 0) fail_to_write(file_, errno);
  beside_.clear();
}

void write_file(const fs::path& file, std::string_view text) {
  OutFile out(file);
  out.write(text);
  out.finish();
}

}  // namespace trireme
