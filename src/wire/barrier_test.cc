#include "wire/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "wire/shm/shm_test_util.h"
#include "wire/threads/in_process.h"

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Failure failure_at_barrier(Wire& wire, const Deadline& deadline) {
  try {
    barrier(wire, deadline);
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "rank " << wire.rank() << " should have failed";
  return {};
}

// After a barrier no node is a round ahead of another.
template <typename WireOf>
void expect_that_all_meet(Rank nodes, WireOf wire_of) {
  std::vector<std::atomic<int>> rounds(idx(nodes));
  std::vector<std::function<void()>> bodies;
  for (Rank rank = 0; rank < nodes; ++rank) {
    bodies.emplace_back([&, rank] {
      for (int round = 1; round <= 50; ++round) {
        if ((round + rank) % 10 == 0) std::this_thread::sleep_for(1ms);
        rounds[idx(rank)] = round;
        barrier(wire_of(rank), soon());
        for (const std::atomic<int>& other : rounds) {
          const int seen = other;
          EXPECT_GE(seen, round);
          EXPECT_LE(seen, round + 1);
        }
      }
    });
  }
  on_threads(bodies);
}

TEST(Barrier, LetsNobodyThroughBeforeAllAreThere) {
  for (const Rank nodes : {1, 2, 5}) {
    const shm::ShmJob job(nodes);
    expect_that_all_meet(nodes, [&](Rank rank) -> Wire& { return job.wire(rank); });
  }
}

TEST(Barrier, WorksWithoutWindowsToo) {
  // A send between threads waits for its receiver: with three nodes, each would meet both others in one
  // round.
  for (const Rank nodes : {3, 5, 8}) {
    threads::InProcessFabric fabric(nodes);
    expect_that_all_meet(nodes, [&](Rank rank) -> Wire& { return fabric.wire(rank); });
  }
}

TEST(Barrier, NamesANodeThatIsLate) {
  const shm::ShmJob job(3);
  Failure failure;
  Failure second;
  on_threads({[&] { failure = failure_at_barrier(job.wire(0), Deadline::after(50ms)); },
              [&] { second = failure_at_barrier(job.wire(1), Deadline::after(60s)); }});
  EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
  EXPECT_EQ(failure.culprit, 2);
  EXPECT_EQ(failure.op, "at a barrier");
  EXPECT_THAT(failure.what, HasSubstr("rank 2 has not sent; it is not in the exchange"));
  EXPECT_EQ(second.cause, Failure::Cause::kPeerLost);
  EXPECT_EQ(second.culprit, 2);
}

TEST(Barrier, HearsOfANodeThatHasLeft) {
  shm::ShmJob job(3);
  std::vector<Failure> failures(2);
  on_threads({[&] { failures[0] = failure_at_barrier(job.wire(0), Deadline::after(60s)); },
              [&] { failures[1] = failure_at_barrier(job.wire(1), Deadline::after(60s)); },
              [&] { job.drop(2); }});
  for (const Failure& failure : failures) {
    EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
    EXPECT_EQ(failure.culprit, 2);
  }
}

TEST(Barrier, DoesNotMindANodeThatLeavesAfterIt) {
  for (int round = 0; round < 100; ++round) {
    shm::ShmJob job(3);
    on_threads({[&] { EXPECT_NO_THROW(barrier(job.wire(0), soon())); },
                [&] { EXPECT_NO_THROW(barrier(job.wire(1), soon())); },
                [&] {
                  EXPECT_NO_THROW(barrier(job.wire(2), soon()));
                  job.drop(2);
                }});
  }
}

TEST(Barrier, NoticesAProcessThatDies) {
  const std::shared_ptr<shm::Segment> segment = shm::Segment::create(2);
  const Child child([&] {
    shm::ShmWire wire(segment, 1);
    barrier(wire, soon());
    ::raise(SIGKILL);
  });
  shm::ShmWire wire(segment, 0);
  barrier(wire, soon());
  const Failure failure = failure_at_barrier(wire, Deadline::after(60s));
  EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
  EXPECT_THAT(failure.what, HasSubstr("has died (process " + std::to_string(child.process())));
}

TEST(Barrier, IsRefusedByANodeThatHasLeft) {
  const shm::ShmJob job(2);
  job.wire(0).leave({});
  EXPECT_THAT(failure_at_barrier(job.wire(0), soon()).what, HasSubstr("this node has left"));
}

TEST(Barrier, CountsNoMessagesInSharedMemory) {
  const shm::ShmJob job(2);
  job.on_all([](shm::ShmWire& wire) { barrier(wire, soon()); });
  EXPECT_EQ(job.wire(0).counters(), Counters{});
}

}  // namespace
}  // namespace trireme::wire
