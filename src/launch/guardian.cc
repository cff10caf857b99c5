#include "launch/guardian.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>

namespace trireme {
namespace {

struct Message {
  std::int32_t rank;   // kAllDone: the job has ended well
  std::int32_t group;  // 0: none any more
};

constexpr std::int32_t kAllDone = -1;

// In the guardian only system calls are made: the launcher may have had threads when it forked.
class Watch {
 public:
  Watch(int pipe, int launcher) : fds_{pollfd{pipe, POLLIN, 0}, pollfd{launcher, POLLIN, 0}} {}

  void run() {
    // The end of the launcher comes by its own descriptor too: a forked process that was stopped at once may
    // still hold the pipe open.
    bool goes_on = true;
    while (goes_on) {
      poll(fds_.data(), fds_.size(), -1);  // ends when the launcher does
      const bool launcher_ended = fds_[1].revents != 0;
      goes_on = read_all() && !launcher_ended;
    }
    for (const pid_t group : groups_) {
      if (group > 1) kill(-group, SIGKILL);  // −1 would be everybody
    }
  }

 private:
  // Whether there may be more.
  bool read_all() {
    while (true) {
      pollfd now{fds_[0].fd, POLLIN, 0};
      if (poll(&now, 1, 0) <= 0) return true;
      Message message{};
      if (read(now.fd, &message, sizeof message) != sizeof message) return false;
      if (message.rank == kAllDone) return false;
      groups_[idx(message.rank)] = message.group;
    }
  }

  std::array<pollfd, 2> fds_;
  std::array<pid_t, Guardian::kMaxGroups> groups_{};
};

[[noreturn]] void guard(int pipe, int launcher) {
  setsid();
  prctl(PR_SET_NAME, "trireme-guard");
  if (chdir("/") != 0) _exit(1);
  std::array<int, 2> keep{std::min(pipe, launcher), std::max(pipe, launcher)};
  close_all_but(keep);
  Watch(pipe, launcher).run();
  _exit(0);
}

}  // namespace

Guardian::Guardian() {
  Pipe pipe = make_pipe();
  const Fd launcher = watch_process(getpid());
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  process_ = fork();
  if (process_ == 0) guard(pipe.read.get(), launcher.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process_ < 0) throw_errno("start a process", "there may be too many: see ulimit -u");
  pipe_ = std::move(pipe.write);
}

Guardian::~Guardian() {
  watch(kAllDone, 0);
  // It ends by itself at once; a guardian that somebody has stopped is helped along.
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) return;
    poll(nullptr, 0, 1);
  }
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Guardian::watch(Rank rank, pid_t group) {
  const Message message{rank, group};
  // When the guardian itself was killed the job goes on without one.
  write_all(pipe_.get(), {reinterpret_cast<const char*>(&message), sizeof message});
}

}  // namespace trireme
