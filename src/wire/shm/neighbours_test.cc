// How a node waits: what wakes it, what ends its wait, and what it is told.
#include "wire/shm/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "wire/shm/shm_test_util.h"

namespace trireme::wire::shm {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Is there when a flag is up.
class Flag final : public Awaited {
 public:
  explicit Flag(Rank peer) : peer_(peer) {}

  bool arrived() override {
    const bool up = is_up.load(std::memory_order_acquire);
    if (after_looking) after_looking();
    return up;
  }
  [[nodiscard]] Transfer missing(const Roster&) const override {
    return {.peer = peer_, .id = 9, .combine = copy_bytes};
  }

  std::atomic<bool> is_up = false;
  std::function<void()> after_looking;

 private:
  const Rank peer_;
};

class Job {
 public:
  explicit Job(Rank nodes) : segment_(Segment::create(nodes)) {
    for (Rank rank = 0; rank < nodes; ++rank) {
      nodes_.push_back(std::make_unique<Neighbours>(segment_, rank));
    }
  }
  [[nodiscard]] const std::shared_ptr<Segment>& segment() const { return segment_; }
  Neighbours& operator[](Rank rank) { return *nodes_[idx(rank)]; }
  [[nodiscard]] bool is_asleep(Rank rank) const { return segment_->bell(rank).asleep == 1; }
  [[nodiscard]] std::uint32_t rings(Rank rank) const { return segment_->bell(rank).rings; }

