// Meetings of nodes, and their results.
#include "wire/rendezvous/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <optional>

#include "wire/rendezvous/acceptor.h"
#include "wire/rendezvous/rendezvous_test_util.h"
#include "wire/rendezvous/server.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Cause = Failure::Cause;

class AMeeting : public ::testing::TestWithParam<Rank> {};

// Each node sends on each connection from whom to whom it goes and which of the two it is.
std::byte mark(Rank from, Rank to, int which) { return static_cast<std::byte>(from * 40 + to * 2 + which); }

void send_marks(Rank rank, const Met& met) {
  for (Rank peer = 0; peer < static_cast<Rank>(met.links.size()); ++peer) {
    if (peer == rank) continue;
    const Link& link = met.links[idx(peer)];
    send_all(link.data, Bytes{mark(rank, peer, 0)});
    send_all(link.control, Bytes{mark(rank, peer, 1)});
  }
}

void expect_marks(Rank rank, const Met& met) {
  for (Rank peer = 0; peer < static_cast<Rank>(met.links.size()); ++peer) {
    const Link& link = met.links[idx(peer)];
    if (peer == rank) {
      EXPECT_FALSE(link.data || link.control);
      continue;
    }
    EXPECT_EQ(receive_up_to(link.data, 1), Bytes{mark(peer, rank, 0)}) << rank << " from " << peer;
    EXPECT_EQ(receive_up_to(link.control, 1), Bytes{mark(peer, rank, 1)}) << rank << " from " << peer;
  }
}

TEST_P(AMeeting, ConnectsEachWithEach) {
  TestMeeting meeting(GetParam());
  const auto all = meeting.attend_all(meeting.nodes());
  for (const Attendance& one : all) ASSERT_FALSE(one.failure) << to_string(*one.failure);
  for (Rank rank = 0; rank < GetParam(); ++rank) send_marks(rank, all[idx(rank)].met);
  for (Rank rank = 0; rank < GetParam(); ++rank) expect_marks(rank, all[idx(rank)].met);
}

TEST_P(AMeeting, TellsEveryCardToAll) {
  TestMeeting meeting(GetParam());
  for (const Attendance& one : meeting.attend_all(meeting.nodes())) {
    ASSERT_FALSE(one.failure) << to_string(*one.failure);
    ASSERT_EQ(one.met.cards.size(), idx(GetParam()));
    for (Rank rank = 0; rank < GetParam(); ++rank) {
      EXPECT_EQ(one.met.cards[idx(rank)], TestMeeting::card(rank));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfSomeNodes, AMeeting, ::testing::Values(1, 2, 3, 8, 16));

TEST(ANodeInAMeeting, MayComeBeforeRank0) {
  TestMeeting meeting(2);
  const auto all = meeting.attend_all({{.rank = 1}, {.rank = 0}});
  EXPECT_FALSE(all[0].failure || all[1].failure);
}

TEST(ANodeInAMeeting, WaitsForRank0ToListen) {
  const Secret secret = Secret::random();
  // Bound, so that no other socket gets this port meanwhile.
  const Fd holder = own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "hold a port");
  const int yes = 1;
  ASSERT_EQ(::setsockopt(holder.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)), 0);
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(holder.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof(loopback)), 0);
  const std::uint16_t port = port_of(holder);
  Met early;
  Met late;
  on_threads({[&] {
                early = meet({1, 2, {"127.0.0.1", port}, {}}, secret, {}, soon());
              },
              [&] {
                std::this_thread::sleep_for(50ms);
                late = meet({0, 2, {}, listen_at({"127.0.0.1", port})}, secret, {}, soon());
              }});
  EXPECT_EQ(early.links.size(), 2U);
  EXPECT_EQ(late.links.size(), 2U);
}

TEST(ANodeInAMeeting, HasARankOfTheJob) {
  EXPECT_THROW((void)meet({2, 2, {"127.0.0.1", 1}, {}}, Secret::random(), {}, soon()), Error);
  EXPECT_THROW((void)meet({-1, 2, {"127.0.0.1", 1}, {}}, Secret::random(), {}, soon()), Error);
}

TEST(AJobThatIsTooLarge, IsRefusedWithItsSize) {
  try {
    (void)meet({0, 1'000'000, {}, {}}, Secret::random(), {}, soon());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a job of 1,000,000 nodes is too large: at most 65,536 can meet"));
  }
}

TEST(ACardForAMeeting, IsNotTooLarge) {
  EXPECT_THROW((void)meet({0, 1, {}, {}}, Secret::random(), Bytes(1025), soon()), Error);
}

