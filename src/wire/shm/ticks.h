// Ticks, by which nodes of a host tell each other how far they are: a number per node that only grows. Beside
// it each node has a note about the collective call that it is at.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "wire/call_signature.h"
#include "wire/shm/neighbours.h"
#include "wire/shm/segment.h"

namespace trireme::wire::shm {

/// One node's view of the nodes of a job or of a group; ranks are those there. Not thread-safe: it belongs to
/// one node.
class Ticks {
 public:
  /// Neighbours outlive it.
  Ticks(Neighbours& neighbours, const Members& members, Rank rank, const GroupMemory& memory);

  /// The first of `count` numbers that nobody has used yet: all nodes take the same numbers for the same
  /// call. Throws `Error` when this node has left.
  std::uint64_t take(std::uint64_t count);
  /// This node begins a collective call; the notes begin anew. See `Entrance`.
  void declare(const CallSignature& signature);
  void raise(std::uint64_t tick);
  /// In the call at hand.
  [[nodiscard]] bool reached(Rank node, std::uint64_t tick) const { return reached(node, tick, calls_); }
  [[nodiscard]] bool reached(Rank node, std::uint64_t tick, std::uint64_t call) const {
    const TickLine::Note& note = note_of(node, call);
    __builtin_prefetch(&note.few_bytes.back());  // comes along with the tick, not after it
    return note.tick.load(std::memory_order_acquire) >= tick;
  }

  // About the call at hand.
  /// This node's own note, which the others may read once they see its next tick.
  [[nodiscard]] TickLine::Note& note() { return lines_[idx(rank_)]->notes[calls_ % kNotes]; }
  [[nodiscard]] const TickLine::Note& note_of(Rank node) const { return note_of(node, calls_); }
  /// The place of the few bytes in the nodes' notes.
  [[nodiscard]] Place few_bytes() const {
    return {lines_[0]->notes[calls_ % kNotes].few_bytes.data(), sizeof(TickLine), 0};
  }

  // About one of the last `kNotes` calls; the first is number 1.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] const TickLine::Note& note_of(Rank node, std::uint64_t call) const {
    return lines_[idx(node)]->notes[call % kNotes];
  }
  [[nodiscard]] const CallSignature& signature_of(Rank node, std::uint64_t call) const;

  /// Throws `Error` when this node has left.
  void require_here() const;

 private:
  Neighbours& neighbours_;
  const Rank rank_;
  const GroupMemory memory_;
  const std::vector<Bell*> bells_;  // by rank
  std::vector<TickLine*> lines_;    // by rank
  std::uint64_t next_ = 1;
  std::uint64_t calls_ = 0;    // collective ones so far
  std::uint64_t history_ = 0;  // a digest of them
};

}  // namespace trireme::wire::shm
