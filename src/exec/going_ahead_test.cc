// Nodes that need nothing from others go on before these have come: what a slow node has not read yet stays,
// and what goes wrong is noticed all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/exchange_test_util.h"
#include "exec/runner.h"
#include "plan/holdings.h"
#include "plan/strategies/operations.h"
#include "wire/notes.h"
#include "wire/shm/entrance.h"
#include "wire/shm/shm_test_util.h"

namespace trireme::exec::going_ahead_test {
namespace {

using namespace std::chrono_literals;
using plan::Operation;
using ::testing::HasSubstr;
using wire::shm::ShmJob;

constexpr ElementType kBytes = ElementType::kUint8;
constexpr std::int64_t kFew = 20;        // go with the tick
constexpr std::int64_t kStaged = 3'000;  // lie in the stage

plan::PlanSpec spec_of(Operation operation, std::int64_t parameters, Rank root) {
  plan::PlanSpec spec;
  spec.operation = operation;
  spec.strategy = operation == Operation::kBroadcast ? plan::Strategy::kStar : plan::Strategy::kDirect;
  spec.workers = 3;
  spec.parameters = parameters;
  spec.root = root;
  return spec;
}

plan::PlanSpec broadcast_of(std::int64_t parameters, Rank root = 0) {
  return spec_of(Operation::kBroadcast, parameters, root);
}

// One node of a job that broadcasts again and again, each time something else.
class Broadcaster {
 public:
  Broadcaster(wire::Wire& wire, const plan::PlanSpec& spec)
      : runner_(spec, kBytes, wire), is_root_(wire.rank() == spec.root), buffer_(idx(spec.parameters)) {}

  // Whether the next one is complete, as far as this node goes.
  bool go() {
    if (!under_way_) {
      std::fill(buffer_.begin(), buffer_.end(), is_root_ ? sent() : std::byte{0});
      runner_.start(buffer_, in_time());
      under_way_ = true;
    }
    if (!runner_.poll()) return false;
    EXPECT_TRUE(are_all(buffer_, sent())) << done_;
    under_way_ = false;
    ++done_;
    return true;
  }

  // How many it completes now.
  int go_on() {
    int completed = 0;
    while (completed < 100 && go()) ++completed;
    return completed;
  }

 private:
  [[nodiscard]] std::byte sent() const { return static_cast<std::byte>(done_ % 250 + 1); }

