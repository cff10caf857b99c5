#include "wire/shm/entrance.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace trireme::wire::shm {

std::uint64_t Entrance::come(const CallSignature& signature, std::uint64_t ticks) {
  tick_ = ticks_.take(ticks);
  ticks_.declare(signature);
  next_ = 0;
  return tick_;
}

bool Entrance::arrived() {
  const Rank nodes = windows_.nodes();
  while (next_ < nodes && ticks_.reached(next_, tick_)) ++next_;
  return next_ == nodes;
}

Rank Entrance::missing_node() const {
  for (Rank node = next_; node < windows_.nodes(); ++node) {
    if (windows_.has_left(node) && !ticks_.reached(node, tick_)) return node;
  }
  return std::min(next_, windows_.nodes() - 1);
}

// No op of a plan has such an id.
Transfer Entrance::missing(const Roster& /*roster*/) const {
  return {.peer = windows_.members().job_rank(missing_node()), .id = -1, .combine = copy_bytes};
}

void Entrance::require_same() const {
  bool same = true;
  for (Rank node = 0; node < windows_.nodes(); ++node) {
    same = same && ticks_.note_of(node).digest == ticks_.note_of(windows_.rank()).digest;
  }
  if (same) return;
  std::vector<CallSignature> signatures;
  for (Rank node = 0; node < windows_.nodes(); ++node) signatures.push_back(ticks_.signature_of(node));
  throw difference(windows_.members(), windows_.rank(), signatures);
}

namespace {

// Everybody brings a part of a note to its stage, and takes all when all are there.
void gather_part(Windows& windows, std::span<std::byte> notes, std::size_t length, std::size_t from,
                 const CallSignature& signature, const Deadline& deadline) {
  const std::size_t count = std::min(length - from, Windows::stage_bytes());
  const auto part = [&](Rank node) { return notes.data() + idx(node) * length + from; };
  Entrance entrance(windows);
  const Place stage = windows.stage(static_cast<int>(entrance.come(signature) % 2));
  copy_bytes(stage.at(windows.rank()), part(windows.rank()), count);
  entrance.raise();
  windows.wait(entrance, deadline);
  entrance.require_same();
  for (Rank node = 0; node < windows.nodes(); ++node) copy_bytes(part(node), stage.at(node), count);
}

}  // namespace

void gather_notes(Windows& windows, std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                  const Deadline& deadline) {
  const CallSignature words(fmt::format("{}, with a note of {} bytes", purpose, length));
  std::size_t from = 0;
  do {
    gather_part(windows, notes, length, from, words, deadline);
    from += Windows::stage_bytes();
  } while (from < length);
}

void meet(Windows& windows, const Deadline& deadline) {
  Entrance entrance(windows);
  entrance.come(CallSignature("a barrier"));
  entrance.raise();
  windows.wait(entrance, deadline);
  entrance.require_same();
}

}  // namespace trireme::wire::shm