TEST(ANodeThatDoesNotCome, IsNamedByRank0WithThoseWhoCame) {
  TestMeeting meeting(6);
  const auto all = meeting.attend_all({{.rank = 0, .time = 3000ms}, {.rank = 1}, {.rank = 3}, {.rank = 4}});
  ASSERT_TRUE(all[0].failure);
  EXPECT_EQ(all[0].failure->cause, Cause::kTimeout);
  EXPECT_EQ(all[0].failure->what,
            "ranks 2 and 5 have not come to " + to_string(meeting.address()) + "; 0, 1, 3 and 4 have");
  EXPECT_EQ(all[0].failure->culprit, 2);
  EXPECT_GE(all[0].failure->elapsed, 3000ms);
}

TEST(ANodeThatDoesNotCome, IsNamedToThoseWhoCame) {
  TestMeeting meeting(3);
  const auto all = meeting.attend_all({{.rank = 0, .time = 3000ms}, {.rank = 1}});
  ASSERT_TRUE(all[1].failure);
  EXPECT_EQ(all[1].failure->cause, Cause::kTimeout);
  EXPECT_THAT(all[1].failure->what, HasSubstr("rank 2 has not come"));
  EXPECT_EQ(all[1].failure->culprit, 2);
}

TEST(ANodeThatDoesNotCome, IsNamedAlsoByWhoLosesPatienceBeforeRank0) {
  TestMeeting meeting(3);
  const auto all = meeting.attend_all({{.rank = 0}, {.rank = 1, .time = 5000ms}});
  ASSERT_TRUE(all[1].failure);
  EXPECT_EQ(all[1].failure->cause, Cause::kTimeout);
  EXPECT_THAT(all[1].failure->what, HasSubstr("2 ha"));
  EXPECT_EQ(all[1].failure->culprit, 2);
  ASSERT_TRUE(all[0].failure);
  EXPECT_THAT(all[0].failure->what, HasSubstr("(says rank 1)"));
  EXPECT_EQ(all[0].failure->culprit, 2);
}

TEST(ANodeThatHasEnded, IsNamedByRank0LongBeforeItsDeadline) {
  TestMeeting meeting(3);
  const Attendance one = meeting.attend({.rank = 0, .has_ended = [](Rank rank) { return rank == 2; }});
  ASSERT_TRUE(one.failure);
  EXPECT_EQ(one.failure->cause, Cause::kPeerLost);
  EXPECT_THAT(one.failure->what, HasSubstr("rank 2 has ended before it came to"));
  EXPECT_EQ(one.failure->culprit, 2);
}

TEST(ANodeThatHasEnded, MayBeRank0) {
  TestMeeting meeting(3);
  const Attendance one = meeting.attend({.rank = 1, .has_ended = [](Rank rank) { return rank == 0; }});
  ASSERT_TRUE(one.failure);
  EXPECT_EQ(one.failure->cause, Cause::kPeerLost);
  EXPECT_EQ(one.failure->culprit, 0);
}

TEST(Rank0ThatDoesNotCome, IsNamedWithItsAddress) {
  const Address address{"127.0.0.1", port_of(listen_at({"127.0.0.1", 0}))};
  try {
    (void)meet({1, 2, address, {}}, Secret::random(), {}, Deadline::after(100ms));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().cause, Cause::kTimeout);
    EXPECT_THAT(error.failure().what, HasSubstr("nobody answers at " + to_string(address)));
    EXPECT_EQ(error.failure().culprit, 0);
    EXPECT_GE(error.failure().elapsed, 100ms);
  }
}

// Rank 0 as far as it can get before it is stopped: it listens, or it has let the others in.
TEST(Rank0ThatIsStopped, IsNamedByWhoeverHasNotBeenLetIn) {
  TestMeeting meeting(3);
  const Attendance one = meeting.attend({.rank = 1, .time = 100ms});
  ASSERT_TRUE(one.failure);
  EXPECT_EQ(one.failure->cause, Cause::kTimeout);
  EXPECT_EQ(one.failure->culprit, 0);
}