  Runner runner_;
  const bool is_root_;
  Numbers buffer_;
  bool under_way_ = false;
  int done_ = 0;
};

std::vector<std::unique_ptr<Broadcaster>> broadcasters(const ShmJob& job, const plan::PlanSpec& spec) {
  std::vector<std::unique_ptr<Broadcaster>> nodes;
  nodes.reserve(idx(job.nodes()));
  for (Rank rank = 0; rank < job.nodes(); ++rank)
    nodes.push_back(std::make_unique<Broadcaster>(job.wire(rank), spec));
  return nodes;
}

Failure left() {
  Failure reason;
  reason.what = "the disk is full";
  return reason;
}

TEST(ARoot, GoesAheadOfTheOthersButNotMuch) {
  const ShmJob job(3);
  const auto few = broadcasters(job, broadcast_of(kFew));
  EXPECT_EQ(few[0]->go_on(), static_cast<int>(wire::shm::kMostAhead));
  const ShmJob other(3);
  const auto staged = broadcasters(other, broadcast_of(kStaged));
  EXPECT_EQ(staged[0]->go_on(), 1);
}

TEST(ARoot, OverwritesNothingThatASlowNodeHasNotReadYet) {
  for (const std::int64_t p : {kFew, kStaged}) {
    for (const Rank slow : {1, 2}) {
      const ShmJob job(3);
      const auto nodes = broadcasters(job, broadcast_of(p));
      for (int round = 0; round < 50; ++round) {
        nodes[0]->go_on();
        nodes[idx(3 - slow)]->go_on();
        nodes[0]->go_on();
        nodes[idx(slow)]->go();
      }
    }
  }
}

// Those of one root and of another, few bytes and many, and exchanges for which all wait.
TEST(ExchangesOfManyKinds, LeaveEachOthersMemoryAlone) {
  const ShmJob job(3);
  job.on_all([](wire::shm::ShmWire& wire) {
    std::vector<std::unique_ptr<Broadcaster>> kinds;
    for (const std::int64_t p : {kFew, kStaged, std::int64_t{700'000}}) {
      for (const Rank root : {0, 1, 2})
        kinds.push_back(std::make_unique<Broadcaster>(wire, broadcast_of(p, root)));
    }
    plan::PlanSpec sum;
    sum.strategy = plan::Strategy::kAllToAll;
    sum.workers = 3;
    sum.parameters = 600'000;
    Runner adds(sum, kBytes, wire);
    Numbers ones(600'000);
    TestBits random(5);  // the same on all nodes
    for (int i = 0; i < 400; ++i) {
      const std::size_t kind = random.next() % (kinds.size() + 3);
      if (kind < kinds.size()) {
        while (!kinds[kind]->go()) std::this_thread::yield();
      } else if (kind == kinds.size()) {
        std::fill(ones.begin(), ones.end(), std::byte{1});
        adds.run(ones, in_time());
        EXPECT_TRUE(are_all(ones, std::byte{3}));
      } else if (kind == kinds.size() + 1) {
        const std::vector<std::byte> notes(300, static_cast<std::byte>(wire.rank()));
        EXPECT_EQ(wire::share_notes(wire, notes, "in a test", in_time())[599], std::byte{1});
      } else {
        wire::barrier(wire, in_time());
      }
    }
  });
}

TEST(ANodeThatIsGone, IsNamedByARootThatWentAhead) {
  const ShmJob job(3);
  const auto nodes = broadcasters(job, broadcast_of(kFew));
  EXPECT_TRUE(nodes[0]->go());
  job.wire(2).leave(left());
  const Failure at_barrier = failure_of([&] { wire::barrier(job.wire(0), in_time()); });
  EXPECT_EQ(at_barrier.cause, Failure::Cause::kPeerLost);
  EXPECT_EQ(at_barrier.culprit, 2);
  EXPECT_THAT(at_barrier.what, HasSubstr("first failure: rank 2: the disk is full"));
}

TEST(ANodeThatIsGone, IsNamedByARootThatJustGoesOn) {
  const ShmJob job(3);
  const auto nodes = broadcasters(job, broadcast_of(kFew));
  job.wire(2).leave(left());
  const Failure failure = failure_of([&] {
    nodes[0]->go_on();
    nodes[1]->go_on();
    nodes[0]->go_on();
  });
  EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
  EXPECT_EQ(failure.culprit, 2);
}

TEST(ALateNode, IsNamedByARootThatWentAhead) {
  const ShmJob job(3);
  const auto nodes = broadcasters(job, broadcast_of(kFew));
  EXPECT_TRUE(nodes[0]->go());
  EXPECT_TRUE(nodes[1]->go());
  const Failure failure = failure_of([&] { wire::barrier(job.wire(0), Deadline::after(10ms)); });
  EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
}

TEST(AReceiver, TakesNothingFromASenderThatCallsSomethingElse) {
  const ShmJob job(3);
  Broadcaster root(job.wire(0), broadcast_of(kFew));
  Runner other(broadcast_of(kFew - 1), kBytes, job.wire(1));
  Broadcaster third(job.wire(2), broadcast_of(kFew));
  EXPECT_TRUE(root.go());
  Numbers buffer(kFew - 1);
  other.start(buffer, in_time());
  EXPECT_FALSE(other.poll());  // who called what is known when all have come
  EXPECT_TRUE(third.go());
  const Failure failure = failure_of([&] { other.wait(); });
  EXPECT_EQ(failure.cause, Failure::Cause::kMismatch);
  EXPECT_THAT(failure.what, HasSubstr("the nodes called different operations"));
  EXPECT_THAT(buffer, ::testing::Each(std::byte{0}));
}

// What each node says when it calls `first`, rank 2 `other`, and then all meet.
std::vector<Failure> failures_when_rank_2_calls(const plan::PlanSpec& first, const plan::PlanSpec& other) {
  const ShmJob job(3);
  std::vector<Failure> failures(3);
  job.on_all([&](wire::shm::ShmWire& wire) {
    failures[idx(wire.rank())] = failure_of([&] {
      Runner runner(wire.rank() == 2 ? other : first, kBytes, wire);
      Numbers from(kFew);
      Numbers into(kFew);
      const auto at = [&](Numbers& memory, const plan::Holdings& held, bool after) {
        const auto& slices = after ? held.after : held.before;
        return std::span(memory).first(idx(plan::total(slices)));
      };
      const plan::Holdings held = plan::holdings(runner.spec(), wire.rank());
      if (is_in_place(runner.spec().operation)) {
        runner.run(at(into, held, true), in_time());
      } else {
        runner.run({at(from, held, false), at(into, held, true)}, in_time());
      }
      wire::barrier(wire, in_time());
    });
  });
  return failures;
}

TEST(ANodeThatCallsSomethingElse, IsNamedByAllThoughSomeWentAhead) {
  const plan::PlanSpec broadcast = broadcast_of(kFew);
  const auto direct = [](Operation operation, Rank root) { return spec_of(operation, kFew, root); };
  // In the last pair nobody takes anything from rank 2.
  for (const auto& [first, other] :
       {std::pair{broadcast, broadcast_of(kFew - 1)}, std::pair{broadcast, direct(Operation::kAllGather, 0)},
        std::pair{direct(Operation::kGather, 0), direct(Operation::kGather, 1)},
        std::pair{broadcast, direct(Operation::kGather, 1)}}) {
    SCOPED_TRACE(std::string(plan::name(other.operation)));
    int mismatches = 0;
    for (const Failure& failure : failures_when_rank_2_calls(first, other)) {
      if (failure.cause == Failure::Cause::kMismatch) ++mismatches;
      EXPECT_THAT(to_string(failure), HasSubstr("the nodes called different operations: rank 2 at " +
                                                std::string(plan::name(other.operation))));
    }
    EXPECT_GT(mismatches, 0);
  }
}

}  // namespace
}  // namespace trireme::exec::going_ahead_test
