// Messages with a tag between two nodes: in order, beside each other and beside exchanges, on every wire.
#include "wire/point_to_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "exec/conformance_test_util.h"
#include "exec/exchange_test_util.h"
#include "exec/fabrics_test_util.h"
#include "wire/group_wire.h"
#include "wire/notes.h"
#include "wire/shm/windows.h"

namespace trireme::exec {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using wire::Batch;
using wire::PointToPoint;

// More than any ring or connection holds.
constexpr std::size_t kLarge = std::size_t{5} << 20;

// Bytes that tell what they are: of this message, and in this order.
Numbers letter(std::size_t bytes, int about) {
  Numbers text(bytes);
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>(i * 7 + i / 251 + idx(about) * 31);
  return text;
}

// A node's ends of messages that are complete when the call returns.
void send_now(wire::Wire& wire, PointToPoint& post, Rank to, int tag, const Numbers& text) {
  Batch batch;
  post.post_send(batch, to, tag, text);
  wire.wait(batch, in_time());
}

Numbers receive_now(wire::Wire& wire, PointToPoint& post, Rank from, int tag, std::size_t bytes) {
  Numbers text(bytes);
  Batch batch;
  post.post_receive(batch, from, tag, text);
  wire.wait(batch, in_time());
  return text;
}

// With each strategy the executors use the wire differently.
void expect_sum(wire::Wire& wire, plan::Strategy strategy, std::int64_t p = 1000) {
  plan::PlanSpec spec = plan::spec_for(strategy, wire.size(), p, 0);
  Runner runner(spec, ElementType::kInt32, wire);
  std::vector<std::int32_t> numbers(idx(p), 1 + wire.rank());
  runner.run(std::as_writable_bytes(std::span(numbers)), in_time());
  EXPECT_EQ(numbers, std::vector<std::int32_t>(idx(p), wire.size() * (wire.size() + 1) / 2));
}

constexpr plan::Strategy kAllWays[] = {plan::Strategy::kRing, plan::Strategy::kDirect,
                                       plan::Strategy::kAllToAll};

class TaggedMessages : public testing::TestWithParam<Fabric> {
 protected:
  static void on(Rank nodes, const NodeBody& body) { run_on(GetParam(), nodes, body); }
};

TEST_P(TaggedMessages, OfAnySizeArriveWhole) {
  on(3, [](wire::Wire& wire) {
    PointToPoint post(wire);
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64} << 10, kLarge, kLarge + 1}) {
      for (Rank from = 0; from < 3; ++from) {  // also between nodes of one host, where there are two
        const Rank to = (from + 2) % 3;
        if (wire.rank() == from) send_now(wire, post, to, 7, letter(bytes, from));
        if (wire.rank() == to) {
          EXPECT_TRUE(receive_now(wire, post, from, 7, bytes) == letter(bytes, from)) << bytes;
        }
      }
    }
  });
}

TEST_P(TaggedMessages, WithTheSameTagKeepTheirOrder) {
  on(2, [](wire::Wire& wire) {
    PointToPoint post(wire);
    constexpr int kCount = 200;
    for (int i = 0; i < kCount; ++i) {
      const std::size_t bytes = i % 10 == 3 ? 100'000 : 40;
      if (wire.rank() == 0) {
        send_now(wire, post, 1, 0, letter(bytes, i));
      } else {
        EXPECT_TRUE(receive_now(wire, post, 0, 0, bytes) == letter(bytes, i)) << i;
      }
    }
  });
}

