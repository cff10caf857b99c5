// The names of nodes in output: A … Z, AA … for workers unless a file names them; S1, S2, … for dedicated
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
  /// The default names, which take no memory.
  NodeNames(std::int32_t workers, std::int32_t servers) : workers_(workers), servers_(servers) {}

  /// Workers with given names. Throws `Error` if a name is empty, appears twice or is a server's name.
  NodeNames(std::vector<std::string> workers, std::int32_t servers);

  [[nodiscard]] std::string of(Rank node) const;
  [[nodiscard]] std::optional<Rank> find(std::string_view name) const;

 private:
  std::int32_t workers_;
  std::int32_t servers_;
  std::vector<std::string> given_;
  std::unordered_map<std::string, Rank> ranks_;  // of the given names
};

/// Reads "A,B,D,C" as a ring order. Throws `Error` that begins with `flag` and names the worker that is
/// missing, repeated or unknown.
[[nodiscard]] RingOrder parse_order(std::string_view text, std::string_view flag, std::int32_t workers,
                                    const NodeNames& names);

}  // namespace trireme::plan
