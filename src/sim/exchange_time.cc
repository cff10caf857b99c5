#include "sim/exchange_time.h"

#include <algorithm>
#include <bit>

#include "plan/pairing_off.h"
#include "plan/share.h"
#include "sim/ceil_div.h"
#include "sim/tree_time.h"

namespace trireme {
namespace {

// Products of days and a million nodes.
using Wide = __int128;

// Times of messages that carry one of `parts` equal parts of the buffer.
class PartTimes {
 public:
  PartTimes(const PlanSpec& spec, const Costs& costs, std::int64_t parts)
      : bytes_(costs.bytes(ceil_div(spec.parameters, parts))), costs_(costs) {}

  /// So many messages one after the other through one card.
  [[nodiscard]] Wide messages(std::int64_t count) const { return costs_.latency() + cards(count); }
  /// How long they keep that card busy.
  [[nodiscard]] Wide cards(std::int64_t count) const { return Wide{count} * costs_.card(bytes_); }
  [[nodiscard]] Wide additions(std::int64_t count) const { return Wide{count} * costs_.adding(bytes_); }

 private:
  std::int64_t bytes_;
  const Costs& costs_;
};

// Of exchanges in a row.
struct WideTime {
  Wide each = 0;
  Wide first = 0;
};

// All nodes end together, so that each is like the first.
WideTime alike(Wide each) { return {each, each}; }

Wide of_all_to_all(const PlanSpec& spec, const Costs& costs) {
  const PartTimes whole(spec, costs, 1);
  return whole.messages(spec.workers - 1) + whole.additions(spec.workers - 1);
}

// Times in messages: a server's card hands out n answers, and whoever has the last of its own begins anew.
// The pushes of these come as the answers went, one after the other: the last is there 2s messages after the
// last answer left, not n. More servers than workers are the same with both in each other's place.
WideTime of_dedicated_servers(const PlanSpec& spec, const Costs& costs, Wide at_holder) {
  const std::int64_t workers = spec.workers;
  const std::int64_t servers = spec.servers;
  const std::int64_t many = std::max(workers, servers);
  const std::int64_t again = std::min(many, 2 * std::min(workers, servers) - 1);
  const PartTimes share(spec, costs, servers);
  const Wide at_servers = share.additions(workers) + at_holder;
  const Wide each = share.messages(many) + share.messages(again) + at_servers;
  return {each, workers < servers ? each : 2 * share.messages(workers) + at_servers};
}

// Likewise; a worker that holds a share begins anew when its answers have left, and others when they have
// come.
WideTime of_shares_on_workers(const PlanSpec& spec, const Costs& costs, Wide at_holder) {
  const std::int64_t n = spec.workers;
  const std::int64_t shares = spec.shares_on_workers;
  const PartTimes share(spec, costs, shares);
  const Wide at_holders = share.additions(n - 1) + at_holder;
  const Wide first = 2 * share.messages(n - 1) + at_holders;
  if (shares == n) return alike(first);
  const std::int64_t per_share = ceil_div(n, shares);
  const Wide in_advance = costs.latency() - share.cards(per_share - 2);
  const Wide gained = shares == 1 ? 0 : std::clamp<Wide>(in_advance, 0, share.cards(1));
  return {share.messages(n) + share.messages(n - per_share) - gained + at_holders, first};
}

WideTime of_servers(const PlanSpec& spec, const Costs& costs, Wide at_holder) {
  return spec.servers > 0 ? of_dedicated_servers(spec, costs, at_holder)
                          : of_shares_on_workers(spec, costs, at_holder);
}

// Around a circle of n, n−1 passes that add and n−1 that share.
Wide around(const PartTimes& part, std::int64_t n) {
  return (n - 1) * (2 * part.messages(1) + part.additions(1));
}

// To owners of parts and back, among n.
Wide through_owners(const PartTimes& part, std::int64_t n) {
  return n == 1 ? 0 : 2 * part.messages(n - 1) + part.additions(n - 1);
}

Wide of_hierarchical(const PlanSpec& spec, const Costs& costs) {
  const std::int64_t per_host = spec.workers / spec.hosts;
  return through_owners(PartTimes(spec, costs, per_host), per_host) +
         around(PartTimes(spec, costs, spec.workers), spec.hosts);
}

// Those without a place among a power of two hand over before, and get back afterwards.
Wide of_pairing_off(const PairingOff& pairs, const PartTimes& whole) {
  return pairs.extra == 0 ? 0 : 2 * whole.messages(1) + whole.additions(1);
}

// In a row of exchanges those who need not wait for a handing over run ahead: their messages keep the cards
// of others busy. Where as many take over as can there is nobody to run ahead. The numbers are of the events.
Wide in_the_way(const PairingOff& pairs, const PartTimes& whole, Wide latency) {
  if (pairs.extra == 1 || pairs.extra == pairs.participants - 1) return 0;
  const bool is_rare = pairs.extra % 4 == 1 && 2 * pairs.extra > pairs.participants;
  const Wide until_arrived = whole.cards(1) - latency;
  return std::max<Wide>(0, (is_rare ? until_arrived / 2 : until_arrived) - whole.additions(1));
}

// The longest way from one worker's gradient to another's sum. At each level it either waits for the
// partner's message, or for the worker's own to leave. A worker that hands over has two more messages to wait
// for; two of those who take over are at most `apart` levels away from each other.
WideTime of_recursive_doubling(const PlanSpec& spec, const Costs& costs) {
  const PairingOff pairs(spec.workers);
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

Wide of_halving_doubling(const PlanSpec& spec, const Costs& costs) {
  const PairingOff pairs(spec.workers);
  Wide time = of_pairing_off(pairs, PartTimes(spec, costs, 1));
  for (std::int32_t level = 1; level <= pairs.levels; ++level) {
    const PartTimes block(spec, costs, std::int64_t{1} << level);
    time += 2 * block.messages(1) + block.additions(1);
  }
  return time;
}

WideTime of_tree(const PlanSpec& spec, const Costs& costs) {
  const std::int64_t bytes = costs.bytes(spec.parameters);
  const TreeTime time = tree_time(spec.workers, costs.latency(), costs.card(bytes), costs.adding(bytes));
  return {time.each, time.first};
}

WideTime time_of(const PlanSpec& spec, const Costs& costs, Picoseconds at_holder) {
  const std::int64_t n = spec.workers;
  if (spec.parameters == 0 || spec.nodes() == 1) return {};
  switch (spec.strategy) {
    case Strategy::kAllToAll:
      return alike(of_all_to_all(spec, costs));
    case Strategy::kParameterServer:
      return of_servers(spec, costs, at_holder);
    case Strategy::kRing:
      return alike(around(PartTimes(spec, costs, n), n));
    case Strategy::kDirect:
      return alike(through_owners(PartTimes(spec, costs, n), n));
    case Strategy::kRecursiveDoubling:
      return of_recursive_doubling(spec, costs);
    case Strategy::kHalvingDoubling:
      return alike(of_halving_doubling(spec, costs));
    case Strategy::kTree:
      return of_tree(spec, costs);
    case Strategy::kHierarchical:
      return alike(of_hierarchical(spec, costs));
  }
  return {};
}

}  // namespace

ExchangeTime exchange_time(const PlanSpec& spec, const Costs& costs, Picoseconds at_holder) {
  const WideTime time = time_of(spec, costs, at_holder);
  if (std::max(time.each, time.first) > kLatest) refuse_as_too_long("an exchange", kLatest);
  return {static_cast<Picoseconds>(time.each), static_cast<Picoseconds>(time.first - time.each)};
}

bool is_exact(const PlanSpec& spec, Series series) {
  const bool once = series == Series::kOnce;
  const bool is_power_of_two = std::has_single_bit(static_cast<std::uint32_t>(spec.workers));
  const bool equal_parts = spec.parameters % spec.workers == 0;
  switch (spec.strategy) {
    case Strategy::kAllToAll:
      return true;
    case Strategy::kTree:
      return is_power_of_two || series != Series::kDuringBackward;
    case Strategy::kRing:
    case Strategy::kDirect:
    case Strategy::kHierarchical:
      return equal_parts;
    case Strategy::kParameterServer:
      return spec.variable_borders.empty() && spec.parameters % share_count(spec) == 0 &&
             (once || spec.servers > 0 || spec.workers % spec.shares_on_workers == 0);
    case Strategy::kRecursiveDoubling:
      return is_power_of_two || once;
    case Strategy::kHalvingDoubling:
      return is_power_of_two && equal_parts;
  }
  return false;
}

}  // namespace trireme
