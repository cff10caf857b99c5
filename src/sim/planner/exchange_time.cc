#include "sim/planner/exchange_time.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "plan/movements/pairing_off.h"
#include "plan/share.h"
#include "sim/model/ceil_div.h"
#include "sim/planner/halving_time.h"
#include "sim/planner/tree_time.h"

namespace trireme::sim {
namespace {

// Products of days and a million nodes do not fit in 64 bits.
using Wide = __int128;

// Times of messages that carry one of `parts` equal parts of the buffer.
class PartTimes {
 public:
  PartTimes(const plan::PlanSpec& spec, const Costs& costs, std::int64_t parts)
      : bytes_(costs.bytes(ceil_div(spec.parameters, parts))), costs_(costs) {}

  /// The time of so many messages, one after the other through one card.
  [[nodiscard]] Wide messages(std::int64_t count) const { return costs_.latency() + cards(count); }
  /// How long these messages keep the card busy.
  [[nodiscard]] Wide cards(std::int64_t count) const { return Wide{count} * costs_.card(bytes_); }
  [[nodiscard]] Wide additions(std::int64_t count) const { return Wide{count} * costs_.adding(bytes_); }

 private:
  std::int64_t bytes_;
  const Costs& costs_;
};

// The number of parts that are not empty; an empty one has no message.
std::int64_t not_empty(const plan::PlanSpec& spec, std::int64_t parts) {
  return std::min(parts, spec.parameters);
}

// Where the non-empty parts are in a circle of n nodes; the k-th of `parts` is on node k modulo n.
struct Places {
  std::int64_t count = 0;   // nodes that have a non-empty part
  std::int64_t widest = 0;  // the largest distance from one of them to the next
};
Places places_of(std::int64_t parameters, std::int64_t parts, std::int64_t n) {
  constexpr std::int64_t kMostLookedAt = 256;
  const std::int64_t used = std::min(parts, parameters);
  if (used > kMostLookedAt || used == parts) {
    const std::int64_t room = std::min(parts, n);
    const std::int64_t count = std::min(used, n);
    return {count, n - room + ceil_div(room, count)};
  }
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < used; ++i) places.push_back(plan::chunk_of(i, parameters, parts) % n);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::int64_t widest = places.front() + n - places.back();
  for (std::size_t i = 1; i < places.size(); ++i) widest = std::max(widest, places[i] - places[i - 1]);
  return {std::ssize(places), widest};
}

// The time of consecutive exchanges.
struct WideTime {
  Wide each = 0;
  Wide first = 0;
};

// All nodes end at the same time, so every exchange is like the first.
WideTime alike(Wide each) { return {each, each}; }

Wide of_all_to_all(const plan::PlanSpec& spec, const Costs& costs) {
  const PartTimes whole(spec, costs, 1);
  return whole.messages(spec.workers - 1) + whole.additions(spec.workers - 1);
}

// Counted in messages: a server's card sends n answers, and a worker that has the last of its answers begins
// the next exchange. The pushes of these workers arrive in the order of the answers, one after the other: the
// last one arrives 2s messages after the last answer left, not n. If there are more servers than workers, the
// two change roles.
WideTime of_dedicated_servers(const plan::PlanSpec& spec, const Costs& costs, Wide at_holder) {
  const std::int64_t workers = spec.workers;
  const std::int64_t servers = not_empty(spec, spec.servers);
  const std::int64_t many = std::max(workers, servers);
  const std::int64_t widest = places_of(spec.parameters, spec.servers, workers).widest;
  const std::int64_t again = std::min(many, workers < servers ? 2 * workers - 1 : workers - widest + servers);
  const PartTimes share(spec, costs, servers);
  const Wide at_servers = share.additions(workers) + at_holder;
  const Wide each = share.messages(many) + share.messages(again) + at_servers;
  return {each, workers < servers ? each : 2 * share.messages(workers) + at_servers};
}

// To the owners of `shares` parts among n nodes, and back. As above, but an owner begins the next exchange
// when its answers have left, the other nodes when the answers have arrived.
WideTime through_owners(const PartTimes& share, std::int64_t shares, std::int64_t n, Wide latency,
                        Wide at_holder = 0) {
  const Wide at_holders = share.additions(n - 1) + at_holder;
  const Wide first = 2 * share.messages(n - 1) + at_holders;
  if (n == 1) return {};
  if (shares == n) return alike(first);
  const std::int64_t per_share = ceil_div(n, shares);
  const Wide in_advance = latency - share.cards(per_share - 2);
  const Wide gained = shares == 1 ? 0 : std::clamp<Wide>(in_advance, 0, share.cards(1));
  return {share.messages(n) + share.messages(n - per_share) - gained + at_holders, first};
}

WideTime of_servers(const plan::PlanSpec& spec, const Costs& costs, Wide at_holder) {
  if (spec.servers > 0) return of_dedicated_servers(spec, costs, at_holder);
  const PartTimes share(spec, costs, spec.shares_on_workers);
  return through_owners(share, not_empty(spec, spec.shares_on_workers), spec.workers, costs.latency(),
                        at_holder);
}

WideTime of_direct(const plan::PlanSpec& spec, const Costs& costs) {
  return through_owners(PartTimes(spec, costs, spec.workers), not_empty(spec, spec.workers), spec.workers,
                        costs.latency());
}

// Around a circle of n: n−1 passes that add and n−1 that share. With fewer parts than n, a part begins its
// next exchange as soon as its first node has seen all other parts. The last of these is the part that begins
// next after it; it arrives n/parts passes before it would have been around twice.
WideTime around(const PartTimes& part, std::int64_t parts, std::int64_t n) {
  const Wide first = (n - 1) * (2 * part.messages(1) + part.additions(1));
  if (parts == n || n == 1) return alike(first);
  const std::int64_t others = n == 3 ? 0 : n - ceil_div(n, parts);
  const Wide passes = (n + others) * part.messages(1);
  return {std::min(first, passes + part.cards(1) + (n - 1) * part.additions(1)), first};
}

WideTime of_ring(const plan::PlanSpec& spec, const Costs& costs) {
  return around(PartTimes(spec, costs, spec.workers), not_empty(spec, spec.workers), spec.workers);
}

WideTime of_hierarchical(const plan::PlanSpec& spec, const Costs& costs) {
  const std::int64_t per_host = spec.workers / spec.hosts;
  const std::int64_t owners = not_empty(spec, per_host);
  const WideTime inside = through_owners(PartTimes(spec, costs, per_host), owners, per_host, costs.latency());
  const std::int64_t begun_on = places_of(spec.parameters, spec.workers, spec.hosts).count;
  const WideTime across = around(PartTimes(spec, costs, spec.workers), begun_on, spec.hosts);
  return {inside.each + across.each, inside.first + across.first};
}

// In a series of exchanges, workers that need not wait for a handing over run ahead, and their messages keep
// the cards of others busy. If as many workers as possible take over, none can run ahead. The formula was
// fitted to the event loop.
Wide in_the_way(const plan::PairingOff& pairs, const PartTimes& whole, Wide latency) {
  if (pairs.extra == 1 || pairs.extra == pairs.participants - 1) return 0;
  const bool is_rare = pairs.extra % 4 == 1 && 2 * pairs.extra > pairs.participants;
  const Wide until_arrived = whole.cards(1) - latency;
  return std::max<Wide>(0, (is_rare ? until_arrived / 2 : until_arrived) - whole.additions(1));
}

// The longest path from one worker's gradient to another's sum. At each level it waits either for the
// partner's message or for the worker's own message to leave. A worker that hands over waits for two more
// messages; two workers that take over are at most `apart` levels from each other.
WideTime of_recursive_doubling(const plan::PlanSpec& spec, const Costs& costs) {
  const plan::PairingOff pairs(spec.workers);
  const PartTimes whole(spec, costs, 1);
  const Wide handed_over = whole.messages(1) + whole.additions(1);
  if (pairs.extra == 0) return alike(pairs.levels * handed_over);
  const Wide own = pairs.levels * (whole.cards(1) + whole.additions(1));
  const Wide all_apart = pairs.levels * costs.latency();
  const Wide apart = std::bit_width(static_cast<std::uint32_t>(pairs.extra - 1)) * costs.latency();
  const Wide back = whole.messages(1);
  WideTime time;
  time.first = own + std::max(all_apart + handed_over, std::max(handed_over + apart, all_apart) + back);
  time.each = own + std::max(handed_over + apart + back, all_apart + (handed_over + back) / 2);
  time.each += in_the_way(pairs, whole, costs.latency());
  return time;
}

WideTime of_halving_doubling(const plan::PlanSpec& spec, const Costs& costs) {
  const plan::PairingOff pairs(spec.workers);
  std::vector<BlockTime> blocks;
  for (std::int32_t level = 0; level <= pairs.levels; ++level) {
    const std::int64_t bytes = costs.bytes(ceil_div(spec.parameters, std::int64_t{1} << level));
    blocks.push_back({.card = costs.card(bytes), .adding = costs.adding(bytes)});
  }
  const HalvingTime time = halving_time(pairs, costs.latency(), blocks, spec.parameters < pairs.participants);
  return {time.each, time.first};
}

WideTime of_tree(const plan::PlanSpec& spec, const Costs& costs) {
  const std::int64_t bytes = costs.bytes(spec.parameters);
  const TreeTime time = tree_time(spec.workers, costs.latency(), costs.card(bytes), costs.adding(bytes));
  return {time.each, time.first};
}

WideTime time_of(const plan::PlanSpec& spec, const Costs& costs, Picoseconds at_holder) {
  if (spec.parameters == 0 || spec.nodes() == 1) return {};
  switch (spec.strategy) {
    case plan::Strategy::kAllToAll:
      return alike(of_all_to_all(spec, costs));
    case plan::Strategy::kParameterServer:
      return of_servers(spec, costs, at_holder);
    case plan::Strategy::kRing:
      return of_ring(spec, costs);
    case plan::Strategy::kDirect:
      return of_direct(spec, costs);
    case plan::Strategy::kRecursiveDoubling:
      return of_recursive_doubling(spec, costs);
    case plan::Strategy::kHalvingDoubling:
      return of_halving_doubling(spec, costs);
    case plan::Strategy::kTree:
      return of_tree(spec, costs);
    case plan::Strategy::kHierarchical:
      return of_hierarchical(spec, costs);
    case plan::Strategy::kStar:
      break;  // no sum
  }
  return {};
}

}  // namespace

