// The halves of parameter-server between one worker and one server, where numbers need not be copied: in a
// window the server works in the worker's memory, and messages arrive where the sum is to be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <optional>

#include "exec/fabrics_test_util.h"
#include "exec/runner.h"
#include "wire/faulty.h"
#include "wire/group_wire.h"

namespace trireme::exec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Rank kWorker = 0;
constexpr Rank kServer = 1;
constexpr int kRounds = 3;

plan::PlanSpec pair_spec(std::int64_t elements) {
  return plan::spec_for(plan::Strategy::kParameterServer, 1, elements, 1);
}

// What both do in each round: the worker brings these, and the server makes those of them.
float brought(int round, std::int64_t i) { return static_cast<float>((i * 7 + round) % 1000) / 8; }
float made_of(float number) { return number * 3 + 0.1F; }

// One end of a pair: the numbers of this node, in a window if the wire has some.
class End {
 public:
  End(wire::Wire& pair, std::int64_t elements) : own_(idx(elements), -1.0F) {
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(own_));
    bytes_ = bytes;
    if (pair.windows() == nullptr) return;
    window_ = pair.windows()->make(pair, bytes.size(), in_time());
    bytes_ = window_.bytes();
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::vector<float> own_;
  wire::shm::Window window_;
  std::span<std::byte> bytes_;
};

std::span<float> floats_at(std::byte* place, std::int64_t elements) {
  return {reinterpret_cast<float*>(place), idx(elements)};
}

// Returns what the worker has in the end.
std::vector<float> run_rounds(wire::Wire& pair, std::int64_t elements, bool in_place) {
  const plan::PlanSpec spec = pair_spec(elements);
  Runner push(spec, ElementType::kFloat32, pair, Reduction::kSum, kToHolders);
  Runner answer(spec, ElementType::kFloat32, pair, Reduction::kSum, kFromHolders);
  if (in_place) {
    push.leave_in_place();
    answer.leave_in_place();
  }
  const End end(pair, elements);
  const bool works = pair.rank() == kWorker;
  for (int round = 0; round < kRounds; ++round) {
    if (works) {
      const std::span<float> numbers = floats_at(end.bytes().data(), elements);
      for (std::int64_t i = 0; i < elements; ++i) numbers[idx(i)] = brought(round, i);
    }
    push.run(end.bytes(), in_time());
    EXPECT_EQ(push.place() != end.bytes().data(), in_place && !works && pair.windows() != nullptr);
    if (!works) {
      for (float& number : floats_at(push.place(), elements)) number = made_of(number);
    }
    answer.run(end.bytes(), in_time());
    EXPECT_EQ(answer.place(), works ? end.bytes().data() : push.place());
  }
  for (Runner* half : {&push, &answer}) {
    wire::Counters expected;
    for (int round = 0; round < kRounds; ++round) expected += half->tally();
    EXPECT_EQ(half->counted(), expected);
    EXPECT_EQ(expected.sent_messages + expected.received_messages, kRounds);
    EXPECT_EQ(expected.sent_bytes + expected.received_bytes,
              kRounds * elements * static_cast<std::int64_t>(sizeof(float)));
  }
  const std::span<float> numbers = floats_at(end.bytes().data(), elements);
  return {numbers.begin(), numbers.end()};
}

class InPlace : public testing::TestWithParam<Fabric> {};

