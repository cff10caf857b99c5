#include "rounds/exchange_queue.h"

#include <algorithm>

namespace trireme::rounds {

// What goes wrong ends all exchanges: none of them is taken for complete afterwards.
template <typename Act>
void ExchangeQueue::guarded(Act act) {
  try {
    act();
  } catch (...) {
    waiting_.clear();
    throw;
  }
}

void ExchangeQueue::start(exec::Runner& runner, std::span<std::byte> buffer, const Deadline& deadline) {
  waiting_.push_back({&runner, buffer, deadline});
  if (waiting_.size() == 1) guarded([&] { begin_first(); });
}

bool ExchangeQueue::poll() {
  guarded([&] {
    while (!waiting_.empty() && waiting_.front().runner->poll()) next();
  });
  return waiting_.empty();
}

void ExchangeQueue::wait(exec::Runner& runner) {
  const auto is_waiting = [&] {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const Entry& e) { return e.runner == &runner; });
  };
  guarded([&] {
    while (is_waiting()) {
      waiting_.front().runner->wait();
      next();
    }
  });
}

void ExchangeQueue::wait_for_all() {
  if (!waiting_.empty()) wait(*waiting_.back().runner);
}

void ExchangeQueue::begin_first() {
  const Entry& first = waiting_.front();
  first.runner->start(first.buffer, first.deadline);
}

void ExchangeQueue::next() {
  waiting_.pop_front();
  if (!waiting_.empty()) begin_first();
}

}  // namespace trireme::rounds
