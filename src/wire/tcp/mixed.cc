#include "wire/tcp/mixed.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/cores.h"

namespace trireme::wire::tcp {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

// How often a node looks before it gives way, and gives way before it sleeps.
constexpr int kSpins = 200;
constexpr int kSpinsWhenCrowded = 2;
constexpr int kYields = 200;
// Where other processes want the core it sleeps after so many looks.
constexpr int kLooksWhenContended = 10;
// One cannot sleep on both at once: who sleeps on the connections looks at the shared memory so often.
constexpr Clock::duration kNap = 1ms;

}  // namespace

MixedWire::MixedWire(std::unique_ptr<shm::ShmWire> shm, std::unique_ptr<TcpWire> tcp, std::vector<bool> here)
    : shm_(std::move(shm)),
      tcp_(std::move(tcp)),
      here_(std::move(here)),
      crowded_(std::count(here_.begin(), here_.end(), true) > Cores().count()),
      contention_(crowded_) {}

Wire& MixedWire::wire_to(Rank peer) const {
  return here_[idx(peer)] ? static_cast<Wire&>(*shm_) : static_cast<Wire&>(*tcp_);
}

Counters MixedWire::counters() const {
  Counters all = shm_->counters();
  all += tcp_->counters();
  return all;
}

void MixedWire::post_send(Batch& batch, Rank to, OpId id, std::span<const std::byte> from) {
  wire_to(to).post_send(batch, to, id, from);
}

void MixedWire::post_receive(Batch& batch, Rank from, OpId id, std::span<std::byte> into, Combine combine) {
  wire_to(from).post_receive(batch, from, id, into, combine);
}

void MixedWire::progress() {
  shm_->progress();
  tcp_->progress();
}

void MixedWire::wait(const Batch& batch, const Deadline& deadline) {
  const int spins = crowded_ ? kSpinsWhenCrowded : kSpins;
  contention_.begin(Clock::now());
  for (int i = 0; i < spins + kYields; ++i) {
    if (i >= spins) ::sched_yield();
    shm_->move();
    tcp_->move();
    if (batch.complete()) return;
    if (i < kLooksWhenContended) continue;
    contention_.look(Clock::now());
    if (contention_.is_seen()) break;
  }
  wait_long(batch, deadline);
}

// Of the two, what is missing over TCP: its nodes hear from all others.
Transfer MixedWire::missing(const Batch& batch) const {
  const Transfer remote = tcp_->missing(&batch);
  return remote.batch != nullptr ? remote : shm_->missing(&batch);
}

void MixedWire::wait_long(const Batch& batch, const Deadline& deadline) {
  LongWait telling(*tcp_);
  Clock::time_point until = deadline.end();
  bool hurried = false;
  for (;;) {
    progress();
    if (batch.complete()) return telling.over();
    const Transfer awaited = missing(batch);
    if (!hurried && (tcp_->roster().failed() || tcp_->is_gone(awaited.peer))) {
      hurried = true;
      until = std::min(until, Clock::now() + kGrace);
    }
    if (deadline.expired()) throw late_peer(rank(), awaited, tcp_->roster(), deadline);
    if (hurried && Clock::now() >= until) throw lost_peer(rank(), awaited, tcp_->roster(), &deadline);
    telling.waits_for(awaited.peer);
    tcp_->sleep(std::min(until, Clock::now() + kNap));
  }
}

void MixedWire::leave(const Failure& reason) noexcept {
  shm_->leave(reason);
  tcp_->leave(reason);
}

}  // namespace trireme::wire::tcp
