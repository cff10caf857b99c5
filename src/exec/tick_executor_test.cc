// Exchanges through ticks, one after another: what a slow node still reads nobody may overwrite, and what
// goes wrong everybody hears.
#include "exec/tick_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "exec/exchange_test_util.h"
#include "exec/runner.h"
#include "plan/strategies/strategies.h"
#include "wire/notes.h"
#include "wire/shm/shm_test_util.h"

namespace trireme::exec {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr ElementType kType = ElementType::kFloat32;

plan::PlanSpec all_to_all(std::int32_t workers, std::int64_t parameters) {
  plan::PlanSpec spec;
  spec.strategy = plan::Strategy::kAllToAll;
  spec.workers = workers;
  spec.parameters = parameters;
  return spec;
}

plan::PlanSpec direct(std::int32_t workers, std::int64_t parameters) {
  plan::PlanSpec spec = all_to_all(workers, parameters);
  spec.strategy = plan::Strategy::kDirect;
  return spec;
}

plan::PlanSpec served(std::int32_t workers, std::int32_t servers, std::int64_t parameters) {
  plan::PlanSpec spec = all_to_all(workers, parameters);
  spec.strategy = plan::Strategy::kParameterServer;
  spec.servers = servers;
  return spec;
}

plan::PlanSpec shared(std::int32_t workers, std::int32_t shares, std::int64_t parameters) {
  plan::PlanSpec spec = served(workers, 0, parameters);
  spec.shares_on_workers = shares;
  return spec;
}

// All nodes in one thread, each with one Runner per spec; they go on when they are told to.
class Stepped {
 public:
  Stepped(const wire::shm::ShmJob& job, const std::vector<plan::PlanSpec>& specs, bool in_windows = false)
      : specs_(specs), runners_(idx(job.nodes())), buffers_(idx(job.nodes())), windows_(idx(job.nodes())) {
    job.on_all([&](wire::shm::ShmWire& wire) {
      const std::size_t rank = idx(wire.rank());
      for (const plan::PlanSpec& spec : specs) {
        runners_[rank].emplace_back(spec, kType, wire).prepare(in_time());
        buffers_[rank].push_back(small_numbers(spec, kType)[rank]);
        if (!in_windows) continue;
        const Numbers& numbers = buffers_[rank].back();
        windows_[rank].push_back(wire.windows()->make(wire, numbers.size(), in_time()));
        std::copy(numbers.begin(), numbers.end(), windows_[rank].back().bytes().begin());
      }
    });
  }

  Runner& runner(Rank rank, std::size_t exchange) { return runners_[idx(rank)][exchange]; }
  std::span<std::byte> buffer(Rank rank, std::size_t exchange) {
    if (!windows_[idx(rank)].empty()) return windows_[idx(rank)][exchange].bytes();
    return buffers_[idx(rank)][exchange];
  }
  void drop_window(Rank rank) { windows_[idx(rank)].clear(); }

  void start(Rank rank, std::size_t exchange, const Deadline& deadline = in_time()) {
    runner(rank, exchange).start(buffer(rank, exchange), deadline);
  }
  bool poll(Rank rank, std::size_t exchange) { return runner(rank, exchange).poll(); }
  void expect_right(Rank rank, std::size_t exchange) {
    const std::span<std::byte> got = buffer(rank, exchange);
    EXPECT_TRUE(are_same(got, sum_of_small_numbers(specs_[exchange], kType)))
        << "rank " << rank << ", exchange " << exchange << ": " << in_words(specs_[exchange]);
  }

