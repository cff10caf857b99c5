// What people call the nodes: A … Z, AA … for workers unless a file names them; S1, S2, … for dedicated
// servers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/plan.h"

namespace trireme::plan {

class NodeNames {
 public:
  /// The default names; they take no memory.
  NodeNames(std::int32_t workers, std::int32_t servers) : workers_(workers), servers_(servers) {}

  /// Workers named one by one. Throws `Error` when a name is empty, appears twice or is a server's.
  NodeNames(std::vector<std::string> workers, std::int32_t servers);

  [[nodiscard]] std::string of(Rank node) const;
  [[nodiscard]] std::optional<Rank> find(std::string_view name) const;

 private:
  std::int32_t workers_;
  std::int32_t servers_;
  std::vector<std::string> given_;
  std::unordered_map<std::string, Rank> ranks_;  // of the given names
};

/// "A,B,D,C" as a ring order. Throws `Error` that begins with `flag` and names the worker that is missing,
/// there twice or unknown.
[[nodiscard]] RingOrder parse_order(std::string_view text, std::string_view flag, std::int32_t workers,
                                    const NodeNames& names);

}  // namespace trireme::plan
