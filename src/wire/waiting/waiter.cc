#include "wire/waiting/waiter.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;

constexpr int kLooksPerClock = 64;
// Where others keep all cores busy, giving way takes milliseconds each time, and only a node that sleeps
// looks for deadlines and deaths.
constexpr Deadline::Clock::duration kMostYielding = 20ms;

void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Something that is waited for while other operations move on.
class Beside final : public Awaited {
 public:
  Beside(Awaited& awaited, Meanwhile& meanwhile) : awaited_(awaited), meanwhile_(meanwhile) {}

  bool arrived() override {
    if (awaited_.arrived()) return true;
    meanwhile_.advance();
    return awaited_.arrived();  // they may have made room for it
  }
  [[nodiscard]] Transfer missing(const Roster& roster) const override { return awaited_.missing(roster); }

 private:
  Awaited& awaited_;
  Meanwhile& meanwhile_;
};

}  // namespace

class Waiter::Armed {
 public:
  explicit Armed(Waiter& waiter) : waiter_(waiter) { waiter_.arm(); }
  ~Armed() { waiter_.disarm(); }
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;

 private:
  Waiter& waiter_;
};

Waiter::Waiter(Rank rank, const Roster& roster, bool crowded, const Looks& looks, Clock::duration tell_after)
    : rank_(rank),
      roster_(roster),
      tell_after_(tell_after),
      contention_(crowded),
      looks_(looks),
      looks_now_(looks.most) {}

void Waiter::set_looks(bool crowded, const Looks& looks) {
  contention_ = Contention(crowded);
  looks_ = looks;
  looks_now_ = looks.most;
}

void Waiter::wait_for(Awaited& awaited, const Deadline& deadline) {
  if (meanwhile_ == nullptr) return wait_alone_for(awaited, deadline);
  Beside beside(awaited, *meanwhile_);
  wait_alone_for(beside, deadline);
}

void Waiter::wait_alone_for(Awaited& awaited, const Deadline& deadline) {
  if (arrives_soon(awaited)) {
    looks_now_ = std::min(looks_now_ + looks_now_ / 4, looks_.most);
    return;
  }
  // In vain: perhaps the node that is waited for needs this very core.
  looks_now_ = std::max(looks_now_ / 2, looks_.least);
  if (!arrives_after_yields(awaited, deadline)) wait_long(awaited, deadline);
}

bool Waiter::arrives_soon(Awaited& awaited) {
  for (int i = 0; i < looks_.eager; ++i) {
    if (awaited.arrived()) return true;
  }
  on_first_looks_in_vain();
  contention_.begin(Clock::now());
  for (int i = looks_.eager; i < looks_now_; ++i) {
    if (contention_.is_seen() && i >= looks_.contended) break;
    if (awaited.arrived()) return true;
    pause_core();
    if (i % kLooksPerClock == 0) contention_.look(Clock::now());
  }
  return false;
}

bool Waiter::arrives_after_yields(Awaited& awaited, const Deadline& deadline) {
  if (looks_.yields == 0) return false;
  Clock::time_point now = Clock::now();
  const Clock::time_point end = std::min(deadline.end(), now + kMostYielding);
  contention_.look(now);
  for (int i = 0; i < looks_.yields && now < end && !contention_.is_seen(); ++i) {
    ::sched_yield();
    if (awaited.arrived()) return true;
    now = Clock::now();
    contention_.look(now);
  }
  return false;
}

void Waiter::wait_long(Awaited& awaited, const Deadline& deadline) {
  Clock::time_point until = deadline.end();
  Clock::time_point tell_at = Clock::now() + tell_after_;
  Rank told = kNobody;
  bool hurried = false;
  for (;;) {
    const Armed armed(*this);
    if (awaited.arrived() || arrives_from_gone(awaited, &deadline)) break;

    const Transfer missing = awaited.missing(roster_);
    const Clock::time_point now = Clock::now();
    if (missing.peer != told && now >= tell_at) {
      told = missing.peer;
      tell_at = now + tell_after_;
      tell_waits_for(told);
    }
    if (!hurried && (roster_.failed() || presence(missing.peer) == Presence::kLeaving)) {
      hurried = true;
      until = std::min(until, now + kGrace);
    }
    if (deadline.expired()) throw late_peer(rank_, missing, roster_, deadline);
    if (hurried && now >= until) throw lost_peer(rank_, missing, roster_, &deadline);
    sleep(missing.peer == told ? until : std::min(until, std::max(tell_at, now + 1ms)));
  }
  // A wait that fails is never over: until the others hear why, they know for whom it was.
  if (told != kNobody) tell_waits_for(kNobody);
}

void Waiter::require_present(Awaited& awaited) { (void)arrives_from_gone(awaited, nullptr); }

// Looks who is gone before looking what has arrived: what a node did before it went is not lost. A node may
// have sent several messages, of which each look finds one.
bool Waiter::arrives_from_gone(Awaited& awaited, const Deadline* deadline) {
  for (;;) {
    const Transfer before = awaited.missing(roster_);
    if (presence(before.peer) != Presence::kGone) return false;
    if (awaited.arrived()) return true;
    const Transfer still = awaited.missing(roster_);
    if (still.peer == before.peer && still.id == before.id && still.channel == before.channel)
      throw lost_peer(rank_, still, roster_, deadline);
  }
}

}  // namespace trireme::wire
