// One transfer that a node has posted, and what the node says when it goes wrong.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/deadline.h"
#include "base/error.h"
#include "base/types.h"
#include "wire/roster.h"
#include "wire/wire.h"

namespace trireme::wire {

struct Transfer {
  Batch* batch = nullptr;
  Rank peer = 0;
  OpId id = 0;
  std::size_t bytes = 0;
  std::byte* into = nullptr;  ///< of a receive
  Combine combine = nullptr;  ///< of a receive; null: it is a send
};

/// How long a wait goes on after a failure elsewhere: what can still be completed is complete by then.
inline constexpr std::chrono::milliseconds kGrace{500};

/// The deadline has passed. Says where the peer is, and for whom it waits in turn.
[[nodiscard]] Error late_peer(Rank rank, const Transfer& transfer, const Roster& roster,
                              const Deadline& deadline);

/// The peer has left or died, or is silent after another node has failed. Says what failed first. The
/// deadline may be null.
[[nodiscard]] Error lost_peer(Rank rank, const Transfer& transfer, const Roster& roster,
                              const Deadline* deadline);

/// This node itself has left. Says what failed first.
[[nodiscard]] Error gone(Rank rank, const Roster& roster);

/// The sender is at another transfer than the one that is expected.
[[nodiscard]] Error other_op(Rank rank, const Transfer& receive);

/// The sender offers another number of bytes than the receive has room for.
[[nodiscard]] Error wrong_length(Rank rank, const Transfer& receive, std::size_t offered);

}  // namespace trireme::wire
