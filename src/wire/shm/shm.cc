#include "wire/shm/shm.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "wire/shm/entrance.h"

namespace trireme::wire::shm {
namespace {

Error strange_place(Rank rank, const Transfer& receive) {
  Failure failure;
  failure.cause = Failure::Cause::kMismatch;
  failure.rank = rank;
  failure.peer = failure.culprit = receive.peer;
  failure.op_id = receive.id;
  failure.what = fmt::format("rank {} sends from a window that this node does not have", receive.peer);
  failure.hint = "let every node make the same windows, and keep them while they are used";
  return Error(std::move(failure));
}

Rank checked(const Segment& segment, Rank rank) {
  if (rank >= 0 && rank < segment.nodes()) return rank;
  throw bad_input(fmt::format("rank {} is not one of a job of {} nodes", rank, segment.nodes()));
}

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

// The batch at hand: whatever moves, all of it is waited for.
class ShmWire::BatchAwaited final : public Awaited {
 public:
  BatchAwaited(ShmWire& wire, const Batch* batch) : wire_(wire), batch_(batch) {}

  bool arrived() override {
    wire_.move();
    return batch_ == nullptr ? nothing_outstanding() : batch_->complete();
  }

  [[nodiscard]] Transfer missing(const Roster& /*roster*/) const override { return wire_.missing(batch_); }

 private:
  [[nodiscard]] bool nothing_outstanding() const { return wire_.receives_.empty() && wire_.sends_.empty(); }

  ShmWire& wire_;
  const Batch* batch_;  // null: everything
};

ShmWire::ShmWire(std::shared_ptr<Segment> segment, Rank rank)
    : neighbours_(segment, checked(*segment, rank)),
      windows_(neighbours_),
      sent_to_(idx(segment->nodes())),
      got_from_(idx(segment->nodes())) {
  for (Rank peer = 0; peer < segment->nodes(); ++peer) {
    out_.emplace_back(segment->channel(rank, peer), segment->ring_bytes());
    in_.emplace_back(segment->channel(peer, rank), segment->ring_bytes());
  }
}

ShmWire::~ShmWire() { neighbours_.leave(nullptr); }

Counters ShmWire::counters() const {
  Counters all = counters_;
  all += windows_.moved();
  return all;
}

void ShmWire::require_here() const {
  if (neighbours_.has_left()) throw gone(rank(), neighbours_.roster());
}

void ShmWire::post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) {
  require_here();
  ++batch.outstanding;
  Send& send = sends_.emplace_back();
  send.transfer = {.batch = &batch, .peer = to, .id = id, .bytes = from.size()};
  send.from = from.data();
  if (const std::optional<Place> place = windows_.find(from)) {
    send.offset = place->offset + idx(rank()) * place->stride;
  }
}

void ShmWire::post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) {
  require_here();
  ++batch.outstanding;
  receives_.push_back({{&batch, from, id, into.size(), into.data(), combine}});
}

Transfer ShmWire::missing(const Batch* batch) const {
  const Roster& roster = neighbours_.roster();
  Transfer found{.peer = rank()};
  const auto look_at = [&](const auto& posted) {
    for (const auto& entry : posted) {
      const Transfer& transfer = entry.transfer;
      if (batch != nullptr && transfer.batch != batch) continue;
      const bool better = !roster.has_left(found.peer) && roster.has_left(transfer.peer);
      if (found.batch == nullptr || better) found = transfer;
    }
  };
  look_at(receives_);
  look_at(sends_);
  return found;
}

void ShmWire::progress() {
  move();
  if (receives_.empty() && sends_.empty()) return;
  BatchAwaited everything(*this, nullptr);
  neighbours_.require_present(everything);
}

void ShmWire::wait(const Batch& batch, const Deadline& deadline) {
  BatchAwaited awaited(*this, &batch);
  neighbours_.wait_for(awaited, deadline);
}

void ShmWire::leave(const Failure& reason) noexcept {
  receives_.clear();
  sends_.clear();
  neighbours_.leave(&reason);
}

// Whether this is the first look in this turn at a transfer with the peer: between two nodes messages keep
// their order.
bool ShmWire::first_of_peer(std::vector<std::uint64_t>& seen, Rank peer) {
  return std::exchange(seen[idx(peer)], turn_) != turn_;
}