 private:
  const std::vector<plan::PlanSpec> specs_;
  std::vector<std::deque<Runner>> runners_;  // by rank, then by exchange
  std::vector<std::vector<Numbers>> buffers_;
  std::vector<std::vector<wire::shm::Window>> windows_;
};

// All nodes but one run the exchanges as far as they can, then all to the end: what the slow one had not read
// yet may not have been overwritten.
void expect_that_a_slow_node_is_safe(const std::vector<plan::PlanSpec>& specs, Rank slow) {
  const Rank nodes = specs[0].nodes();
  SCOPED_TRACE("slow rank " + std::to_string(slow));
  const wire::shm::ShmJob job(nodes);
  Stepped all(job, specs);
  std::vector<std::size_t> at(idx(nodes), 0);
  for (Rank rank = 0; rank < nodes; ++rank) all.start(rank, 0);
  for (int round = 0; round < 100; ++round) {
    for (Rank rank = 0; rank < nodes; ++rank) {
      std::size_t& exchange = at[idx(rank)];
      const bool rests = rank == slow && round < 20;
      if (rests || exchange == specs.size() || !all.poll(rank, exchange)) continue;
      if (!specs[exchange].is_server(rank)) all.expect_right(rank, exchange);
      if (++exchange < specs.size()) all.start(rank, exchange);
    }
  }
  for (const std::size_t exchange : at) EXPECT_EQ(exchange, specs.size());
}

void expect_that_any_slow_node_is_safe(const std::vector<plan::PlanSpec>& specs) {
  for (Rank slow = 0; slow < specs[0].nodes(); ++slow) expect_that_a_slow_node_is_safe(specs, slow);
}

TEST(ASlowNode, IsSafeFromTheNextExchange) {
  for (const std::int64_t p : {1, 4, 5, 1000, 60'000, 100'000}) {
    expect_that_any_slow_node_is_safe({all_to_all(3, p), all_to_all(3, p)});
    expect_that_any_slow_node_is_safe({all_to_all(3, p), direct(3, 100'000)});
    expect_that_any_slow_node_is_safe({direct(3, p), all_to_all(3, 100'000), direct(3, p)});
  }
}

// Workers have messages with the server alone, but stages that others may still read.
TEST(ASlowNode, IsSafeFromAServerThatWorksInPieces) {
  expect_that_any_slow_node_is_safe({all_to_all(3, 60'000), served(2, 1, 200'000)});
  expect_that_any_slow_node_is_safe({all_to_all(4, 60'000), shared(4, 2, 400'000)});
  expect_that_any_slow_node_is_safe({all_to_all(4, 60'000), shared(4, 1, 400'000)});
}

// An exchange in which a node has nothing to do must not let it run ahead.
TEST(ASlowNode, IsSafeFromNodesWithNothingToDo) {
  expect_that_any_slow_node_is_safe({all_to_all(3, 2), all_to_all(3, 0), all_to_all(3, 3)});
  expect_that_any_slow_node_is_safe({all_to_all(3, 2), direct(3, 0), all_to_all(3, 3)});
  expect_that_any_slow_node_is_safe({all_to_all(4, 2), served(2, 2, 1), all_to_all(4, 3)});
  expect_that_any_slow_node_is_safe({direct(4, 100), served(2, 2, 1), direct(4, 200)});
  expect_that_any_slow_node_is_safe({direct(4, 1), direct(4, 2), direct(4, 100)});
}

TEST(AnEmptyExchange, DisturbsNoneThatFollow) {
  const wire::shm::ShmJob job(2);
  Stepped all(job, {direct(2, 0), direct(2, 100)});
  all.start(0, 0);
  EXPECT_FALSE(all.poll(0, 0));  // it meets the other all the same
  all.start(1, 0);
  EXPECT_TRUE(all.poll(1, 0));
  EXPECT_TRUE(all.poll(0, 0));
  all.start(0, 1);
  EXPECT_FALSE(all.poll(0, 1));  // the other has not begun
  all.start(1, 1);
  EXPECT_TRUE(comes_true([&] {
    const bool first = all.poll(0, 1);
    return all.poll(1, 1) && first;
  }));
  all.expect_right(0, 1);
  all.expect_right(1, 1);
}

TEST(AnExchangeAfterAFailure, IsRefused) {
  for (const plan::PlanSpec& spec : all_specs(2, 100)) {
    SCOPED_TRACE(in_words(spec));
    const wire::shm::ShmJob job(spec.nodes());
    Stepped all(job, {spec});
    EXPECT_EQ(failure_of([&] { all.runner(0, 0).run(all.buffer(0, 0), Deadline::after(10ms)); }).cause,
              Failure::Cause::kTimeout);
    const Failure failure = failure_of([&] { all.runner(0, 0).run(all.buffer(0, 0), in_time()); });
    EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
    EXPECT_THAT(failure.what, HasSubstr("this node has left the exchange (first failure: rank 0"));
  }
}

TEST(ALateNode, IsNamedWithTheOpThatWaitsForIt) {
  for (const plan::PlanSpec& spec : {all_to_all(3, 100), direct(3, 100), shared(3, 3, 100)}) {
    SCOPED_TRACE(in_words(spec));
    const wire::shm::ShmJob job(3);
    Stepped all(job, {spec});
    all.start(0, 0, Deadline::after(10ms));
    all.start(1, 0);
    const Failure failure = failure_of([&] { all.runner(0, 0).wait(); });
    EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
    EXPECT_EQ(failure.peer, 2);
    EXPECT_EQ(failure.culprit, 2);
    EXPECT_THAT(failure.what, HasSubstr("rank 2 has not sent; it is not in the exchange"));
    EXPECT_THAT(failure.op, HasSubstr("step 1 of " + std::string(plan::name(spec.strategy)) + ": receive"));
    EXPECT_THAT(failure.op, HasSubstr("from rank 2"));
    EXPECT_TRUE(failure.elapsed);
  }
}

TEST(ALateNode, IsNamedByOneThatHasNoMessageWithIt) {
  const wire::shm::ShmJob job(3);
  Stepped all(job, {served(2, 1, 100)});
  all.start(0, 0, Deadline::after(10ms));
  all.start(2, 0);
  EXPECT_FALSE(all.poll(2, 0));
  const Failure failure = failure_of([&] { all.runner(0, 0).wait(); });
  EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
  EXPECT_EQ(failure.culprit, 1);
  EXPECT_THAT(failure.op, HasSubstr("step 1 of parameter-server"));
}

TEST(ANodeThatLeaves, IsNamedByWhoPolls) {
  for (const plan::PlanSpec& spec : {all_to_all(3, 100), direct(3, 100), shared(3, 3, 100)}) {
    const wire::shm::ShmJob job(3);
    Stepped all(job, {spec});
    all.start(0, 0);
    EXPECT_FALSE(all.poll(0, 0));
    Failure reason;
    reason.what = "the disk is full";
    job.wire(2).leave(reason);
    const Failure failure = failure_of([&] { all.poll(0, 0); });
    EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
    EXPECT_EQ(failure.culprit, 2);
    EXPECT_THAT(failure.what, HasSubstr("first failure: rank 2: the disk is full"));
  }
}

// It is through before the others are: they have all they need from it.
TEST(ANodeThatGoesWhenItIsThrough, DisturbsNobody) {
  for (const std::int64_t p : {2, 1000, 100'000}) {
    wire::shm::ShmJob job(2);
    Stepped all(job, {all_to_all(2, p)});
    all.start(0, 0);
    all.start(1, 0);
    ASSERT_TRUE(comes_true([&] {
      if (p > 1000) all.poll(1, 0);
      return all.poll(0, 0);
    }));
    job.wire(0).leave({});
    ASSERT_TRUE(comes_true([&] { return all.poll(1, 0); }));
    all.expect_right(0, 0);
    all.expect_right(1, 0);
  }
}

// Rank 0 gives up when all have come, and its window goes. Whoever reads it then must not take that for data.
TEST(AWindowOfANodeThatHasLeft, IsNotTakenForData) {
  for (const plan::PlanSpec& spec : {direct(2, 1000), direct(2, 100'000), all_to_all(2, 100'000)}) {
    SCOPED_TRACE(in_words(spec));
    const wire::shm::ShmJob job(2);
    Stepped all(job, {spec}, true);
    all.start(0, 0);
    all.start(1, 0);
    EXPECT_FALSE(all.poll(0, 0));  // has read everything, and waits for the other to do the same
    job.wire(0).leave({});
    all.drop_window(0);
    const Failure failure = failure_of([&] { all.runner(1, 0).wait(); });
    EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
    EXPECT_EQ(failure.peer, 0);
    EXPECT_THAT(failure.op, HasSubstr("rank 0"));
  }
}

TEST(BuffersAtDifferentPlaces, AreAMismatch) {
  const wire::shm::ShmJob job(2);
  job.on_all([](wire::shm::ShmWire& wire) {
    const plan::PlanSpec spec = direct(2, 100);
    const wire::shm::Window window = wire.windows()->make(wire, 4096, in_time());
    Numbers own = buffer_for(spec, kType);
    Runner runner(spec, kType, wire);
    const Failure failure = failure_of(
        [&] { runner.run(wire.rank() == 0 ? std::span(own) : window.bytes().first(400), in_time()); });
    EXPECT_THAT(to_string(failure),
                HasSubstr("rank 0 at sum of 100 float32 by direct among 2 workers in memory of its own"));
  });
  EXPECT_EQ(job.segment().first_failure()->cause, Failure::Cause::kMismatch);
}

TEST(AServersBuffer, HoldsItsShareAndIsElsewhereNotTouched) {
  const plan::PlanSpec spec = served(2, 2, 100);
  const wire::shm::ShmJob job(4);
  Stepped all(job, {spec});
  for (Rank rank = 0; rank < 4; ++rank) all.start(rank, 0);
  EXPECT_TRUE(comes_true([&] {
    bool complete = true;
    for (Rank rank = 0; rank < 4; ++rank) complete &= all.poll(rank, 0);
    return complete;
  }));
  const Numbers sum = sum_of_small_numbers(spec, kType);
  for (const Rank server : {2, 3}) {
    Numbers expected = small_numbers(spec, kType)[idx(server)];
    const std::size_t half = expected.size() / 2;
    const auto first = static_cast<std::ptrdiff_t>(server == 2 ? 0 : half);
    std::copy_n(sum.begin() + first, half, expected.begin() + first);
    const std::span<std::byte> got = all.buffer(server, 0);
    EXPECT_EQ(Numbers(got.begin(), got.end()), expected);
  }
}

}  // namespace
}  // namespace trireme::exec
