#include "base/output.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "base/fd.h"

namespace trireme {
namespace {

// A closed pipe is an error of `write` here, and no signal; other threads and what is exec'd see no
// difference.
class PipeSignalBlocked {
 public:
  PipeSignalBlocked() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalBlocked() {
    // What has come meanwhile would end the process after all.
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalBlocked(const PipeSignalBlocked&) = delete;
  PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

Fd& kept() {
  static Fd log;
  return log;
}

// Returns the reason in terms of `errno`, or 0.
int write_to(int fd, std::string_view text) {
  const PipeSignalBlocked blocked;
  if (kept()) write_all(kept().get(), text);
  return write_all(fd, text) ? 0 : errno;
}

}  // namespace

void keep_output(Fd log) { kept() = std::move(log); }

void write_output(std::string_view text) {
  const int reason = write_to(STDOUT_FILENO, text);
  if (reason == 0 || reason == EPIPE) return;
  throw std::runtime_error(fmt::format("cannot write the output: {}", std::strerror(reason)));
}

void write_error(std::string_view text) { write_to(STDERR_FILENO, text); }

}  // namespace trireme
