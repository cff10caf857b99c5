#include "wire/shm/shm.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "wire/group_wire.h"
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

}  // namespace

// A group has windows of its own.
class ShmWire::Group final : public GroupWire {
 public:
  Group(JobWire& job, ShmWire& shm, GroupId group, const Members& members, Rank rank, std::size_t offset)
      : GroupWire(job, group, members, rank), shm_(shm), windows_(shm.neighbours_, members, rank, offset) {
    channel_.windows = &windows_;
    shm_.all_windows_.push_back(&windows_);
  }
  ~Group() override { std::erase(shm_.all_windows_, &windows_); }

  [[nodiscard]] WireKind kind() const override { return WireKind::kShm; }
  [[nodiscard]] Windows* windows() override { return &windows_; }
  [[nodiscard]] Counters counters() const override {
    Counters all = channel_.counters;
    all += windows_.moved();
    return all;
  }
  void gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                    const Deadline& deadline) override {
    shm::gather_notes(windows_, notes, length, purpose, deadline);
  }
  void meet(const Deadline& deadline) override { shm::meet(windows_, deadline); }

 private:
  ShmWire& shm_;
  Windows windows_;
};

// The batch at hand: whatever moves, all of it is waited for.
class ShmWire::BatchAwaited final : public Awaited {
 public:
  BatchAwaited(ShmWire& wire, const Batch* batch) : wire_(wire), batch_(batch) {}

  bool arrived() override {
    wire_.move();
    return batch_ == nullptr ? !wire_.is_posted() : batch_->complete();
  }

  [[nodiscard]] Transfer missing(const Roster& /*roster*/) const override { return wire_.missing(batch_); }

 private:
  ShmWire& wire_;
  const Batch* batch_;  // null: everything
};

// Something else than messages, which move on.
class ShmWire::TickAwaited final : public Awaited {
 public:
  TickAwaited(ShmWire& wire, Awaited& awaited) : wire_(wire), awaited_(awaited) {}

  bool arrived() override {
    wire_.move();
    return awaited_.arrived();
  }
  [[nodiscard]] Transfer missing(const Roster& roster) const override { return awaited_.missing(roster); }

 private:
  ShmWire& wire_;
  Awaited& awaited_;
};

ShmWire::ShmWire(const std::shared_ptr<Segment>& segment, Rank rank)
    : JobWire(segment->nodes()),
      neighbours_(segment, checked(*segment, rank)),
      windows_(neighbours_),
      all_windows_{&windows_},
      sent_to_(idx(segment->nodes())),
      got_from_(idx(segment->nodes())) {
  neighbours_.set_traffic(*this);
  for (Rank peer = 0; peer < segment->nodes(); ++peer) {
    out_.emplace_back(segment->channel(rank, peer), segment->ring_bytes());
    in_.emplace_back(segment->channel(peer, rank), segment->ring_bytes());
  }
}

ShmWire::~ShmWire() { neighbours_.leave(nullptr); }

Counters ShmWire::counters() const {
  Counters all = channel_.counters;
  all += windows_.moved();
  return all;
}

std::uint64_t ShmWire::share_for_group(const Members& members) {
  return Windows::share(neighbours_.segment(), members.size());
}

std::unique_ptr<Wire> ShmWire::make_group(GroupId group, Members members, Rank rank, std::uint64_t shared) {
  return make_group_of(*this, group, members, rank, shared);
}

std::unique_ptr<Wire> ShmWire::make_group_of(JobWire& job, GroupId group, const Members& members, Rank rank,
                                             std::uint64_t shared) {
  return std::make_unique<Group>(job, *this, group, members, rank, shared);
}

void ShmWire::require_here() const {
  if (neighbours_.has_left()) throw gone(rank(), neighbours_.roster());
}

