// When something goes wrong in the middle of an exchange, every node is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "exec/exchange_test_util.h"
#include "plan/count.h"
#include "plan/explain/words.h"
#include "plan/strategies/strategies.h"
#include "wire/faulty.h"

namespace trireme::exec {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr ElementType kType = ElementType::kFloat32;
constexpr std::int32_t kWorkers = 4;
constexpr std::int64_t kParameters = 101;

struct Faulted {
  Outcome outcome;
  std::vector<Numbers> buffers;
  std::chrono::nanoseconds took{};
};

Faulted run_with(const plan::PlanSpec& spec, Rank faulty, const wire::Fault& fault,
                 std::chrono::nanoseconds limit) {
  Faulted faulted;
  faulted.buffers = small_numbers(spec, kType);
  const Deadline deadline = Deadline::after(limit);
  faulted.outcome =
      try_on_threads(spec, kType, spans(faulted.buffers), Reduction::kSum, deadline, [&](wire::Wire& wire) {
        return wire.rank() == faulty ? std::make_unique<wire::FaultyWire>(wire, fault) : nullptr;
      });
  faulted.took = deadline.elapsed();
  return faulted;
}

void expect_says_everything(const Failure& failure, Rank rank) {
  EXPECT_EQ(failure.rank, rank);
  ASSERT_TRUE(failure.peer) << to_string(failure);
  EXPECT_NE(*failure.peer, rank);
  // On a busy machine the deadline may pass before all nodes are there.
  const bool came_late =
      failure.cause == Failure::Cause::kTimeout && failure.op == "before the first exchange";
  if (!came_late) {
    EXPECT_THAT(failure.op, HasSubstr("step "));
    EXPECT_THAT(failure.op, testing::AnyOf(HasSubstr("from rank "), HasSubstr("to rank ")));
  }
  EXPECT_TRUE(failure.elapsed);
  EXPECT_FALSE(failure.hint.empty());
}

// A node either finished, and then its answer is right, or knows all about its failure.
void expect_right_or_told(const plan::PlanSpec& spec, const Faulted& faulted) {
  const Numbers expected = sum_of_small_numbers(spec, kType);
  for (Rank rank = 0; rank < spec.nodes(); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const NodeOutcome& node = faulted.outcome.nodes[idx(rank)];
    if (node.failure) {
      expect_says_everything(*node.failure, rank);
    } else if (!spec.is_server(rank)) {
      EXPECT_EQ(faulted.buffers[idx(rank)], expected);
    }
  }
}

// Tries a fault at a random message of a random node of every strategy. `suffers(faulty, receiver)` must
// fail.
void on_random_messages(wire::Fault::Kind kind, const std::function<Rank(Rank, Rank)>& suffers) {
  TestBits random(static_cast<std::uint64_t>(kind) + 11);
  for (const plan::PlanSpec& spec : all_specs(kWorkers, kParameters)) {
    const auto faulty = static_cast<Rank>(random.next() % idx(spec.nodes()));
    std::vector<plan::Op> sends;
    for (const plan::Op& op : plan::make_program(spec, faulty).ops) {
      if (op.kind == plan::OpKind::kSend) sends.push_back(op);
    }
    if (sends.empty()) continue;
    const std::size_t at = random.next() % sends.size();
    SCOPED_TRACE(in_words(spec) + ", rank " + std::to_string(faulty) + ", " + plan::say(spec, sends[at]));

    // A node that goes away is noticed at once, others at the deadline.
    const std::chrono::nanoseconds limit = kind == wire::Fault::Kind::kClose ? 60s : 200ms;
    const Faulted faulted = run_with(spec, faulty, {kind, static_cast<std::int64_t>(at)}, limit);
    EXPECT_LT(faulted.took, 20s);
    expect_right_or_told(spec, faulted);
    EXPECT_TRUE(faulted.outcome.nodes[idx(suffers(faulty, sends[at].peer))].failure);
    EXPECT_TRUE(faulted.outcome.first_failure);
  }
}

TEST(ALostMessage, IsNoticedByItsReceiver) {
  on_random_messages(wire::Fault::Kind::kLose, [](Rank, Rank receiver) { return receiver; });
}

TEST(AClosedNode, IsNoticedByWhoNeedsIt) {
  on_random_messages(wire::Fault::Kind::kClose, [](Rank, Rank receiver) { return receiver; });
}

TEST(AStoppedNode, IsNoticedByWhoNeedsIt) {
  on_random_messages(wire::Fault::Kind::kStop, [](Rank, Rank receiver) { return receiver; });
}

plan::PlanSpec ring() {
  plan::PlanSpec spec;
  spec.workers = kWorkers;
  spec.parameters = kParameters;
  return spec;
}

TEST(AClosedNode, EndsARingOnEveryNodeLongBeforeTheDeadline) {
  const Faulted faulted = run_with(ring(), 2, {wire::Fault::Kind::kClose, 1}, 60s);
  EXPECT_LT(faulted.took, 30s);
  for (Rank rank = 0; rank < kWorkers; ++rank) {
    ASSERT_TRUE(faulted.outcome.nodes[idx(rank)].failure) << rank;
    expect_says_everything(*faulted.outcome.nodes[idx(rank)].failure, rank);
    if (rank == 2) continue;
    EXPECT_THAT(faulted.outcome.nodes[idx(rank)].failure->what, HasSubstr("first failure: rank 2"));
  }
  EXPECT_EQ(faulted.outcome.first_failure->rank, 2);
}

TEST(AStoppedNode, IsNamedByOthersWhoDoNotEvenWaitForIt) {
  // The stopped node says nothing itself until well after the deadline of the others.
  const Faulted faulted = run_with(ring(), 2, {wire::Fault::Kind::kStop, 0, 300ms}, 300ms);
  ASSERT_TRUE(faulted.outcome.first_failure);
  EXPECT_NE(faulted.outcome.first_failure->rank, 2);
  EXPECT_EQ(faulted.outcome.first_failure->cause, Failure::Cause::kTimeout);
  EXPECT_THAT(to_string(*faulted.outcome.first_failure), HasSubstr("rank 2"));
  EXPECT_THAT(to_string(*faulted.outcome.first_failure), HasSubstr("not in the exchange"));
}

TEST(ADelayShorterThanTheDeadline, ChangesNothing) {
  for (const plan::PlanSpec& spec : all_specs(kWorkers, kParameters)) {
    const Faulted faulted = run_with(spec, 1, {wire::Fault::Kind::kDelay, 0, 30ms}, 60s);
    EXPECT_FALSE(faulted.outcome.first_failure) << in_words(spec);
    expect_on_all_workers(spec, faulted.buffers, sum_of_small_numbers(spec, kType));
  }
}

TEST(RunOnThreads, ThrowsTheFirstFailureAndNotThatOfTheLowestRank) {
  const plan::PlanSpec spec = ring();
  std::vector<Numbers> buffers = small_numbers(spec, kType);
  buffers[3].pop_back();
  try {
    run_on_threads(spec, kType, spans(buffers), Reduction::kSum, in_time());
    FAIL() << "it should have thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().rank, 3);
    EXPECT_THAT(error.what(), HasSubstr("the buffer has"));
  }
}

TEST(RunOnThreads, WantsABufferForEveryNode) {
  std::vector<Numbers> buffers = small_numbers(ring(), kType);
  buffers.pop_back();
  EXPECT_THROW(run_on_threads(ring(), kType, spans(buffers), Reduction::kSum, in_time()), Error);
}

}  // namespace
}  // namespace trireme::exec