TEST_P(TaggedMessages, MayBeTakenInAnotherOrderThanSent) {
  on(2, [](wire::Wire& wire) {
    PointToPoint post(wire);
    constexpr int kCount = 40;  // more than a queue of offers holds
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{300'000}}) {
      if (wire.rank() == 0) {
        std::vector<Numbers> texts;
        texts.reserve(kCount);
        for (int tag = 0; tag < kCount; ++tag) texts.push_back(letter(bytes, tag));
        Batch batch;
        for (int tag = 0; tag < kCount; ++tag) post.post_send(batch, 1, tag, texts[idx(tag)]);
        wire.wait(batch, in_time());
        continue;
      }
      for (int i = 0; i < kCount; ++i) {
        const int tag = (i * 7 + 20) % kCount;
        EXPECT_TRUE(receive_now(wire, post, 0, tag, bytes) == letter(bytes, tag)) << tag;
      }
    }
  });
}

TEST_P(TaggedMessages, InBothDirectionsAtOnceDoNotBlockEachOther) {
  on(3, [](wire::Wire& wire) {
    PointToPoint post(wire);
    Batch batch;
    std::vector<Numbers> sent;
    std::vector<Numbers> got(6, Numbers(kLarge));
    for (const int tag : {5, 16383}) {
      for (Rank peer = 0; peer < 3; ++peer) sent.push_back(letter(kLarge, tag + wire.rank() * 3 + peer));
    }
    for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 5U}) {
      const auto peer = static_cast<Rank>(i % 3);
      if (peer == wire.rank()) continue;
      post.post_send(batch, peer, i < 3 ? 5 : 16383, sent[i]);
      post.post_receive(batch, peer, i < 3 ? 16383 : 5, got[i]);
    }
    wire.wait(batch, in_time());
    for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 5U}) {
      const auto peer = static_cast<Rank>(i % 3);
      if (peer == wire.rank()) continue;
      EXPECT_TRUE(got[i] == letter(kLarge, (i < 3 ? 16383 : 5) + peer * 3 + wire.rank()));
    }
  });
}

TEST_P(TaggedMessages, OfASumThatComesFirstAtTheOtherEndWaitForIt) {
  for (const std::size_t bytes : {std::size_t{12}, kLarge}) {
    on(3, [&](wire::Wire& wire) {
      PointToPoint post(wire);
      for (const plan::Strategy strategy : kAllWays) {
        const Numbers text = letter(bytes, 1);
        Batch batch;
        if (wire.rank() == 0) post.post_send(batch, 1, 3, text);
        expect_sum(wire, strategy);
        if (wire.rank() == 0) wire.wait(batch, in_time());
        if (wire.rank() == 1) {
          EXPECT_TRUE(receive_now(wire, post, 0, 3, bytes) == text);
        }
      }
    });
  }
}

// The sender is in a sum when its message is awaited, and the sum waits for the receiver.
TEST_P(TaggedMessages, MoveWhileTheirSenderIsInASum) {
  on(3, [](wire::Wire& wire) {
    PointToPoint post(wire);
    for (const plan::Strategy strategy : kAllWays) {
      const Numbers text = letter(kLarge, 1);
      Batch batch;
      if (wire.rank() == 2) post.post_send(batch, 1, 3, text);
      if (wire.rank() == 1) {
        EXPECT_TRUE(receive_now(wire, post, 2, 3, kLarge) == text);
      }
      expect_sum(wire, strategy);
      wire.wait(batch, in_time());
    }
  });
}

TEST_P(TaggedMessages, MoveWhileTheirReceiverIsInASum) {
  on(3, [](wire::Wire& wire) {
    PointToPoint post(wire);
    for (const plan::Strategy strategy : kAllWays) {
      const Numbers text = letter(kLarge, 1);
      Numbers got(kLarge);
      Batch batch;
      if (wire.rank() == 1) post.post_receive(batch, 2, 3, got);
      if (wire.rank() == 2) send_now(wire, post, 1, 3, text);
      expect_sum(wire, strategy);
      wire.wait(batch, in_time());
      if (wire.rank() == 1) {
        EXPECT_TRUE(got == text);
      }
    }
  });
}

