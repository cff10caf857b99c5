#include "sim/events/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace trireme::sim {
namespace {

struct Numbered {
  Picoseconds time;
  int number;
  friend bool operator==(const Numbered&, const Numbered&) = default;
};

TEST(EventQueue, GivesEventsOfOneTimeInTheOrderOfTheirComing) {
  EventQueue<Numbered> queue;
  for (int i = 0; i < 5; ++i) queue.add({7, i});
  queue.add({3, 5});
  EXPECT_EQ(queue.take(), (Numbered{3, 5}));
  queue.add({7, 6});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.take(), (Numbered{7, i}));
  EXPECT_EQ(queue.take(), (Numbered{7, 6}));
  EXPECT_TRUE(queue.empty());
}

// Compares with a list that is kept sorted.
RC_GTEST_PROP(EventQueue, GivesTheEarliestFirst, ()) {
  EventQueue<Numbered> queue;
  std::vector<Numbered> sorted;
  Picoseconds now = 0;
  const auto turns = *rc::gen::inRange(1, 200);
  for (int number = 0; number < turns; ++number) {
    if (!sorted.empty() && *rc::gen::inRange(0, 3) == 0) {
      RC_ASSERT(queue.take() == sorted.front());
      now = sorted.front().time;
      sorted.erase(sorted.begin());
      continue;
    }
    const auto bits = *rc::gen::inRange(0, 60);
    const Picoseconds time = now + *rc::gen::inRange<Picoseconds>(0, (Picoseconds{1} << bits) + 1);
    const Numbered event{time, number};
    queue.add(event);
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), event,
                                   [](const Numbered& a, const Numbered& b) { return a.time < b.time; }),
                  event);
    RC_ASSERT(queue.size() == sorted.size());
  }
}

}  // namespace
}  // namespace trireme::sim
