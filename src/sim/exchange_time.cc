#include "sim/exchange_time.h"

#include <algorithm>
#include <bit>

#include "plan/pairing_off.h"
#include "plan/share.h"
#include "plan/tree.h"

namespace trireme {
namespace {

// Products of days and a million nodes.
using Wide = __int128;

// Times of messages that carry one of `parts` equal parts of the buffer.
class PartTimes {
 public:
  PartTimes(const PlanSpec& spec, const Costs& costs, std::int64_t parts)
      : bytes_(costs.bytes((spec.parameters + parts - 1) / parts)), costs_(costs) {}

  /// So many messages one after the other through one card.
  [[nodiscard]] Wide messages(std::int64_t count) const {
    return costs_.latency() + Wide{count} * costs_.card(bytes_);
  }
  [[nodiscard]] Wide additions(std::int64_t count) const { return Wide{count} * costs_.adding(bytes_); }

 private:
  std::int64_t bytes_;
  const Costs& costs_;
};

Wide of_all_to_all(const PlanSpec& spec, const Costs& costs) {
  const PartTimes whole(spec, costs, 1);
  return whole.messages(spec.workers - 1) + whole.additions(spec.workers - 1);
}

Wide of_servers(const PlanSpec& spec, const Costs& costs, Wide at_holder) {
  const std::int64_t shares = share_count(spec);
  const std::int64_t partners = spec.servers > 0 ? spec.workers : spec.workers - 1;
  const PartTimes share(spec, costs, shares);
  // The busiest card is a server's or, where there are more servers than workers, a worker's.
  const std::int64_t most = spec.servers > 0 ? std::max(partners, shares) : partners;
  return 2 * share.messages(most) + share.additions(partners) + at_holder;
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

Wide of_recursive_doubling(const PlanSpec& spec, const Costs& costs) {
  const PairingOff pairs(spec.workers);
  const PartTimes whole(spec, costs, 1);
  return pairs.levels * (whole.messages(1) + whole.additions(1)) + of_pairing_off(pairs, whole);
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

Wide of_tree(const PlanSpec& spec, const Costs& costs) {
  const PartTimes whole(spec, costs, 1);
  return tree_height(spec.workers) * (2 * whole.messages(1) + whole.additions(1));
}

Wide exact_time(const PlanSpec& spec, const Costs& costs, Picoseconds at_holder) {
  const std::int64_t n = spec.workers;
  if (spec.parameters == 0 || spec.nodes() == 1) return 0;
  switch (spec.strategy) {
    case Strategy::kAllToAll:
      return of_all_to_all(spec, costs);
    case Strategy::kParameterServer:
      return of_servers(spec, costs, at_holder);
    case Strategy::kRing:
      return around(PartTimes(spec, costs, n), n);
    case Strategy::kDirect:
      return through_owners(PartTimes(spec, costs, n), n);
    case Strategy::kRecursiveDoubling:
      return of_recursive_doubling(spec, costs);
    case Strategy::kHalvingDoubling:
      return of_halving_doubling(spec, costs);
    case Strategy::kTree:
      return of_tree(spec, costs);
    case Strategy::kHierarchical:
      return of_hierarchical(spec, costs);
  }
  return 0;
}

}  // namespace

Picoseconds exchange_time(const PlanSpec& spec, const Costs& costs, Picoseconds at_holder) {
  const Wide time = exact_time(spec, costs, at_holder);
  if (time > kLatest) refuse_as_too_long("an exchange", kLatest);
  return static_cast<Picoseconds>(time);
}

bool is_exact(const PlanSpec& spec) {
  const bool is_power_of_two = std::has_single_bit(static_cast<std::uint32_t>(spec.workers));
  const bool equal_parts = spec.parameters % spec.workers == 0;
  switch (spec.strategy) {
    case Strategy::kAllToAll:
      return true;
    case Strategy::kRing:
    case Strategy::kDirect:
    case Strategy::kHierarchical:
      return equal_parts;
    case Strategy::kParameterServer:
      return spec.variable_borders.empty() && spec.parameters % share_count(spec) == 0 &&
             spec.workers % share_count(spec) == 0;
    case Strategy::kRecursiveDoubling:
    case Strategy::kTree:
      return is_power_of_two;
    case Strategy::kHalvingDoubling:
      return is_power_of_two && equal_parts;
  }
  return false;
}

}  // namespace trireme
