// The movements that strategies are put together from, for any group of nodes that stand in a circle.
#pragma once

#include "plan/program_writer.h"

namespace trireme {

/// A node's view of a circle of `size` nodes: its own position in it, and who stands where.
template <typename RankAt>
struct Circle {
  Rank size;
  Rank position;
  RankAt rank_at;  ///< position → rank

  [[nodiscard]] Rank after(Rank distance) const { return (position + distance) % size; }
  [[nodiscard]] Rank wrap(Rank place) const { return (place + 2 * size) % size; }
};

template <typename RankAt>
Circle(Rank, Rank, RankAt) -> Circle<RankAt>;  // clang 16 does not find it by itself

/// Around the ring: size−1 passes that add, size−1 that share. Part k begins at position k and is complete at
/// k−1. Returns the next free step.
template <typename RankAt, typename PartOf>
std::int32_t pass_around(ProgramWriter& writer, std::int32_t step, const Circle<RankAt>& circle,
                         PartOf part_of) {
  const Rank passes = circle.size - 1;
  const Rank next = circle.rank_at(circle.after(1));
  const Rank previous = circle.rank_at(circle.after(circle.size - 1));
  for (Rank pass = 0; pass < passes; ++pass, ++step) {
    writer.send(step, next, part_of(circle.wrap(circle.position - pass)), Action::kAdd);
    writer.receive(step, previous, part_of(circle.wrap(circle.position - pass - 1)), Action::kAdd,
                   /*completes=*/pass == passes - 1);
  }
  for (Rank pass = 0; pass < passes; ++pass, ++step) {
    writer.send(step, next, part_of(circle.wrap(circle.position + 1 - pass)), Action::kCopy);
    writer.receive(step, previous, part_of(circle.wrap(circle.position - pass)), Action::kCopy);
  }
  return step;
}

/// Straight to its owner: everybody gives part k to position k, which adds it up, beginning with its own.
template <typename RankAt, typename PartOf>
void give_to_owners(ProgramWriter& writer, std::int32_t step, const Circle<RankAt>& circle, PartOf part_of,
                    bool completes) {
  const Slice mine = part_of(circle.position);
  for (Rank distance = 1; distance < circle.size; ++distance) {
    const Rank owner = circle.after(distance);
    writer.send(step, circle.rank_at(owner), part_of(owner), Action::kKeep);
  }
  writer.own();
  for (Rank distance = 1; distance < circle.size; ++distance) {
    writer.keep(step, circle.rank_at(circle.after(distance)), mine);
  }
  writer.fold(step, mine, {.completes = completes});
}

/// And straight back: every owner sends its part to everybody.
template <typename RankAt, typename PartOf>
void get_from_owners(ProgramWriter& writer, std::int32_t step, const Circle<RankAt>& circle, PartOf part_of) {
  for (Rank distance = 1; distance < circle.size; ++distance) {
    const Rank other = circle.after(distance);
    writer.send(step, circle.rank_at(other), part_of(circle.position), Action::kCopy);
    writer.receive(step, circle.rank_at(other), part_of(other), Action::kCopy);
  }
}

}  // namespace trireme
