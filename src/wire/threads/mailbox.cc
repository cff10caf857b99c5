#include "wire/threads/mailbox.h"

#include <algorithm>
#include <cassert>

namespace trireme::wire::threads {

void Mailbox::reserve(std::size_t messages) {
  const std::lock_guard lock(mutex_);
  posted_.reserve(messages);
  receipts_.reserve(messages);
}

void Mailbox::deliver(const PostedMessage& message) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(message);
  ring_locked();
}

void Mailbox::acknowledge(const Receipt& receipt) {
  const std::lock_guard lock(mutex_);
  receipts_.push_back(receipt);
  ring_locked();
}

void Mailbox::ring() {
  const std::lock_guard lock(mutex_);
  ring_locked();
}

bool Mailbox::withdraw(Rank from, ChannelId channel, OpId id) {
  const std::lock_guard lock(mutex_);
  const auto message = std::find_if(posted_.begin(), posted_.end(), [&](const PostedMessage& posted) {
    return posted.from == from && posted.channel == channel && posted.id == id;
  });
  if (message == posted_.end()) return false;
  posted_.erase(message);
  return true;
}

void Mailbox::collect(std::vector<Receipt>& empty) {
  assert(empty.empty());
  const std::lock_guard lock(mutex_);
  std::swap(receipts_, empty);
}

bool Mailbox::sleep_until(std::uint64_t seen, Clock::time_point time) {
  std::unique_lock lock(mutex_);
  asleep_ = true;
  const bool woken =
      rung_.wait_until(lock, time, [&] { return bell_.load(std::memory_order_relaxed) != seen; });
  asleep_ = false;
  return woken;
}

void Mailbox::ring_locked() {
  bell_.fetch_add(1, std::memory_order_release);
  if (asleep_) rung_.notify_one();
}

}  // namespace trireme::wire::threads
