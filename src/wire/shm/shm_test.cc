// Messages through shared memory, from windows and from memory of a node's own.
#include "wire/shm/shm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "wire/shm/shm_test_util.h"

namespace trireme::wire::shm {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Cause = Failure::Cause;

// Larger than what is copied even if it lies in a window.
constexpr std::size_t kLarge = ShmWire::kMostCopied + 1;

// The places and sizes in which the last message was handed over to the one receiver of a test.
struct Piece {
  const std::byte* from;
  std::size_t bytes;
};
std::vector<Piece> pieces;

void copy_and_note(std::byte* into, const std::byte* from, std::size_t bytes) {
  pieces.push_back({from, bytes});
  copy_bytes(into, from, bytes);
}

void add_bytes(std::byte* into, const std::byte* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    into[i] = static_cast<std::byte>(static_cast<unsigned>(into[i]) + static_cast<unsigned>(from[i]));
  }
}

void fill(const Window& window, const Bytes& bytes) {
  std::copy(bytes.begin(), bytes.end(), window.bytes().begin());
}

void receive_with(Wire& wire, Rank from, OpId id, std::span<std::byte> into, Combine combine) {
  Batch batch;
  wire.post_receive(batch, from, id, into, combine);
  wire.wait(batch, soon());
}

TEST(AMessageFromAWindow, IsReadWhereItLies) {
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(300'000);
  const Bytes sent = pattern(300'000, 3);
  fill(windows[0], sent);
  Bytes received(sent.size());
  pieces.clear();
  on_threads({[&] { send_and_wait(job.wire(0), 1, 5, windows[0].bytes()); },
              [&] { receive_with(job.wire(1), 0, 5, received, copy_and_note); }});
  EXPECT_EQ(received, sent);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].bytes, sent.size());
  EXPECT_EQ(pieces[0].from, windows[0].bytes().data());
}

TEST(AMessageFromAWindow, IsCompleteOnlyWhenItWasRead) {
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(kLarge);
  Batch sent;
  job.wire(0).post_send(sent, 1, 0, windows[0].bytes());
  for (int i = 0; i < 10; ++i) job.wire(0).progress();
  EXPECT_FALSE(sent.complete());
  EXPECT_EQ(job.wire(0).counters().sent_messages, 0);
  Bytes into(kLarge);
  receive_and_wait(job.wire(1), 0, 0, into);
  job.wire(0).progress();
  EXPECT_TRUE(sent.complete());
}

TEST(AMessageFromAWindow, IsCompleteAtOnceIfItIsSmall) {
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(ShmWire::kMostCopied);
  Batch sent;
  job.wire(0).post_send(sent, 1, 0, windows[0].bytes());
  job.wire(0).progress();
  EXPECT_TRUE(sent.complete());
}

TEST(APrivateMessage, IsCompleteWhenItsMemoryMayChange) {
  const ShmJob job(2);
  Bytes sent = pattern(1000, 1);
  Batch batch;
  job.wire(0).post_send(batch, 1, 0, sent);
  job.wire(0).progress();
  EXPECT_TRUE(batch.complete());
  std::fill(sent.begin(), sent.end(), std::byte{0});
  Bytes into(1000);
  receive_and_wait(job.wire(1), 0, 0, into);
  EXPECT_EQ(into, pattern(1000, 1));
}

TEST(APrivateMessage, GoesThroughTheRingInPiecesOfWholeLines) {
  const ShmJob job(2);
  const Bytes sent = pattern(3 * job.segment().ring_bytes() + 13, 2);
  Bytes received(sent.size());
  pieces.clear();
  on_threads({[&] { send_and_wait(job.wire(0), 1, 5, sent); },
              [&] { receive_with(job.wire(1), 0, 5, received, copy_and_note); }});
  EXPECT_EQ(received, sent);
  EXPECT_GE(pieces.size(), 4U);
  std::size_t bytes = 0;
  for (const Piece& piece : pieces) {
    bytes += piece.bytes;
    EXPECT_TRUE(piece.bytes % 64 == 0 || bytes == sent.size()) << piece.bytes;
  }
  EXPECT_EQ(bytes, sent.size());
}

