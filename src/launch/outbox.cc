#include "launch/outbox.h"

#include <unistd.h>

#include <cerrno>

#include "base/types.h"

namespace trireme::launch {

Outbox::Outbox(Fd pipe) : pipe_(std::move(pipe)) { set_nonblocking(pipe_); }

void Outbox::write_some() {
  while (!waiting_.empty()) {
    const ssize_t count = write(pipe_.get(), waiting_.data(), waiting_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) return waiting_.clear();
    waiting_.erase(0, idx(count));
  }
}

}  // namespace trireme::launch
