// How nodes that know only one address find each other, prove that they belong together, and connect, each
// with each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/deadline.h"
#include "base/system/fd.h"
#include "base/types.h"
#include "wire/rendezvous/address.h"
#include "wire/rendezvous/handshake.h"
#include "wire/rendezvous/secret.h"

namespace trireme::wire::rendezvous {

/// The two connections between a node and one of its peers. Both are connected TCP sockets, nonblocking, with
/// TCP_NODELAY, and the other end has proved that it belongs to the job.
struct Link {
  Fd data;     ///< messages, in the order in which both ends post them
  Fd control;  ///< who leaves, and why: read at all times, so it never waits behind a message
};

struct MeetingPlace {
  Rank rank = 0;
  Rank size = 1;
  Address address{};  ///< where rank 0 listens; not needed by rank 0 itself
  Fd listener{};      ///< of rank 0: bound and listening
  /// Whether the process of a node is known to have ended, for example by the launcher; called about ten
  /// times a second. Empty: nothing is known.
  std::function<bool(Rank)> has_ended{};
  /// Whether rank 0 is known to listen elsewhere; called as often, until rank 0 has let this node in. `meet`
  /// throws then. Empty: it stays where it is.
  std::function<bool()> has_moved{};
};

/// The result of a meeting for one node.
struct Met {
  std::vector<std::vector<std::byte>> cards;  ///< by rank: the card that each gave to `meet`
  std::vector<Link> links;                    ///< by rank; this node's own is empty
};

/// All nodes of the job call it together; it returns when all are connected with all. `card` is what this
/// node tells all others, at most 1,024 bytes. Throws `Error`: which nodes have not come by the deadline and
/// which have, or which ended before they came; a peer of another version, or of a job of another size; a
/// rank that appears twice; an address at which nobody answers, with the time waited. The failure of one node
/// is told to all that have come, and all name the same culprit. A node that no longer hears from rank 0
/// names rank 0, a second after the deadline. Strangers have no effect: one that cannot prove the secret is
/// dropped and logged, once per address, on stderr.
///
/// Only tests change `version`.
[[nodiscard]] Met meet(MeetingPlace place, const Secret& secret, const std::vector<std::byte>& card,
                       const Deadline& deadline, std::uint32_t version = kProtocolVersion);

}  // namespace trireme::wire::rendezvous
