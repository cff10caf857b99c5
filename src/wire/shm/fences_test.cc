#include "wire/shm/fences.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace trireme::wire::shm {
namespace {

constexpr int kRounds = 20'000;

struct Round {
  alignas(128) std::atomic<int> changed{0};
  alignas(128) std::atomic<int> asleep{0};
  alignas(128) std::atomic<int> begun{0};
};

// Both have read both numbers, so that each store has to wait for the other core, and a load has not. Who
// comes last is the first to go on; so it waits for a while, of a different length in each round.
void start_together(Round& round, std::size_t number) {
  EXPECT_EQ(round.changed.load() + round.asleep.load(), 0);
  const bool last = round.begun.fetch_add(1) == 1;
  for (std::atomic<std::size_t> wait = last ? number % 200 : 0; wait.load(std::memory_order_relaxed) > 0;) {
    wait.store(wait.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  for (int looks = 0; round.begun.load() < 2; ++looks) {
    if (looks > 1000) std::this_thread::yield();
  }
}

// In how many rounds the one does not see that the other sleeps, and the other does not see the change.
// Without fences that is so in most rounds of two idle cores.
int rounds_missed_by_both(const Fences& of_changer, const Fences& of_sleeper) {
  std::vector<Round> rounds(kRounds);
  std::vector<int> asleep(kRounds);
  std::thread changer([&] {
    for (std::size_t i = 0; i < kRounds; ++i) {
      start_together(rounds[i], i);
      rounds[i].changed.store(1, std::memory_order_relaxed);
      of_changer.after_change();
      asleep[i] = rounds[i].asleep.load(std::memory_order_relaxed);
    }
  });
  std::vector<int> seen(kRounds);
  for (std::size_t i = 0; i < kRounds; ++i) {
    start_together(rounds[i], i);
    rounds[i].asleep.store(1, std::memory_order_relaxed);
    const bool all_see = of_sleeper.before_sleep();
    seen[i] = rounds[i].changed.load(std::memory_order_relaxed) + (all_see ? 0 : 1);
  }
  changer.join();
  int missed = 0;
  for (std::size_t i = 0; i < kRounds; ++i) missed += asleep[i] + seen[i] == 0 ? 1 : 0;
  return missed;
}

TEST(Fences, LetNoChangeBeMissedByASleeper) { EXPECT_EQ(rounds_missed_by_both(Fences(), Fences()), 0); }

TEST(Fences, LetNoChangeBeMissedWhereOneProcessPaysForItself) {
  EXPECT_EQ(rounds_missed_by_both(Fences(false), Fences()), 0);
}

TEST(Fences, TellASleeperThatItMustLookByItself) { EXPECT_FALSE(Fences(false).before_sleep()); }

}  // namespace
}  // namespace trireme::wire::shm
