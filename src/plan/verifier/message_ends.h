// Matches the two ends of every message.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "plan/verifier/problem.h"

namespace trireme::plan::verifier {

/// Numbers the ops of all programs, node after node, and has for each message op the number of its other end.
struct MessageEnds {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::vector<std::uint32_t> first_op;  ///< by node, and one more entry for the end
  std::vector<std::uint32_t> other_end;

  [[nodiscard]] std::uint32_t number(Rank node, std::size_t op) const {
    return first_op[idx(node)] + static_cast<std::uint32_t>(op);
  }
};

/// Reports ends without a counterpart, ids that are used twice, and ends that disagree. The programs must be
/// well formed.
[[nodiscard]] MessageEnds match_ends(const Plan& plan, Problems& problems);

}  // namespace trireme::plan::verifier
