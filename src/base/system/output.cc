#include "base/system/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/system/blocked_signal.h"
#include "base/system/fd.h"

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

// Returns an `errno` value, or 0.
int write_to(int fd, std::string_view text) {
  const auto alone = hold_output();
  const BlockedSignal pipe(SIGPIPE);  // with the signal blocked, `write` reports a closed pipe as an error
  if (kept() && !write_all(kept().get(), text)) stop_keeping(errno);
  return write_all(fd, text) ? 0 : errno;
}

}  // namespace

std::unique_lock<std::recursive_mutex> hold_output() {
  static std::recursive_mutex mutex;
  return std::unique_lock(mutex);
}

void keep_output(Fd log) {
  const auto alone = hold_output();
  kept() = std::move(log);
}

void write_output(std::string_view text) {
  const int reason = write_to(STDOUT_FILENO, text);
  if (reason == 0 || reason == EPIPE) return;
  throw std::runtime_error(fmt::format("cannot write the output: {}", std::strerror(reason)));
}

void write_error(std::string_view text) { write_to(STDERR_FILENO, text); }

}  // namespace trireme
