// Nodes are told when an exchange on the in-process wire goes wrong: what, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "wire/threads/in_process.h"
#include "wire/wire_test_util.h"

namespace trireme::wire::threads {
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
Failure wait_in_vain(InProcessFabric& fabric, Rank node, Rank peer, OpId id, const Deadline& deadline) {
  Bytes into(8);
  return failure_of_leaving(fabric.wire(node),
                            [&] { receive_and_wait(fabric.wire(node), peer, id, into, deadline); });
}

TEST(InProcessDeadline, NamesThePeerTheOpAndHowLongItWaited) {
  InProcessFabric fabric(2);
  const Failure failure = wait_in_vain(fabric, 0, 1, 42, Deadline::after(30ms));
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_EQ(failure.rank, 0);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(failure.op_id, 42);
  ASSERT_TRUE(failure.elapsed);
  EXPECT_GE(*failure.elapsed, 30ms);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not sent; it is not in the exchange"));
  EXPECT_FALSE(failure.hint.empty());
}

TEST(InProcessDeadline, NamesAReceiverThatDoesNotCome) {
  InProcessFabric fabric(2);
  const Bytes sent(8);
  const Failure failure = failure_of_leaving(
      fabric.wire(0), [&] { send_and_wait(fabric.wire(0), 1, 3, sent, Deadline::after(30ms)); });
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not received"));
}

TEST(InProcessDeadline, FollowsTheChainToTheNodeThatIsNotThere) {
  InProcessFabric fabric(4);
  Failure failure;
  on_threads({[&] { failure = wait_in_vain(fabric, 0, 3, 0, Deadline::after(300ms)); },
              [&] { (void)wait_in_vain(fabric, 3, 2, 0, soon()); }});
  EXPECT_EQ(failure.peer, 3);
  EXPECT_THAT(failure.what, HasSubstr("it is itself waiting for rank 2, which is not in the exchange"));
}

TEST(InProcessDeadline, SaysWhenNodesWaitInACircle) {
  InProcessFabric fabric(3);
  Failure failure;
  on_threads({[&] { failure = wait_in_vain(fabric, 0, 1, 0, Deadline::after(300ms)); },
              [&] { (void)wait_in_vain(fabric, 1, 2, 0, soon()); },
              [&] { (void)wait_in_vain(fabric, 2, 0, 0, soon()); }});
  EXPECT_THAT(failure.what, HasSubstr("in a circle"));
}

TEST(InProcessLeave, WakesAWaitingPeerLongBeforeItsDeadline) {
  InProcessFabric fabric(2);
  Failure failure;
  on_threads({[&] { failure = wait_in_vain(fabric, 0, 1, 9, Deadline::after(60s)); },
              [&] {
                std::this_thread::sleep_for(20ms);
                fabric.wire(1).leave(because("out of memory"));
              }});
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(failure.op_id, 9);
  EXPECT_LT(*failure.elapsed, 10s);
  EXPECT_THAT(failure.what, HasSubstr("first failure: rank 1: out of memory"));
}

TEST(InProcessLeave, IsHeardByANodeThatStartsToWaitLater) {
  InProcessFabric fabric(2);
  fabric.wire(1).leave(because("gone"));
  EXPECT_EQ(wait_in_vain(fabric, 0, 1, 0, soon()).cause, Cause::kPeerLost);
}

TEST(InProcessLeave, IsHeardByProgressToo) {
  InProcessFabric fabric(2);
  Batch batch;
  Bytes into(8);
  fabric.wire(0).post_receive(batch, 1, 0, into, copy_bytes);
  fabric.wire(0).progress();
  fabric.wire(1).leave(because("gone"));
  EXPECT_THROW(fabric.wire(0).progress(), Error);
  fabric.wire(0).leave(because("lost it"));
}

TEST(InProcessLeave, TellsEverybodyTheFirstReason) {
  // 0 waits for 1, 1 for 2, and 2 leaves: 0 hears of 2 through 1.
  InProcessFabric fabric(3);
  Failure heard;
  on_threads({[&] { heard = wait_in_vain(fabric, 0, 1, 0, Deadline::after(60s)); },
              [&] { (void)wait_in_vain(fabric, 1, 2, 0, Deadline::after(60s)); },
              [&] { fabric.wire(2).leave(because("the disk is full")); }});
  EXPECT_EQ(heard.peer, 1);
  EXPECT_THAT(heard.what, HasSubstr("first failure: rank 2: the disk is full"));
  ASSERT_TRUE(fabric.first_failure());
  EXPECT_EQ(fabric.first_failure()->rank, 2);
  EXPECT_EQ(fabric.first_failure()->what, "the disk is full");
}

TEST(InProcessLeave, EndsAWaitForANodeThatIsSilentThoughItHasNotLeft) {
  InProcessFabric fabric(3);
  fabric.wire(2).leave(because("gone"));
  const Failure failure = wait_in_vain(fabric, 0, 1, 0, Deadline::after(60s));
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_LT(*failure.elapsed, 10s);
  EXPECT_THAT(failure.what, HasSubstr("first failure: rank 2: gone"));
}

TEST(InProcessLeave, DoesNotDisturbNodesThatCanGoOnWithoutTheOneThatLeft) {
  InProcessFabric fabric(3);
  fabric.wire(2).leave(because("gone"));
  const Bytes sent = pattern(100, 3);
  Bytes received(100);
  on_threads({[&] { send_and_wait(fabric.wire(0), 1, 0, sent); },
              [&] { receive_and_wait(fabric.wire(1), 0, 0, received); }});
  EXPECT_EQ(received, sent);
}

TEST(InProcessLeave, WithdrawsWhatWasOffered) {
  InProcessFabric fabric(2);
  Bytes into(8);
  {
    const Bytes short_lived(8);
    Batch batch;
    fabric.wire(0).post_send(batch, 1, 0, short_lived);
    fabric.wire(0).leave(because("gone"));
  }
  EXPECT_THROW(receive_and_wait(fabric.wire(1), 0, 0, into), Error);
}

TEST(InProcessLeave, WaitsUntilAReceiverHasFinishedReading) {
  static std::atomic<bool> reading;
  static std::atomic<bool> finished;
  reading = finished = false;
  InProcessFabric fabric(2);
  Bytes into(64);
  on_threads({[&] {
                Bytes short_lived(64);
                Batch batch;
                fabric.wire(0).post_send(batch, 1, 0, short_lived);
                while (!reading) std::this_thread::yield();
                fabric.wire(0).leave(because("gone"));
                EXPECT_TRUE(finished);
                std::fill(short_lived.begin(), short_lived.end(),
                          std::byte{1});  // a race, were it still read
              },
              [&] {
                Batch batch;
                fabric.wire(1).post_receive(batch, 0, 0, into,
                                            [](std::byte* to, const std::byte* from, std::size_t bytes) {
                                              reading = true;
                                              std::this_thread::sleep_for(50ms);
                                              copy_bytes(to, from, bytes);
                                              finished = true;
                                            });
                fabric.wire(1).wait(batch, soon());
              }});
  EXPECT_EQ(into, Bytes(64));
}

TEST(InProcessLeave, CanBeRepeatedAndKeepsTheFirstReason) {
  InProcessFabric fabric(1);
  fabric.wire(0).leave(because("first"));
  fabric.wire(0).leave(because("second"));
  EXPECT_EQ(fabric.first_failure()->what, "first");
}

// All nodes exchange with all others while one of them leaves at some point; buffers die with their threads.
// Else what it posts now would be read by others when its memory is gone.
TEST(InProcessLeave, IsForGood) {
  InProcessFabric fabric(2);
  fabric.wire(0).leave(because("it broke"));
  Batch batch;
  Bytes bytes(8);
  const auto refused = [&](auto post) {
    const Failure failure = failure_of_leaving(fabric.wire(0), post);
    EXPECT_EQ(failure.cause, Cause::kPeerLost);
    EXPECT_THAT(failure.what, HasSubstr("this node has left the exchange (first failure: rank 0: it broke"));
    EXPECT_FALSE(failure.hint.empty());
  };
  refused([&] { fabric.wire(0).post_send(batch, 1, 1, bytes); });
  refused([&] { fabric.wire(0).post_receive(batch, 1, 2, bytes, copy_bytes); });
  EXPECT_TRUE(batch.complete());
}

TEST(InProcessLeave, IsSafeInTheMiddleOfTraffic) {
  constexpr Rank kNodes = 5;
  constexpr OpId kRounds = 1'000'000;  // ended by the failure
  InProcessFabric fabric(kNodes);
  std::atomic<int> failures = 0;
  const auto node = [&](Rank rank) {
    const Bytes sent = pattern(5000, rank);
    std::vector<Bytes> received(kNodes, Bytes(5000));
    Wire& wire = fabric.wire(rank);
    try {
      for (OpId round = 0; round < kRounds; ++round) {
        Batch batch;
        for (Rank peer = 0; peer < kNodes; ++peer) {
          if (peer == rank) continue;
          wire.post_receive(batch, peer, round, received[static_cast<std::size_t>(peer)], copy_bytes);
          wire.post_send(batch, peer, round, sent);
          if (rank == 2 && round == 50 && peer == 3) throw Error(because("on purpose"));
        }
        wire.wait(batch, soon());
      }
    } catch (const Error& error) {
      ++failures;
      wire.leave(error.failure());
    }
  };
  std::vector<std::function<void()>> nodes;
  nodes.reserve(kNodes);
  for (Rank rank = 0; rank < kNodes; ++rank) nodes.emplace_back([&node, rank] { node(rank); });
  on_threads(nodes);
  EXPECT_EQ(failures, kNodes);
  EXPECT_EQ(fabric.first_failure()->what, "on purpose");
}

}  // namespace
}  // namespace trireme::wire::threads
