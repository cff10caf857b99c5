// The Plan: the schedule of one exchange, as plain data. One pure function per strategy makes it (see
// plan/strategies); other functions explain, count, verify, simulate and run it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/op.h"
#include "plan/ring_order.h"

namespace trireme::plan {

/// What the nodes do together. Chunk k of the buffer belongs to worker k; `holdings` says what each worker
/// holds before and afterwards.
enum class Operation : std::uint8_t {
  kSum,            ///< everybody's contributions are added up, and everybody gets the sum
  kBroadcast,      ///< the root's buffer goes to everybody
  kGather,         ///< everybody's chunk goes to the root
  kAllGather,      ///< everybody's chunk goes to everybody
  kScatter,        ///< the root's chunk k goes to worker k
  kReduceScatter,  ///< everybody's contributions are added up, and worker k gets chunk k of the sum
  kAllToAll,       ///< everybody's chunk k goes to worker k
};

enum class Strategy : std::uint8_t {
  kAllToAll,
  kParameterServer,
  kRing,
  kDirect,
  kRecursiveDoubling,
  kHalvingDoubling,
  kTree,
  kHierarchical,
  kStar,  ///< of broadcasts alone
};

/// Describes what is exchanged, among whom and how. Equal specs give equal plans on every node.
struct PlanSpec {
  static constexpr std::int32_t kMaxNodes = 1'000'000;
  /// The limit for the elements of all messages together: that many of 8 bytes still fit in 63 bits.
  static constexpr std::int64_t kMaxElements = INT64_MAX / 8;

  Operation operation = Operation::kSum;
  Strategy strategy = Strategy::kRing;
  std::int32_t workers = 1;
  /// Elements of the exchanged buffer. For the operation all-to-all: elements that each worker has for all
  /// workers together.
  std::int64_t parameters = 0;

  Rank root = 0;             ///< broadcast, gather and scatter
  std::int32_t servers = 0;  ///< parameter-server: dedicated servers, ranks n … n+s−1
  std::int32_t shares_on_workers =
      0;                   ///< parameter-server without dedicated ones: how many workers hold a share
  std::int32_t hosts = 1;  ///< hierarchical: rank = host · (workers / hosts) + place on the host
  RingOrder order;         ///< the ring order, for strategies that follow one
  /// For parameter-server: where variables begin, ascending. A share's border moves to a variable's border
  /// that is near (see `share`).
  std::vector<std::int64_t> variable_borders;
  /// For parameter-server: no share cuts a variable; so a share may be empty, and it has no messages then.
  bool whole_variables = false;

  [[nodiscard]] std::int32_t nodes() const { return workers + servers; }
  /// The elements among which slices lie. They are those of the buffer, but for all-to-all those of one row
  /// of p elements for each worker: row i is what worker i has, and chunk j of it goes to worker j.
  [[nodiscard]] std::int64_t elements() const {
    return operation == Operation::kAllToAll ? workers * parameters : parameters;
  }
  [[nodiscard]] bool is_server(Rank node) const { return node >= workers; }
  friend bool operator==(const PlanSpec&, const PlanSpec&) = default;
};

/// The spec of an exchange as users request it. With parameter-server, `servers` is the number of dedicated
/// servers; 0 means one share on each worker. Other strategies ignore `servers`.
[[nodiscard]] inline PlanSpec spec_for(Strategy strategy, std::int32_t workers, std::int64_t parameters,
                                       std::int32_t servers) {
  PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = workers;
  spec.parameters = parameters;
  if (strategy != Strategy::kParameterServer) return spec;
  spec.servers = servers;
  spec.shares_on_workers = servers > 0 ? 0 : workers;
  return spec;
}

/// A range of consecutive steps.
struct StepWindow {
  std::int32_t first = 0;
  std::int32_t end = std::numeric_limits<std::int32_t>::max();  ///< the first one after them

  [[nodiscard]] bool has(std::int32_t step) const { return step >= first && step < end; }
  bool operator==(const StepWindow&) const = default;
};

/// The programs of all nodes.
struct Plan {
  PlanSpec spec;
  std::vector<Program> programs;  ///< by rank
};

/// The id of the message that `from` sends to `to` in `step`; with from == to, the id of a local op.
[[nodiscard]] inline OpId op_id(const PlanSpec& spec, std::int32_t step, Rank from, Rank to) {
  const OpId nodes = spec.nodes();
  return (static_cast<OpId>(step) * nodes + from) * nodes + to;
}

}  // namespace trireme::plan
