#include "wire/threads/in_process.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <thread>
#include <utility>

#include "base/cores.h"
#include "wire/contention.h"
#include "wire/roster.h"
#include "wire/threads/mailbox.h"
#include "wire/transfer.h"

namespace trireme::wire::threads {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

// How often a waiting node gives way and looks again before it sleeps. Measured with 2 and with 4 nodes on 2
// cores: small exchanges take 4 and 25 µs so, 30–110 and 60–370 µs when they sleep at once; four times as
// many looks gain nothing.
constexpr int kLooks = 50;

std::vector<Transfer>::iterator find(std::vector<Transfer>& transfers, Rank peer, OpId id) {
  return std::find_if(transfers.begin(), transfers.end(),
                      [&](const Transfer& t) { return t.peer == peer && t.id == id; });
}

}  // namespace

struct InProcessFabric::Shared {
  explicit Shared(Rank nodes) : mailboxes(idx(nodes)), roster(nodes) {}

  Mailbox& mailbox(Rank rank) { return mailboxes[idx(rank)]; }

  std::vector<Mailbox> mailboxes;  // by rank; never grows
  Roster roster;
};

class InProcessFabric::Node : public Wire {
 public:
  Node(Shared& shared, Rank rank)
      : shared_(shared), mailbox_(shared.mailbox(rank)), rank_(rank), contention_(size() > Cores().count()) {
    receipts_.reserve(shared.mailboxes.size());
  }

  [[nodiscard]] WireKind kind() const override { return WireKind::kThreads; }
  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] Rank size() const override { return static_cast<Rank>(shared_.mailboxes.size()); }
  [[nodiscard]] Counters counters() const override { return counters_; }

  void post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) override;
  void post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) override;
  void progress() override;
  void wait(const Batch& batch, const Deadline& deadline) override;
  void leave(const Failure& reason) noexcept override;

 private:
  void require_here() const;
  void move();
  void collect_receipts();
  bool take_message();
  void await_event(std::uint64_t seen, Clock::time_point until);
  // The first transfer (of the batch, if one is given) for which `is` holds, receives first.
  template <typename Is>
  const Transfer* find_transfer(const Batch* batch, Is is) const;
  [[nodiscard]] const Transfer* lost_transfer(const Batch* batch) const;

  Shared& shared_;
  Mailbox& mailbox_;
  const Rank rank_;
  Contention contention_;
  bool left_ = false;
  Counters counters_;
  std::vector<Transfer> sends_;     // outstanding, in the order of posting
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

void InProcessFabric::Node::post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) {
  require_here();
  assert(find(sends_, to, id) == sends_.end());
  sends_.push_back({.batch = &batch, .peer = to, .id = id, .bytes = from.size()});
  ++batch.outstanding;
  shared_.mailbox(to).deliver({.from = rank_, .id = id, .bytes = from});
}

void InProcessFabric::Node::post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                                         Combine combine) {
  require_here();
  assert(find(receives_, from, id) == receives_.end());
  receives_.push_back({&batch, from, id, into.size(), into.data(), combine});
  ++batch.outstanding;
}

// A node that has left takes nothing back any more: what it posted now would outlive its memory.
void InProcessFabric::Node::require_here() const {
  if (left_) throw gone(rank_, shared_.roster);
}

void InProcessFabric::Node::progress() {
  // Seen before moving: a receipt from a node that then left is collected, not mistaken for a loss.
  const Transfer* lost = lost_transfer(nullptr);
  move();
  if (lost == nullptr) return;
  lost = lost_transfer(nullptr);
  if (lost != nullptr) throw lost_peer(rank_, *lost, shared_.roster, nullptr);
}

