#include "base/system/fd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace trireme {
namespace {

// A hint against the reason in `errno`.
std::string remedy() { return errno == EMFILE || errno == ENFILE ? "raise the limit: see ulimit -n" : ""; }

constexpr unsigned kNoLast = ~0U;

// The same file under a number above those of the standard streams.
Fd lifted(Fd fd) {
  if (fd.get() > STDERR_FILENO) return fd;
  const int above = fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (above < 0) throw_errno("open one more file", remedy());
  return Fd(above);
}

void close_from_to(unsigned first, unsigned last) {
  if (first > last || close_range(first, last, 0) == 0) return;
  // Kernels before 5.9: close one by one, up to the highest number that can be open.
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const auto end = static_cast<unsigned>(std::min<rlim_t>(limit.rlim_cur, 1U << 16));
  for (unsigned fd = first; fd <= last && fd < end; ++fd) close(static_cast<int>(fd));
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void throw_errno(const std::string& what, const std::string& hint) {
  throw bad_input(fmt::format("cannot {}: {}", what, std::strerror(errno)), hint);
}

Fd own(int fd, const char* what) {
  if (fd < 0) throw_errno(what, remedy());
  return lifted(Fd(fd));
}

Fd watch_process(pid_t process) {
  // Uses the system call directly: in glibc 2.36 the header <sys/pidfd.h> does not compile as C++.
  const long fd = syscall(SYS_pidfd_open, process, 0);
  return own(static_cast<int>(fd), "watch a process");
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("make a pipe", remedy());
  Pipe pipe{Fd(ends[0]), Fd(ends[1])};
  return {lifted(std::move(pipe.read)), lifted(std::move(pipe.write))};
}

void set_nonblocking(const Fd& fd) { fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

ssize_t read_some(int fd, std::span<char> buffer) {
  ssize_t count = 0;
  do {
    count = read(fd, buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  return count;
}

bool write_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // This number is the lowest free one, so `open` returns it.
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_PATH);
  }
}

void allow_open_files(std::size_t count) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  if (limit.rlim_max < count) {
    throw bad_input(fmt::format("{} open files are needed, and {} are allowed", count, limit.rlim_max),
                    "raise the limit: see ulimit -n");
  }
  limit.rlim_cur = count;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void close_all_but(std::span<const int> keep) {
  unsigned first = 0;
  for (const int fd : keep) {
    const auto kept = static_cast<unsigned>(fd);
    if (kept > first) close_from_to(first, kept - 1);
    first = std::max(first, kept + 1);
  }
  close_from_to(first, kNoLast);
}

}  // namespace trireme
