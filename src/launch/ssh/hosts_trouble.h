// Troubles of a job on several hosts, in the order in which the launcher hears of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "launch/job.h"
#include "launch/ssh/agent_word.h"

namespace trireme::launch::ssh {

/// The ssh of a host ended, and no word of its agent says why.
struct SshEnded {
  RankEnd end;
  bool before_start = true;  ///< when not all agents had answered
};
/// The agent did not answer in time.
struct NoAnswer {};

struct Trouble {
  std::size_t host = 0;
  std::variant<NodeEnded, AgentRefuses, SshEnded, NoAnswer> what;
};

/// The one from which all others follow, as far as can be told. Nodes that lose a peer exit or abort, and
/// word of that may overtake word of a node that was killed.
[[nodiscard]] const Trouble* first_of(const std::vector<Trouble>& troubles);

}  // namespace trireme::launch::ssh
