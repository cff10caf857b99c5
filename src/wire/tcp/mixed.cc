#include "wire/tcp/mixed.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/system/cores.h"

namespace trireme::wire::tcp {
namespace {

using namespace std::chrono_literals;
constexpr Looks kLooks{.eager = 10, .least = 200, .most = 200, .contended = 10, .yields = 200};
constexpr Looks kLooksWhenCrowded{.eager = 2, .least = 2, .most = 2, .contended = 2, .yields = 200};
// A node cannot sleep on both wires at once: while it sleeps on the connections it looks at the shared memory
// so often.
constexpr std::chrono::milliseconds kNap{1};

bool is_crowded(const std::vector<bool>& here) {
  return std::count(here.begin(), here.end(), true) > Cores().count();
}

}  // namespace

// The bytes of one batch on both wires. A transfer over TCP is named rather than another: its nodes hear from
// all others.
class MixedWire::BatchAwaited final : public Awaited {
 public:
  BatchAwaited(MixedWire& wire, const Batch& batch) : wire_(wire), batch_(batch) {}

  bool arrived() override {
    wire_.shm_->move();
    wire_.tcp_->move();
    return batch_.complete();
  }
  [[nodiscard]] Transfer missing(const Roster& /*roster*/) const override {
    const Transfer remote = wire_.tcp_->missing(&batch_);
    const Transfer local = wire_.shm_->missing(&batch_);
    if (remote.batch == nullptr) return local;
    const bool local_matters = local.batch != nullptr && wire_.presence(local.peer) == Presence::kGone &&
                               wire_.presence(remote.peer) != Presence::kGone;
    return local_matters ? local : remote;
  }

 private:
  MixedWire& wire_;
  const Batch& batch_;
};

// What nodes of this host wait for in shared memory, while messages on both wires move on.
class MixedWire::TickAwaited final : public Awaited {
 public:
  TickAwaited(MixedWire& wire, Awaited& awaited) : wire_(wire), awaited_(awaited) {}

  bool arrived() override {
    wire_.shm_->move();
    wire_.tcp_->move();
    return awaited_.arrived();
  }
  [[nodiscard]] Transfer missing(const Roster& roster) const override { return awaited_.missing(roster); }

 private:
  MixedWire& wire_;
  Awaited& awaited_;
};

MixedWire::MixedWire(std::unique_ptr<shm::ShmWire> shm, std::unique_ptr<TcpWire> tcp, std::vector<bool> here)
    : JobWire(tcp->size()),
      Waiter(tcp->rank(), tcp->roster(), is_crowded(here), is_crowded(here) ? kLooksWhenCrowded : kLooks,
             TcpWire::kTellAfter),
      shm_(std::move(shm)),
      tcp_(std::move(tcp)),
      here_(std::move(here)) {
  shm_->set_traffic(*this);
}

JobWire& MixedWire::wire_to(Rank peer) const {
  return here_[idx(peer)] ? static_cast<JobWire&>(*shm_) : static_cast<JobWire&>(*tcp_);
}

void MixedWire::post_send_on(Channel& channel, Batch& batch, Rank to, OpId id,
                             std::span<const std::byte> from) {
  wire_to(to).post_send_on(channel, batch, to, id, from);
}

void MixedWire::post_receive_on(Channel& channel, Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                                Combine combine) {
  wire_to(from).post_receive_on(channel, batch, from, id, into, combine);
}

bool MixedWire::all_here(const Members& members) const {
  for (Rank member = 0; member < members.size(); ++member) {
    if (!here_[idx(members.job_rank(member))]) return false;
  }
  return true;
}

std::uint64_t MixedWire::share_for_group(const Members& members) {
  return all_here(members) ? shm_->share_for_group(members) : 0;
}

std::unique_ptr<Wire> MixedWire::make_group(GroupId group, Members members, Rank rank, std::uint64_t shared) {
  if (!all_here(members)) return JobWire::make_group(group, std::move(members), rank, shared);
  return shm_->make_group_of(*this, group, members, rank, shared);
}

void MixedWire::progress() {
  shm_->progress();
  tcp_->progress();
}

void MixedWire::wait(const Batch& batch, const Deadline& deadline) {
  tcp_->hear_now_and_then();
  BatchAwaited awaited(*this, batch);
  wait_for(awaited, deadline);
}

void MixedWire::wait_until(Awaited& awaited, const Deadline& deadline) {
  tcp_->hear_now_and_then();
  wait_moving(awaited, deadline);
}

void MixedWire::wait_moving(Awaited& awaited, const Deadline& deadline) {
  TickAwaited beside(*this, awaited);
  wait_for(beside, deadline);
}

// The reason why a node of this host has left comes over its connection.
Presence MixedWire::presence(Rank peer) {
  if (!here_[idx(peer)]) return tcp_->presence(peer);
  if (shm_->presence(peer) == Presence::kHere) return Presence::kHere;
  return tcp_->roster().has_left(peer) ? Presence::kGone : Presence::kLeaving;
}

void MixedWire::sleep(Clock::time_point until) { tcp_->sleep(std::min(until, Clock::now() + kNap)); }

// The nodes of this host may wait in groups that have only shared memory.
void MixedWire::tell_waits_for(Rank peer) {
  tcp_->tell_waits_for(peer);
  shm_->tell_waits_for(peer);
}

void MixedWire::leave(const Failure& reason) noexcept {
  shm_->leave(reason);
  tcp_->leave(reason);
}

}  // namespace trireme::wire::tcp
