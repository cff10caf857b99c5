#include "sim/events/links.h"

#include <algorithm>

namespace trireme::sim {
namespace {

// Reserves the resource for `duration`, from `time` on or as soon as it is free. Returns when it begins.
Picoseconds serve(Picoseconds& busy_until, Picoseconds time, Picoseconds duration) {
  const Picoseconds start = std::max(busy_until, time);
  busy_until = start + duration;
  return start;
}

}  // namespace

Links::Links(const Scenario& scenario, Rank nodes)
    : costs_(scenario),
      topology_(scenario.network.topology),
      nodes_(nodes),
      workers_(scenario.job.workers),
      per_host_(topology_ == Topology::kHosts ? scenario.host.workers : 1) {
  if (topology_ == Topology::kRing) {
    onwards_.resize(idx(nodes));
    backwards_.resize(idx(nodes));
    return;
  }
  const Rank cards = per_host_ == 1 ? nodes : hosts();
  sending_.resize(idx(cards));
  receiving_.resize(idx(cards));
  if (per_host_ > 1) memory_.resize(idx(cards));
}

// Dedicated servers run on the hosts of the workers, one on each as long as there are enough hosts.
Rank Links::host_of(Rank node) const {
  return node < workers_ ? node / per_host_ : (node - workers_) % hosts();
}

Leg Links::leave(Trip& trip, Picoseconds time) {
  if (topology_ == Topology::kRing) return take_link(trip, time);
  const Rank card = card_of(trip.where_);
  if (per_host_ > 1 && card == card_of(trip.to_)) {
    const Picoseconds duration = costs_.memory(trip.bytes_);
    const Picoseconds start = serve(memory_[idx(card)], time, duration);
    trip.in_memory_ = true;
    return {.start = start, .left = start + duration, .next = start + duration};
  }
  const Picoseconds duration = costs_.card(trip.bytes_);
  const Picoseconds start = serve(sending_[idx(card)], time, duration);
  return {.start = start, .left = start + duration, .next = start + costs_.latency()};
}

Leg Links::go_on(Trip& trip, Picoseconds time) {
  // A node receives through memory while the other sends.
  if (trip.in_memory_) return {.start = time - costs_.memory(trip.bytes_), .next = time, .arrived = true};
  const Picoseconds duration = costs_.card(trip.bytes_);
  if (topology_ == Topology::kRing) {
    if (trip.where_ != trip.to_) return take_link(trip, time);
    return {.start = time, .next = time + duration, .arrived = true};
  }
  const Picoseconds start = serve(receiving_[idx(card_of(trip.to_))], time, duration);
  return {.start = start, .next = start + duration, .arrived = true};
}

// Takes the shorter way around the ring.
Leg Links::take_link(Trip& trip, Picoseconds time) {
  const Rank distance = (trip.to_ - trip.where_ + nodes_) % nodes_;
  const bool onwards = 2 * distance <= nodes_;
  const Picoseconds duration = costs_.card(trip.bytes_);
  const Picoseconds start = serve((onwards ? onwards_ : backwards_)[idx(trip.where_)], time, duration);
  trip.where_ = (trip.where_ + (onwards ? 1 : nodes_ - 1)) % nodes_;
  return {.start = start, .left = start + duration, .next = start + costs_.latency()};
}

}  // namespace trireme::sim