// Nodes 0 and 2 share a host also on the wire that is mixed.
TEST_P(InPlace, AServerWorksInTheWorkersMemoryWithTheSameBitsAndCounters) {
  for (const std::int64_t elements : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{300'000}}) {
    run_on(GetParam(), 3, [&](wire::Wire& wire) {
      const bool meets = wire.rank() != 1;
      const auto pair =
          wire::split(wire, meets ? std::optional<std::int64_t>(0) : std::nullopt, 0, in_time());
      if (!meets) return;
      const std::vector<float> in_place = run_rounds(*pair, elements, true);
      const std::vector<float> copied = run_rounds(*pair, elements, false);
      if (pair->rank() == kServer) return;
      EXPECT_EQ(in_place, copied);
      for (std::int64_t i = 0; i < elements; ++i) {
        ASSERT_EQ(in_place[idx(i)], made_of(brought(kRounds - 1, i))) << i;
      }
    });
  }
}

TEST_P(InPlace, ItIsOnlyForPairs) {
  plan::PlanSpec spec = pair_spec(100);
  spec.workers = 2;
  run_on(GetParam(), spec.nodes(), [&](wire::Wire& wire) {
    Runner push(spec, ElementType::kFloat32, wire, Reduction::kSum, kToHolders);
    push.leave_in_place();
    const End end(wire, spec.parameters);
    std::ranges::fill(floats_at(end.bytes().data(), spec.parameters), 0.5F);
    push.run(end.bytes(), in_time());
    EXPECT_EQ(push.place(), end.bytes().data());
    const bool holds = wire.rank() == 2;
    EXPECT_EQ(floats_at(end.bytes().data(), spec.parameters)[99], holds ? 1.0F : 0.5F);
  });
}

// Its memory may be gone, too: a window that is given up reads as zeros.
TEST_P(InPlace, AServerLearnsThatTheWorkerHasLeftWhoseMemoryItHasRead) {
  const SharedBytes shared(64);
  auto* const stage = new (shared.data()) std::atomic<int>(0);
  const auto come_to = [&](int number) {
    while (stage->load() < number) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  run_on(GetParam(), 2, [&](wire::Wire& wire) {
    Runner push(pair_spec(1000), ElementType::kFloat32, wire, Reduction::kSum, kToHolders);
    push.leave_in_place();
    std::optional<End> end(std::in_place, wire, 1000);
    const bool has_windows = wire.windows() != nullptr;
    push.run(end->bytes(), in_time());
    if (wire.rank() == kWorker) {
      come_to(1);
      Failure failure;
      failure.rank = kWorker;
      failure.what = "it has something better to do";
      wire.leave(failure);
      end.reset();
      stage->store(2);
      return come_to(3);
    }
    EXPECT_NO_THROW(push.require_place());
    stage->store(1);
    come_to(2);
    if (has_windows) {
      const Failure failure = failure_of([&] { push.require_place(); });
      EXPECT_EQ(failure.cause, Failure::Cause::kPeerLost);
      EXPECT_EQ(failure.peer, kWorker);
    } else {
      EXPECT_NO_THROW(push.require_place());  // it has memory of its own
    }
    stage->store(3);
  });
}

INSTANTIATE_TEST_SUITE_P(All, InPlace,
                         testing::Values(Fabric::kThreads, Fabric::kShmThreads, Fabric::kShmProcesses,
                                         Fabric::kTcpThreads, Fabric::kTcpProcesses, Fabric::kMixedThreads),
                         [](const auto& param) { return name(param.param); });

// ---- without windows

// Remembers where messages are received.
class WatchedWire final : public wire::FaultyWire {
 public:
  explicit WatchedWire(wire::Wire& inner) : FaultyWire(inner, {.at_send = -1}) {}

  void post_receive(wire::Batch& batch, Rank from, OpId id, std::span<std::byte> into,
                    wire::Combine combine) override {
    if (id >= 0) places_.push_back(into.data());
    FaultyWire::post_receive(batch, from, id, into, combine);
  }
  [[nodiscard]] const std::vector<const std::byte*>& places() const { return places_; }

 private:
  std::vector<const std::byte*> places_;
};

// Where node `watched` receives the messages of a half, if all buffers hold ones.
struct Received {
  std::vector<const std::byte*> places;
  std::vector<float> buffer;
};

Received receive_half(const plan::PlanSpec& spec, Rank watched, const plan::StepWindow& half,
                      Reduction reduction, std::int64_t divisor = 1) {
  Received received;
  wire::threads::InProcessFabric fabric(spec.nodes());
  on_threads_of(spec.nodes(), [&](Rank rank) {
    WatchedWire wire(fabric.wire(rank));
    on_wire(wire, [&](wire::Wire& node) {
      std::vector<float> buffer(idx(spec.parameters), 1.0F);
      if (rank == watched) std::ranges::fill(buffer, rank < spec.workers ? 0.0F : 99.0F);
      Runner runner(spec, ElementType::kFloat32, node, reduction, half);
      runner.divide_by(divisor);
      runner.run(std::as_writable_bytes(std::span(buffer)), in_time());
      EXPECT_EQ(runner.counted(), runner.tally());
      if (rank != watched) return;
      for (const std::byte* place : wire.places()) {
        received.places.push_back(place == reinterpret_cast<std::byte*>(buffer.data()) ? place : nullptr);
      }
      received.buffer = std::move(buffer);
    });
  });
  return received;
}

TEST(AMessage, ThatIsTheOnlyAddendArrivesWhereTheSumIsToBe) {
  for (const std::int64_t elements : {1, 1000, 100'000}) {
    const Received pushed = receive_half(pair_spec(elements), kServer, kToHolders, Reduction::kSum);
    ASSERT_EQ(pushed.places.size(), 1);
    EXPECT_NE(pushed.places[0], nullptr);
    EXPECT_EQ(pushed.buffer, std::vector<float>(idx(elements), 1.0F));
    const Received answered = receive_half(pair_spec(elements), kWorker, kFromHolders, Reduction::kSum);
    ASSERT_EQ(answered.places.size(), 1);
    EXPECT_NE(answered.places[0], nullptr);
    EXPECT_EQ(answered.buffer, std::vector<float>(idx(elements), 1.0F));
  }
}

TEST(AMessage, ThatArrivesInPlaceIsDividedOnce) {
  const Received received = receive_half(pair_spec(1000), kServer, kToHolders, Reduction::kAverage, 4);
  EXPECT_EQ(received.buffer, std::vector<float>(1000, 0.25F));
}

TEST(AMessage, ThatIsNotTheOnlyAddendIsPutAside) {
  plan::PlanSpec spec = pair_spec(1000);
  spec.workers = 2;
  const Received received = receive_half(spec, 2, kToHolders, Reduction::kSum);
  EXPECT_THAT(received.places, ElementsAre(nullptr, nullptr));
  EXPECT_EQ(received.buffer, std::vector<float>(1000, 2.0F));
}

TEST(AMessage, IsReceivedByNobodyWhoOnlySends) {
  EXPECT_THAT(receive_half(pair_spec(10), kWorker, kToHolders, Reduction::kSum).places, IsEmpty());
  EXPECT_THAT(receive_half(pair_spec(10), kServer, kFromHolders, Reduction::kSum).places, IsEmpty());
}

}  // namespace
}  // namespace trireme::exec
