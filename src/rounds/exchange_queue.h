// Several exchanges under way on one wire, in one fixed order: each begins when the one before is complete.
#pragma once

#include <cstddef>
#include <deque>
#include <span>

#include "base/deadline.h"
#include "exec/runner.h"

namespace trireme::rounds {

/// Not thread-safe: it belongs to one node. All nodes start the same exchanges in the same order; when each
/// polls or waits is its own affair. What it throws ends all of them.
class ExchangeQueue {
 public:
  /// Lines the exchange up and returns at once, if the Runner has been prepared. Runner and buffer stay until
  /// it is complete; one Runner has one exchange in the queue at a time.
  void start(exec::Runner& runner, std::span<std::byte> buffer, const Deadline& deadline);
  /// Goes on without waiting. True when all are complete.
  bool poll();
  /// Returns when this Runner's exchange is complete, and with it all that were started before.
  void wait(exec::Runner& runner);
  void wait_for_all();

  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct Entry {
    exec::Runner* runner;
    std::span<std::byte> buffer;
    Deadline deadline;
  };

  template <typename Act>
  void guarded(Act act);
  void begin_first();
  void next();

  std::deque<Entry> waiting_;  // the first one has begun
};

}  // namespace trireme::rounds
