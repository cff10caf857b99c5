#include "exec/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/exchange_test_util.h"
#include "plan/strategies/strategies.h"
#include "wire/threads/in_process.h"

namespace trireme::exec {
namespace {

using ::testing::HasSubstr;

plan::PlanSpec ring_of(std::int32_t n, std::int64_t p) {
  plan::PlanSpec spec;
  spec.workers = n;
  spec.parameters = p;
  return spec;
}

TEST(Runner, RunsAgainAndAgain) {
  for (const plan::PlanSpec& spec : all_specs(4, 21)) {
    std::vector<Numbers> buffers = small_numbers(spec, ElementType::kInt64);
    on_runners(spec, ElementType::kInt64, [&](Rank rank, Runner& runner) {
      for (int run = 0; run < 5; ++run) runner.run(buffers[idx(rank)], in_time());
    });
    Numbers expected = buffer_for(spec, ElementType::kInt64);
    for (std::int64_t i = 0; i < spec.parameters; ++i) {
      double total = 0;
      for (Rank rank = 0; rank < 4; ++rank) total += small_number(rank, i);
      put(expected, i, static_cast<std::int64_t>(total) * 4 * 4 * 4 * 4);  // each run adds up four equal sums
    }
    expect_on_all_workers(spec, buffers, expected);
  }
}

TEST(Runner, TracesEveryOpOfItsProgram) {
  for (const plan::PlanSpec& spec : all_specs(4, 50)) {
    std::vector<Numbers> buffers = small_numbers(spec, ElementType::kFloat32);
    on_runners(spec, ElementType::kFloat32, [&](Rank rank, Runner& runner) {
      runner.record_times();
      const plan::Trace& trace = runner.run(buffers[idx(rank)], in_time());
      const plan::Program program = plan::make_program(spec, rank);
      ASSERT_EQ(trace.node, rank);
      ASSERT_EQ(trace.events.size(), program.ops.size());
      std::int64_t last_start = 0;
      for (std::size_t i = 0; i < trace.events.size(); ++i) {
        EXPECT_EQ(trace.events[i].id, program.ops[i].id);
        EXPECT_GE(trace.events[i].start_ps, last_start);
        EXPECT_GE(trace.events[i].end_ps, trace.events[i].start_ps);
        last_start = trace.events[i].start_ps;
      }
    });
  }
}

TEST(Runner, LeavesASingleWorkersBufferAlone) {
  const plan::PlanSpec spec = ring_of(1, 10);
  const std::vector<Numbers> before = small_numbers(spec, ElementType::kFloat32);
  EXPECT_EQ(exchanged(spec, ElementType::kFloat32, before, Reduction::kAverage), before);
}

TEST(Runner, RefusesAWireOfAnotherSize) {
  wire::threads::InProcessFabric fabric(3);
  EXPECT_THROW(Runner(ring_of(4, 10), ElementType::kFloat32, fabric.wire(0)), Error);
}

TEST(Runner, RefusesAveragesOfIntegers) {
  wire::threads::InProcessFabric fabric(4);
  EXPECT_THROW(Runner(ring_of(4, 10), ElementType::kInt32, fabric.wire(0), Reduction::kAverage), Error);
}

TEST(Runner, TellsTheOthersWhenItsBufferHasTheWrongSize) {
  const plan::PlanSpec spec = ring_of(3, 10);
  std::vector<Numbers> buffers = small_numbers(spec, ElementType::kFloat32);
  buffers[1].resize(12);
  const Outcome outcome =
      try_on_threads(spec, ElementType::kFloat32, spans(buffers), Reduction::kSum, in_time());
  for (const NodeOutcome& node : outcome.nodes) ASSERT_TRUE(node.failure);
  EXPECT_EQ(outcome.first_failure->rank, 1);
  EXPECT_THAT(outcome.first_failure->what, HasSubstr("12 bytes"));
  EXPECT_THAT(to_string(*outcome.nodes[0].failure), HasSubstr("first failure: rank 1"));
}

// A wire that counts one message too many.
class MiscountingWire : public wire::Wire {
 public:
  explicit MiscountingWire(wire::Wire& inner) : inner_(inner) {}
  [[nodiscard]] wire::WireKind kind() const override { return inner_.kind(); }
  [[nodiscard]] Rank rank() const override { return inner_.rank(); }
  [[nodiscard]] const wire::Members& members() const override { return inner_.members(); }
  [[nodiscard]] wire::JobWire& job() override { return inner_.job(); }
  [[nodiscard]] wire::GroupId group() const override { return inner_.group(); }
  void post_send(wire::Batch& batch, Rank to, OpId id, std::span<const std::byte> from) override {
    inner_.post_send(batch, to, id, from);
    if (id >= 0) extra_ = 1;  // not while the nodes agree
  }
  void post_receive(wire::Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                    wire::Combine combine) override {
    inner_.post_receive(batch, from, id, into, combine);
  }
  void progress() override { inner_.progress(); }
  void wait(const wire::Batch& batch, const Deadline& deadline) override { inner_.wait(batch, deadline); }
  void leave(const Failure& reason) noexcept override { inner_.leave(reason); }
  [[nodiscard]] wire::Counters counters() const override {
    wire::Counters counters = inner_.counters();
    counters.sent_messages += extra_;
    return counters;
  }

 private:
  wire::Wire& inner_;
  std::int64_t extra_ = 0;
};

TEST(Runner, FailsWhenTheWireCountedSomethingElseThanThePlan) {
  const plan::PlanSpec spec = ring_of(2, 10);
  std::vector<Numbers> buffers = small_numbers(spec, ElementType::kFloat32);
  const Outcome outcome = try_on_threads(
      spec, ElementType::kFloat32, spans(buffers), Reduction::kSum, in_time(),
      [](wire::Wire& wire) { return wire.rank() == 1 ? std::make_unique<MiscountingWire>(wire) : nullptr; });
  ASSERT_TRUE(outcome.nodes[1].failure);
  EXPECT_EQ(outcome.nodes[1].failure->cause, Failure::Cause::kMismatch);
  EXPECT_THAT(outcome.nodes[1].failure->what, HasSubstr("the plan says 2 messages of 40 bytes sent"));
  EXPECT_THAT(outcome.nodes[1].failure->what, HasSubstr("the wire counted 3 messages"));
}

}  // namespace
}  // namespace trireme::exec
