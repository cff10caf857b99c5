// The Plan: the schedule of one exchange, as plain data. Made by one pure function per strategy; explained,
// counted, verified, simulated and run by functions of it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plan/op.h"
#include "plan/ring_order.h"

namespace trireme {

enum class Strategy : std::uint8_t {
  kAllToAll,
  kParameterServer,
  kRing,
  kDirect,
  kRecursiveDoubling,
  kHalvingDoubling,
  kTree,
  kHierarchical,
};

/// What is to be exchanged, among whom and how. Two equal specs give equal plans on every node.
struct PlanSpec {
  static constexpr std::int32_t kMaxNodes = 1'000'000;
  /// Of all messages together: so many of 8 bytes still fit in 63 bits.
  static constexpr std::int64_t kMaxElements = INT64_MAX / 8;

  Strategy strategy = Strategy::kRing;
  std::int32_t workers = 1;
  std::int64_t parameters = 0;  ///< elements of the exchanged buffer

  std::int32_t servers = 0;  ///< parameter-server: dedicated servers, ranks n … n+s−1
  std::int32_t shares_on_workers =
      0;                   ///< parameter-server without dedicated ones: how many workers hold a share
  std::int32_t hosts = 1;  ///< hierarchical: rank = host · (workers / hosts) + place on the host
  RingOrder order;         ///< all-to-all, parameter-server, ring and direct
  /// parameter-server: where variables begin, ascending. A share's border moves to one that is near (see
  /// `share`).
  std::vector<std::int64_t> variable_borders;

  [[nodiscard]] std::int32_t nodes() const { return workers + servers; }
  [[nodiscard]] bool is_server(Rank node) const { return node >= workers; }
  friend bool operator==(const PlanSpec&, const PlanSpec&) = default;
};

/// Throws `Error` with a sentence when the numbers do not fit together or totals would not fit in 63 bits.
void check(const PlanSpec& spec);

/// Some consecutive steps.
struct StepWindow {
  std::int32_t first = 0;
  std::int32_t end = std::numeric_limits<std::int32_t>::max();  ///< the first one after them

  [[nodiscard]] bool has(std::int32_t step) const { return step >= first && step < end; }
};

/// One node's program, in time and memory proportional to its own ops (and sources). The spec must pass
/// `check`. Of a window only its ops are there, with the room that they need by themselves; passes around a
/// circle before and after it take no time.
[[nodiscard]] Program make_program(const PlanSpec& spec, Rank node, const StepWindow& window = {});

/// The programs of all nodes.
struct Plan {
  PlanSpec spec;
  std::vector<Program> programs;  ///< by rank
};

/// Checks the spec and makes every node's program.
[[nodiscard]] Plan make_plan(const PlanSpec& spec);

/// The id of the message that `from` sends to `to` in `step`; with from == to that of a local op.
[[nodiscard]] inline OpId op_id(const PlanSpec& spec, std::int32_t step, Rank from, Rank to) {
  const OpId nodes = spec.nodes();
  return (static_cast<OpId>(step) * nodes + from) * nodes + to;
}

/// "ring", "parameter-server", …: the names used on the command line and in output.
[[nodiscard]] std::string_view name(Strategy strategy);
[[nodiscard]] std::optional<Strategy> find_strategy(std::string_view name);
/// As a person types it. Throws `Error` with the nearest known one.
[[nodiscard]] Strategy parse_strategy(std::string_view text);
[[nodiscard]] std::span<const Strategy> all_strategies();

/// Whether the order of addition of this strategy is the ring order; the others declare their own.
[[nodiscard]] bool follows_ring_order(Strategy strategy);

}  // namespace trireme