void InProcessFabric::Node::wait(const Batch& batch, const Deadline& deadline) {
  Clock::time_point until = deadline.end();
  bool hurried = false;
  for (;;) {
    const std::uint64_t seen = mailbox_.bell();
    move();
    if (batch.complete()) break;

    const Transfer* missing = find_transfer(&batch, [](const Transfer&) { return true; });
    shared_.roster.waits_for(rank_, missing->peer);
    const Transfer* lost = lost_transfer(&batch);
    if (mailbox_.bell() != seen) continue;  // look again: what seems lost may just have come
    if (lost != nullptr) throw lost_peer(rank_, *lost, shared_.roster, &deadline);

    if (!hurried && shared_.roster.failed()) {
      hurried = true;
      until = std::min(until, Clock::now() + kGrace);
    }
    if (deadline.expired()) throw late_peer(rank_, *missing, shared_.roster, deadline);
    if (hurried && Clock::now() >= until) throw lost_peer(rank_, *missing, shared_.roster, &deadline);
    await_event(seen, until);
  }
  shared_.roster.waits_no_more(rank_);
}

void InProcessFabric::Node::leave(const Failure& reason) noexcept {
  if (std::exchange(left_, true)) return;
  Failure told = reason;
  if (!told.rank) told.rank = rank_;
  shared_.roster.fail(told);

  receives_.clear();  // only this thread writes there
  std::erase_if(sends_, [&](const Transfer& s) { return shared_.mailbox(s.peer).withdraw(rank_, s.id); });
  for (Transfer& send : sends_) send.batch = nullptr;  // may be gone already
  // What is left is being read by its receivers at this moment. A copy always ends, so this wait needs no
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
  while (take_message()) {
  }
  collect_receipts();
}

void InProcessFabric::Node::collect_receipts() {
  mailbox_.collect(receipts_);
  for (const Receipt& receipt : receipts_) {
    const auto send = find(sends_, receipt.by, receipt.id);
    assert(send != sends_.end());
    if (send->batch != nullptr) --send->batch->outstanding;
    ++counters_.sent_messages;
    counters_.sent_bytes += static_cast<std::int64_t>(send->bytes);
    sends_.erase(send);
  }
  receipts_.clear();
}

bool InProcessFabric::Node::take_message() {
  auto receive = receives_.end();
  const std::optional<PostedMessage> message = mailbox_.take([&](const PostedMessage& offered) {
    receive = find(receives_, offered.from, offered.id);
    if (receive == receives_.end()) return false;
    // Thrown while the message is still in the mailbox, where its sender can withdraw it.
    if (receive->bytes != offered.bytes.size()) throw wrong_length(rank_, *receive, offered.bytes.size());
    return true;
  });
  if (!message) return false;

  receive->combine(receive->into, message->bytes.data(), message->bytes.size());
  shared_.mailbox(message->from).acknowledge({.by = rank_, .id = message->id});
  --receive->batch->outstanding;
  ++counters_.received_messages;
  counters_.received_bytes += static_cast<std::int64_t>(receive->bytes);
  receives_.erase(receive);
  return true;
}

void InProcessFabric::Node::await_event(std::uint64_t seen, Clock::time_point until) {
  contention_.begin(Clock::now());
  for (int look = 0; look < kLooks && !contention_.is_seen(); ++look) {
    std::this_thread::yield();
    if (mailbox_.bell() != seen) return;
    contention_.look(Clock::now());
  }
  mailbox_.sleep_until(seen, until);
}

template <typename Is>
const Transfer* InProcessFabric::Node::find_transfer(const Batch* batch, Is is) const {
  for (const std::vector<Transfer>* transfers : {&receives_, &sends_}) {
    for (const Transfer& transfer : *transfers) {
      if ((batch == nullptr || transfer.batch == batch) && is(transfer)) return &transfer;
    }
  }
  return nullptr;
}

const Transfer* InProcessFabric::Node::lost_transfer(const Batch* batch) const {
  if (!shared_.roster.failed()) return nullptr;
  return find_transfer(batch, [&](const Transfer& t) { return shared_.roster.has_left(t.peer); });
}

}  // namespace trireme::wire::threads
