#include "wire/shm/ticks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/notes.h"
#include "wire/shm/shm_test_util.h"

namespace trireme::wire::shm {
namespace {

using ::testing::HasSubstr;

TEST(Ticks, AreSeenByTheOthersWhenTheyAreRaised) {
  const ShmJob job(2);
  Ticks& one = job.wire(0).windows()->ticks();
  Ticks& other = job.wire(1).windows()->ticks();
  const std::uint64_t tick = one.take(3);
  EXPECT_EQ(other.take(3), tick);
  EXPECT_EQ(one.take(1), tick + 3);
  EXPECT_FALSE(other.reached(0, tick));
  one.raise(tick + 1);
  EXPECT_TRUE(other.reached(0, tick));
  EXPECT_TRUE(other.reached(0, tick + 1));
  EXPECT_FALSE(other.reached(0, tick + 2));
  EXPECT_FALSE(other.reached(1, tick));
}

TEST(Ticks, RingWhoSleeps) {
  std::uint32_t rings = 0;
  const ShmJob job(2);
  for (int round = 0; round < 20; ++round) {
    on_threads({[&] { barrier(job.wire(0), soon()); },
                [&] {
                  EXPECT_TRUE(comes_true([&] { return job.segment().bell(0).asleep == 1; }));
                  barrier(job.wire(1), soon());
                }});
  }
  rings = job.segment().bell(0).rings;
  EXPECT_GE(rings, 10U);
}

TEST(Ticks, AreNoMoreTakenByANodeThatHasLeft) {
  const ShmJob job(2);
  Failure failure;
  failure.what = "it broke";
  job.wire(0).leave(failure);
  try {
    static_cast<void>(job.wire(0).windows()->ticks().take(1));
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.failure().what,
                HasSubstr("this node has left the exchange (first failure: rank 0: it broke"));
  }
}

TEST(Notes, OfTwoExchangesAreKeptApart) {
  const ShmJob job(2);
  Ticks& one = job.wire(0).windows()->ticks();
  Ticks& other = job.wire(1).windows()->ticks();
  const CallSignature first("the first");
  const CallSignature second("the second");
  one.declare(first);
  one.declare(second);
  other.declare(first);  // is still at its first call
  EXPECT_EQ(other.note_of(0).digest, other.note_of(1).digest);
  EXPECT_NE(one.note_of(0).digest, other.note_of(0).digest);
  EXPECT_STREQ(other.signature_of(0, other.calls()).text.data(), "the first");
  EXPECT_EQ(other.few_bytes().at(0), other.note_of(0).few_bytes.data());
}

}  // namespace
}  // namespace trireme::wire::shm
