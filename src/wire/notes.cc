#include "wire/notes.h"

#include <algorithm>
#include <string>

namespace trireme {
namespace {

// No op of a plan has such an id.
constexpr OpId kCollect = -1;
constexpr OpId kTell = -2;

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

std::vector<std::byte> share_notes(Wire& wire, std::span<const std::byte> note, std::string_view purpose,
                                   const Deadline& deadline) {
  std::vector<std::byte> notes(idx(wire.size()) * note.size());
  std::copy(note.begin(), note.end(),
            notes.begin() + static_cast<std::ptrdiff_t>(idx(wire.rank()) * note.size()));
  if (wire.size() == 1) return notes;
  try {
    if (wire.rank() == 0) {
      collect_and_tell(wire, notes, note.size(), deadline);
    } else {
      give_and_hear(wire, notes, note.size(), deadline);
    }
  } catch (const Error& error) {
    Failure failure = error.failure();
    if (failure.op.empty()) failure.op = purpose;
    wire.leave(failure);  // what was posted lies in memory that goes now
    throw Error(failure);
  }
  return notes;
}

}  // namespace trireme
