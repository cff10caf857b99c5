// How nodes that know only one address find each other, prove that they belong together, and get connected,
// each with each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/fd.h"
#include "base/types.h"
#include "wire/address.h"
#include "wire/link.h"
#include "wire/secret.h"

namespace trireme {

struct MeetingPlace {
  Rank rank = 0;
  Rank size = 1;
  Address address{};  ///< where rank 0 listens; of rank 0 itself not needed
  Fd listener{};      ///< of rank 0: bound and listening
};

/// What a node has when all have met.
struct Met {
  std::vector<std::vector<std::byte>> cards;  ///< by rank: what each gave to `meet`
  std::vector<Link> links;                    ///< by rank; this node's own is empty
};

/// All nodes of the job call it together. `card`: what this node tells all others, at most 1,024 bytes, of
/// the same length on all. Throws `Error`: who has not come by the deadline and who has; a peer of another
/// version; an address that nobody answers at, with the time that was waited. Strangers change nothing: one
/// that cannot prove the secret is dropped and logged, once per address, on stderr.
[[nodiscard]] Met meet(MeetingPlace place, const Secret& secret, const std::vector<std::byte>& card,
                       const Deadline& deadline);

}  // namespace trireme
