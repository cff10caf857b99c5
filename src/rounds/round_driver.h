// The exchanges of one round, one per bucket, while something else is computed. All nodes exchange the
// buckets in the same order: each begins when it and all before it are complete on this node.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "exec/runner.h"

namespace trireme::rounds {

/// Decides who keeps the exchanges going until `finish`.
enum class Drive {
  kAfter,   ///< nobody: `open` is not called, and `finish` does all of it
  kHooks,   ///< whoever calls `open`
  kThread,  ///< a thread of its own
};

/// "after", "hooks", "thread".
[[nodiscard]] std::string_view name(Drive drive);

/// Nobody else uses the wire between `begin` and `finish`. If an exchange fails, on whichever thread, `open`
/// or `finish` throws, and the round is over. The Runners have been prepared.
class RoundDriver {
 public:
  struct Item {
    exec::Runner* runner = nullptr;
    std::span<std::byte> buffer{};
  };

  virtual ~RoundDriver() = default;

  /// Begins a round with these items, which outlive it.
  virtual void begin(std::span<const Item> items) = 0;
  /// The buffers of the first `count` items are complete, and nobody touches them until the round is
  /// finished.
  virtual void open(std::size_t count) = 0;
  /// The buffers of all items are complete. Returns when they have been exchanged.
  virtual void finish() = 0;
  /// Gives the round up: afterwards nothing of it uses the wire any more. There is no other round.
  virtual void stop() noexcept {}
};

/// `timeout` is that of each exchange.
[[nodiscard]] std::unique_ptr<RoundDriver> make_round_driver(Drive drive, std::chrono::nanoseconds timeout);

}  // namespace trireme::rounds
