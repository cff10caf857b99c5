// Nodes are told when an exchange through shared memory goes wrong: what, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "wire/notes.h"
#include "wire/shm/shm_test_util.h"

namespace trireme::wire::shm {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Cause = Failure::Cause;

Failure because(const char* what) {
  Failure failure;
  failure.what = what;
  return failure;
}

// Waits in vain for one message.
Failure wait_in_vain(Wire& wire, Rank peer, OpId id, const Deadline& deadline, std::size_t bytes = 8) {
  Bytes into(bytes);
  return failure_of_leaving(wire, [&] { receive_and_wait(wire, peer, id, into, deadline); });
}

// One look takes in one message of each peer.
TEST(ShmDeparture, LosesNoneOfSeveralMessagesThatWereSentBefore) {
  ShmJob job(2);
  constexpr int kMessages = 5;
  const Bytes sent = pattern(100, 1);
  Batch sending;
  for (OpId id = 0; id < kMessages; ++id) job.wire(1).post_send(sending, 0, id, sent);
  job.wire(1).progress();
  ASSERT_TRUE(sending.complete());
  job.drop(1);

  std::vector<Bytes> received(kMessages, Bytes(100));
  Batch receiving;
  for (OpId id = 0; id < kMessages; ++id)
    job.wire(0).post_receive(receiving, 1, id, received[idx(static_cast<int>(id))], copy_bytes);
  EXPECT_NO_THROW(job.wire(0).progress());
  EXPECT_TRUE(receiving.complete());
  EXPECT_EQ(received, std::vector<Bytes>(kMessages, sent));
}

TEST(ShmDeadline, NamesThePeerTheOpAndHowLongItWaited) {
  const ShmJob job(2);
  const Failure failure = wait_in_vain(job.wire(0), 1, 42, Deadline::after(30ms));
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_EQ(failure.rank, 0);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(failure.culprit, 1);
  EXPECT_EQ(failure.op_id, 42);
  ASSERT_TRUE(failure.elapsed);
  EXPECT_GE(*failure.elapsed, 30ms);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not sent; it is not in the exchange"));
}

TEST(ShmDeadline, NamesAReceiverThatDoesNotCome) {
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(ShmWire::kMostCopied + 1);
  const Failure failure = failure_of_leaving(
      job.wire(0), [&] { send_and_wait(job.wire(0), 1, 3, windows[0].bytes(), Deadline::after(30ms)); });
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not received"));
}

TEST(ShmDeadline, NamesANodeThatHasNotEvenBegun) {
  const std::shared_ptr<Segment> segment = Segment::create(2);
  ShmWire wire(segment, 0);
  const Failure failure = wait_in_vain(wire, 1, 0, Deadline::after(30ms));
  EXPECT_EQ(failure.what, "rank 1 has not sent; it is not in the exchange");
}

TEST(ShmDeadline, FollowsTheChainToTheNodeThatIsNotThere) {
  const ShmJob job(4);
  Failure failure;
  on_threads({[&] {
                EXPECT_TRUE(comes_true([&] { return job.segment().bell(3).asleep == 1; }));
                failure = wait_in_vain(job.wire(0), 3, 0, Deadline::after(200ms));
              },
              [&] { (void)wait_in_vain(job.wire(3), 2, 0, soon()); }});
  EXPECT_EQ(failure.peer, 3);
  EXPECT_EQ(failure.culprit, 2);
  EXPECT_THAT(
      failure.what,
      HasSubstr("rank 3 has not sent; it is itself waiting for rank 2, which is not in the exchange"));
}

TEST(ShmDeadline, SaysWhenNodesWaitInACircle) {
  const ShmJob job(3);
  Failure failure;
  on_threads({[&] {
                EXPECT_TRUE(comes_true(
                    [&] { return job.segment().bell(1).asleep == 1 && job.segment().bell(2).asleep == 1; }));
                failure = wait_in_vain(job.wire(0), 1, 0, Deadline::after(200ms));
              },
              [&] { (void)wait_in_vain(job.wire(1), 2, 0, soon()); },
              [&] { (void)wait_in_vain(job.wire(2), 0, 0, soon()); }});
  EXPECT_THAT(failure.what, HasSubstr("in a circle"));
  EXPECT_FALSE(failure.culprit);
}

TEST(ShmLeave, WakesAWaitingPeerLongBeforeItsDeadline) {
  const ShmJob job(2);
  Failure failure;
  on_threads({[&] { failure = wait_in_vain(job.wire(0), 1, 9, Deadline::after(60s)); },
              [&] {
                EXPECT_TRUE(comes_true([&] { return job.segment().bell(0).asleep == 1; }));
                job.wire(1).leave(because("out of memory"));
              }});
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(failure.op_id, 9);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has left (first failure: rank 1: out of memory"));
}

TEST(ShmLeave, IsHeardByProgressToo) {
  const ShmJob job(2);
  Batch batch;
  Bytes into(8);
  job.wire(0).post_receive(batch, 1, 0, into, copy_bytes);
  job.wire(0).progress();
  job.wire(1).leave(because("gone"));
  EXPECT_THROW(job.wire(0).progress(), Error);
}

TEST(ShmLeave, TellsEverybodyTheFirstReason) {
  // 0 waits for 1, 1 for 2, and 2 leaves: 0 hears of 2 through 1.
  const ShmJob job(3);
  Failure heard;
  on_threads({[&] { heard = wait_in_vain(job.wire(0), 1, 0, Deadline::after(60s)); },
              [&] { (void)wait_in_vain(job.wire(1), 2, 0, Deadline::after(60s)); },
              [&] { job.wire(2).leave(because("the disk is full")); }});
  EXPECT_EQ(heard.peer, 1);
  EXPECT_EQ(heard.culprit, 2);
  EXPECT_THAT(heard.what, HasSubstr("first failure: rank 2: the disk is full"));
}

TEST(ShmLeave, DoesNotDisturbNodesThatCanGoOnWithoutTheOneThatLeft) {
  const ShmJob job(3);
  job.wire(2).leave(because("gone"));
  const Bytes sent = pattern(300'000, 3);
  Bytes received(300'000);
  on_threads({[&] { send_and_wait(job.wire(0), 1, 0, sent); },
              [&] { receive_and_wait(job.wire(1), 0, 0, received); }});
  EXPECT_EQ(received, sent);
}

TEST(ShmLeave, LosesNothingThatWasSentBefore) {
  const ShmJob job(2);
  const Bytes sent = pattern(1000, 3);
  send_and_wait(job.wire(0), 1, 0, sent);
  job.wire(0).leave(because("gone"));
  Bytes received(1000);
  receive_and_wait(job.wire(1), 0, 0, received);
  EXPECT_EQ(received, sent);
}

TEST(ShmLeave, TakesBackWhatWasOfferedInAWindowAndNotYetRead) {
  const ShmJob job(2);
  std::vector<Window> windows = job.make_windows(ShmWire::kMostCopied + 1);
  Batch batch;
  job.wire(0).post_send(batch, 1, 0, windows[0].bytes());
  job.wire(0).progress();
  job.wire(0).leave(because("gone"));
  windows[0] = Window();  // it may do with it what it likes
  const Failure failure = wait_in_vain(job.wire(1), 0, 0, soon(), ShmWire::kMostCopied + 1);
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_THAT(failure.what, HasSubstr("rank 0 has left (first failure: rank 0: gone"));
}

TEST(ShmLeave, IsForGood) {
  const ShmJob job(2);
  job.wire(0).leave(because("it broke"));
  Batch batch;
  Bytes bytes(8);
  const auto refused = [&](auto post) {
    const Failure failure = failure_of_leaving(job.wire(0), post);
    EXPECT_EQ(failure.cause, Cause::kPeerLost);
    EXPECT_THAT(failure.what, HasSubstr("this node has left the exchange (first failure: rank 0: it broke"));
    EXPECT_FALSE(failure.hint.empty());
  };
  refused([&] { job.wire(0).post_send(batch, 1, 1, bytes); });
  refused([&] { job.wire(0).post_receive(batch, 1, 2, bytes, copy_bytes); });
  refused([&] { static_cast<void>(job.wire(0).windows()->make(job.wire(0), 8, soon())); });
  EXPECT_TRUE(batch.complete());
}

TEST(ANodeThatGoesWithoutAWord, IsSaidToHaveLeft) {
  ShmJob job(2);
  job.drop(1);
  const Failure failure = wait_in_vain(job.wire(0), 1, 0, Deadline::after(60s));
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.what, "rank 1 has left");
  EXPECT_EQ(failure.culprit, 1);
}

TEST(ANodeThatGoesWithoutAWord, DisturbsNobodyWhoHasAllFromIt) {
  ShmJob job(3);
  Bytes into(100);
  send_and_wait(job.wire(2), 0, 1, pattern(100, 2));
  job.drop(2);
  on_threads({[&] {
                Batch batch;
                Bytes other(100);
                job.wire(0).post_receive(batch, 2, 1, into, copy_bytes);
                job.wire(0).post_receive(batch, 1, 1, other, copy_bytes);
                job.wire(0).wait(batch, soon());
              },
              [&] {
                EXPECT_TRUE(comes_true([&] { return job.segment().bell(0).asleep == 1; }));
                send_and_wait(job.wire(1), 0, 1, pattern(100, 1));
              }});
  EXPECT_EQ(into, pattern(100, 2));
}

// All nodes exchange with all others while one of them leaves at some point; buffers die with their threads.
TEST(ShmLeave, IsSafeInTheMiddleOfTraffic) {
  constexpr Rank kNodes = 4;
  constexpr OpId kRounds = 1'000'000;  // ended by the failure
  const ShmJob job(kNodes);
  std::atomic<int> failures = 0;
  job.on_all([&](ShmWire& wire) {
    const Bytes sent = pattern(5000, wire.rank());
    std::vector<Bytes> received(kNodes, Bytes(5000));
    try {
      for (OpId round = 0; round < kRounds; ++round) {
        Batch batch;
        for (Rank peer = 0; peer < kNodes; ++peer) {
          if (peer == wire.rank()) continue;
          wire.post_receive(batch, peer, round, received[idx(peer)], copy_bytes);
          wire.post_send(batch, peer, round, sent);
          if (wire.rank() == 2 && round == 50 && peer == 3) throw Error(because("on purpose"));
        }
        wire.wait(batch, soon());
      }
    } catch (const Error& error) {
      ++failures;
      wire.leave(error.failure());
    }
  });
  EXPECT_EQ(failures, kNodes);
  EXPECT_EQ(job.segment().first_failure()->what, "on purpose");
}

// Nodes that are processes: what they were told, where the test can read it.
class Told {
 public:
  Told() {
    void* data =
        ::mmap(nullptr, sizeof(FailureRecord) * 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    records_ = static_cast<FailureRecord*>(data);
  }
  ~Told() { ::munmap(records_, sizeof(FailureRecord) * 4); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  FailureRecord& operator[](Rank rank) const { return records_[rank]; }

 private:
  FailureRecord* records_;
};

// Four processes, each of which waits for the next, up to the last, which does nothing. The test itself is
// the first.
class ChainOfProcesses {
 public:
  ChainOfProcesses() {
    for (Rank rank = 1; rank < 4; ++rank) {
      children_.push_back(std::make_unique<Child>([this, rank] {
        ShmWire own(segment, rank);
        barrier(own, soon());
        if (rank < 3) told[rank].put(wait_in_vain(own, rank + 1, 0, Deadline::after(60s)));
        while (rank == 3) ::pause();
      }));
    }
    barrier(wire, soon());
  }
  [[nodiscard]] Child& child(Rank rank) const { return *children_[idx(rank - 1)]; }

  const std::shared_ptr<Segment> segment = Segment::create(4);
  const Told told;
  ShmWire wire{segment, 0};

 private:
  std::vector<std::unique_ptr<Child>> children_;
};

TEST(AKilledProcess, IsNoticedByWhoWaitsForItLongBeforeTheDeadline) {
  ChainOfProcesses chain;
  const Deadline deadline = Deadline::after(60s);
  chain.child(3).kill();
  EXPECT_EQ(chain.child(2).reap(), 0);
  EXPECT_LT(deadline.elapsed(), 20s);
  const Failure failure = *chain.told[2].get();
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.culprit, 3);
  EXPECT_EQ(failure.what,
            "rank 3 has died (process " + std::to_string(chain.child(3).process()) + " is gone)");
  EXPECT_TRUE(failure.elapsed);
}

TEST(AKilledProcess, IsMadeKnownToWhoDoesNotWaitForIt) {
  ChainOfProcesses chain;
  const Deadline deadline = Deadline::after(60s);
  chain.child(3).kill();
  const Failure failure = wait_in_vain(chain.wire, 1, 0, deadline);
  EXPECT_LT(deadline.elapsed(), 20s);
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.culprit, 3);
  EXPECT_THAT(failure.what, HasSubstr("rank 3 has died (process "));
}

TEST(AStoppedProcess, IsNamedAtTheDeadlineWithTheRemedyByWhoDoesNotEvenWaitForIt) {
  ChainOfProcesses chain;
  const Child& stopped = chain.child(3);
  stopped.stop();
  EXPECT_TRUE(comes_true([&] {  // both others wait
    return chain.segment->bell(1).asleep == 1 && chain.segment->bell(2).asleep == 1;
  }));
  const Failure failure = wait_in_vain(chain.wire, 1, 0, Deadline::after(200ms));
  stopped.go_on();
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_EQ(failure.culprit, 3);
  EXPECT_THAT(failure.what,
              HasSubstr("rank 1 has not sent; it is itself waiting for rank 2, that one for rank 3, which is "
                        "stopped (kill -CONT " +
                        std::to_string(stopped.process()) + " lets it go on)"));
}

TEST(AStoppedProcess, ThatGoesOnInTimeChangesNothing) {
  const std::shared_ptr<Segment> segment = Segment::create(2);
  Child child([&] {
    ShmWire wire(segment, 1);
    ::raise(SIGSTOP);
    barrier(wire, soon());
  });
  ShmWire wire(segment, 0);
  child.wait_until_stopped();
  std::jthread later([&] {
    EXPECT_TRUE(comes_true([&] { return segment->bell(0).asleep == 1; }));
    child.go_on();
  });
  barrier(wire, soon());
  later.join();
  EXPECT_EQ(child.reap(), 0);
}

}  // namespace
}  // namespace trireme::wire::shm