void ShmWire::post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                           std::span<const std::byte> from) {
  require_here();
  ++batch.outstanding;
  Send& send = sends_.emplace_back();
  send.transfer = {.batch = &batch, .channel = &channel, .peer = to, .id = id, .bytes = from.size()};
  send.from = from.data();
  // Windows of its own group, or of the job: the receiver knows both.
  if (from.size() <= kMostCopied) return;
  for (const Windows* windows : {static_cast<const Windows*>(channel.windows), &std::as_const(windows_)}) {
    if (windows == nullptr || send.offset != Offer::kStreamed) continue;
    const std::optional<Place> place = windows->find(from);
    if (place) send.offset = place->offset + idx(windows->rank()) * place->stride;
  }
}

void ShmWire::post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                              Combine combine) {
  require_here();
  ++batch.outstanding;
  receives_.push_back({{&batch, &channel, from, id, into.size(), into.data(), combine}});
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
  if (!is_posted()) return;
  BatchAwaited everything(*this, nullptr);
  neighbours_.require_present(everything);
}

void ShmWire::wait(const Batch& batch, const Deadline& deadline) {
  BatchAwaited awaited(*this, &batch);
  neighbours_.wait_for(awaited, deadline);
}

void ShmWire::wait_moving(Awaited& awaited, const Deadline& deadline) {
  TickAwaited beside(*this, awaited);
  neighbours_.wait_for(beside, deadline);
}

void ShmWire::leave(const Failure& reason) noexcept {
  receives_.clear();
  sends_.clear();
  neighbours_.leave(&reason);
}

// Goes on until nothing moves: who has rung already does not ring again, and this node may sleep after this.
void ShmWire::move() {
  bool again = true;
  while (again) {
    ++turn_;
    in_the_way_.clear();
    std::erase_if(sends_, [&](Send& send) { return push(send); });
    const auto received = std::erase_if(receives_, [&](Receive& receive) { return look_at(receive); });
    again = received > 0 && !receives_.empty();
    for (const Transfer& waiting : in_the_way_) {
      if (std::exchange(got_from_[idx(waiting.peer)], turn_) != turn_) again |= put_aside(waiting);
    }
  }
}

