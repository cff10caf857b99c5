// Messages over TCP, and what nodes are told when they fail.
#include "wire/tcp/tcp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <vector>

#include "wire/notes.h"
#include "wire/tcp/links_test_util.h"
#include "wire/wire_test_util.h"

namespace trireme::wire::tcp {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Cause = Failure::Cause;

// All nodes of a job. Each is used by one thread at a time, which may be the same for all.
class TcpJob {
 public:
  explicit TcpJob(Rank nodes) {
    std::vector<std::vector<rendezvous::Link>> links = connected_nodes(nodes);
    for (Rank rank = 0; rank < nodes; ++rank) {
      wires_.push_back(std::make_unique<TcpWire>(rank, std::move(links[idx(rank)])));
    }
  }

  [[nodiscard]] TcpWire& wire(Rank rank) const { return *wires_[idx(rank)]; }
  // The node finishes.
  void drop(Rank rank) { wires_[idx(rank)].reset(); }

 private:
  std::vector<std::unique_ptr<TcpWire>> wires_;
};

std::vector<std::size_t> piece_sizes;  // of the one receiver in a test

void copy_and_note(std::byte* into, const std::byte* from, std::size_t bytes) {
  piece_sizes.push_back(bytes);
  std::copy(from, from + bytes, into);
}

void receive_with(Wire& wire, Rank from, OpId id, std::span<std::byte> into, Combine combine) {
  Batch batch;
  wire.post_receive(batch, from, id, into, combine);
  wire.wait(batch, soon());
}

Failure wait_in_vain(Wire& wire, Rank peer, OpId id, const Deadline& deadline) {
  Bytes into(8);
  return failure_of_leaving(wire, [&] { receive_and_wait(wire, peer, id, into, deadline); });
}

TEST(ATcpMessage, ArrivesWholeWhateverItsSize) {
  const TcpJob job(2);
  for (const std::size_t size :
       std::vector<std::size_t>{0, 1, 15, 16, 17, 63, 64, 4096, 131'071, 131'072, 131'073, 3'000'001}) {
    const Bytes sent = pattern(size, 3);
    Bytes received(size);
    on_threads({[&] { send_and_wait(job.wire(0), 1, 5, sent); },
                [&] { receive_and_wait(job.wire(1), 0, 5, received); }});
    EXPECT_EQ(received, sent) << size;
  }
  EXPECT_EQ(job.wire(0).counters().sent_messages, 12);
  EXPECT_EQ(job.wire(0).counters().sent_bytes, job.wire(1).counters().received_bytes);
}

TEST(ATcpMessage, IsHandedOverInPiecesOfWholeLines) {
  const TcpJob job(2);
  const Bytes sent = pattern(1'000'003, 4);
  Bytes received(sent.size());
  piece_sizes.clear();
  on_threads({[&] { send_and_wait(job.wire(0), 1, 5, sent); },
              [&] { receive_with(job.wire(1), 0, 5, received, copy_and_note); }});
  EXPECT_EQ(received, sent);
  ASSERT_GT(piece_sizes.size(), 1U);
  for (std::size_t i = 0; i + 1 < piece_sizes.size(); ++i) EXPECT_EQ(piece_sizes[i] % 64, 0U);
}

TEST(SmallTcpMessages, AreSentBeforeAnybodyReceivesThem) {
  const TcpJob job(2);
  constexpr OpId kCount = 100;
  for (OpId id = 0; id < kCount; ++id) send_and_wait(job.wire(0), 1, id, pattern(100, static_cast<int>(id)));
  for (OpId id = 0; id < kCount; ++id) {
    Bytes received(100);
    receive_and_wait(job.wire(1), 0, id, received);
    EXPECT_EQ(received, pattern(100, static_cast<int>(id)));
  }
}

TEST(LargeTcpMessages, InBothDirectionsDoNotBlockEachOther) {
  const TcpJob job(2);
  const Bytes sent = pattern(20'000'000, 1);
  const auto node = [&](Rank rank) {
    Bytes received(sent.size());
    Batch batch;
    job.wire(rank).post_receive(batch, 1 - rank, 7, received, copy_bytes);
    job.wire(rank).post_send(batch, 1 - rank, 7, sent);
    job.wire(rank).wait(batch, soon());
    EXPECT_TRUE(received == sent);
  };
  on_threads({[&] { node(0); }, [&] { node(1); }});
}

TEST(ATcpReceive, RefusesAnotherOpThanItsOwn) {
  const TcpJob job(2);
  send_and_wait(job.wire(0), 1, 4, pattern(8, 1));
  const Failure failure = wait_in_vain(job.wire(1), 0, 5, soon());
  EXPECT_EQ(failure.cause, Cause::kMismatch);
  EXPECT_EQ(failure.what, "rank 0 sends something else than what is expected");
}

TEST(ATcpReceive, RefusesAnotherLengthThanItsOwn) {
  const TcpJob job(2);
  send_and_wait(job.wire(0), 1, 5, pattern(12, 1));
  const Failure failure = wait_in_vain(job.wire(1), 0, 5, soon());
  EXPECT_EQ(failure.cause, Cause::kMismatch);
  EXPECT_EQ(failure.what, "rank 0 sends 12 bytes where 8 are expected");
}

TEST(ATcpNode, ThatFinishesLosesNothingThatItSent) {
  TcpJob job(2);
  const Bytes sent = pattern(50'000, 2);
  send_and_wait(job.wire(0), 1, 5, sent);
  job.drop(0);
  Bytes received(sent.size());
  receive_and_wait(job.wire(1), 0, 5, received);
  EXPECT_EQ(received, sent);
}

TEST(ATcpNode, ThatFinishesTooEarlyIsNamed) {
  TcpJob job(2);
  job.drop(0);
  const Failure failure = wait_in_vain(job.wire(1), 0, 5, soon());
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.what, "rank 0 has left");
  EXPECT_EQ(failure.culprit, 0);
}

TEST(ATcpNode, ThatFailsTellsAllOthersWhy) {
  const TcpJob job(3);
  Failure reason;
  reason.what = "it broke";
  reason.culprit = 0;
  job.wire(0).leave(reason);
  for (const Rank rank : {1, 2}) {
    const Failure failure = wait_in_vain(job.wire(rank), rank == 1 ? 2 : 0, 5, soon());
    EXPECT_THAT(failure.what, HasSubstr("first failure: rank 0: it broke"));
    EXPECT_EQ(failure.culprit, 0);
  }
}

TEST(ATcpNode, ThatHasLeftPostsNothing) {
  const TcpJob job(2);
  Failure reason;
  reason.what = "it broke";
  job.wire(0).leave(reason);
  Batch batch;
  EXPECT_THROW(job.wire(0).post_send(batch, 1, 0, {}), Error);
}

TEST(TcpDeadline, NamesThePeerTheOpAndHowLongItWaited) {
  const TcpJob job(2);
  const Failure failure = wait_in_vain(job.wire(0), 1, 42, Deadline::after(30ms));
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(failure.culprit, 1);
  EXPECT_EQ(failure.op_id, 42);
  ASSERT_TRUE(failure.elapsed);
  EXPECT_GE(*failure.elapsed, 30ms);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not sent; it is not in the exchange"));
}

TEST(TcpDeadline, NamesAReceiverThatTakesNothing) {
  const TcpJob job(2);
  const Bytes more_than_fits = pattern(64 << 20, 1);
  const Failure failure = failure_of_leaving(
      job.wire(0), [&] { send_and_wait(job.wire(0), 1, 3, more_than_fits, Deadline::after(200ms)); });
  EXPECT_EQ(failure.cause, Cause::kTimeout);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not received"));
}

// Rank 0 waits for rank 1, which waits for rank 2, which does nothing: it is the culprit.
TEST(TcpDeadline, FollowsTheChainToTheCulprit) {
  const TcpJob job(3);
  Failure first;
  const auto rank_1_waits = [&] {
    return job.wire(0).roster().whereabouts(1).find("waiting for rank 2") != std::string::npos;
  };
  on_threads({[&] {
                while (!rank_1_waits()) job.wire(0).sleep(Deadline::Clock::now() + 10ms);
                first = wait_in_vain(job.wire(0), 1, 0, Deadline::after(30ms));
              },
              [&] { (void)wait_in_vain(job.wire(1), 2, 1, soon()); }});
  EXPECT_EQ(first.culprit, 2);
  EXPECT_THAT(first.what, HasSubstr("it is itself waiting for rank 2"));
}

TEST(ATcpConnection, OutlivesAForkedChild) {
  std::vector<std::vector<rendezvous::Link>> links = connected_nodes(2);
  TcpWire other(1, std::move(links[1]));
  auto wire = std::make_unique<TcpWire>(0, std::move(links[0]));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    wire.reset();  // as it happens when a child exits
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const Bytes sent = pattern(100, 1);
  Bytes received(100);
  on_threads({[&] { send_and_wait(*wire, 1, 7, sent); }, [&] { receive_and_wait(other, 0, 7, received); }});
  EXPECT_TRUE(received == sent);
}

TEST(ATcpConnection, ThatIsCutNamesThePeer) {
  std::vector<std::vector<rendezvous::Link>> links = connected_nodes(2);
  TcpWire wire(0, std::move(links[0]));
  links[1].clear();  // the process is gone without a word
  links[1].resize(2);
  const Failure failure = wait_in_vain(wire, 1, 5, soon());
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.what, "rank 1 has died, or is cut off (its connection is closed)");
  EXPECT_EQ(failure.culprit, 1);
}

TEST(ATcpConnection, ThatSpeaksNonsenseIsRefused) {
  std::vector<std::vector<rendezvous::Link>> links = connected_nodes(2);
  TcpWire wire(0, std::move(links[0]));
  const Bytes nonsense(100, std::byte{0xff});
  ASSERT_EQ(::send(links[1][0].control.get(), nonsense.data(), nonsense.size(), 0), 100);
  const Failure failure = wait_in_vain(wire, 1, 5, soon());
  EXPECT_EQ(failure.cause, Cause::kMismatch);
}

TEST(TcpBarrier, LetsNobodyPassBeforeAllHaveCome) {
  const TcpJob job(3);
  std::atomic<int> came{0};
  const auto node = [&](Rank rank) {
    ++came;
    barrier(job.wire(rank), soon());
    EXPECT_EQ(came.load(), 3);
  };
  on_threads({[&] { node(0); }, [&] { node(1); }, [&] { node(2); }});
}

}  // namespace
}  // namespace trireme::wire::tcp
