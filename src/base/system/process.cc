#include "base/system/process.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace trireme {
namespace {

int open_watch(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); }

}  // namespace

ProcessState state_of(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) {  // also if no descriptor is left, which does not mean that the process is gone
    return errno == ENOENT || errno == ESRCH ? ProcessState::kGone : ProcessState::kAlive;
  }
  char text[512] = {};
  const std::size_t length = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  text[length] = '\0';
  const char* name_end = std::strrchr(text, ')');  // a program's name may contain any character
  if (name_end == nullptr || name_end[1] == '\0') return ProcessState::kGone;
  switch (name_end[2]) {
    case 'Z':
    case 'X':
      return ProcessState::kGone;
    case 'T':
    case 't':
      return ProcessState::kStopped;
    default:
      return ProcessState::kAlive;
  }
}

ProcessWatch::ProcessWatch(pid_t process) : process_(process), fd_(open_watch(process)) {}

ProcessWatch::~ProcessWatch() {
  if (fd_ >= 0) ::close(fd_);
}

ProcessWatch::ProcessWatch(ProcessWatch&& other) noexcept
    : process_(other.process_), fd_(std::exchange(other.fd_, -1)) {}

ProcessWatch& ProcessWatch::operator=(ProcessWatch&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(fd_, other.fd_);
  return *this;
}

bool ProcessWatch::ended() const {
  if (fd_ < 0) return state_of(process_) == ProcessState::kGone;
  pollfd watched{.fd = fd_, .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, 0) == 1 && (watched.revents & POLLIN) != 0;
}

}  // namespace trireme
