// The words of a host's agent to its launcher: lines of its standard output that no node can print, since
// those of nodes begin with their rank.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "launch/job.h"

namespace trireme::launch::ssh {

/// All is ready for the nodes to start.
struct AgentReady {
  std::string address;  ///< of rank 0's host: where it listens
};
/// A node has ended.
struct NodeEnded {
  Rank rank = 0;
  RankEnd end;
  /// The first failure that the nodes of this host have told by then, in one line, and whom they blame.
  std::string why{};
  std::optional<Rank> culprit{};
};
/// No node can be started; nothing runs there.
struct AgentRefuses {
  std::string what, hint;
};
using AgentWord = std::variant<AgentReady, NodeEnded, AgentRefuses>;

/// One line, with its end.
[[nodiscard]] std::string encode(const AgentWord& word);

/// Nothing if the line, without its end, is not an agent's word.
[[nodiscard]] std::optional<AgentWord> decode_agent_word(std::string_view line);

/// A line of a node, as its agent passes it on.
struct NodeLine {
  Rank rank = 0;
  std::string_view text;
};
/// Reads "[ 3] text" of a job with so many nodes.
[[nodiscard]] std::optional<NodeLine> decode_node_line(std::string_view line, Rank job_size);

}  // namespace trireme::launch::ssh
