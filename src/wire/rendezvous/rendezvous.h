// How nodes that know only one address find each other, prove that they belong together, and get connected,
// each with each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/deadline.h"
#include "base/fd.h"
#include "base/types.h"
#include "wire/rendezvous/address.h"
#include "wire/rendezvous/handshake.h"
#include "wire/rendezvous/link.h"
#include "wire/rendezvous/secret.h"

namespace trireme::wire::rendezvous {

struct MeetingPlace {
  Rank rank = 0;
  Rank size = 1;
  Address address{};  ///< where rank 0 listens; of rank 0 itself not needed
  Fd listener{};      ///< of rank 0: bound and listening
  /// Whether the process of a node is known to have ended, as a launcher knows it; asked about ten times a
  /// second. Empty: nothing is known.
  std::function<bool(Rank)> has_ended{};
};

/// What a node has when all have met.
struct Met {
  std::vector<std::vector<std::byte>> cards;  ///< by rank: what each gave to `meet`
  std::vector<Link> links;                    ///< by rank; this node's own is empty
};

/// All nodes of the job call it together; it returns when all are connected with all. `card`: what this node
/// tells all others, at most 1,024 bytes. Throws `Error`: who has not come by the deadline and who has, or
/// has ended before it came; a peer of another version, or of a job of another size; a rank that is there
/// twice; an address that nobody answers at, with the time that was waited. What makes one node fail is told
/// to all who have come, and all name the same culprit. Who hears nothing of rank 0 any more names rank 0, a
/// second after the deadline. Strangers change nothing: one that cannot prove the secret is dropped and
/// logged, once per address, on stderr.
///
/// `version` is another one only in tests.
[[nodiscard]] Met meet(MeetingPlace place, const Secret& secret, const std::vector<std::byte>& card,
                       const Deadline& deadline, std::uint32_t version = kProtocolVersion);

}  // namespace trireme::wire::rendezvous
