#include "wire/shm/neighbours.h"

#include <fmt/format.h>
#include <linux/futex.h>
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

// How often a node looks before it gives way: up to about a millisecond. A node that gives way or sleeps is
// 15 to 40 µs late when the other comes, more than an exchange of 256 KiB takes. Where other processes want
// its core it looks for about 100 µs: the other may be at work on its part of the same exchange. Then it
// gives way, measured with 4 nodes on 2 cores: that costs 4 µs for a small exchange and hardly anything for a
// large one, sleeping at once 18 µs and up to twice the time.
constexpr Looks kLooks{.eager = 10, .least = 100, .most = 20000, .contended = 2000, .yields = 400};
// With more nodes than cores, looking keeps the very node from running that is waited for.
constexpr Looks kLooksWhenCrowded{.eager = 20, .least = 20, .most = 20, .contended = 20, .yields = 400};
// How often a sleeping node looks whether the others' processes are still there.
constexpr Clock::duration kLookEvery = 100ms;

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

Neighbours::Neighbours(std::shared_ptr<Segment> segment, Rank rank)
    : Waiter(rank, roster_, segment->nodes() > Cores().count(),
             segment->nodes() > Cores().count() ? kLooksWhenCrowded : kLooks, /*tell_after=*/0ms),
      segment_(std::move(segment)),
      rank_(rank),
      process_(::getpid()),
      roster_(segment_->roster(), segment_->nodes()),
      watched_(idx(segment_->nodes()), false),
      spreading_(segment_, rank) {
  for (Rank node = 0; node < segment_->nodes(); ++node) bells_.push_back(&segment_->bell(node));
  watched_[idx(rank)] = true;
  if (!roster_.enter(rank, process_)) {
    throw bad_input(
        fmt::format("rank {} has joined its job already, as process {}", rank, roster_.process(rank)),
        "join once in each process");
  }
}

void Neighbours::ring(Rank node) {
  fences_.after_change();
  Bell& bell = *bells_[idx(node)];
  if (bell.asleep.load(std::memory_order_relaxed) == 0) return;
  bell.rings.fetch_add(1, std::memory_order_release);
  futex_wake(bell.rings);
}

void Neighbours::ring(std::span<Bell* const> bells) {
  fences_.after_change();
  for (Bell* const bell : bells) {
    if (bell->asleep.load(std::memory_order_relaxed) == 0) continue;
    bell->rings.fetch_add(1, std::memory_order_release);
    futex_wake(bell->rings);
  }
}

std::vector<Bell*> Neighbours::bells_of(const Members& nodes) const {
  std::vector<Bell*> bells;
  bells.reserve(idx(nodes.size()));
  for (Rank node = 0; node < nodes.size(); ++node) bells.push_back(bells_[idx(nodes.job_rank(node))]);
  return bells;
}

// Says that this node is about to sleep.
void Neighbours::arm() {
  Bell& bell = *bells_[idx(rank_)];
  seen_rings_ = bell.rings.load(std::memory_order_acquire);
  bell.asleep.store(1, std::memory_order_relaxed);
  all_see_sleep_ = fences_.before_sleep();
}

void Neighbours::disarm() noexcept { bells_[idx(rank_)]->asleep.store(0, std::memory_order_relaxed); }

void Neighbours::tell_waits_for(Rank peer) {
  return peer == kNobody ? roster_.waits_no_more(rank_) : roster_.waits_for(rank_, peer);
}

void Neighbours::sleep(Clock::time_point until) {
  const Clock::time_point now = Clock::now();
  const Clock::time_point wake =
      std::min(until, all_see_sleep_ ? std::max(next_look_, now + 1ms) : now + 1ms);
  if (wake > now) futex_wait(bells_[idx(rank_)]->rings, seen_rings_, wake - now);
}

Presence Neighbours::presence(Rank peer) {
  look_for_the_dead();
  return roster_.has_left(peer) ? Presence::kGone : Presence::kHere;
}

// A node that finds another dead wakes all, itself too: they may wait for that node.
void Neighbours::look_for_the_dead() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookEvery;
  watch_newcomers();
  const auto dead = std::erase_if(watches_, [&](const Watched& watched) {
    if (!watched.process.ended()) return false;
    roster_.mark_dead(watched.node, roster_.process(watched.node));
    return true;
  });
  if (dead > 0) ring(bells_);
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
  ring(bells_);
}

}  // namespace trireme::wire::shm
