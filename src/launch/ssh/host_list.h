// The hosts of a job, and which ranks live where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace trireme::launch::ssh {

struct HostPart {
  std::string name;  ///< as ssh takes it: "b", "user@10.0.0.7", "::1"
  Rank first = 0;    ///< its first rank
  Rank nodes = 1;

  [[nodiscard]] bool has(Rank rank) const { return rank >= first && rank < first + nodes; }
};

/// "a:4,b:4,[::1]:2,c": ranks are given out in this order, and a host without a number has one. Throws
/// `Error` (bad input) that names `what` ("--hosts") and the entry that is wrong.
[[nodiscard]] std::vector<HostPart> parse_hosts(std::string_view text, std::string_view what);

/// How many nodes they have in all.
[[nodiscard]] Rank nodes_of(const std::vector<HostPart>& hosts);

/// The name without the user before it.
[[nodiscard]] std::string without_user(const std::string& name);

}  // namespace trireme::launch::ssh
