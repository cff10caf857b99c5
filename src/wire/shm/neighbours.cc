#include "wire/shm/neighbours.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace trireme::wire::shm {
namespace {

using namespace std::chrono_literals;
using Clock = Deadline::Clock;

// How often a node looks before it gives way: up to about a millisecond, the first times without a pause,
// which takes as long as a line needs from one core to another. A node that gives way or sleeps is 15 to 40
// µs late when the other comes, more than an exchange of 256 KiB takes. Each time that was in vain it looks
// half as long, and longer again with each success: perhaps the one that is waited for needs this very core.
// With more nodes than cores a node gives way almost at once.
constexpr int kEagerSpins = 100;
constexpr int kMostSpins = 20000;
constexpr int kSpinsWhenCrowded = 20;
// Where others want its core, about 100 µs: the other may be at work on its part of the same exchange.
constexpr int kSpinsWhenContended = 2000;
constexpr int kSpinsPerClock = 64;
// How often it gives way before it sleeps. Measured with 4 nodes on 2 cores: giving way costs 4 µs for a
// small exchange and hardly anything for a large one, sleeping at once 18 µs and up to twice the time.
// Where other processes want the core a node does not: it would have it back only after all of them.
constexpr int kYields = 400;
// And for how long: where others keep all cores busy, each time takes milliseconds, and deadlines and deaths
// are looked for only by who sleeps.
constexpr Clock::duration kMostYielding = 20ms;
// How often a sleeping node looks whether the others' processes are still there.
constexpr Clock::duration kLookEvery = 100ms;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Between processes: not the private kind of futex.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, Clock::duration limit) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(limit).count();
  const timespec time{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace

// Says that this node is about to sleep, for as long as it lives.
class Neighbours::Asleep {
 public:
  explicit Asleep(Bell& bell) : bell_(bell) {
    bell_.asleep.store(1, std::memory_order_seq_cst);
    // With the fence in `ring`: either the other sees that we sleep, or we see what it has changed.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  ~Asleep() { bell_.asleep.store(0, std::memory_order_relaxed); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  Bell& bell_;
};

// Spinning pays while every node has a core of its own. Otherwise it keeps the very node waiting that is
// waited for: give way at once, and sleep when that does not help.
Neighbours::Neighbours(std::shared_ptr<Segment> segment, Rank rank)
    : segment_(std::move(segment)),
      rank_(rank),
      process_(::getpid()),
      roster_(segment_->roster(), segment_->nodes()),
      watched_(idx(segment_->nodes()), false),
      spreading_(segment_, rank),
      contention_(segment_->nodes() > spreading_.cores()),
      most_spins_(segment_->nodes() <= spreading_.cores() ? kMostSpins : kSpinsWhenCrowded),
      least_spins_(std::min(kEagerSpins, most_spins_)),
      spins_(most_spins_) {
  for (Rank node = 0; node < segment_->nodes(); ++node) bells_.push_back(&segment_->bell(node));
  watched_[idx(rank)] = true;
  if (!roster_.enter(rank, process_)) {
    throw bad_input(
        fmt::format("rank {} has joined its job already, as process {}", rank, roster_.process(rank)),
        "join once in each process");
  }
}

void Neighbours::ring(Rank node) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Bell& bell = *bells_[idx(node)];
  if (bell.asleep.load(std::memory_order_relaxed) == 0) return;
  bell.rings.fetch_add(1, std::memory_order_release);
  futex_wake(bell.rings);
}

void Neighbours::ring_all() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (Bell* bell : bells_) {
    if (bell->asleep.load(std::memory_order_relaxed) == 0) continue;
    bell->rings.fetch_add(1, std::memory_order_release);
    futex_wake(bell->rings);
  }
}

void Neighbours::wait(Awaited& awaited, const Deadline& deadline) {
  if (arrives_soon(awaited)) {
    spins_ = std::min(spins_ + spins_ / 4, most_spins_);
    return;
  }
  spins_ = std::max(spins_ / 2, least_spins_);
  spreading_.look();
  if (!arrives_after_yields(awaited, deadline)) wait_long(awaited, deadline);
}

