#include "wire/threads/in_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "wire/wire_test_util.h"

namespace trireme::wire::threads {
namespace {

using ::testing::HasSubstr;

TEST(InProcessFabric, CarriesAMessageFromOneNodeToAnother) {
  InProcessFabric fabric(2);
  const Bytes sent = pattern(1000, 1);
  Bytes received(1000);
  on_threads({[&] { send_and_wait(fabric.wire(0), 1, 7, sent); },
              [&] { receive_and_wait(fabric.wire(1), 0, 7, received); }});
  EXPECT_EQ(received, sent);
}

TEST(InProcessFabric, HandsTheReceiverTheSendersOwnMemory) {
  // A combine that sees where it reads from: no copy was made on the way.
  static const std::byte* seen = nullptr;
  InProcessFabric fabric(2);
  const Bytes sent = pattern(64, 1);
  Bytes received(64);
  on_threads({[&] { send_and_wait(fabric.wire(0), 1, 0, sent); },
              [&] {
                Batch batch;
                fabric.wire(1).post_receive(
                    batch, 0, 0, received,
                    [](std::byte*, const std::byte* from, std::size_t) { seen = from; });
                fabric.wire(1).wait(batch, soon());
              }});
  EXPECT_EQ(seen, sent.data());
}

TEST(InProcessFabric, MatchesManyOutstandingTransfersByIdInWhateverOrderTheyArePosted) {
  constexpr int kMessages = 50;
  InProcessFabric fabric(2);
  std::vector<Bytes> sent;
  std::vector<Bytes> received;
  for (int i = 0; i < kMessages; ++i) {
    sent.push_back(pattern(8 * idx(i) + 1, i));
    received.emplace_back(sent.back().size());
  }
  on_threads({[&] {
                Batch batch;
                for (std::size_t i = 0; i < kMessages; ++i) {
                  fabric.wire(0).post_send(batch, 1, static_cast<OpId>(i), sent[i]);
                }
                fabric.wire(0).wait(batch, soon());
              },
              [&] {
                Batch batch;
                for (std::size_t i = kMessages; i-- > 0;) {
                  fabric.wire(1).post_receive(batch, 0, static_cast<OpId>(i), received[i], copy_bytes);
                }
                fabric.wire(1).wait(batch, soon());
              }});
  EXPECT_EQ(received, sent);
}

TEST(InProcessFabric, KeepsAMessageUntilItsReceiveIsPosted) {
  InProcessFabric fabric(2);
  const Bytes first = pattern(10, 1);
  const Bytes second = pattern(10, 2);
  Bytes into_first(10);
  Bytes into_second(10);
  on_threads({[&] {
                Batch batch;
                fabric.wire(0).post_send(batch, 1, 1, first);
                fabric.wire(0).post_send(batch, 1, 2, second);
                fabric.wire(0).wait(batch, soon());
              },
              [&] {
                receive_and_wait(fabric.wire(1), 0, 2, into_second);
                receive_and_wait(fabric.wire(1), 0, 1, into_first);
              }});
  EXPECT_EQ(into_first, first);
  EXPECT_EQ(into_second, second);
}

TEST(InProcessFabric, CarriesEmptyMessages) {
  InProcessFabric fabric(2);
  on_threads({[&] { send_and_wait(fabric.wire(0), 1, 0, {}); },
              [&] { receive_and_wait(fabric.wire(1), 0, 0, {}); }});
  EXPECT_EQ(fabric.wire(0).counters(), (Counters{.sent_messages = 1}));
}

TEST(InProcessFabric, CompletesByProgressAlone) {
  InProcessFabric fabric(2);
  const Bytes sent = pattern(100, 1);
  Bytes received(100);
  Batch sending;
  Batch receiving;
  fabric.wire(0).post_send(sending, 1, 0, sent);
  fabric.wire(1).post_receive(receiving, 0, 0, received, copy_bytes);
  EXPECT_FALSE(sending.complete());
  fabric.wire(1).progress();
  EXPECT_TRUE(receiving.complete());
  EXPECT_FALSE(sending.complete());  // only its own node's thread says so
  fabric.wire(0).progress();
  EXPECT_TRUE(sending.complete());
  EXPECT_EQ(received, sent);
}

TEST(InProcessFabric, CountsATransferAtEachEndWhenItIsComplete) {
  InProcessFabric fabric(2);
  const Bytes sent(48);
  Bytes received(48);
  on_threads({[&] { send_and_wait(fabric.wire(0), 1, 0, sent); },
              [&] {
                EXPECT_EQ(fabric.wire(1).counters(), Counters{});
                receive_and_wait(fabric.wire(1), 0, 0, received);
              }});
  EXPECT_EQ(fabric.wire(0).counters(), (Counters{.sent_messages = 1, .sent_bytes = 48}));
  EXPECT_EQ(fabric.wire(1).counters(), (Counters{.received_messages = 1, .received_bytes = 48}));
}

TEST(InProcessFabric, RefusesAMessageOfAnotherLengthAndNamesBoth) {
  InProcessFabric fabric(2);
  const Bytes sent(12);
  Bytes received(16);
  Failure failure;
  on_threads({[&] { failure_of_leaving(fabric.wire(0), [&] { send_and_wait(fabric.wire(0), 1, 5, sent); }); },
              [&] {
                failure = failure_of_leaving(fabric.wire(1),
                                             [&] { receive_and_wait(fabric.wire(1), 0, 5, received); });
              }});
  EXPECT_EQ(failure.cause, Failure::Cause::kMismatch);
  EXPECT_EQ(failure.rank, 1);
  EXPECT_EQ(failure.peer, 0);
  EXPECT_EQ(failure.op_id, 5);
  EXPECT_THAT(failure.what, HasSubstr("12 bytes where 16"));
}

// Each node sends to and receives from every other in several rounds, with several messages to a batch, in an
// order and of sizes drawn from a fixed seed. Every byte and every counter must come out right.
TEST(InProcessFabric, CarriesRandomTrafficAmongAllPairs) {
  constexpr Rank kNodes = 8;
  constexpr OpId kRounds = 20;
  constexpr OpId kPerPair = 3;
  InProcessFabric fabric(kNodes);
  const auto size_of = [](OpId id, Rank from, Rank to) {
    return static_cast<std::size_t>((id * 7919 + OpId{from} * 104729 + OpId{to} * 1299709) % 3000);
  };
  const auto node = [&](Rank rank) {
    Wire& wire = fabric.wire(rank);
    for (OpId round = 0; round < kRounds; ++round) {
      Batch batch;
      std::vector<Bytes> sent;
      std::vector<Bytes> received;
      std::vector<int> seeds;
      sent.reserve(100);
      received.reserve(100);
      for (OpId i = 0; i < kNodes * kPerPair; ++i) {
        const Rank peer = static_cast<Rank>((i * 5 + rank + round) % kNodes);
        const OpId id = round * kPerPair + i / kNodes;
        if (peer == rank) continue;
        sent.push_back(pattern(size_of(id, rank, peer), static_cast<int>(id) + rank));
        received.emplace_back(size_of(id, peer, rank));
        seeds.push_back(static_cast<int>(id) + peer);
        wire.post_send(batch, peer, id, sent.back());
        wire.post_receive(batch, peer, id, received.back(), copy_bytes);
      }
      wire.wait(batch, soon());
      for (std::size_t i = 0; i < received.size(); ++i) {
        ASSERT_EQ(received[i], pattern(received[i].size(), seeds[i]));
      }
    }
  };
  std::vector<std::function<void()>> nodes;
  nodes.reserve(kNodes);
  for (Rank rank = 0; rank < kNodes; ++rank) nodes.emplace_back([&node, rank] { node(rank); });
  on_threads(nodes);

  Counters total;
  for (Rank rank = 0; rank < kNodes; ++rank) {
    const Counters counters = fabric.wire(rank).counters();
    EXPECT_EQ(counters.sent_messages, kRounds * kPerPair * (kNodes - 1));
    EXPECT_EQ(counters.received_messages, kRounds * kPerPair * (kNodes - 1));
    total.sent_bytes += counters.sent_bytes;
    total.received_bytes += counters.received_bytes;
  }
  EXPECT_EQ(total.sent_bytes, total.received_bytes);
}

}  // namespace
}  // namespace trireme::wire::threads