void ShmWire::move() {
  ++turn_;
  std::erase_if(sends_, [&](Send& send) { return push(send); });
  std::erase_if(receives_, [&](Receive& receive) {
    return first_of_peer(got_from_, receive.transfer.peer) && pull(receive);
  });
}

// True when the send is complete.
bool ShmWire::push(Send& send) {
  const Rank peer = send.transfer.peer;
  ChannelOut& channel = out_[idx(peer)];
  if (send.number == 0) {
    const bool waits_its_turn = sent_to_[idx(peer)] == turn_;  // behind one that is not yet in the channel
    if (waits_its_turn || !channel.offer({send.transfer.id, send.transfer.bytes, send.offset})) {
      sent_to_[idx(peer)] = turn_;
      return false;
    }
    send.number = channel.offered();
    neighbours_.ring(peer);
  }
  if (send.offset != Offer::kStreamed) {
    if (channel.taken() < send.number) return false;
  } else if (!push_stream(send)) {
    sent_to_[idx(peer)] = turn_;
    return false;
  }
  --send.transfer.batch->outstanding;
  ++counters_.sent_messages;
  counters_.sent_bytes += static_cast<std::int64_t>(send.transfer.bytes);
  return true;
}

// True when all of it is in the ring.
bool ShmWire::push_stream(Send& send) {
  ChannelOut& channel = out_[idx(send.transfer.peer)];
  while (send.written < send.transfer.bytes) {
    const std::size_t bytes = channel.write({send.from + send.written, send.transfer.bytes - send.written});
    if (bytes == 0) return false;
    send.written += bytes;
    neighbours_.ring(send.transfer.peer);
  }
  return true;
}

// True when the receive is complete.
bool ShmWire::pull(Receive& receive) {
  const Transfer& transfer = receive.transfer;
  ChannelIn& channel = in_[idx(transfer.peer)];
  const Offer* offer = channel.next();
  if (offer == nullptr) return false;
  if (offer->id != transfer.id) throw other_op(rank(), transfer);
  if (offer->bytes != transfer.bytes) throw wrong_length(rank(), transfer, offer->bytes);
  if (offer->offset != Offer::kStreamed) {
    const std::byte* from = windows_.at_offset(offer->offset, offer->bytes);
    if (from == nullptr) throw strange_place(rank(), transfer);
    transfer.combine(transfer.into, from, transfer.bytes);
    // A sender that leaves takes back what was not read yet, and may have changed it since.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (neighbours_.roster().has_left(transfer.peer)) {
      throw lost_peer(rank(), transfer, neighbours_.roster(), nullptr);
    }
  } else if (!pull_stream(receive)) {
    return false;
  }
  channel.take();
  neighbours_.ring(transfer.peer);
  --transfer.batch->outstanding;
  ++counters_.received_messages;
  counters_.received_bytes += static_cast<std::int64_t>(transfer.bytes);
  return true;
}

// True when all of it has come.
bool ShmWire::pull_stream(Receive& receive) {
  const Transfer& transfer = receive.transfer;
  ChannelIn& channel = in_[idx(transfer.peer)];
  while (receive.read < transfer.bytes) {
    const std::span<const std::byte> piece = channel.readable(transfer.bytes - receive.read);
    if (piece.empty()) return false;
    transfer.combine(transfer.into + receive.read, piece.data(), piece.size());
    receive.read += piece.size();
    channel.consume(piece.size());
    neighbours_.ring(transfer.peer);
  }
  return true;
}

void ShmWire::gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                           const Deadline& deadline) {
  const CallSignature words(fmt::format("{}, with a note of {} bytes", purpose, length));
  std::size_t from = 0;
  do {
    gather_part(windows_, notes, length, from, words, deadline);
    from += Windows::stage_bytes();
  } while (from < length);
}

void ShmWire::meet(const Deadline& deadline) {
  Entrance entrance(windows_);
  entrance.come(CallSignature("a barrier"));
  entrance.raise();
  windows_.wait(entrance, deadline);
  entrance.require_same();
}

}  // namespace trireme::wire::shm
