// One node's side of the agreement that comes before each round of an exchange.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/types.h"
#include "rounds/drive_choice.h"
#include "rounds/round_note.h"
#include "wire/wire.h"

namespace trireme::rounds {

/// What a node says in every note, whatever the round is for.
struct Standing {
  std::uint8_t wishes = 0;
  /// As in `RoundNote`. Release and acquire: what was written is seen by whoever sees the number.
  std::atomic<std::int64_t> written{0};
};

class Agreement {
 public:
  /// `exchange` says which of several that a program has. Wire, choice and standing outlive it.
  Agreement(wire::Wire& wire, std::int64_t exchange, bool is_worker, const DriveChoice& drive,
            const Standing& standing, std::chrono::nanoseconds timeout)
      : wire_(wire),
        exchange_(exchange),
        is_worker_(is_worker),
        drive_(drive),
        standing_(standing),
        timeout_(timeout) {}

  /// *Together.* Tells all nodes this note and returns what all are about to do; see `agree_on_round`.
  [[nodiscard]] Round on(RoundNote note);

  /// The leader of the last round.
  [[nodiscard]] Rank last_leader() const { return last_leader_; }
  /// In some round so far, some workers had finished and others had not.
  [[nodiscard]] bool was_uneven() const { return was_uneven_; }

 private:
  wire::Wire& wire_;
  std::int64_t exchange_;
  bool is_worker_;
  const DriveChoice& drive_;
  const Standing& standing_;
  std::chrono::nanoseconds timeout_;
  Rank last_leader_ = 0;
  bool was_uneven_ = false;
};

}  // namespace trireme::rounds
