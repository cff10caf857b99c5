// Strangers at the acceptor: what they are told, what they cost, and what is logged.
#include "wire/rendezvous/acceptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "wire/rendezvous/rendezvous_test_util.h"

namespace trireme::wire::rendezvous {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An acceptor that works in its own thread until the end of the test.
class Door {
 public:
  explicit Door(Acceptor::Limits limits = {}) : limits_(limits) {
    keeper_ = std::jthread([this](const std::stop_token& stop) { keep(stop); });
  }

  [[nodiscard]] Fd knock() const { return connect_to({"127.0.0.1", port_}, soon()); }
  [[nodiscard]] const Secret& secret() const { return secret_; }

  /// Stops the thread; then all results may be read.
  void close() {
    keeper_.request_stop();
    keeper_.join();
  }
  [[nodiscard]] std::vector<Hello> visitors() const {
    const std::lock_guard lock(mutex_);
    return visitors_;
  }
  [[nodiscard]] bool comes_in(std::size_t count) const {
    const Deadline deadline = soon();
    while (visitors().size() < count && !deadline.expired()) std::this_thread::sleep_for(1ms);
    return visitors().size() >= count;
  }
  [[nodiscard]] const std::vector<std::string>& said() const { return said_; }
  [[nodiscard]] std::size_t most_guests() const { return most_guests_; }

 private:
  void keep(const std::stop_token& stop) {
    Acceptor keeper(std::move(listener_), {0, 8, kProtocolVersion, &secret_}, limits_,
                    [&](const std::string& line) { said_.push_back(line); });
    while (!stop.stop_requested()) {
      PollSet set;
      keeper.watch(set);
      set.wait(Deadline::after(10ms));
      for (const Visitor& visitor : keeper.move(set)) {
        const std::lock_guard lock(mutex_);
        visitors_.push_back(visitor.hello);
      }
      most_guests_ = std::max(most_guests_, keeper.guests());
    }
  }