TEST(AMessage, IsAddedOntoWhatIsThere) {
  const ShmJob job(2);
  const Bytes sent = pattern(200'000, 2);
  Bytes sum(sent.size(), std::byte{5});
  on_threads({[&] { send_and_wait(job.wire(0), 1, 5, sent); },
              [&] { receive_with(job.wire(1), 0, 5, sum, add_bytes); }});
  Bytes expected(sent.size(), std::byte{5});
  add_bytes(expected.data(), sent.data(), sent.size());
  EXPECT_EQ(sum, expected);
}

TEST(AMessage, MayBeEmpty) {
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(kLarge);
  on_threads({[&] {
                send_and_wait(job.wire(0), 1, 0, {});
                send_and_wait(job.wire(0), 1, 1, windows[0].bytes().first(0));
              },
              [&] {
                receive_and_wait(job.wire(1), 0, 0, {});
                receive_and_wait(job.wire(1), 0, 1, {});
              }});
  EXPECT_EQ(job.wire(0).counters(), (Counters{.sent_messages = 2}));
  EXPECT_EQ(job.wire(1).counters(), (Counters{.received_messages = 2}));
}

// More than a channel takes at once; large and small, from windows and not.
TEST(Messages, BetweenTwoNodesKeepTheirOrder) {
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(kLarge);
  fill(windows[0], pattern(kLarge, 99));
  constexpr OpId kMessages = 40;
  const auto is_in_window = [](OpId id) { return id % 3 == 0; };
  std::vector<Bytes> sent;
  std::vector<Bytes> received;
  for (OpId id = 0; id < kMessages; ++id) {
    sent.push_back(
        pattern(is_in_window(id) ? kLarge : static_cast<std::size_t>(id) * 5000, static_cast<int>(id)));
    received.emplace_back(sent.back().size());
  }
  on_threads({[&] {
                Batch batch;
                for (OpId id = 0; id < kMessages; ++id) {
                  job.wire(0).post_send(
                      batch, 1, id,
                      is_in_window(id) ? windows[0].bytes() : std::span<const std::byte>(sent[idx(id)]));
                }
                job.wire(0).wait(batch, soon());
              },
              [&] {
                Batch batch;
                for (OpId id = 0; id < kMessages; ++id) {
                  job.wire(1).post_receive(batch, 0, id, received[idx(id)], copy_bytes);
                }
                job.wire(1).wait(batch, soon());
              }});
  for (OpId id = 0; id < kMessages; ++id) {
    EXPECT_EQ(received[idx(id)], is_in_window(id) ? pattern(kLarge, 99) : sent[idx(id)]) << id;
  }
}

TEST(Messages, OfSeveralBatchesMoveWhicheverIsWaitedFor) {
  const ShmJob job(2);
  const Bytes bytes = pattern(100, 1);
  Bytes first(100);
  Bytes second(100);
  Batch one;
  Batch other;
  job.wire(1).post_receive(one, 0, 1, first, copy_bytes);
  job.wire(1).post_receive(other, 0, 2, second, copy_bytes);
  send_and_wait(job.wire(0), 1, 1, bytes);
  send_and_wait(job.wire(0), 1, 2, bytes);
  job.wire(1).wait(other, soon());
  EXPECT_TRUE(one.complete());
  EXPECT_EQ(first, bytes);
  EXPECT_EQ(second, bytes);
}

TEST(Messages, AmongAllNodesAtOnceArrive) {
  constexpr Rank kNodes = 4;
  constexpr std::size_t kBytes = 150'000;
  const ShmJob job(kNodes);
  const std::vector<Window> windows = job.make_windows(kBytes);
  job.on_all([&](ShmWire& wire) {
    fill(windows[idx(wire.rank())], pattern(kBytes, wire.rank()));
    const Bytes own = pattern(kBytes, wire.rank() + 50);
    for (OpId round = 0; round < 10; ++round) {
      std::vector<Bytes> received(kNodes, Bytes(kBytes));
      Batch batch;
      for (Rank peer = 0; peer < kNodes; ++peer) {
        if (peer == wire.rank()) continue;
        wire.post_receive(batch, peer, round, received[idx(peer)], copy_bytes);
        wire.post_send(batch, peer, round,
                       round % 2 == 0 ? windows[idx(wire.rank())].bytes() : std::span<const std::byte>(own));
      }
      wire.wait(batch, soon());
      for (Rank peer = 0; peer < kNodes; ++peer) {
        if (peer == wire.rank()) continue;
        EXPECT_EQ(received[idx(peer)], pattern(kBytes, round % 2 == 0 ? peer : peer + 50));
      }
    }
  });
}

TEST(Messages, RingAReceiverWhoSleepsAndASenderWhoSleeps) {
  constexpr int kRounds = 20;
  const ShmJob job(2);
  const std::vector<Window> windows = job.make_windows(kLarge);
  const std::uint32_t before[] = {job.segment().bell(0).rings, job.segment().bell(1).rings};
  const auto falls_asleep = [&](Rank rank) {
    EXPECT_TRUE(comes_true([&] { return job.segment().bell(rank).asleep == 1; }));
  };
  Bytes into(kLarge);
  for (int round = 0; round < kRounds; ++round) {
    on_threads({[&] {
                  falls_asleep(1);
                  send_and_wait(job.wire(0), 1, 1, windows[0].bytes());
                  send_and_wait(job.wire(0), 1, 2, windows[0].bytes());
                },
                [&] {
                  receive_and_wait(job.wire(1), 0, 1, into);
                  falls_asleep(0);
                  receive_and_wait(job.wire(1), 0, 2, into);
                }});
  }
  EXPECT_GE(job.segment().bell(0).rings - before[0], static_cast<std::uint32_t>(kRounds / 2));
  EXPECT_GE(job.segment().bell(1).rings - before[1], static_cast<std::uint32_t>(kRounds / 2));
}

TEST(Messages, AreCountedOnceByEachEnd) {
  const ShmJob job(2);
  const Bytes sent(300'000);
  Bytes received(300'000);
  on_threads({[&] { send_and_wait(job.wire(0), 1, 5, sent); },
              [&] { receive_and_wait(job.wire(1), 0, 5, received); }});
  EXPECT_EQ(job.wire(0).counters(), (Counters{.sent_messages = 1, .sent_bytes = 300'000}));
  EXPECT_EQ(job.wire(1).counters(), (Counters{.received_messages = 1, .received_bytes = 300'000}));
}

TEST(Counters, HoldWhatWentThroughWindowsToo) {
  const ShmJob job(1);
  job.wire(0).windows()->count({1, 2, 3, 4});
  job.wire(0).windows()->count({1, 2, 3, 4});
  EXPECT_EQ(job.wire(0).counters(), (Counters{2, 4, 6, 8}));
}

TEST(AWrongMessage, IsNamedByItsSender) {
  const ShmJob job(2);
  send_and_wait(job.wire(0), 1, 7, Bytes(8));
  Bytes into(8);
  const Failure failure = failure_of_leaving(job.wire(1), [&] { receive_and_wait(job.wire(1), 0, 8, into); });
  EXPECT_EQ(failure.cause, Cause::kMismatch);
  EXPECT_EQ(failure.what, "rank 0 sends something else than what is expected");
  EXPECT_EQ(failure.op_id, 8);
  EXPECT_EQ(failure.culprit, 0);
  EXPECT_FALSE(failure.hint.empty());
}

TEST(AWrongMessage, IsNamedByBothLengths) {
  const ShmJob job(2);
  send_and_wait(job.wire(0), 1, 7, Bytes(8));
  Bytes into(9);
  const Failure failure = failure_of_leaving(job.wire(1), [&] { receive_and_wait(job.wire(1), 0, 7, into); });
  EXPECT_EQ(failure.cause, Cause::kMismatch);
  EXPECT_EQ(failure.what, "rank 0 sends 8 bytes where 9 are expected");
  EXPECT_EQ(into, Bytes(9));
}

TEST(AWrongMessage, MayComeFromAWindowThatTheReceiverDoesNotHave) {
  const ShmJob job(2);
  std::vector<Window> windows = job.make_windows(kLarge);
  windows[1] = Window();
  Batch batch;
  job.wire(0).post_send(batch, 1, 7, windows[0].bytes());
  job.wire(0).progress();
  Bytes into(kLarge);
  const Failure failure = failure_of_leaving(job.wire(1), [&] { receive_and_wait(job.wire(1), 0, 7, into); });
  EXPECT_EQ(failure.cause, Cause::kMismatch);
  EXPECT_EQ(failure.what, "rank 0 sends from a window that this node does not have");
  EXPECT_EQ(failure.culprit, 0);
}

TEST(ShmWire, RefusesARankThatTheJobDoesNotHave) {
  const std::shared_ptr<Segment> segment = Segment::create(2);
  EXPECT_THROW(ShmWire(segment, 2), Error);
  EXPECT_THROW(ShmWire(segment, -1), Error);
}

TEST(ShmWire, WaitsForNothingWithoutWaiting) {
  const ShmJob job(2);
  EXPECT_NO_THROW(job.wire(0).wait(Batch{}, Deadline::after(0s)));
  EXPECT_NO_THROW(job.wire(0).progress());
}

TEST(ShmWire, CarriesMessagesBetweenProcesses) {
  const std::shared_ptr<Segment> segment = Segment::create(2);
  Child other([&] {
    ShmWire wire(segment, 1);
    Bytes received(500'000);
    receive_and_wait(wire, 0, 1, received);
    send_and_wait(wire, 0, 2, received);
    Batch batch;  // goes only when the other has it
    wire.post_receive(batch, 0, 3, {}, copy_bytes);
    wire.wait(batch, soon());
  });
  ShmWire wire(segment, 0);
  const Bytes sent = pattern(500'000, 4);
  Bytes back(500'000);
  send_and_wait(wire, 1, 1, sent);
  receive_and_wait(wire, 1, 2, back);
  send_and_wait(wire, 1, 3, {});
  EXPECT_EQ(back, sent);
  EXPECT_EQ(other.reap(), 0);
}

}  // namespace
}  // namespace trireme::wire::shm
