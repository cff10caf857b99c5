// Counts the messages and elements that a plan sends, in total and per node, and the steps on the longest
// path.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan {

struct NodeTally {
  std::int64_t sent_messages = 0;
  std::int64_t sent_elements = 0;
  std::int64_t received_messages = 0;
  std::int64_t received_elements = 0;
  std::int64_t min_message_elements = 0;  ///< of those sent; 0 when nothing is, like the largest
  std::int64_t max_message_elements = 0;

  friend bool operator==(const NodeTally&, const NodeTally&) = default;
};

struct Tally {
  std::int64_t messages = 0;
  std::int64_t elements = 0;
  std::int64_t min_message_elements = 0;  ///< 0 when nothing is sent, like the largest
  std::int64_t max_message_elements = 0;
  std::int64_t steps = 0;        ///< messages on the longest path, each step waiting for the one before
  std::vector<NodeTally> nodes;  ///< by rank
  Rank busiest = 0;  ///< the node with the most elements sent and received; the lowest rank if tied
};

[[nodiscard]] NodeTally count(const Program& program);
/// Needs memory proportional to the number of messages plus the highest step.
[[nodiscard]] Tally count(const Plan& plan);

}  // namespace trireme::plan
