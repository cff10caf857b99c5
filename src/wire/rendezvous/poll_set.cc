#include "wire/rendezvous/poll_set.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/types.h"

namespace trireme::wire::rendezvous {
namespace {

using Clock = Deadline::Clock;

timespec left_until(Clock::time_point time) {
  using namespace std::chrono;
  constexpr nanoseconds kLongest = hours(1);  // so that the kernel's clock does not overflow
  const auto now = Clock::now();
  const nanoseconds left = time <= now ? nanoseconds(0) : std::min<nanoseconds>(time - now, kLongest);
  return {.tv_sec = left / 1s, .tv_nsec = (left % 1s).count()};
}

}  // namespace

void PollSet::clear() {
  fds_.clear();
  ready_.clear();
  wake_ = Clock::time_point::max();
}

void PollSet::wake_at(Clock::time_point time) { wake_ = std::min(wake_, time); }

void PollSet::wait(const Deadline& deadline) {
  const timespec left = left_until(std::min(wake_, deadline.end()));
  if (::ppoll(fds_.data(), fds_.size(), &left, nullptr) <= 0) return;
  for (const pollfd& one : fds_) {
    if (one.revents == 0) continue;
    if (idx(one.fd) >= ready_.size()) ready_.resize(idx(one.fd) + 1);
    ready_[idx(one.fd)] = true;
  }
}

bool PollSet::is_ready(int fd) const { return fd >= 0 && idx(fd) < ready_.size() && ready_[idx(fd)]; }

}  // namespace trireme::wire::rendezvous
