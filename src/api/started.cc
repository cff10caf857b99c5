#include "api/started.h"

#include <algorithm>
#include <utility>

namespace trireme {
inline namespace TRIREME_ABI {

void StartedOperations::add(const void* line, std::shared_ptr<Started> started) {
  if (failure_) std::rethrow_exception(failure_);
  entries_.push_back({line, std::move(started)});
  wire_.set_meanwhile(this);
  guarded([this] { begin_next(); });
}

bool StartedOperations::poll(const Started& started) {
  if (!started.is_complete() && failure_) std::rethrow_exception(failure_);
  if (!started.is_complete()) advance();
  return started.is_complete();
}

void StartedOperations::wait(const Started& started, const Deadline& deadline) {
  while (!started.is_complete()) {
    if (failure_) std::rethrow_exception(failure_);
    const auto own =
        std::ranges::find(entries_, &started, [](const Entry& entry) { return entry.started.get(); });
    const Entry& next = own->line == nullptr ? *own : *first_in(own->line);
    wait_for(std::shared_ptr(next.started), deadline);
  }
}

void StartedOperations::finish(const void* line, const Deadline& deadline) {
  while (const Entry* next = first_in(line)) wait_for(std::shared_ptr(next->started), deadline);
}

// Its own wait moves it on, and all others.
void StartedOperations::wait_for(const std::shared_ptr<Started>& started, const Deadline& deadline) {
  guarded([&] {
    started->state_ = Started::State::kAwaited;
    started->wait(deadline);
    started->state_ = Started::State::kComplete;
    begin_next();
  });
}

// Called within waits, also by operations that it moves on itself.
void StartedOperations::advance() {
  if (std::exchange(advancing_, true)) return;
  guarded([this] {
    bool some_complete = false;
    for (const Entry& entry : entries_) {
      Started& started = *entry.started;
      if (started.state_ != Started::State::kRunning || !started.poll()) continue;
      started.state_ = Started::State::kComplete;
      some_complete = true;
    }
    if (some_complete) begin_next();
  });
  advancing_ = false;
}

// Those that are complete make way.
void StartedOperations::begin_next() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.started->is_complete(); });
  for (const Entry& entry : entries_) {
    Started& started = *entry.started;
    const bool has_turn = entry.line == nullptr || first_in(entry.line) == &entry;
    if (started.state_ != Started::State::kQueued || !has_turn) continue;
    started.state_ = Started::State::kRunning;
    started.begin();
  }
  if (entries_.empty()) wire_.set_meanwhile(nullptr);
}

template <typename Act>
void StartedOperations::guarded(Act act) {
  try {
    act();
  } catch (...) {
    fail(std::current_exception());
    throw;
  }
}

const StartedOperations::Entry* StartedOperations::first_in(const void* line) const {
  const auto first = std::ranges::find(entries_, line, &Entry::line);
  return first == entries_.end() ? nullptr : &*first;
}

void StartedOperations::fail(std::exception_ptr reason) noexcept {
  if (!failure_) failure_ = std::move(reason);
  advancing_ = false;
  entries_.clear();
  wire_.set_meanwhile(nullptr);
}

}  // namespace TRIREME_ABI
}  // namespace trireme