// The first looks know no time: most waits end there.
bool Neighbours::arrives_soon(Awaited& awaited) {
  const int eager = std::min(spins_, kEagerSpins);
  for (int i = 0; i < eager; ++i) {
    if (awaited.arrived()) return true;
  }
  if (spins_ == eager) return false;
  contention_.begin(Clock::now());
  spreading_.look();
  for (int i = eager; i < spins_; ++i) {
    if (awaited.arrived()) return true;
    relax();
    if (i % kSpinsPerClock != 0) continue;
    contention_.look(Clock::now());
    if (contention_.is_seen() && i >= kSpinsWhenContended) break;
  }
  return false;
}

bool Neighbours::arrives_after_yields(Awaited& awaited, const Deadline& deadline) {
  const Clock::time_point start = Clock::now();
  const Clock::time_point end = std::min(deadline.end(), start + kMostYielding);
  contention_.begin(start);
  for (int i = 0; i < kYields && !contention_.is_seen(); ++i) {
    ::sched_yield();
    if (awaited.arrived()) return true;
    const Clock::time_point now = Clock::now();
    contention_.look(now);
    if (now >= end) break;
  }
  return false;
}

void Neighbours::wait_long(Awaited& awaited, const Deadline& deadline) {
  Clock::time_point until = deadline.end();
  bool hurried = false;
  next_look_ = {};
  Bell& bell = *bells_[idx(rank_)];
  for (;;) {
    const std::uint32_t seen = bell.rings.load(std::memory_order_acquire);
    const Asleep asleep(bell);
    if (awaited.arrived()) break;

    const Transfer missing = awaited.missing(roster_);
    roster_.waits_for(rank_, missing.peer);
    if (look_for_the_dead() || roster_.has_left(missing.peer)) {
      require_present(awaited, &deadline);
      if (awaited.arrived()) break;
    }
    if (!hurried && roster_.failed()) {
      hurried = true;
      until = std::min(until, Clock::now() + kGrace);
    }
    if (deadline.expired()) throw late_peer(rank_, missing, roster_, deadline);
    if (hurried && Clock::now() >= until) throw lost_peer(rank_, missing, roster_, &deadline);
    sleep(seen, until);
  }
  roster_.waits_no_more(rank_);
}

// Looks who has left before looking what has arrived: what a node did before it left is not lost.
void Neighbours::require_present(Awaited& awaited, const Deadline* deadline) {
  look_for_the_dead();  // who only polls never sleeps
  const Rank before = awaited.missing(roster_).peer;
  if (!roster_.has_left(before) || awaited.arrived()) return;
  const Transfer missing = awaited.missing(roster_);
  if (missing.peer == before) throw lost_peer(rank_, missing, roster_, deadline);
}

void Neighbours::sleep(std::uint32_t seen, Clock::time_point until) {
  const Clock::time_point now = Clock::now();
  const Clock::time_point wake = std::min(until, std::max(next_look_, now + 1ms));
  if (wake > now) futex_wait(bells_[idx(rank_)]->rings, seen, wake - now);
}

// True when somebody was found to have died.
bool Neighbours::look_for_the_dead() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return false;
  next_look_ = now + kLookEvery;
  watch_newcomers();
  bool found = false;
  std::erase_if(watches_, [&](const Watched& watched) {
    if (!watched.process.ended()) return false;
    roster_.mark_dead(watched.node, roster_.process(watched.node));
    found = true;
    return true;
  });
  if (found) ring_all();
  return found;
}

void Neighbours::watch_newcomers() {
  for (Rank node = 0; node < segment_->nodes(); ++node) {
    if (watched_[idx(node)]) continue;
    const pid_t process = roster_.process(node);
    if (process == 0) continue;
    watched_[idx(node)] = true;
    if (process != ::getpid()) watches_.push_back({node, ProcessWatch(process)});
  }
}

bool Neighbours::is_here() const { return ::getpid() == process_; }

void Neighbours::leave(const Failure* reason) noexcept {
  if (std::exchange(left_, true) || !is_here()) return;
  if (reason != nullptr) {
    Failure told = *reason;
    if (!told.rank) told.rank = rank_;
    roster_.fail(told);
  }
  roster_.leave(rank_);
  ring_all();
}

}  // namespace trireme::wire::shm
