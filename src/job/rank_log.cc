#include "job/rank_log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/fd.h"
#include "launch/logs.h"

namespace trireme {
namespace {

// In a forked process, which may hold anything: system calls alone. Ends when the other has closed both.
[[noreturn]] void pass_on(const Pipe& out, const Pipe& err, int log) {
  // Whoever ends the node ends it first; what it says then is passed on.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(number, SIG_IGN);
  std::array<int, 6> kept = {0, 1, 2, out.read.get(), err.read.get(), log};
  std::sort(kept.begin(), kept.end());
  close_all_but(kept);
  std::array<pollfd, 2> ends = {pollfd{out.read.get(), POLLIN, 0}, pollfd{err.read.get(), POLLIN, 0}};
  const std::array<int, 2> towards = {STDOUT_FILENO, STDERR_FILENO};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    ::poll(ends.data(), ends.size(), -1);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      std::array<char, 4096> bytes{};
      const ssize_t count = read_some(ends[i].fd, bytes);
      if (count <= 0) {
        ends[i].fd = -1;
        continue;
      }
      const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
      static_cast<void>(write_all(log, text));
      static_cast<void>(write_all(towards[i], text));
    }
  }
  ::_exit(0);
}

}  // namespace

void keep_log(const std::filesystem::path& folder, Rank rank) {
  const Fd log = open_log(folder, rank);
  const Pipe out = make_pipe();
  const Pipe err = make_pipe();
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw_errno("start a process for a log");
  if (process == 0) pass_on(out, err, log.get());
  ::dup2(out.write.get(), STDOUT_FILENO);
  ::dup2(err.write.get(), STDERR_FILENO);
}

}  // namespace trireme
