// File descriptors with an owner. None that is made here survives an exec, and none takes the place of
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

/// Takes over what a system call returned. Throws `Error` with the reason of `errno` when that was a failure.
[[nodiscard]] Fd own(int fd, const char* what);

/// Can be read from, as `poll` sees it, when the process has ended.
[[nodiscard]] Fd watch_process(pid_t process);

struct Pipe {
  Fd read, write;
};

[[nodiscard]] Pipe make_pipe();

/// Reads from it return at once, with EAGAIN, when there is nothing.
void set_nonblocking(const Fd& fd);

/// As `read` and `write`, but not given up for a signal.
[[nodiscard]] ssize_t read_some(int fd, std::span<char> buffer);
bool write_all(int fd, std::span<const char> bytes);

/// For a program's `main`: where standard input, output or error is closed, something that can be neither
/// written nor read takes its number, so that no file that a library opens gets what is meant for it.
void occupy_standard_streams();

/// Lets this process have so many open files, as far as it may be. Throws `Error` (bad input) when that is
/// too few.
void allow_open_files(std::size_t count);

/// Closes all but these, which are in ascending order. Only makes system calls: for a process just forked.
void close_all_but(std::span<const int> keep);

/// "cannot WHAT: reason of `errno`" as an `Error` that ends with the hint.
[[noreturn]] void throw_errno(const std::string& what, const std::string& hint = {});

}  // namespace trireme