TEST(Rank0ThatIsStopped, IsNamedByWhomItHasLetInAndToldAboutOthers) {
  const Secret secret = Secret::random();
  Acceptor door(listen_at({"127.0.0.1", 0}), {0, 3, kProtocolVersion, &secret}, {});
  const Address address{"127.0.0.1", door.port()};
  std::optional<Failure> failure;
  std::atomic<bool> over = false;
  on_threads({[&] {
                try {
                  (void)meet({1, 3, address, {}}, secret, {}, Deadline::after(500ms));
                } catch (const Error& error) {
                  failure = error.failure();
                }
                over = true;
              },
              [&] {
                std::vector<Visitor> inside;
                while (!over) {
                  PollSet set;
                  door.watch(set);
                  set.wait(Deadline::after(10ms));
                  for (Visitor& visitor : door.move(set)) {
                    Failure absent;
                    absent.culprit = 2;
                    visitor.talk.say(Message{Message::Kind::kWelcome, {}});
                    visitor.talk.say(make_absent(absent));
                    inside.push_back(std::move(visitor));
                  }
                }
              }});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, Cause::kTimeout);
  EXPECT_THAT(failure->what, HasSubstr("has not said who takes part"));
  EXPECT_EQ(failure->culprit, 0);
}

TEST(ANodeWithAnotherSecret, IsToldSoAndRank0SaysWhoDidNotCome) {
  TestMeeting meeting(3);
  const auto all =
      meeting.attend_all({{.rank = 0, .time = 3000ms}, {.rank = 1}, {.rank = 2, .secret = Secret::random()}});
  ASSERT_TRUE(all[2].failure);
  EXPECT_EQ(all[2].failure->cause, Cause::kMismatch);
  EXPECT_THAT(all[2].failure->what, HasSubstr("its secret is another one than this node's"));
  ASSERT_TRUE(all[0].failure);
  EXPECT_THAT(all[0].failure->what, HasSubstr("rank 2 has not come"));
  EXPECT_THAT(all[0].failure->hint, HasSubstr("a process at 127.0.0.1 used another secret"));
}

TEST(ANodeOfAnotherVersion, IsToldBothVersionsAndSoIsRank0) {
  TestMeeting meeting(3);
  const auto all = meeting.attend_all({{.rank = 0}, {.rank = 2, .version = 99}});
  ASSERT_TRUE(all[1].failure);
  EXPECT_EQ(all[1].failure->cause, Cause::kMismatch);
  EXPECT_THAT(all[1].failure->what, HasSubstr("version 3 of the protocol, this node version 99"));
  ASSERT_TRUE(all[0].failure);
  EXPECT_EQ(all[0].failure->what, "rank 2 speaks version 99 of the protocol, rank 0 version 3");
  EXPECT_EQ(all[0].failure->culprit, 2);
}

TEST(ANodeOfAJobOfAnotherSize, IsToldBothSizesAndSoIsRank0) {
  TestMeeting meeting(3);
  const auto all = meeting.attend_all({{.rank = 0}, {.rank = 2, .size = 4}});
  for (const Attendance& one : all) {
    ASSERT_TRUE(one.failure);
    EXPECT_EQ(one.failure->cause, Cause::kMismatch);
    EXPECT_EQ(one.failure->what, "rank 2 was told that the job has 4 nodes, rank 0 that it has 3");
  }
}

TEST(ARankThatIsThereTwice, IsRefusedTheSecondTime) {
  TestMeeting meeting(3);
  std::vector<Attendance> rivals(2);
  std::vector<Attendance> others;
  std::atomic<bool> refused = false;
  const auto rival = [&](std::size_t i) {
    rivals[i] = meeting.attend({.rank = 1});
    if (rivals[i].failure) refused = true;
  };
  on_threads({[&] { others.push_back(meeting.attend({.rank = 0})); }, [&] { rival(0); }, [&] { rival(1); },
              [&] {
                while (!refused) std::this_thread::sleep_for(1ms);
                EXPECT_FALSE(meeting.attend({.rank = 2}).failure);
              }});
  EXPECT_FALSE(others[0].failure);
  ASSERT_NE(rivals[0].failure.has_value(), rivals[1].failure.has_value());
  const Failure& failure = rivals[0].failure ? *rivals[0].failure : *rivals[1].failure;
  EXPECT_EQ(failure.cause, Cause::kMismatch);
  EXPECT_EQ(failure.what, "there is a rank 1 already, at 127.0.0.1");
}

TEST(AnAddressOfLoopback, IsFineOnOneHost) {
  EXPECT_NO_THROW(require_reachable({{"", 0}, {"127.0.0.1", 1}, {"127.0.0.1", 2}}, {true, true, true}));
}

TEST(AnAddressOfLoopback, IsRefusedWhenAnotherHostMustReachIt) {
  try {
    require_reachable({{"", 0}, {"127.0.0.1", 1}, {"10.0.0.7", 2}}, {true, true, false});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().what,
              "rank 1 can be reached at 127.0.0.1 only, which is not seen from rank 2 on another host");
    EXPECT_THAT(error.failure().hint, HasSubstr("not localhost"));
  }
}

}  // namespace
}  // namespace trireme::wire::rendezvous
