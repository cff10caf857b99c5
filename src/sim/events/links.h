// The resources that carry messages: cards, links, memory. Each serves messages in order of arrival and has
// unlimited queue space.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"
#include "sim/model/costs.h"
#include "sim/model/scenario.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// A message on its way.
class Trip {
 public:
  Trip(Rank from, Rank to, std::int64_t bytes) : bytes_(bytes), from_(from), to_(to), where_(from) {}
  /// Not a message: a node that is about to do something.
  [[nodiscard]] static Trip of_node(Rank node) { return {node, node, kNone}; }

  [[nodiscard]] bool is_of_node() const { return bytes_ == kNone; }
  [[nodiscard]] Rank from() const { return from_; }
  [[nodiscard]] Rank to() const { return to_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  friend class Links;
  static constexpr std::int64_t kNone = -1;

  std::int64_t bytes_;
  Rank from_;
  Rank to_;
  Rank where_;  // on a ring of links: its current node; otherwise its sender
  bool in_memory_ = false;
};

/// One leg of a trip.
struct Leg {
  Picoseconds start = 0;  ///< when a card, a link or memory begins to serve it
  Picoseconds left = 0;   ///< first leg only: when the sender has finished sending
  Picoseconds next = 0;   ///< when the next leg begins or, if it has arrived, when all of it is there
  bool arrived = false;
};

class Links {
 public:
  Links(const Scenario& scenario, Rank nodes);

  /// Whether several nodes share a resource on their first leg: then messages must leave in order of time.
  [[nodiscard]] bool are_shared() const { return topology_ == Topology::kRing || per_host_ > 1; }

  /// Leaves the sender, at `time` at the earliest.
  [[nodiscard]] Leg leave(Trip& trip, Picoseconds time);
  /// Continues at the time that the last leg named.
  [[nodiscard]] Leg go_on(Trip& trip, Picoseconds time);

 private:
  [[nodiscard]] Rank card_of(Rank node) const { return per_host_ == 1 ? node : host_of(node); }
  [[nodiscard]] Rank host_of(Rank node) const;
  [[nodiscard]] Rank hosts() const { return (workers_ + per_host_ - 1) / per_host_; }
  [[nodiscard]] Leg take_link(Trip& trip, Picoseconds time);

  Costs costs_;
  Topology topology_;
  Rank nodes_;
  Rank workers_;
  Rank per_host_;
  std::vector<Picoseconds> sending_;    // by card: until when it is busy
  std::vector<Picoseconds> receiving_;  // the same for receiving
  std::vector<Picoseconds> memory_;     // by host
  std::vector<Picoseconds> onwards_;    // by node of a ring: its link to the next
  std::vector<Picoseconds> backwards_;  // the same for the link to the previous node
};

}  // namespace trireme::sim
