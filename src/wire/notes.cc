#include "wire/notes.h"

#include <algorithm>

#include "wire/or_leave.h"

namespace trireme::wire {
namespace {

// No op of a plan has such an id.
constexpr OpId kCollect = -1;
constexpr OpId kTell = -2;
constexpr OpId kMeet = -3;
// Up to so many nodes tell each other directly, without node 0: the last one to arrive need not wait for a
// reply.
constexpr Rank kMostTellingAll = 8;

void tell_all(Wire& wire, std::span<std::byte> notes, std::size_t length, const Deadline& deadline) {
  const auto note_of = [&](Rank node) { return notes.subspan(idx(node) * length, length); };
  Batch batch;
  for (Rank node = 0; node < wire.size(); ++node) {
    if (node != wire.rank()) wire.post_receive(batch, node, kTell, note_of(node), copy_bytes);
  }
  for (Rank node = 0; node < wire.size(); ++node) {
    if (node != wire.rank()) wire.post_send(batch, node, kTell, note_of(wire.rank()));
  }
  wire.wait(batch, deadline);
}

void collect_and_tell(Wire& wire, std::span<std::byte> notes, std::size_t length, const Deadline& deadline) {
  Batch collected;
  for (Rank node = 1; node < wire.size(); ++node) {
    wire.post_receive(collected, node, kCollect, notes.subspan(idx(node) * length, length), copy_bytes);
  }
  wire.wait(collected, deadline);
  Batch told;
  for (Rank node = 1; node < wire.size(); ++node) wire.post_send(told, node, kTell, notes);
  wire.wait(told, deadline);
}

void give_and_hear(Wire& wire, std::span<std::byte> notes, std::size_t length, const Deadline& deadline) {
  Batch batch;
  const std::vector<std::byte> own(
      notes.begin() + static_cast<std::ptrdiff_t>(idx(wire.rank()) * length),
      notes.begin() + static_cast<std::ptrdiff_t>(idx(wire.rank() + 1) * length));
  wire.post_receive(batch, 0, kTell, notes, copy_bytes);
  wire.post_send(batch, 0, kCollect, own);
  wire.wait(batch, deadline);
}

}  // namespace

void Wire::gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view /*purpose*/,
                        const Deadline& deadline) {
  if (size() <= kMostTellingAll) {
    tell_all(*this, notes, length, deadline);
  } else if (rank() == 0) {
    collect_and_tell(*this, notes, length, deadline);
  } else {
    give_and_hear(*this, notes, length, deadline);
  }
}

// In each round a node tells one further away that it and all before it have arrived, twice as many each
// time. After the last round every node knows of every other, and no node leaves much before the others.
void Wire::meet(const Deadline& deadline) {
  const Rank nodes = size();
  for (Rank reach = 1; reach < nodes; reach *= 2) {
    Batch batch;
    post_receive(batch, (rank() - reach + nodes) % nodes, kMeet, {}, copy_bytes);
    post_send(batch, (rank() + reach) % nodes, kMeet, {});
    wait(batch, deadline);
  }
}

std::vector<std::byte> share_notes(Wire& wire, std::span<const std::byte> note, std::string_view purpose,
                                   const Deadline& deadline) {
  std::vector<std::byte> notes(idx(wire.size()) * note.size());
  std::copy(note.begin(), note.end(),
            notes.begin() + static_cast<std::ptrdiff_t>(idx(wire.rank()) * note.size()));
  if (wire.size() == 1) return notes;
  // A node that leaves withdraws its posted transfers, because their memory is freed then.
  or_leave_during(purpose, wire, [&] { wire.gather_notes(notes, note.size(), purpose, deadline); });
  return notes;
}

void barrier(Wire& wire, const Deadline& deadline) {
  or_leave_during("at a barrier", wire, [&] { wire.meet(deadline); });
}

}  // namespace trireme::wire
