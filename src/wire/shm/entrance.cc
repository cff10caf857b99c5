#include "wire/shm/entrance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "wire/shm/windows.h"

namespace trireme::wire::shm {

Entrance::Entrance(Ticks& ticks, const Members& members, Rank rank, const Roster& roster)
    : ticks_(ticks), members_(members), rank_(rank), roster_(roster) {}

bool Entrance::attended(std::uint64_t but) {
  if (attended_ + but >= ticks_.calls()) return true;
  const std::uint64_t call = ticks_.calls() - but;
  if (std::exchange(awaited_, call) != call) next_ = 0;
  while (next_ < members_.size() && is_there(next_)) ++next_;
  if (next_ < members_.size()) {
    ticks_.require_here();
    return false;
  }
  if (!are_same(call)) throw first_difference();
  attended_ = call;
  return true;
}

std::uint64_t Entrance::come(const CallSignature& signature, std::uint64_t ticks) {
  assert(attended_ + kOpenBut >= ticks_.calls());
  const std::uint64_t tick = ticks_.take(ticks);
  ticks_.declare(signature);
  ticks_of_calls_[ticks_.calls() % kNotes] = tick;
  return tick;
}

Rank Entrance::missing_node() const {
  for (Rank node = next_; node < members_.size(); ++node) {
    if (roster_.has_left(members_.job_rank(node)) && !is_there(node)) return node;
  }
  return next_;
}

bool Entrance::are_same(std::uint64_t call) const {
  for (Rank node = 0; node < members_.size(); ++node) {
    if (!is_same(node, call)) return false;
  }
  return true;
}

Error Entrance::first_difference() const {
  std::uint64_t call = attended_ + 1;
  while (are_same(call)) ++call;
  std::vector<CallSignature> signatures;
  for (Rank node = 0; node < members_.size(); ++node) signatures.push_back(ticks_.signature_of(node, call));
  return difference(members_, rank_, signatures);
}

Attendance::Attendance(Windows& windows, std::uint64_t but)
    : windows_(windows), entrance_(windows.entrance()), but_(but) {}

// No op of a plan has such an id.
Transfer Attendance::missing(const Roster& /*roster*/) const {
  return {.peer = windows_.members().job_rank(entrance_.missing_node()), .id = -1, .combine = copy_bytes};
}

namespace {

void wait_for_all(Windows& windows, const Deadline& deadline, std::uint64_t but = 0) {
  if (windows.entrance().attended(but)) return;
  Attendance attendance(windows, but);
  windows.wait(attendance, deadline);
}

// Everybody brings a part of a note to its stage, and takes all when all are there.
void gather_part(Windows& windows, std::span<std::byte> notes, std::size_t length, std::size_t from,
                 const CallSignature& signature, const Deadline& deadline) {
  const std::size_t count = std::min(length - from, Windows::stage_bytes());
  const auto part = [&](Rank node) { return notes.data() + idx(node) * length + from; };
  wait_for_all(windows, deadline);
  const std::uint64_t tick = windows.entrance().come(signature);
  const Place stage = windows.stage(static_cast<int>(tick % 2));
  copy_bytes(stage.at(windows.rank()), part(windows.rank()), count);
  windows.ticks().raise(tick);
  wait_for_all(windows, deadline);
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
  static const CallSignature kBarrier("a barrier");
  wait_for_all(windows, deadline, Entrance::kOpenBut);
  windows.ticks().raise(windows.entrance().come(kBarrier));
  wait_for_all(windows, deadline);
}

}  // namespace trireme::wire::shm