 private:
  std::shared_ptr<Segment> segment_;
  std::vector<std::unique_ptr<Neighbours>> nodes_;
};

Failure failure_of_waiting(Neighbours& node, Awaited& awaited, const Deadline& deadline) {
  try {
    node.wait_for(awaited, deadline);
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "the wait should have failed";
  return {};
}

Failure because(const char* what) {
  Failure failure;
  failure.what = what;
  return failure;
}

TEST(Waiting, EndsAtOnceWhenItIsThere) {
  Job job(2);
  Flag flag(1);
  flag.is_up = true;
  EXPECT_NO_THROW(job[0].wait_for(flag, Deadline::after(0s)));  // even when it is late
}

TEST(Waiting, EndsWhenTheOtherRings) {
  // Without a ring every round would still end, when the sleeper looks around, but nothing would have rung.
  constexpr int kRounds = 20;
  Job job(2);
  for (int round = 0; round < kRounds; ++round) {
    Flag flag(1);
    on_threads({[&] { job[0].wait_for(flag, soon()); },
                [&] {
                  EXPECT_TRUE(comes_true([&] { return job.is_asleep(0); }));
                  flag.is_up.store(true, std::memory_order_release);
                  round % 2 == 0 ? job[1].ring(0) : job[1].ring(job[1].bells_of(Members(2)));
                }});
  }
  EXPECT_GE(job.rings(0), static_cast<std::uint32_t>(kRounds / 2));
  EXPECT_FALSE(job.is_asleep(0));
}

TEST(Ringing, ANodeThatIsAwakeCostsNothing) {
  Job job(2);
  job[1].ring(0);
  job[1].ring(job[1].bells_of(Members(2)));
  EXPECT_EQ(job.rings(0), 0U);
}

TEST(Waiting, EndsAtTheDeadlineWithEverythingThatIsKnown) {
  Job job(2);
  Flag flag(1);
  const Failure failure = failure_of_waiting(job[0], flag, Deadline::after(30ms));
  EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
  EXPECT_EQ(failure.rank, 0);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(failure.op_id, 9);
  EXPECT_EQ(failure.culprit, 1);
  ASSERT_TRUE(failure.elapsed);
  EXPECT_GE(*failure.elapsed, 30ms);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not sent; it is not in the exchange (process "));
  EXPECT_FALSE(failure.hint.empty());
  EXPECT_FALSE(job.is_asleep(0));
}

// On a busy host each time takes milliseconds.
TEST(Waiting, ThatIsLateAlreadyDoesNotGiveWayAgainAndAgain) {
  Job job(2);
  Flag flag(1);
  int looks = 0;
  for (int i = 0; i < 20; ++i)
    (void)failure_of_waiting(job[0], flag, Deadline::after(0s));  // spins less and less
  flag.after_looking = [&] { ++looks; };
  (void)failure_of_waiting(job[0], flag, Deadline::after(0s));
  EXPECT_LT(looks, 200);
}

TEST(Waiting, TellsTheOthersForWhomAndWhenItIsOver) {
  Job job(3);
  Flag flag(1);
  on_threads({[&] { job[0].wait_for(flag, soon()); },
              [&] {
                EXPECT_TRUE(comes_true([&] {
                  return job[2].roster().whereabouts(0).find("waiting for rank 1") != std::string::npos;
                }));
                flag.is_up.store(true, std::memory_order_release);
                job[1].ring(0);
              }});
  EXPECT_THAT(job[2].roster().whereabouts(0), HasSubstr("it is not in the exchange"));
}

TEST(Waiting, ForANodeThatLeavesEndsLongBeforeTheDeadline) {
  Job job(2);
  Flag flag(1);
  Failure failure;
  on_threads({[&] { failure = failure_of_waiting(job[0], flag, Deadline::after(60s)); },
              [&] {
                EXPECT_TRUE(comes_true([&] { return job.is_asleep(0); }));
                job[1].leave(nullptr);
              }});
  EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
  EXPECT_EQ(failure.culprit, 1);
  EXPECT_EQ(failure.what, "rank 1 has left");
}

TEST(Leaving, RingsEverybodyWhoSleeps) {
  std::uint32_t rings = 0;
  for (int round = 0; round < 10; ++round) {
    Job job(2);
    Flag flag(1);
    on_threads({[&] { (void)failure_of_waiting(job[0], flag, soon()); },
                [&] {
                  EXPECT_TRUE(comes_true([&] { return job.is_asleep(0); }));
                  job[1].leave(nullptr);
                }});
    rings += job.rings(0);
  }
  EXPECT_GE(rings, 5U);
}

// The other acts and leaves just after we have looked, while we wait or when we ask for it.
TEST(Waiting, SeesTheLastActOfANodeThatLeavesMeanwhile) {
  Job job(2);
  Flag flag(1);
  flag.after_looking = [&] {
    if (!job.is_asleep(0) || flag.is_up) return;
    flag.is_up = true;
    job[1].leave(nullptr);
  };
  EXPECT_NO_THROW(job[0].wait_for(flag, soon()));
  EXPECT_TRUE(job[1].has_left());
}

TEST(RequirePresent, SeesTheLastActOfANodeThatLeavesMeanwhile) {
  Job job(2);
  Flag flag(1);
  flag.after_looking = [&] {
    flag.is_up = true;
    job[1].leave(nullptr);
  };
  EXPECT_NO_THROW(job[0].require_present(flag));
  EXPECT_FALSE(flag.arrived());
  EXPECT_NO_THROW(job[0].require_present(flag));
}

TEST(RequirePresent, SaysNothingWhileTheNodeIsThere) {
  Job job(2);
  Flag flag(1);
  job[0].require_present(flag);
  job[1].leave(nullptr);
  EXPECT_THROW(job[0].require_present(flag), Error);
}

TEST(AFailureElsewhere, EndsAWaitForANodeThatIsSilent) {
  Job job(3);
  Flag flag(1);
  const Failure reason = because("the disk is full");
  job[2].leave(&reason);
  const Failure failure = failure_of_waiting(job[0], flag, Deadline::after(60s));
  EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
  EXPECT_EQ(failure.peer, 1);
  EXPECT_EQ(failure.culprit, 2);
  EXPECT_LT(*failure.elapsed, 30s);
  EXPECT_THAT(failure.what, HasSubstr("rank 1 has not answered since another node failed"));
  EXPECT_THAT(failure.what, HasSubstr("first failure: rank 2: the disk is full"));
}

TEST(AFailureElsewhere, DoesNotEndAWaitThatCanEndWell) {
  Job job(3);
  Flag flag(1);
  const Failure reason = because("the disk is full");
  job[2].leave(&reason);
  on_threads({[&] { job[0].wait_for(flag, soon()); },
              [&] {
                EXPECT_TRUE(comes_true([&] { return job.is_asleep(0); }));
                flag.is_up.store(true, std::memory_order_release);
                job[1].ring(0);
              }});
}

TEST(Leaving, KeepsTheFirstReasonAndIsSaidOnce) {
  Job job(2);
  const Failure first = because("first");
  const Failure second = because("second");
  job[0].leave(&first);
  job[0].leave(&second);
  job[1].leave(&second);
  EXPECT_TRUE(job[0].has_left());
  EXPECT_EQ(job[1].roster().first_failure()->what, "first");
  EXPECT_EQ(job[1].roster().first_failure()->rank, 0);
}

class Throws final : public Awaited {
 public:
  bool arrived() override {
    if (++looks_ < 5000) return false;
    throw bad_input("on purpose");
  }
  [[nodiscard]] Transfer missing(const Roster&) const override { return {.peer = 1}; }

 private:
  int looks_ = 0;
};

TEST(Waiting, EndsWithWhateverIsThrownAndSleepsNoMore) {
  Job job(2);
  Throws throws;
  std::atomic<bool> over = false;
  on_threads({[&] {
                EXPECT_EQ(failure_of_waiting(job[0], throws, soon()).what, "on purpose");
                over = true;
              },
              [&] {
                const Deadline deadline = soon();
                while (!over && !deadline.expired()) job[1].ring(0);
              }});
  EXPECT_FALSE(job.is_asleep(0));
}

TEST(ARank, IsTakenOnce) {
  Job job(2);
  try {
    const Neighbours again(job.segment(), 1);
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.failure().what, HasSubstr("rank 1 has joined its job already, as process "));
  }
}

TEST(AForkedChild, DoesNotTakeItsParentOutOfTheJob) {
  Job job(2);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    job[1].leave(nullptr);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(job[0].roster().has_left(1));
}

}  // namespace
}  // namespace trireme::wire::shm
