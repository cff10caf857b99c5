#include "wire/mpi/mpi_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "wire/awaited.h"

namespace trireme::wire::mpi {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

// On a busy machine the remark of a node that waits itself may still be under way when the deadline passes.
// So long does a node listen before it blames another.
constexpr Clock::duration kListensBeforeBlaming = 100ms;

Error ended(Rank rank, const Transfer& awaited) {
  Failure failure;
  failure.cause = Failure::Cause::kPeerLost;
  failure.rank = rank;
  failure.peer = awaited.peer;
  failure.op_id = awaited.id;
  failure.what =
      fmt::format("the MPI launcher ends this job (SIGTERM) while waiting for rank {}", awaited.peer);
  failure.hint = "look at what mpirun and the other ranks say: one of them has failed first";
  return Error(std::move(failure));
}

}  // namespace

MpiWire::MpiWire(const MpiPlace& place, MpiCalls& mpi, const TermSignal& term)
    : JobWire(place.size),
      place_(place),
      mpi_(mpi),
      term_(term),
      roster_(place.size),
      patience_(place.crowded) {
  lanes_.emplace(channel_.id.group, make_lanes(nullptr, place.size));
}

MpiWire::Lanes MpiWire::make_lanes(std::unique_ptr<MpiCalls> group_calls, Rank nodes) {
  Lanes lanes;
  lanes.calls = std::move(group_calls);
  MpiCalls& calls = lanes.calls ? *lanes.calls : mpi_;
  lanes.tagged_calls = calls.twin();
  for (std::vector<MpiLane>* direction : {&lanes.sends, &lanes.receives}) {
    for (Rank peer = 0; peer < nodes; ++peer) direction->emplace_back(calls, place_.rank, peer);
  }
  return lanes;
}

std::unique_ptr<Wire> MpiWire::make_group(GroupId group, Members members, Rank rank, std::uint64_t shared) {
  std::vector<Rank> ranks;
  ranks.reserve(idx(members.size()));
  for (Rank member = 0; member < members.size(); ++member) ranks.push_back(members.job_rank(member));
  // MPI guarantees 15 bits of a tag.
  Lanes lanes = make_lanes(mpi_.among(ranks, static_cast<int>(group & 0x7fff)), members.size());
  for (std::size_t member = 0; member < ranks.size(); ++member)
    lanes.members.emplace(ranks[member], static_cast<Rank>(member));
  lanes_.emplace(group, std::move(lanes));
  return JobWire::make_group(group, std::move(members), rank, shared);
}

void MpiWire::free_groups() {
  for (auto& [group, lanes] : lanes_) {
    lanes.tagged_calls->free();
    if (lanes.calls) lanes.calls->free();
  }
}

void MpiWire::require_here() const {
  if (left_) throw gone(place_.rank, roster_);
}

MpiLane& MpiWire::lane_of(const Channel& channel, Rank peer, bool sends) {
  Lanes& lanes = lanes_.at(channel.id.group);
  const Rank in_group = lanes.in_group(peer);
  if (channel.id.tagged == 0) return (sends ? lanes.sends : lanes.receives)[idx(in_group)];
  const int tag = static_cast<int>(channel.id.tagged) - 1;
  return (sends ? lanes.tagged_sends : lanes.tagged_receives)
      .try_emplace({tag, in_group}, *lanes.tagged_calls, place_.rank, in_group, tag)
      .first->second;
}

void MpiWire::post(MpiLane& lane, const Transfer& transfer, std::byte* data) {
  require_here();
  if (lane.idle()) busy_.push_back(&lane);
  ++transfer.batch->outstanding;
  lane.post(transfer, data);
}

void MpiWire::post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                           std::span<const std::byte> from) {
  // MPI does not write to the memory that it sends.
  post(lane_of(channel, to, true),
       {.batch = &batch, .channel = &channel, .peer = to, .id = id, .bytes = from.size()},
       const_cast<std::byte*>(from.data()));
}

void MpiWire::post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                              Combine combine) {
  post(lane_of(channel, from, false), {&batch, &channel, from, id, into.size(), into.data(), combine},
       into.data());
}

bool MpiWire::move() {
  bool moved = false;
  for (MpiLane* lane : busy_) moved |= lane->advance();
  if (moved) std::erase_if(busy_, [](const MpiLane* lane) { return lane->idle(); });
  return moved;
}

// One of the transfers that the batch, or any batch, waits for: a receive if there is one.
Transfer MpiWire::missing(const Batch* batch) const {
  const Transfer* found = nullptr;
  for (const MpiLane* lane : busy_) {
    const Transfer* transfer = lane->find(batch);
    if (transfer != nullptr && (found == nullptr || (found->is_send() && !transfer->is_send())))
      found = transfer;
  }
  return found != nullptr ? *found : Transfer{.peer = place_.rank};
}

void MpiWire::progress() {
  move();
  if (term_.came() && !busy_.empty()) throw ended(place_.rank, missing(nullptr));
}

class MpiWire::BatchAwaited final : public Awaited {
 public:
  BatchAwaited(MpiWire& wire, const Batch& batch) : wire_(wire), batch_(batch) {}

  bool arrived() override { return batch_.complete(); }
  [[nodiscard]] Transfer missing(const Roster& /*roster*/) const override { return wire_.missing(&batch_); }

 private:
  MpiWire& wire_;
  const Batch& batch_;
};

void MpiWire::wait(const Batch& batch, const Deadline& deadline) {
  BatchAwaited awaited(*this, batch);
  wait_until(awaited, deadline);
}

void MpiWire::wait_until(Awaited& awaited, const Deadline& deadline) {
  const Clock::duration quiet = std::min<Clock::duration>(deadline.limit() / 4, 1s);
  Clock::time_point moved = Clock::now();
  patience_.restart();
  while (!awaited.arrived()) {
    const bool moves = move();
    if (meanwhile_ != nullptr) meanwhile_->advance();
    const Clock::time_point now = Clock::now();
    if (awaited.arrived()) break;
    if (term_.came()) throw ended(place_.rank, awaited.missing(roster_));
    if (now >= deadline.end()) {
      hear_who_awaits_whom(now + kListensBeforeBlaming);
      throw late_peer(place_.rank, awaited.missing(roster_), roster_, deadline);
    }
    if (moves) {
      moved = now;
      patience_.restart();
      continue;
    }
    if (now - moved > quiet) tell_whom_it_awaits(awaited.missing(roster_).peer);
    patience_.look_away();
  }
  tell_whom_it_awaits(kNobody);
}

// A node that has waited for long tells all others for whom, so that those who wait for it indirectly can
// name the one that is late.
void MpiWire::tell_whom_it_awaits(Rank peer) {
  if (std::exchange(told_, peer) == peer) return;
  for (Rank node = 0; node < place_.size; ++node) {
    if (node != place_.rank) mpi_.remark(node, peer + 1);
  }
}

void MpiWire::hear_who_awaits_whom(Clock::time_point end) {
  do {
    while (const std::optional<MpiCalls::Remark> remark = mpi_.next_remark()) {
      roster_.waits_for(remark->from, remark->tag - 1);
    }
    std::this_thread::sleep_for(1ms);
  } while (Clock::now() < end && !term_.came());
}

void MpiWire::leave(const Failure& reason) noexcept {
  if (std::exchange(left_, true)) return;
  Failure told = reason;
  if (!told.rank) told.rank = place_.rank;
  roster_.fail(told);
  for (MpiLane* lane : busy_) lane->drop();
  busy_.clear();
}

}  // namespace trireme::wire::mpi
