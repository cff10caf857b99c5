// File descriptors with an owner. No descriptor made here survives an exec, and none takes the number of
// standard input, output or error, even where those are closed.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace trireme {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

/// Takes ownership of what a system call returned. Throws `Error` with the reason in `errno` if the call
/// failed.
[[nodiscard]] Fd own(int fd, const char* what);

/// A descriptor that becomes readable, as `poll` sees it, when the process has ended.
[[nodiscard]] Fd watch_process(pid_t process);

struct Pipe {
  Fd read, write;
};

[[nodiscard]] Pipe make_pipe();

/// Reads return at once, with EAGAIN, when there is nothing to read.
void set_nonblocking(const Fd& fd);

/// Like `read` and `write`, but retried after a signal.
[[nodiscard]] ssize_t read_some(int fd, std::span<char> buffer);
bool write_all(int fd, std::span<const char> bytes);

/// For a program's `main`: opens a placeholder that can be neither written nor read for each of standard
/// input, output and error that is closed, so that no file opened by a library gets output meant for them.
void occupy_standard_streams();

/// Raises this process's limit of open files to `count`, as far as the system allows. Throws `Error` (bad
/// input) when that is too few.
void allow_open_files(std::size_t count);

/// Closes all descriptors but these, which are in ascending order. Only makes system calls, so a process that
/// was just forked may call it.
void close_all_but(std::span<const int> keep);

/// Throws "cannot WHAT: reason of `errno`" as an `Error` that ends with the hint.
[[noreturn]] void throw_errno(const std::string& what, const std::string& hint = {});

}  // namespace trireme