ExchangeTime exchange_time(const plan::PlanSpec& spec, const Costs& costs, Picoseconds at_holder) {
  const WideTime time = time_of(spec, costs, at_holder);
  if (std::max(time.each, time.first) > kLatest) refuse_as_too_long("an exchange", kLatest);
  return {static_cast<Picoseconds>(time.each), static_cast<Picoseconds>(time.first - time.each)};
}

bool is_exact(const plan::PlanSpec& spec, Series series) {
  const bool once = series == Series::kOnce;
  const bool is_power_of_two = std::has_single_bit(static_cast<std::uint32_t>(spec.workers));
  const bool equal_parts = spec.parameters % spec.workers == 0;
  switch (spec.strategy) {
    case plan::Strategy::kAllToAll:
      return true;
    case plan::Strategy::kTree:
      return is_power_of_two || series != Series::kDuringBackward;
    case plan::Strategy::kRing:
    case plan::Strategy::kDirect:
    case plan::Strategy::kHierarchical:
      return equal_parts;
    case plan::Strategy::kParameterServer:
      return spec.variable_borders.empty() && !spec.whole_variables &&
             spec.parameters % plan::share_count(spec) == 0 &&
             (once || spec.servers > 0 || spec.workers % spec.shares_on_workers == 0);
    case plan::Strategy::kRecursiveDoubling:
      return is_power_of_two || once;
    case plan::Strategy::kHalvingDoubling:
      return is_power_of_two && equal_parts;
    case plan::Strategy::kStar:
      break;  // no sum
  }
  return false;
}

}  // namespace trireme::sim
