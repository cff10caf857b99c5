#include "wire/threads/in_process.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "base/system/cores.h"
#include "wire/roster/roster.h"
#include "wire/threads/mailbox.h"
#include "wire/transfer.h"
#include "wire/waiting/waiter.h"

namespace trireme::wire::threads {
namespace {

using namespace std::chrono_literals;

// A node looks once, and gives way so often before it sleeps. Measured with 2 and with 4 nodes on 2 cores:
// small exchanges take 4 and 25 µs so, 30–110 and 60–370 µs when they sleep at once; four times as many gain
// nothing.
constexpr Looks kLooks{.eager = 1, .least = 1, .most = 1, .contended = 1, .yields = 50};

std::vector<Transfer>::iterator find(std::vector<Transfer>& transfers, Rank peer, ChannelId channel,
                                     OpId id) {
  return std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& t) {
    return t.peer == peer && t.id == id && t.channel->id == channel;
  });
}

}  // namespace

struct InProcessFabric::Shared {
  explicit Shared(Rank nodes) : mailboxes(idx(nodes)), roster(nodes) {}

  Mailbox& mailbox(Rank rank) { return mailboxes[idx(rank)]; }

  std::vector<Mailbox> mailboxes;  // by rank; never grows
  Roster roster;
};

class InProcessFabric::Node final : public JobWire, private Waiter {
 public:
  Node(Shared& shared, Rank rank)
      : JobWire(static_cast<Rank>(shared.mailboxes.size())),
        Waiter(rank, shared.roster, static_cast<int>(shared.mailboxes.size()) > Cores().count(), kLooks,
               /*tell_after=*/0ms),
        shared_(shared),
        mailbox_(shared.mailbox(rank)),
        rank_(rank) {
    receipts_.reserve(shared.mailboxes.size());
  }

  [[nodiscard]] WireKind kind() const override { return WireKind::kThreads; }
  [[nodiscard]] Rank rank() const override { return rank_; }

  void post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                    std::span<const std::byte> from) override;
  void post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                       Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void wait_until(Awaited& awaited, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;
  void set_meanwhile(Meanwhile* meanwhile) override { Waiter::set_meanwhile(meanwhile); }

 private:
  class BatchAwaited;
  class OtherAwaited;

  void require_here() const;
  void move();
  void collect_receipts();
  bool take_message();
  [[nodiscard]] Transfer missing(const Batch* batch) const;

  [[nodiscard]] Presence presence(Rank peer) override;
  void tell_waits_for(Rank peer) override;
  void sleep(Clock::time_point until) override { mailbox_.sleep_until(moved_at_, until); }

  Shared& shared_;
  Mailbox& mailbox_;
  const Rank rank_;
  bool left_ = false;
  std::uint64_t moved_at_ = 0;      // the bell before the last `move`
  std::vector<Transfer> sends_;     // outstanding, of all groups, in the order of posting
  std::vector<Transfer> receives_;  // likewise
  std::vector<Receipt> receipts_;   // empty between calls; keeps its memory
};

InProcessFabric::InProcessFabric(Rank nodes) : shared_(std::make_unique<Shared>(nodes)) {
  constexpr Rank kUsual = 64;  // one message from each node, unless there are very many
  for (Mailbox& mailbox : shared_->mailboxes) mailbox.reserve(idx(std::min(nodes, kUsual)));
  for (Rank rank = 0; rank < nodes; ++rank) nodes_.push_back(std::make_unique<Node>(*shared_, rank));
}

InProcessFabric::~InProcessFabric() = default;

Wire& InProcessFabric::wire(Rank rank) { return *nodes_.at(idx(rank)); }

std::optional<Failure> InProcessFabric::first_failure() const { return shared_->roster.first_failure(); }

void InProcessFabric::Node::post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                                         std::span<const std::byte> from) {
  require_here();
  assert(find(sends_, to, channel.id, id) == sends_.end());
  sends_.push_back({.batch = &batch, .channel = &channel, .peer = to, .id = id, .bytes = from.size()});
  ++batch.outstanding;
  shared_.mailbox(to).deliver({.from = rank_, .channel = channel.id, .id = id, .bytes = from});
}

void InProcessFabric::Node::post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id,
                                            std::span<std::byte> into, Combine combine) {
  require_here();
  assert(find(receives_, from, channel.id, id) == receives_.end());
  receives_.push_back({&batch, &channel, from, id, into.size(), into.data(), combine});
  ++batch.outstanding;
}

// A node that has left takes nothing back any more: what it posted now would outlive its memory.
void InProcessFabric::Node::require_here() const {
  if (left_) throw gone(rank_, shared_.roster);
}

// The bytes of one batch, or of everything that is posted. While nobody has rung, nothing can move.
class InProcessFabric::Node::BatchAwaited final : public Awaited {
 public:
  BatchAwaited(Node& node, const Batch* batch) : node_(node), batch_(batch) {}

