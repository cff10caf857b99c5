// A node that waits for the first of several exchanges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <optional>

#include "exec/fabrics_test_util.h"
#include "exec/runner.h"
#include "wire/awaited.h"
#include "wire/group_wire.h"
#include "wire/job_wire.h"

namespace trireme::exec {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Rank kWorkers = 3;

// The server is the last node, and has one half with each worker, in a group of the two.
plan::PlanSpec spec_of_pair(std::int64_t elements) {
  return plan::spec_for(plan::Strategy::kParameterServer, 1, elements, 1);
}

std::unique_ptr<wire::Wire> pair_with(wire::Wire& wire, Rank worker) {
  const bool meets = wire.rank() == worker || wire.rank() == kWorkers;
  return wire::split(wire, meets ? std::optional<std::int64_t>(0) : std::nullopt, 0, in_time());
}

// One half of a pair, with its memory: in a window if there is one.
struct Half {
  Half(std::unique_ptr<wire::Wire> wire, std::int64_t elements)
      : pair(std::move(wire)),
        own(idx(elements)),
        push(spec_of_pair(elements), ElementType::kFloat32, *pair, Reduction::kSum, kToHolders) {
    if (pair->windows() != nullptr) window = pair->windows()->make(*pair, bytes(), in_time());
    push.leave_in_place();
    push.prepare(in_time());
  }
  [[nodiscard]] std::size_t bytes() const { return own.size() * sizeof(float); }
  [[nodiscard]] std::span<std::byte> buffer() {
    return pair->windows() != nullptr ? window.bytes() : std::as_writable_bytes(std::span(own));
  }
  [[nodiscard]] float* numbers() { return reinterpret_cast<float*>(buffer().data()); }

  std::unique_ptr<wire::Wire> pair;
  std::vector<float> own;
  wire::shm::Window window;
  Runner push;
};

// The first half of several that is complete.
class First final : public wire::Awaited {
 public:
  explicit First(std::vector<std::unique_ptr<Half>>& halves) : halves_(halves) {}

  bool arrived() override {
    for (std::size_t i = 0; i < halves_.size() && !found_; ++i) {
      if (halves_[i]->push.deadline() && halves_[i]->push.look()) found_ = static_cast<Rank>(i);
    }
    return found_.has_value();
  }
  [[nodiscard]] wire::Transfer missing(const wire::Roster& /*roster*/) const override {
    for (const auto& half : halves_) {
      if (half->push.deadline()) return half->push.lacks();
    }
    return {};
  }
  [[nodiscard]] std::optional<Rank> found() const { return found_; }

