#include "sim/planner/halving_time.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/types.h"
#include "sim/events/event_queue.h"

namespace trireme::sim {
namespace {

// Products of days and a million nodes do not fit in 64 bits.
using Wide = __int128;

// Blocks that have been halved more often are too small to delay others.
constexpr std::int32_t kMostLevels = 5;
constexpr int kExchanges = 4;

// Simulates a few exchanges of few workers as events.
class FewWorkers {
 public:
  FewWorkers(const plan::PairingOff& pairs, Picoseconds latency, const std::vector<BlockTime>& blocks)
      : pairs_(pairs), latency_(latency), blocks_(blocks), nodes_(idx(pairs.participants + pairs.extra)) {}

  // When the last worker has finished each exchange.
  [[nodiscard]] std::array<Picoseconds, kExchanges> ends() {
    for (Rank rank = 0; rank < std::ssize(nodes_); ++rank) begin_steps(rank);
    while (!events_.empty()) {
      const Message message = events_.take();
      Node& node = nodes_[idx(message.to)];
      node.receiving_until =
          std::max(node.receiving_until, message.time) + blocks_[idx(message.halvings)].card;
      node.there[idx(message.step)] = node.receiving_until;
      if (end_step(message.to)) begin_steps(message.to);
    }
    return ends_;
  }

 private:
  // First the handing over, then the halvings, the doublings, and the handing back.
  struct Step {
    Rank peer = 0;
    std::int32_t halvings = 0;  // of the data that is sent and received
    bool sends = false;
    bool receives = false;
    bool adds = false;
  };
  struct Message {
    Picoseconds time;
    Rank to;
    std::int32_t step;
    std::int32_t halvings;
  };
  static constexpr std::int32_t kSteps = 2 * kMostLevels + 2;
  struct Node {
    std::int32_t exchange = 0;
    std::int32_t step = 0;
    Picoseconds time = 0;  // at which it began its step
    Picoseconds sending_until = 0;
    Picoseconds receiving_until = 0;
    std::array<std::optional<Picoseconds>, idx(kExchanges* kSteps)> there{};
  };

  [[nodiscard]] std::int32_t steps() const { return 2 * pairs_.levels + 2; }

  // Empty if the node has nothing to do.
  [[nodiscard]] Step step_of(Rank rank, std::int32_t step) const {
    const bool is_last = step == steps() - 1;
    if (step == 0 || is_last) {
      const bool gives = is_last ? pairs_.takes_over(rank) : pairs_.hands_over(rank);
      const bool gets = is_last ? pairs_.hands_over(rank) : pairs_.takes_over(rank);
      return {.peer = pairs_.hands_over(rank) ? rank + 1 : rank - 1,
              .sends = gives,
              .receives = gets,
              .adds = gets && !is_last};
    }
    if (pairs_.hands_over(rank)) return {};
    const bool halves = step <= pairs_.levels;
    const std::int32_t level = halves ? step : 2 * pairs_.levels + 1 - step;
    const Rank partner = pairs_.number_of(rank) ^ (1 << (level - 1));
    return {
        .peer = pairs_.rank_of(partner), .halvings = level, .sends = true, .receives = true, .adds = halves};
  }

  // Continues up to a step in which the node waits, or to the end.
  void begin_steps(Rank rank) {
    Node& node = nodes_[idx(rank)];
    while (node.exchange < kExchanges) {
      const Step step = step_of(rank, node.step);
      if (step.sends) {
        const Picoseconds start = std::max(node.sending_until, node.time);
        node.sending_until = start + blocks_[idx(step.halvings)].card;
        events_.add({start + latency_, step.peer, node.exchange * steps() + node.step, step.halvings});
      }
      if (!end_step(rank)) return;
    }
  }

  // Whether everything that the step waits for has arrived.
  bool end_step(Rank rank) {
    Node& node = nodes_[idx(rank)];
    if (node.exchange == kExchanges) return false;
    const Step step = step_of(rank, node.step);
    const std::optional<Picoseconds>& there = node.there[idx(node.exchange * steps() + node.step)];
    if (step.receives && !there) return false;
    const Picoseconds begin = node.time;
    if (step.sends) node.time = node.sending_until;
    if (step.receives) {
      const Picoseconds adding = step.adds ? blocks_[idx(step.halvings)].adding : 0;
      node.time = std::max(node.time, std::max(begin, *there) + adding);
    }
    if (++node.step == steps()) {
      node.step = 0;
      Picoseconds& end = ends_[idx(node.exchange++)];
      end = std::max(end, node.time);
    }
    return true;
  }

  const plan::PairingOff& pairs_;
  Picoseconds latency_;
  const std::vector<BlockTime>& blocks_;
  std::vector<Node> nodes_;
  EventQueue<Message> events_;
  std::array<Picoseconds, kExchanges> ends_{};
};

// The time if all nodes wait for the slowest after each step.
Wide in_step(const plan::PairingOff& pairs, Wide latency, const std::vector<BlockTime>& blocks) {
  Wide time = 0;
  for (std::int32_t level = pairs.extra > 0 ? 0 : 1; level <= pairs.levels; ++level) {
    const BlockTime& block = blocks[idx(level)];
    time += 2 * (latency + block.card) + block.adding;
  }
  return time;
}

// As many workers as matter: large blocks are exchanged between numbers that differ in their lowest bits.
plan::PairingOff few_of(const plan::PairingOff& pairs) {
  if (pairs.levels <= kMostLevels) return pairs;
  const Rank participants = Rank{1} << kMostLevels;
  return plan::PairingOff(participants + pairs.extra % participants);
}

HalvingTime more_than_in_step(const plan::PairingOff& few, Picoseconds latency,
                              const std::vector<BlockTime>& blocks) {
  const auto ends = FewWorkers(few, latency, blocks).ends();
  const Wide expected = in_step(few, latency, blocks);
  return {ends[0] - expected, (ends.back() - ends.front()) / (kExchanges - 1) - expected};
}

// A search for a number of workers asks for thousands of them, of which few differ. So the last answers are
// kept, for each of these few, with and without additions.
HalvingTime kept_more_than_in_step(const plan::PairingOff& few, Picoseconds latency,
                                   std::vector<BlockTime> blocks) {
  struct Kept {
    Picoseconds latency = 0;
    std::vector<BlockTime> blocks;
    HalvingTime more;
  };
  constexpr std::size_t kMostWorkers = std::size_t{2} << kMostLevels;
  thread_local std::array<Kept, 2 * kMostWorkers> all_kept;
  blocks.resize(idx(few.levels + 1));
  const std::size_t with_additions = blocks[0].adding > 0 ? kMostWorkers : 0;
  Kept& kept = all_kept[with_additions + idx(few.participants + few.extra)];
  if (kept.latency != latency || kept.blocks != blocks) {
    kept = {latency, blocks, more_than_in_step(few, latency, blocks)};
  }
  return kept.more;
}

}  // namespace

HalvingTime halving_time(const plan::PairingOff& pairs, Picoseconds latency,
                         const std::vector<BlockTime>& blocks, bool too_few) {
  const Wide expected = in_step(pairs, latency, blocks);
  const plan::PairingOff few = few_of(pairs);
  if (few.extra == 0 || too_few || expected > kLatest / kExchanges) return {expected, expected};
  const HalvingTime more = kept_more_than_in_step(few, latency, blocks);
  return {expected + more.first, expected + more.each};
}

}  // namespace trireme::sim
