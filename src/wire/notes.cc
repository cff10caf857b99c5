#include "wire/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "wire/entrance.h"

namespace trireme {
namespace {

// No op of a plan has such an id.
constexpr OpId kCollect = -1;
constexpr OpId kTell = -2;
// So many tell each other without node 0 between them: who comes last need not wait for anybody.
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

// Through the stages: everybody brings a part of a note, and takes all when all are there.
void bring_and_take(Windows& windows, std::span<std::byte> notes, std::size_t length, std::size_t from,
                    const Purpose& purpose, const Deadline& deadline) {
  const std::size_t count = std::min(length - from, Windows::stage_bytes());
  const auto part = [&](Rank node) { return notes.data() + idx(node) * length + from; };
  Entrance entrance(windows);
  const Place stage = windows.stage(static_cast<int>(entrance.come(purpose) % 2));
  copy_bytes(stage.at(windows.rank()), part(windows.rank()), count);
  entrance.raise();
  windows.wait(entrance, deadline);
  entrance.require_same();
  for (Rank node = 0; node < windows.nodes(); ++node) copy_bytes(part(node), stage.at(node), count);
}

void take_through_stages(Windows& windows, std::span<std::byte> notes, std::size_t length,
                         std::string_view purpose, const Deadline& deadline) {
  const Purpose words(fmt::format("{}, with a note of {} bytes", purpose, length));
  std::size_t from = 0;
  do {
    bring_and_take(windows, notes, length, from, words, deadline);
    from += Windows::stage_bytes();
  } while (from < length);
}

}  // namespace

std::vector<std::byte> share_notes(Wire& wire, std::span<const std::byte> note, std::string_view purpose,
                                   const Deadline& deadline) {
  std::vector<std::byte> notes(idx(wire.size()) * note.size());
  std::copy(note.begin(), note.end(),
            notes.begin() + static_cast<std::ptrdiff_t>(idx(wire.rank()) * note.size()));
  if (wire.size() == 1) return notes;
  try {
    if (wire.windows() != nullptr) {
      take_through_stages(*wire.windows(), notes, note.size(), purpose, deadline);
    } else if (wire.size() <= kMostTellingAll) {
      tell_all(wire, notes, note.size(), deadline);
    } else if (wire.rank() == 0) {
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