  bool arrived() override {
    if (!moved_ || node_.mailbox_.bell() != node_.moved_at_) node_.move();
    moved_ = true;
    return batch_ == nullptr ? node_.missing(nullptr).batch == nullptr : batch_->complete();
  }
  [[nodiscard]] Transfer missing(const Roster& /*roster*/) const override { return node_.missing(batch_); }

 private:
  Node& node_;
  const Batch* batch_;  // null: everything
  bool moved_ = false;
};

// Something else than messages, which move on.
class InProcessFabric::Node::OtherAwaited final : public Awaited {
 public:
  OtherAwaited(Node& node, Awaited& awaited) : node_(node), awaited_(awaited) {}

  bool arrived() override {
    node_.move();
    return awaited_.arrived();
  }
  [[nodiscard]] Transfer missing(const Roster& roster) const override { return awaited_.missing(roster); }

 private:
  Node& node_;
  Awaited& awaited_;
};

void InProcessFabric::Node::progress() {
  BatchAwaited everything(*this, nullptr);
  if (!everything.arrived()) require_present(everything);
}

void InProcessFabric::Node::wait(const Batch& batch, const Deadline& deadline) {
  BatchAwaited awaited(*this, &batch);
  wait_for(awaited, deadline);
}

void InProcessFabric::Node::wait_until(Awaited& awaited, const Deadline& deadline) {
  OtherAwaited moving(*this, awaited);
  wait_for(moving, deadline);
}

Presence InProcessFabric::Node::presence(Rank peer) {
  return shared_.roster.has_left(peer) ? Presence::kGone : Presence::kHere;
}

void InProcessFabric::Node::tell_waits_for(Rank peer) {
  return peer == kNobody ? shared_.roster.waits_no_more(rank_) : shared_.roster.waits_for(rank_, peer);
}

void InProcessFabric::Node::leave(const Failure& reason) noexcept {
  if (std::exchange(left_, true)) return;
  Failure told = reason;
  if (!told.rank) told.rank = rank_;
  shared_.roster.fail(told);

  receives_.clear();  // only this thread writes there
  std::erase_if(sends_, [&](const Transfer& s) {
    return shared_.mailbox(s.peer).withdraw(rank_, s.channel->id, s.id);
  });
  for (Transfer& send : sends_) send.batch = nullptr;  // may be gone already
  // The sends that are left are being read by their receivers now. A copy always ends, so this wait needs no
  // deadline.
  for (;;) {
    const std::uint64_t seen = mailbox_.bell();
    collect_receipts();
    if (sends_.empty()) break;
    mailbox_.sleep_until(seen, Clock::now() + 1s);
  }
  shared_.roster.leave(rank_);
  for (Mailbox& mailbox : shared_.mailboxes) mailbox.ring();
}

void InProcessFabric::Node::move() {
  moved_at_ = mailbox_.bell();
  while (take_message()) {
  }
  collect_receipts();
}

void InProcessFabric::Node::collect_receipts() {
  mailbox_.collect(receipts_);
  for (const Receipt& receipt : receipts_) {
    const auto send = find(sends_, receipt.by, receipt.channel, receipt.id);
    assert(send != sends_.end());
    if (send->batch != nullptr) send->complete();
    sends_.erase(send);
  }
  receipts_.clear();
}

bool InProcessFabric::Node::take_message() {
  auto receive = receives_.end();
  const std::optional<PostedMessage> message = mailbox_.take([&](const PostedMessage& offered) {
    receive = find(receives_, offered.from, offered.channel, offered.id);
    if (receive == receives_.end()) return false;
    // Thrown while the message is still in the mailbox, where its sender can withdraw it.
    if (receive->bytes != offered.bytes.size()) throw wrong_length(rank_, *receive, offered.bytes.size());
    return true;
  });
  if (!message) return false;

  receive->combine(receive->into, message->bytes.data(), message->bytes.size());
  shared_.mailbox(message->from).acknowledge({.by = rank_, .channel = message->channel, .id = message->id});
  receive->complete();
  receives_.erase(receive);
  return true;
}

// A receive rather than a send, but one with a node that has left rather than any other.
Transfer InProcessFabric::Node::missing(const Batch* batch) const {
  Transfer found{.peer = rank_};
  for (const std::vector<Transfer>* transfers : {&receives_, &sends_}) {
    for (const Transfer& transfer : *transfers) {
      if (batch != nullptr && transfer.batch != batch) continue;
      const bool better = !shared_.roster.has_left(found.peer) && shared_.roster.has_left(transfer.peer);
      if (found.batch == nullptr || better) found = transfer;
    }
  }
  return found;
}

}  // namespace trireme::wire::threads