TEST_P(TaggedMessages, MoveWhileAGroupOfOneHostIsInASum) {
  on(4, [](wire::Wire& wire) {
    PointToPoint post(wire);
    const auto half = split(wire, wire.rank() % 2, 0, in_time());
    for (const plan::Strategy strategy : kAllWays) {
      const Numbers text = letter(kLarge, 1);
      Batch batch;
      if (wire.rank() == 0) post.post_send(batch, 1, 3, text);  // on the other host
      if (wire.rank() == 1) {
        EXPECT_TRUE(receive_now(wire, post, 0, 3, kLarge) == text);
        send_now(wire, post, 2, 0, letter(8, 8));
      }
      if (wire.rank() == 2) (void)receive_now(wire, post, 1, 0, 8);
      expect_sum(*half, strategy);
      wire.wait(batch, in_time());
    }
  });
}

TEST_P(TaggedMessages, DoNotCountForExchanges) {
  on(2, [](wire::Wire& wire) {
    PointToPoint post(wire);
    const wire::Counters before = wire.counters();
    if (wire.rank() == 0) {
      send_now(wire, post, 1, 3, letter(10, 0));
      send_now(wire, post, 1, 4, letter(5, 0));
    } else {
      (void)receive_now(wire, post, 0, 3, 10);
      (void)receive_now(wire, post, 0, 4, 5);
    }
    EXPECT_EQ(wire.counters(), before);
    const bool sends = wire.rank() == 0;
    EXPECT_EQ(post.counters(), (wire::Counters{.sent_messages = sends ? 2 : 0,
                                               .sent_bytes = sends ? 15 : 0,
                                               .received_messages = sends ? 0 : 2,
                                               .received_bytes = sends ? 0 : 15}));
  });
}

