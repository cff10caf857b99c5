#include "base/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/blocked_signal.h"
#include "base/fd.h"

namespace trireme {
namespace {

Fd& kept() {
  static Fd log;
  return log;
}

void stop_keeping(int reason) {
  kept().reset();
  write_all(STDERR_FILENO,
            fmt::format("trireme: cannot write the log: {}; going on without it: make room there\n",
                        std::strerror(reason)));
}

// Returns the reason in terms of `errno`, or 0.
int write_to(int fd, std::string_view text) {
  const BlockedSignal pipe(SIGPIPE);  // a closed pipe is an error of `write` here
  if (kept() && !write_all(kept().get(), text)) stop_keeping(errno);
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