// True when the send is complete.
bool ShmWire::push(Send& send) {
  const Rank peer = send.transfer.peer;
  ChannelOut& channel = out_[idx(peer)];
  const bool is_new = send.number == 0;
  if (is_new) {
    const bool waits_its_turn = sent_to_[idx(peer)] == turn_;  // behind one that is not yet in the channel
    if (waits_its_turn ||
        !channel.offer({send.transfer.id, send.transfer.bytes, send.offset, send.transfer.channel->id})) {
      sent_to_[idx(peer)] = turn_;
      return false;
    }
    send.number = channel.offered();
  }
  const bool is_streamed = send.offset == Offer::kStreamed;
  const bool is_done = is_streamed ? push_stream(send) : channel.taken() >= send.number;
  if (is_new && send.written == 0) neighbours_.ring(peer);  // else its bytes have rung
  if (!is_done) {
    if (is_streamed) sent_to_[idx(peer)] = turn_;
    return false;
  }
  send.transfer.complete();
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

// True when the receive is complete. Between two nodes, messages of one channel keep their order: in each
// turn only the first receive is looked at that the peer's next message can be for.
bool ShmWire::look_at(Receive& receive) {
  const Transfer& transfer = receive.transfer;
  std::uint64_t& got_from = got_from_[idx(transfer.peer)];
  if (got_from == turn_) return false;
  const auto aside = std::ranges::find_if(asides_, [&](const Aside& other) {
    return other.from == transfer.peer && other.offer.channel == transfer.channel->id;
  });
  if (aside != asides_.end() && aside->complete()) return take_aside(transfer, aside);
  const Offer* offer = in_[idx(transfer.peer)].next();
  if (offer == nullptr) {
    got_from = turn_;  // what comes now is for this receive, not for one behind it
    return false;
  }
  if (aside != asides_.end() || offer->channel != transfer.channel->id) {
    in_the_way_.push_back(transfer);
    return false;
  }
  got_from = turn_;
  return pull(receive);
}

bool ShmWire::take_aside(const Transfer& receive, std::vector<Aside>::iterator aside) {
  check(receive, aside->offer);
  if (receive.bytes > 0) receive.combine(receive.into, aside->bytes.data(), receive.bytes);
  asides_.erase(aside);
  receive.complete();
  return true;
}

// Another channel's message is in the way of this receive. No more memory is taken than bytes have come. True
// when it is out of the way.
bool ShmWire::put_aside(const Transfer& waiting) {
  const Rank peer = waiting.peer;
  ChannelIn& channel = in_[idx(peer)];
  const Offer* offer = channel.next();
  const auto begun = std::ranges::find_if(
      asides_, [&](const Aside& other) { return other.from == peer && !other.complete(); });
  // It may have come only after this turn had looked at its receive.
  const bool is_awaited = std::ranges::any_of(receives_, [&](const Receive& receive) {
    return receive.transfer.peer == peer && receive.transfer.channel->id == offer->channel;
  });
  if (begun == asides_.end() && is_awaited) return false;
  Aside& aside = begun != asides_.end() ? *begun : asides_.emplace_back(Aside{peer, *offer, {}});
  if (offer->offset != Offer::kStreamed) {
    const std::byte* from = in_a_window(*offer);
    if (from == nullptr) throw strange_place(rank(), waiting);
    aside.bytes.assign(from, from + offer->bytes);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (neighbours_.roster().has_left(peer)) throw lost_peer(rank(), waiting, neighbours_.roster(), nullptr);
  }
  while (!aside.complete()) {
    const std::span<const std::byte> piece = channel.readable(offer->bytes - aside.bytes.size());
    if (piece.empty()) return false;
    aside.bytes.insert(aside.bytes.end(), piece.begin(), piece.end());
    channel.consume(piece.size());
    neighbours_.ring(peer);
  }
  channel.take();
  neighbours_.ring(peer);
  return true;
}

void ShmWire::check(const Transfer& receive, const Offer& offer) const {
  if (offer.id != receive.id) throw other_op(rank(), receive);
  if (offer.bytes != receive.bytes) throw wrong_length(rank(), receive, offer.bytes);
}

const std::byte* ShmWire::in_a_window(const Offer& offer) const {
  for (const Windows* windows : all_windows_) {
    if (const std::byte* place = windows->at_offset(offer.offset, offer.bytes)) return place;
  }
  return nullptr;
}

// True when the receive is complete.
bool ShmWire::pull(Receive& receive) {
  const Transfer& transfer = receive.transfer;
  ChannelIn& channel = in_[idx(transfer.peer)];
  const Offer* offer = channel.next();
  check(transfer, *offer);
  if (offer->offset != Offer::kStreamed) {
    const std::byte* from = in_a_window(*offer);
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
  transfer.complete();
  return true;
}

// True when all of it has come. The last piece does not ring: the caller does.
bool ShmWire::pull_stream(Receive& receive) {
  const Transfer& transfer = receive.transfer;
  ChannelIn& channel = in_[idx(transfer.peer)];
  while (receive.read < transfer.bytes) {
    const std::span<const std::byte> piece = channel.readable(transfer.bytes - receive.read);
    if (piece.empty()) return false;
    transfer.combine(transfer.into + receive.read, piece.data(), piece.size());
    receive.read += piece.size();
    channel.consume(piece.size());
    if (receive.read < transfer.bytes) neighbours_.ring(transfer.peer);
  }
  return true;
}

void ShmWire::gather_notes(std::span<std::byte> notes, std::size_t length, std::string_view purpose,
                           const Deadline& deadline) {
  shm::gather_notes(windows_, notes, length, purpose, deadline);
}

void ShmWire::meet(const Deadline& deadline) { shm::meet(windows_, deadline); }

}  // namespace trireme::wire::shm