TEST_P(TaggedMessages, OfOverlappingGroupsAreNotMixedUp) {
  on(4, [](wire::Wire& wire) {
    const auto reversed = split(wire, 0, -wire.rank(), in_time());
    const auto low =
        split(wire, wire.rank() < 3 ? std::optional<std::int64_t>(0) : std::nullopt, 0, in_time());
    std::vector<wire::Wire*> wires{&wire, reversed.get()};
    if (low) wires.push_back(low.get());
    std::vector<std::unique_ptr<PointToPoint>> posts;
    posts.reserve(wires.size());
    for (wire::Wire* each : wires) posts.push_back(std::make_unique<PointToPoint>(*each));
    // Rank 0 of the job sends to 2 on each wire with the same tag; 2 takes them in the other order.
    if (wire.rank() == 0) {
      const Numbers texts[] = {letter(70'000, 0), letter(70'000, 1), letter(70'000, 2)};
      Batch batch;
      posts[0]->post_send(batch, 2, 1, texts[0]);
      posts[1]->post_send(batch, 1, 1, texts[1]);
      posts[2]->post_send(batch, 2, 1, texts[2]);
      wire.wait(batch, in_time());
    }
    if (wire.rank() == 2) {
      EXPECT_TRUE(receive_now(*wires[2], *posts[2], 0, 1, 70'000) == letter(70'000, 2));
      EXPECT_TRUE(receive_now(*wires[1], *posts[1], 3, 1, 70'000) == letter(70'000, 1));
      EXPECT_TRUE(receive_now(*wires[0], *posts[0], 0, 1, 70'000) == letter(70'000, 0));
    }
    wire::barrier(*reversed, in_time());
  });
}

TEST_P(TaggedMessages, MayLieInWindows) {
  on(4, [](wire::Wire& wire) {
    const auto half = split(wire, wire.rank() % 2, 0, in_time());
    if (half->windows() == nullptr) return;
    wire::shm::Window window = half->windows()->make(*half, 600'000, in_time());
    const std::span<std::byte> own = window.bytes();
    PointToPoint post(*half);
    Batch batch;
    if (half->rank() == 0) {
      const Numbers texts[] = {letter(300'000, 1), letter(300'000, 2)};
      wire::copy_bytes(own.data(), texts[0].data(), 300'000);
      wire::copy_bytes(own.data() + 300'000, texts[1].data(), 300'000);
      post.post_send(batch, 1, 1, own.first(300'000));
      post.post_send(batch, 1, 2, own.last(300'000));
    } else {  // the first is put aside
      post.post_receive(batch, 0, 2, own.first(300'000));
      half->wait(batch, in_time());
      EXPECT_TRUE(are_same(own.first(300'000), letter(300'000, 2)));
      post.post_receive(batch, 0, 1, own.last(300'000));
    }
    half->wait(batch, in_time());
    if (half->rank() == 1) {
      EXPECT_TRUE(are_same(own.last(300'000), letter(300'000, 1)));
    }
    expect_sum(*half, plan::Strategy::kDirect);
  });
}

// All nodes post the same random messages, each node its own ends, in random order among tags and peers.
TEST_P(TaggedMessages, AtRandomArriveAsTheyWereSent) {
  on(3, [](wire::Wire& wire) {
    PointToPoint post(wire);
    std::mt19937 same(5);
    std::mt19937 own(idx(wire.rank()) + 100);
    constexpr std::size_t kSizes[] = {0, 1, 1000, 70'000, 400'000};
    for (int round = 0; round < 20; ++round) {
      struct Sent {
        int tag;
        Rank from;
        Rank to;
        Numbers text;
      };
      std::vector<Sent> messages;
      for (int i = 0; i < 30; ++i) {
        const int tag = static_cast<int>(same() % 4);
        const auto from = static_cast<Rank>(same() % 3);
        const Rank to = (from + 1 + static_cast<Rank>(same() % 2)) % 3;
        messages.push_back({tag, from, to, letter(kSizes[same() % 5], i)});
      }
      // Ends with the same tag, peer and direction stay in order.
      std::vector<std::vector<std::size_t>> lines(24);  // by tag, peer and direction
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const Sent& m = messages[i];
        if (m.from == wire.rank()) lines[idx(m.tag * 6 + m.to * 2)].push_back(i);
        if (m.to == wire.rank()) lines[idx(m.tag * 6 + m.from * 2 + 1)].push_back(i);
      }
      std::vector<Numbers> got(messages.size());
      Batch batch;
      for (std::erase_if(lines, [](const auto& line) { return line.empty(); }); !lines.empty();) {
        auto& line = lines[own() % lines.size()];
        const Sent& m = messages[line.front()];
        if (m.from == wire.rank()) {
          post.post_send(batch, m.to, m.tag, m.text);
        } else {
          got[line.front()].resize(m.text.size());
          post.post_receive(batch, m.from, m.tag, got[line.front()]);
        }
        if (own() % 4 == 0) wire.progress();
        line.erase(line.begin());
        std::erase_if(lines, [](const auto& each) { return each.empty(); });
      }
      if (round % 3 == 0) expect_sum(wire, plan::Strategy::kRing);
      if (round % 3 == 1) expect_sum(wire, plan::Strategy::kAllToAll, 30'000);
      wire.wait(batch, in_time());
      for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].to == wire.rank()) {
          EXPECT_TRUE(got[i] == messages[i].text) << i;
        }
      }
    }
  });
}

TEST_P(TaggedMessages, OfAnotherSizeThanExpectedAreRefused) {
  on(2, [](wire::Wire& wire) {
    PointToPoint post(wire);
    const Numbers text = letter(100, 0);
    Numbers room(104);
    Batch batch;
    if (wire.rank() == 0) post.post_send(batch, 1, 3, text);
    if (wire.rank() == 1) post.post_receive(batch, 0, 3, room);
    try {
      wire.wait(batch, in_time());
      EXPECT_EQ(wire.rank(), 0);  // it may be gone before the receiver looks
    } catch (const Error& error) {
      wire.leave(error.failure());
      EXPECT_THAT(error.what(), HasSubstr("rank 0 sends 100 bytes where 104 are expected"));
    }
  });
}

TEST_P(TaggedMessages, WithoutATagOrPeerAreRefused) {
  on(2, [](wire::Wire& wire) {
    const PointToPoint post(wire);
    const auto refusal = [&](Rank peer, int tag) -> std::string {
      try {
        post.check(peer, tag);
      } catch (const Error& error) {
        EXPECT_EQ(error.failure().cause, Failure::Cause::kBadInput);
        return error.what();
      }
      return "none";
    };
    const Rank other = 1 - wire.rank();
    EXPECT_EQ(refusal(other, 0), "none");
    EXPECT_EQ(refusal(other, 16383), "none");
    EXPECT_THAT(refusal(other, -1), HasSubstr("-1 is no tag; tags are 0 to 16,383"));
    EXPECT_THAT(refusal(other, 16384), HasSubstr("16,384 is no tag"));
    EXPECT_THAT(refusal(2, 0), HasSubstr("there is no rank 2 among 2"));
    EXPECT_THAT(refusal(-1, 0), HasSubstr("there is no rank -1"));
    EXPECT_THAT(refusal(wire.rank(), 0), HasSubstr("to itself"));
  });
}

// 2 is late for 0, which waits for it in a group where it is rank 1.
TEST_P(TaggedMessages, ThatAreLateNameTheSender) {
  const SharedBytes failed(1);
  *failed.data() = std::byte{0};
  auto& has_failed = *reinterpret_cast<std::atomic<char>*>(failed.data());
  on(3, [&](wire::Wire& wire) {
    const auto even = split(wire, wire.rank() % 2, 0, in_time());
    if (wire.rank() == 2) {
      while (has_failed == 0) std::this_thread::yield();
    }
    if (wire.rank() != 0) return;
    PointToPoint post(*even);
    Numbers text(100);
    Batch batch;
    post.post_receive(batch, 1, 9, text);
    try {
      wire.wait(batch, Deadline::after(std::chrono::milliseconds(200)));
      ADD_FAILURE() << "nobody has sent";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().cause, Failure::Cause::kTimeout);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0: "), HasSubstr("rank 2 has not sent")));
      EXPECT_EQ(error.failure().culprit, 2);
      wire.leave(error.failure());
    }
    has_failed = 1;
  });
}

INSTANTIATE_TEST_SUITE_P(OnEveryWire, TaggedMessages,
                         testing::Values(Fabric::kThreads, Fabric::kShmThreads, Fabric::kShmProcesses,
                                         Fabric::kTcpThreads, Fabric::kTcpProcesses, Fabric::kMixedThreads),
                         [](const auto& tested) { return name(tested.param); });

TEST(TaggedMessage, OfAProcessThatDiesNamesIt) {
  for (const Fabric fabric : {Fabric::kShmProcesses, Fabric::kTcpProcesses}) {
    SCOPED_TRACE(name(fabric));
    const SharedBytes named(3);
    std::memset(named.data(), 0, 3);
    run_on(fabric, 3, [&](wire::Wire& wire) {
      PointToPoint post(wire);
      wire::barrier(wire, in_time());
      if (wire.rank() == 1) ::_exit(0);
      const Numbers sent = letter(kLarge, 0);  // more than can be sent to nobody
      Numbers got(kLarge);
      Batch batch;
      if (wire.rank() == 0) post.post_receive(batch, 1, 3, got);
      if (wire.rank() == 2) post.post_send(batch, 1, 3, sent);
      try {
        wire.wait(batch, in_time());
      } catch (const Error& error) {
        named.data()[wire.rank()] = static_cast<std::byte>(error.failure().culprit.value_or(99));
        wire.leave(error.failure());
      }
    });
    EXPECT_EQ(named.data()[0], std::byte{1});
    EXPECT_EQ(named.data()[2], std::byte{1});
  }
}

}  // namespace
}  // namespace trireme::exec
