// The movements that strategies are composed of, for any group of nodes in a circle. Empty parts are skipped
// without being looked at, so a node with few ops is made quickly for any number of nodes.
#pragma once

#include <functional>
#include <optional>

#include "plan/movements/parts.h"
#include "plan/movements/program_writer.h"

namespace trireme::plan {

/// A node's view of a circle of `size` nodes: its own position, and the rank at each position.
struct Circle {
  Rank size;
  Rank position;
  std::function<Rank(Rank)> rank_at;  ///< position → rank
};

/// All workers in ring order, and in the order of ranks. Like `chunks_of`, they refer to the spec.
[[nodiscard]] Circle in_ring_order(const PlanSpec& spec, Rank node);
[[nodiscard]] Circle in_rank_order(const PlanSpec& spec, Rank node);

/// The buffer in chunks, part k being chunk k.
[[nodiscard]] Parts chunks_of(const PlanSpec& spec);
/// Part k is the chunk that belongs to the worker at position k of the ring.
[[nodiscard]] Parts chunks_in_ring_order(const PlanSpec& spec);

/// Around the ring: size−1 passes that add. Part k begins at position k and is complete at k−1. Returns the
/// next free step, as all movements around a ring do.
std::int32_t add_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts);

/// Around the ring: size−1 passes that copy. Part k begins at position k + `shift`.
std::int32_t share_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                          Rank shift);

/// Adds around the ring and then shares the sums.
std::int32_t pass_around(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts);

/// Straight to the owner: every node sends part k to position k, which adds it up. Chunk k is added up in the
/// order of the circle, beginning with position k: so if part k is chunk k, with what the owner has itself.
void give_to_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                    bool completes);

/// Straight back: every owner sends its part to all others, except to one position that has all parts.
void get_from_owners(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts,
                     std::optional<Rank> has_all = std::nullopt);

/// The root sends part k to every other position k, or gets it from there. The circle is in the order of
/// ranks.
void hand_out(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts, Rank root);
void collect(ProgramWriter& writer, std::int32_t step, const Circle& circle, const Parts& parts, Rank root);

/// Visits the positions of all others whose part is not empty, beginning with the next position, so that not
/// all ask one owner at once.
template <typename Visit>
void for_each_other_owner(const Circle& circle, const Parts& parts, Visit visit) {
  for (auto k = parts.at_or_after(circle.position + 1); k; k = parts.at_or_after(*k + 1)) visit(*k);
  for (auto k = parts.at_or_after(0); k && *k < circle.position; k = parts.at_or_after(*k + 1)) visit(*k);
}

/// Visits the ranks of all others, beginning with the next position.
template <typename Visit>
void for_each_other(const Circle& circle, Visit visit) {
  for (Rank distance = 1; distance < circle.size; ++distance) {
    visit(circle.rank_at((circle.position + distance) % circle.size));
  }
}

}  // namespace trireme::plan
