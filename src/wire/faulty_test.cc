#include "wire/faulty.h"

#include <gtest/gtest.h>

#include <chrono>

#include "wire/threads/in_process.h"
#include "wire/wire_test_util.h"

namespace trireme::wire {
namespace {

using namespace std::chrono_literals;
using Cause = Failure::Cause;

TEST(FaultyWire, LosesOneMessageThatItsSenderBelievesSent) {
  threads::InProcessFabric fabric(2);
  FaultyWire faulty(fabric.wire(0), {.kind = Fault::Kind::kLose, .at_send = 1});
  const Bytes first = pattern(8, 1);
  const Bytes third = pattern(8, 3);
  Bytes into_first(8);
  Bytes into_third(8);
  on_threads({[&] {
                Batch batch;
                faulty.post_send(batch, 1, 1, first);
                faulty.post_send(batch, 1, 2, pattern(8, 2));
                faulty.post_send(batch, 1, 3, third);
                faulty.wait(batch, soon());
              },
              [&] {
                receive_and_wait(fabric.wire(1), 0, 1, into_first);
                receive_and_wait(fabric.wire(1), 0, 3, into_third);
              }});
  EXPECT_EQ(into_first, first);
  EXPECT_EQ(into_third, third);
  EXPECT_EQ(faulty.counters(), (Counters{.sent_messages = 3, .sent_bytes = 24}));
  EXPECT_EQ(fabric.wire(0).counters(), (Counters{.sent_messages = 2, .sent_bytes = 16}));
}

TEST(FaultyWire, DelaysAMessageButDeliversIt) {
  threads::InProcessFabric fabric(2);
  FaultyWire faulty(fabric.wire(0), {.kind = Fault::Kind::kDelay, .pause = 20ms});
  const Bytes sent = pattern(8, 1);
  Bytes received(8);
  const Deadline start = soon();
  on_threads({[&] { send_and_wait(faulty, 1, 0, sent); },
              [&] { receive_and_wait(fabric.wire(1), 0, 0, received); }});
  EXPECT_GE(start.elapsed(), 20ms);
  EXPECT_EQ(received, sent);
}

TEST(FaultyWire, ClosesSoThatTheOthersAreTold) {
  threads::InProcessFabric fabric(2);
  FaultyWire faulty(fabric.wire(0), {.kind = Fault::Kind::kClose});
  Batch batch;
  EXPECT_THROW(faulty.post_send(batch, 1, 0, {}), Error);
  Bytes into(8);
  const Failure failure =
      failure_of_leaving(fabric.wire(1), [&] { receive_and_wait(fabric.wire(1), 0, 0, into); });
  EXPECT_EQ(failure.cause, Cause::kPeerLost);
  EXPECT_EQ(failure.peer, 0);
}

TEST(FaultyWire, StopsSilentlyUntilItsDeadline) {
  threads::InProcessFabric fabric(2);
  FaultyWire faulty(fabric.wire(0), {.kind = Fault::Kind::kStop, .pause = 200ms});
  Failure own;
  Failure heard;
  const Bytes sent(8);
  Bytes into(8);
  const Deadline deadline = Deadline::after(50ms);
  on_threads({[&] { own = failure_of_leaving(faulty, [&] { send_and_wait(faulty, 1, 0, sent, deadline); }); },
              [&] {
                heard = failure_of_leaving(fabric.wire(1),
                                           [&] { receive_and_wait(fabric.wire(1), 0, 0, into, deadline); });
              }});
  EXPECT_EQ(own.cause, Cause::kTimeout);
  EXPECT_GE(*own.elapsed, 250ms);
  EXPECT_NE(heard.what, "");
  EXPECT_EQ(heard.peer, 0);
}

}  // namespace
}  // namespace trireme::wire
