// One transfer that a node has posted, and the errors when it fails.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/deadline.h"
#include "base/error.h"
#include "base/types.h"
#include "wire/job_wire.h"
#include "wire/roster/roster.h"

namespace trireme::wire {

struct Transfer {
  Batch* batch = nullptr;
  Channel* channel = nullptr;
  Rank peer = 0;  ///< its rank in the job
  OpId id = 0;
  std::size_t bytes = 0;
  std::byte* into = nullptr;  ///< for a receive
  Combine combine = nullptr;  ///< for a receive; null: it is a send

  [[nodiscard]] bool is_send() const { return combine == nullptr; }
  /// Takes it out of its batch, and counts it.
  void complete() const;
};

/// How long a wait goes on after a failure elsewhere: everything that can still complete has completed by
/// then.
inline constexpr std::chrono::milliseconds kGrace{500};

/// The deadline has passed. Reports where the peer is, and for whom it waits in turn.
[[nodiscard]] Error late_peer(Rank rank, const Transfer& transfer, const Roster& roster,
                              const Deadline& deadline);

/// The peer has left or died, or is silent after another node has failed. Reports what failed first. The
/// deadline may be null.
[[nodiscard]] Error lost_peer(Rank rank, const Transfer& transfer, const Roster& roster,
                              const Deadline* deadline);

/// This node itself has left. Reports what failed first.
[[nodiscard]] Error gone(Rank rank, const Roster& roster);

/// The sender is executing another transfer than the expected one.
[[nodiscard]] Error other_op(Rank rank, const Transfer& receive);

/// The sender offers a number of bytes that differs from the size of the receive.
[[nodiscard]] Error wrong_length(Rank rank, const Transfer& receive, std::size_t offered);

}  // namespace trireme::wire