 private:
  std::vector<std::unique_ptr<Half>>& halves_;
  std::optional<Rank> found_;
};

class Look : public testing::TestWithParam<Fabric> {};

// Each worker pushes when it is its turn, and the server says whose turn it is: so there is one order.
TEST_P(Look, FindsTheFirstOfSeveralExchangesThatIsComplete) {
  constexpr Rank kOrder[] = {2, 0, 1, 1, 2, 0, 0, 2, 1};
  for (const std::int64_t elements : {std::int64_t{3}, std::int64_t{200'000}}) {
    const SharedBytes shared(64);
    auto* const turn = new (shared.data()) std::atomic<std::size_t>(0);
    const auto come_to = [&](std::size_t at) {
      while (turn->load() != at) std::this_thread::sleep_for(1ms);
    };
    run_on(GetParam(), kWorkers + 1, [&](wire::Wire& wire) {
      std::vector<std::unique_ptr<Half>> halves;
      for (Rank worker = 0; worker < kWorkers; ++worker) {
        std::unique_ptr<wire::Wire> pair = pair_with(wire, worker);
        if (pair) halves.push_back(std::make_unique<Half>(std::move(pair), elements));
      }
      if (wire.rank() < kWorkers) {
        for (std::size_t at = 0; at < std::size(kOrder); ++at) {
          if (kOrder[at] != wire.rank()) continue;
          come_to(at);
          std::fill_n(halves[0]->numbers(), elements, static_cast<float>(at));
          halves[0]->push.run(halves[0]->buffer(), in_time());
        }
        return come_to(std::size(kOrder));  // until then the server may read in its memory
      }
      for (auto& half : halves) half->push.start(half->buffer(), in_time());
      for (std::size_t at = 0; at < std::size(kOrder); ++at) {
        First first(halves);
        wire.job().wait_until(first, in_time());
        ASSERT_EQ(first.found(), kOrder[at]) << at;
        Half& half = *halves[idx(*first.found())];
        const auto* numbers = reinterpret_cast<const float*>(half.push.place());
        EXPECT_EQ(numbers[0], static_cast<float>(at));
        EXPECT_EQ(numbers[elements - 1], static_cast<float>(at));
        EXPECT_FALSE(half.push.deadline());
        // So that the last one that it begins is complete, too.
        const bool comes_again = std::count(kOrder + at + 1, std::end(kOrder), *first.found()) > 0;
        if (comes_again) half.push.start(half.buffer(), in_time());
        turn->store(at + 1);
      }
    });
  }
}

TEST_P(Look, ThatIsInVainNamesWhoIsLateInTheRanksOfTheJob) {
  const SharedBytes shared(64);
  auto* const is_over = new (shared.data()) std::atomic<bool>(false);
  run_on(GetParam(), kWorkers + 1, [&](wire::Wire& wire) {
    std::vector<std::unique_ptr<Half>> halves;
    for (Rank worker = 0; worker < kWorkers; ++worker) {
      std::unique_ptr<wire::Wire> pair = pair_with(wire, worker);
      if (pair) halves.push_back(std::make_unique<Half>(std::move(pair), 100));
    }
    if (wire.rank() < kWorkers) {
      while (!is_over->load()) std::this_thread::sleep_for(1ms);
      return;
    }
    halves.erase(halves.begin(), halves.begin() + 2);
    halves[0]->push.start(halves[0]->buffer(), in_time());
    EXPECT_FALSE(halves[0]->push.look());
    EXPECT_EQ(halves[0]->push.lacks().peer, 2);
    First first(halves);
    const Failure failure = failure_of([&] { wire.job().wait_until(first, Deadline::after(50ms)); });
    EXPECT_EQ(failure.cause, Failure::Cause::kTimeout);
    EXPECT_EQ(failure.rank, kWorkers);
    EXPECT_EQ(failure.peer, 2);
    EXPECT_EQ(failure.culprit, 2);
    EXPECT_THAT(failure.what, HasSubstr("rank 2"));
    wire.leave(failure);
    is_over->store(true);
  });
}

// Something that a node waits for beside messages.
class Complete final : public wire::Awaited {
 public:
  explicit Complete(const wire::Batch& batch) : batch_(batch) {}

  bool arrived() override { return batch_.complete(); }
  [[nodiscard]] wire::Transfer missing(const wire::Roster& /*roster*/) const override { return {.peer = 1}; }

 private:
  const wire::Batch& batch_;
};

TEST_P(Look, IsAtMessagesThatHaveMovedMeanwhile) {
  constexpr std::size_t kBytes = std::size_t{3} << 20;
  run_on(GetParam(), 2, [&](wire::Wire& wire) {
    const auto pair = wire::split(wire, 0, 0, in_time());
    for (wire::Wire* on : {&wire, pair.get()}) {
      std::vector<std::byte> bytes(kBytes, std::byte{static_cast<unsigned char>(wire.rank())});
      wire::Batch batch;
      if (wire.rank() == 0) {
        on->post_receive(batch, 1, 7, bytes, wire::copy_bytes);
      } else {
        on->post_send(batch, 0, 7, bytes);
      }
      Complete complete(batch);
      wire.job().wait_until(complete, in_time());
      EXPECT_TRUE(batch.complete());
      EXPECT_EQ(bytes.front(), std::byte{1});
      EXPECT_EQ(bytes.back(), std::byte{1});
    }
  });
}

TEST_P(Look, NeedsNoExchange) {
  run_on(GetParam(), 2, [&](wire::Wire& wire) {
    Half half(wire::split(wire, 0, 0, in_time()), 10);
    EXPECT_TRUE(half.push.look());
  });
}

INSTANTIATE_TEST_SUITE_P(All, Look,
                         testing::Values(Fabric::kThreads, Fabric::kShmThreads, Fabric::kShmProcesses,
                                         Fabric::kTcpThreads, Fabric::kTcpProcesses, Fabric::kMixedThreads),
                         [](const auto& param) { return name(param.param); });

}  // namespace
}  // namespace trireme::exec
