// The place where the nodes of a job meet, and the secret by which they know each other.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/deadline.h"
#include "base/system/fd.h"
#include "wire/rendezvous/rendezvous.h"
#include "wire/rendezvous/secret.h"
#include "world/world.h"

namespace trireme::world {

/// A place, and the notice that goes when all have met.
struct MeetingPoint {
  wire::rendezvous::MeetingPlace place;
  wire::rendezvous::Secret secret;
  std::shared_ptr<void> notice{};  ///< of rank 0: takes the file away by which the others found it
};

/// Throws `Error` (bad input) where the world names no place to meet, or one that needs a secret and none.
void require_meeting_point(const FoundWorld& world);

/// Takes the place that the world names (an address, or a file in which rank 0 says its address); else, for
/// processes of one host that another launcher has started, a file named after their job. Rank 0 listens
/// there when this returns; the others wait until they know the address, and are told by `has_moved` when the
/// file names another one.
///
/// A secret comes from the environment or a file of mode 0600. Where nodes meet by a file that only their
/// user can read it may be missing: rank 0 makes one and puts it there.
[[nodiscard]] MeetingPoint find_meeting_point(const FoundWorld& world, const Deadline& deadline);

/// Has the nodes meet by TCP on loopback, with a new secret, for whoever starts all of them on this host. The
/// nodes inherit the socket that listens there.
[[nodiscard]] Fd meet_on_loopback(FoundWorld& world);

}  // namespace trireme::world