  const Acceptor::Limits limits_;
  const Secret secret_ = Secret::random();
  Fd listener_ = listen_at({"127.0.0.1", 0});
  const std::uint16_t port_ = port_of(listener_);
  mutable std::mutex mutex_;
  std::vector<Hello> visitors_;    // guarded by mutex_
  std::vector<std::string> said_;  // by the acceptor, until `close`
  std::size_t most_guests_ = 0;    // the same
  std::jthread keeper_;
};

HelloBytes hello_of(Rank rank) {
  return to_bytes(Hello{kProtocolVersion, Hello::Kind::kMeet, rank, 0, 8, random_nonce()});
}

Challenge hear_challenge(const Fd& socket) {
  const auto challenge = parse_challenge(receive_up_to(socket, sizeof(ChallengeBytes)));
  EXPECT_TRUE(challenge);
  return challenge.value_or(Challenge{});
}

// A node of the job, which may have lost its place in a flood and tries again.
void come_in(const Door& door, Rank rank) {
  while (!std::ranges::any_of(door.visitors(), [&](const Hello& one) { return one.from == rank; })) {
    const Fd socket = door.knock();
    const HelloBytes hello = hello_of(rank);
    send_all(socket, hello);
    const auto challenge = parse_challenge(receive_up_to(socket, sizeof(ChallengeBytes)));
    if (!challenge) continue;
    send_all(socket, make_answer(door.secret(), hello, *challenge));
    (void)ends(socket);  // the acceptor of the test closes when it has let the node in
  }
}

constexpr const char* kDoesNotKnow =
    "trireme: a stranger at 127.0.0.1 was turned away: it does not know the job's secret";
constexpr const char* kDoesNotSpeak =
    "trireme: a stranger at 127.0.0.1 was turned away: it does not speak the protocol of Trireme";

TEST(ANodeAtTheDoor, ComesInWhenItKnowsTheSecret) {
  Door door;
  come_in(door, 3);
  door.close();
  ASSERT_EQ(door.visitors().size(), 1U);
  EXPECT_EQ(door.visitors()[0].from, 3);
  EXPECT_TRUE(door.said().empty());
}

TEST(AStranger, WhoSaysAnythingIsTurnedAway) {
  Door door;
  const Fd socket = door.knock();
  send_all(socket, bytes_of("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_TRUE(ends(socket));
  door.close();
  EXPECT_TRUE(door.visitors().empty());
  EXPECT_THAT(door.said(), ElementsAre(kDoesNotSpeak));
}

TEST(AStranger, WhoSaysTheRightBeginningAndNonsenseIsTurnedAway) {
  Door door;
  const Fd socket = door.knock();
  HelloBytes hello = hello_of(1);
  std::fill(hello.begin() + 8, hello.end(), std::byte{0xff});
  send_all(socket, hello);
  EXPECT_TRUE(ends(socket));
  door.close();
  EXPECT_THAT(door.said(), ElementsAre(kDoesNotSpeak));
}

TEST(AStranger, WithAnotherSecretIsTurnedAway) {
  Door door;
  const Fd socket = door.knock();
  const HelloBytes hello = hello_of(1);
  send_all(socket, hello);
  send_all(socket, make_answer(Secret::random(), hello, hear_challenge(socket)));
  EXPECT_TRUE(ends(socket));
  door.close();
  EXPECT_TRUE(door.visitors().empty());
  EXPECT_THAT(door.said(), ElementsAre(kDoesNotKnow));
}

TEST(AStranger, WhoRepeatsWhatANodeHasSaidIsTurnedAway) {
  Door door;
  const HelloBytes hello = hello_of(1);
  const Fd node = door.knock();
  send_all(node, hello);
  const AnswerBytes answer = make_answer(door.secret(), hello, hear_challenge(node));
  send_all(node, answer);
  ASSERT_TRUE(door.comes_in(1));
  const Fd stranger = door.knock();
  send_all(stranger, hello);
  (void)hear_challenge(stranger);
  send_all(stranger, answer);
  EXPECT_TRUE(ends(stranger));
  door.close();
  EXPECT_EQ(door.visitors().size(), 1U);
  EXPECT_THAT(door.said(), ElementsAre(kDoesNotKnow));
}

TEST(AStranger, WhoSaysHalfAHelloHasLittleTime) {
  Door door({.longest = 100ms});
  const Fd socket = door.knock();
  const HelloBytes hello = hello_of(1);
  send_all(socket, std::span(hello).first(20));
  EXPECT_TRUE(ends(socket));
  door.close();
  ASSERT_EQ(door.said().size(), 1U);
  EXPECT_THAT(door.said()[0], HasSubstr("has not proved in time"));
}

TEST(AStranger, WhoSaysNothingMoreAfterTheChallengeHasLittleTime) {
  Door door({.longest = 100ms});
  const Fd socket = door.knock();
  send_all(socket, hello_of(1));
  (void)hear_challenge(socket);
  EXPECT_TRUE(ends(socket));
}

TEST(AStranger, IsSpokenOfOnce) {
  Door door;
  for (int i = 0; i < 20; ++i) {
    const Fd socket = door.knock();
    send_all(socket, bytes_of("whatever"));
    EXPECT_TRUE(ends(socket));
  }
  door.close();
  EXPECT_EQ(door.said().size(), 1U);
}

TEST(AStranger, WhoSendsWithoutEndIsNotReadFurther) {
  Door door;
  const Fd socket = door.knock();
  const Bytes much(1 << 20, std::byte{'T'});
  send_all(socket, much);
  EXPECT_TRUE(ends(socket));
  door.close();
  EXPECT_THAT(door.said(), ElementsAre(kDoesNotSpeak));
}

TEST(ManyStrangers, HaveNoMorePlacesThanThereAre) {
  Door door({.guests = 16, .patience = 1ms});
  std::vector<Fd> strangers;
  for (int i = 0; i < 200; ++i) strangers.push_back(door.knock());
  come_in(door, 5);
  door.close();
  EXPECT_EQ(door.most_guests(), 16U);
}

TEST(ManyStrangers, DoNotKeepANodeOut) {
  Door door({.guests = 4, .patience = 20ms});
  std::jthread flood([&](const std::stop_token& stop) {
    std::vector<Fd> strangers(100);
    for (std::size_t i = 0; !stop.stop_requested(); ++i) {
      strangers[i % 100].reset();
      strangers[i % 100] = door.knock();
    }
  });
  for (Rank rank = 1; rank < 4; ++rank) come_in(door, rank);
  flood.request_stop();
  flood.join();
  EXPECT_TRUE(door.comes_in(3));
}

TEST(TheLogOfStrangers, HasAnEnd) {
  std::size_t lines = 0;
  StrangerLog log([&](const std::string&) { ++lines; });
  for (int i = 0; i < 10'000; ++i) log.turned_away("10.0.0." + std::to_string(i), "it is one too many");
  EXPECT_EQ(lines, StrangerLog::kMostHosts);
  EXPECT_EQ(log.hosts().size(), StrangerLog::kMostHosts);
}

}  // namespace
}  // namespace trireme::wire::rendezvous
