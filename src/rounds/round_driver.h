// The exchanges of one round, one per bucket, while something else is computed: each may begin when its
// bucket is ready, and always in the same order.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "exec/runner.h"

namespace trireme::rounds {

/// Who keeps the exchanges going until `finish`.
enum class Drive {
  kAfter,   ///< nobody: `finish` does all of it
  kHooks,   ///< whoever calls `ready`
  kThread,  ///< a thread of its own
};

/// "after", "hooks", "thread".
[[nodiscard]] std::string_view name(Drive drive);

/// Between `begin` and `finish` nobody else uses the wire. What goes wrong is thrown by `ready` or `finish`,
/// and ends the round; on whichever thread it happened. The Runners have been prepared.
class RoundDriver {
 public:
  struct Item {
    exec::Runner* runner = nullptr;
    std::span<std::byte> buffer{};
  };

  virtual ~RoundDriver() = default;

  /// A new round. `first` is called once before the first exchange begins, by `ready` or `finish`.
  /// The items outlive the round.
  virtual void begin(std::span<const Item> items, std::function<void()> first) = 0;
  /// The buffer of item i is complete, and nobody touches it until the round is finished.
  virtual void ready(std::size_t i) = 0;
  /// Everything is ready. Returns when all exchanges are complete.
  virtual void finish() = 0;
  /// Gives the round up: afterwards nothing of it uses the wire any more. There is no other round.
  virtual void stop() noexcept {}
};

/// `timeout` is that of each exchange.
[[nodiscard]] std::unique_ptr<RoundDriver> make_round_driver(Drive drive, std::chrono::nanoseconds timeout);

}  // namespace trireme::rounds
