// Meetings that succeed in spite of strangers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "wire/rendezvous/rendezvous_test_util.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;

/// All but the last node are there when `attack` begins, and the last one comes when it ends, so the
/// strangers are in the middle of the meeting. All nodes must be connected nevertheless.
void expect_meeting_despite(const std::function<void(const TestMeeting&)>& attack) {
  constexpr Rank kNodes = 4;
  TestMeeting meeting(kNodes);
  std::vector<Attendance> all(kNodes);
  std::vector<std::function<void()>> threads;
  for (Rank rank = 0; rank + 1 < kNodes; ++rank) {
    threads.emplace_back([&, rank] { all[idx(rank)] = meeting.attend({.rank = rank}); });
  }
  threads.emplace_back([&] {
    attack(meeting);
    all.back() = meeting.attend({.rank = kNodes - 1});
  });
  on_threads(threads);
  for (const Attendance& one : all) {
    ASSERT_FALSE(one.failure) << to_string(*one.failure);
    for (Rank rank = 0; rank < kNodes; ++rank) {
      EXPECT_EQ(one.met.cards[idx(rank)], TestMeeting::card(rank));
    }
  }
}

Fd knock(const TestMeeting& meeting) { return connect_to(meeting.address(), soon()); }

HelloBytes hello_of(Rank rank) {
  return to_bytes(Hello{kProtocolVersion, Hello::Kind::kMeet, rank, 0, 4, random_nonce()});
}

TEST(AMeetingDespiteStrangers, WhoSayAnything) {
  expect_meeting_despite([](const TestMeeting& meeting) {
    for (int seed = 0; seed < 50; ++seed) {
      const Fd socket = knock(meeting);
      send_all(socket, pattern(static_cast<std::size_t>(seed) * 7 + 1, seed));
    }
  });
}

TEST(AMeetingDespiteStrangers, WhoHaveAnotherSecret) {
  expect_meeting_despite([](const TestMeeting& meeting) {
    const Fd socket = knock(meeting);
    const HelloBytes hello = hello_of(3);
    send_all(socket, hello);
    const auto challenge = parse_challenge(receive_up_to(socket, sizeof(ChallengeBytes)));
    ASSERT_TRUE(challenge);
    send_all(socket, make_answer(Secret::random(), hello, *challenge));
    EXPECT_TRUE(ends(socket));
  });
}

TEST(AMeetingDespiteStrangers, WhoSpeakOfAnotherVersionAndSize) {
  expect_meeting_despite([](const TestMeeting& meeting) {
    const Fd socket = knock(meeting);
    send_all(socket, to_bytes(Hello{99, Hello::Kind::kMeet, 60'000, 0, 65'536, random_nonce()}));
    (void)receive_up_to(socket, sizeof(ChallengeBytes));
    send_all(socket, no_answer());
    EXPECT_TRUE(ends(socket));
  });
}

TEST(AMeetingDespiteStrangers, WhoFallSilentAfterHalfAHello) {
  std::vector<Fd> silent;
  expect_meeting_despite([&](const TestMeeting& meeting) {
    const HelloBytes hello = hello_of(3);
    for (int i = 0; i < 10; ++i) {
      silent.push_back(knock(meeting));
      send_all(silent.back(), std::span(hello).first(30));
    }
  });
}

TEST(AMeetingDespiteStrangers, WhoNameHugeLengths) {
  expect_meeting_despite([](const TestMeeting& meeting) {
    const Fd socket = knock(meeting);
    send_all(socket, hello_of(3));
    (void)receive_up_to(socket, sizeof(ChallengeBytes));
    send_all(socket, Bytes(1 << 20, std::byte{0xff}));
    EXPECT_TRUE(ends(socket));
  });
}

TEST(AMeetingDespiteStrangers, WhoComeTenThousandTimes) {
  constexpr std::size_t kKept = 200;  // at the same time
  std::vector<Fd> strangers(kKept);
  expect_meeting_despite([&](const TestMeeting& meeting) {
    for (std::size_t i = 0; i < 10'000; ++i) {
      strangers[i % kKept].reset();
      strangers[i % kKept] = knock(meeting);
    }
  });
}

}  // namespace
}  // namespace trireme::wire::rendezvous
