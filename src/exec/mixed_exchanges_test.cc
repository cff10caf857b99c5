// Long random sequences of exchanges of every kind on one shared memory: what one exchange leaves behind in
// stages, notes, ticks and rings must not disturb the next, whoever is fast or slow.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exec/exchange_test_util.h"
#include "exec/runner.h"
#include "wire/notes.h"
#include "wire/shm/shm_test_util.h"

namespace trireme::exec {
namespace {

// One exchange that all nodes may run, again and again.
struct Kind {
  plan::PlanSpec spec;
  ElementType type = ElementType::kFloat32;
  Reduction reduction = Reduction::kSum;
  bool in_window = false;
};

std::string in_words(const Kind& kind) {
  return exec::in_words(kind.spec) + " " + std::string(name(kind.type)) +
         (kind.in_window ? " in a window" : "") + (kind.reduction == Reduction::kAverage ? " average" : "");
}

// Every strategy and arrangement of so many nodes.
std::vector<plan::PlanSpec> specs_of_nodes(Rank nodes, std::int64_t p) {
  std::vector<plan::PlanSpec> specs;
  for (std::int32_t workers = 1; workers <= nodes; ++workers) {
    for (const plan::PlanSpec& spec : all_specs(workers, p)) {
      if (spec.nodes() == nodes) specs.push_back(spec);
    }
  }
  return specs;
}

// Small ones that travel with the tick, ones that fill a part of a stage, and ones that need several.
std::int64_t random_size(TestBits& random) {
  const std::int64_t sizes[] = {0, 1, 1, 2, 3, 4, 5, 17, 100, 1000, 20'000, 70'000, 100'003};
  return sizes[random.next() % std::size(sizes)];
}

std::vector<Kind> random_kinds(Rank nodes, std::size_t count, TestBits& random) {
  std::vector<Kind> kinds;
  while (kinds.size() < count) {
    const std::vector<plan::PlanSpec> specs = specs_of_nodes(nodes, random_size(random));
    Kind kind;
    kind.spec = specs[random.next() % specs.size()];
    // Half of them through ticks.
    if (random.next() % 4 == 0) {
      kind.spec = specs[0];
      for (const plan::PlanSpec& spec : specs) {
        if (spec.strategy == plan::Strategy::kAllToAll) kind.spec = spec;
      }
    }
    constexpr ElementType kTypes[] = {ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt32};
    kind.type = kTypes[random.next() % std::size(kTypes)];
    const bool divides_exactly = (kind.spec.workers & (kind.spec.workers - 1)) == 0;
    if (!is_integer(kind.type) && divides_exactly && random.next() % 2 == 0)
      kind.reduction = Reduction::kAverage;
    kind.in_window = random.next() % 2 == 0;
    kinds.push_back(kind);
  }
  return kinds;
}

// The number that a node brings to an exchange of the sequence. It repeats as small numbers do.
double brought(Rank rank, std::int64_t i, std::size_t number) {
  return static_cast<double>((std::int64_t{rank} * 7 + i * 3 + static_cast<std::int64_t>(number) * 5) % 11 -
                             5);
}

// The exchanges of one node, in one order: each begins when the one before is complete.
class Line {
 public:
  void add(Runner& runner, std::span<std::byte> buffer) {
    waiting_.push_back({&runner, buffer});
    if (waiting_.size() == 1) begin_first();
  }
  void poll() {
    while (!waiting_.empty() && waiting_.front().runner->poll()) next();
  }
  void wait_for_all() {
    while (!waiting_.empty()) {
      waiting_.front().runner->wait();
      next();
    }
  }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct Entry {
    Runner* runner;
    std::span<std::byte> buffer;
  };
  void begin_first() { waiting_.front().runner->start(waiting_.front().buffer, in_time()); }
  void next() {
    waiting_.pop_front();
    if (!waiting_.empty()) begin_first();
  }

  std::deque<Entry> waiting_;  // the first one has begun
};

// One node's runners and buffers, and how far in the sequence it is.
class Node {
 public:
  Node(wire::shm::ShmWire& wire, const std::vector<Kind>& kinds, const std::vector<std::size_t>& sequence)
      : wire_(wire), kinds_(kinds), sequence_(sequence) {
    for (const Kind& kind : kinds) {
      const std::size_t bytes = buffer_for(kind.spec, kind.type).size();
      private_.emplace_back(bytes);
      windows_.push_back(kind.in_window ? wire.windows()->make(wire, bytes, in_time()) : wire::shm::Window());
      runners_.push_back(std::make_unique<Runner>(kind.spec, kind.type, wire, kind.reduction));
      runners_.back()->prepare(in_time());
    }
  }

  [[nodiscard]] bool is_done() const { return complete_ == sequence_.size(); }
  [[nodiscard]] bool has_started_all() const { return started_ == sequence_.size(); }
  Line& line() { return line_; }

  // False: its Runner is still in the line.
  bool start_next() {
    const std::size_t kind = sequence_[started_];
    for (std::size_t i = complete_; i < started_; ++i) {
      if (sequence_[i] == kind) return false;
    }
    const std::span<std::byte> buffer = buffer_of(kind);
    Numbers values;
    append_repeating(values, kinds_[kind].type, 0, kinds_[kind].spec.parameters,
                     [&](std::int64_t i) { return brought(wire_.rank(), i, started_); });
    std::copy(values.begin(), values.end(), buffer.begin());
    ++started_;
    line_.add(*runners_[kind], buffer);
    return true;
  }

  // Looks at those that are complete.
  void check() {
    for (; complete_ + line_.size() < started_; ++complete_) {
      const Kind& kind = kinds_[sequence_[complete_]];
      if (kind.spec.is_server(wire_.rank())) continue;
      Numbers expected;
      append_repeating(expected, kind.type, 0, kind.spec.parameters, [&](std::int64_t i) {
        double total = 0;
        for (Rank rank = 0; rank < kind.spec.workers; ++rank) total += brought(rank, i, complete_);
        return kind.reduction == Reduction::kAverage ? total / kind.spec.workers : total;
      });
      const std::span<std::byte> buffer = buffer_of(sequence_[complete_]);
      EXPECT_TRUE(are_same(buffer, expected))
          << "rank " << wire_.rank() << ", exchange " << complete_ << ": " << in_words(kind) << ", after "
          << (complete_ > 0 ? in_words(kinds_[sequence_[complete_ - 1]]) : "nothing");
    }
  }

 private:
  std::span<std::byte> buffer_of(std::size_t kind) {
    return kinds_[kind].in_window ? windows_[kind].bytes() : std::span<std::byte>(private_[kind]);
  }

  wire::shm::ShmWire& wire_;
  const std::vector<Kind>& kinds_;
  const std::vector<std::size_t>& sequence_;  // of kinds
  std::vector<Numbers> private_;
  std::vector<wire::shm::Window> windows_;
  std::vector<std::unique_ptr<Runner>> runners_;
  Line line_;
  std::size_t started_ = 0;
  std::size_t complete_ = 0;
};

struct Sequence {
  Sequence(Rank nodes, std::uint64_t seed, std::size_t length) : random(seed) {
    kinds = random_kinds(nodes, 14, random);
    for (std::size_t i = 0; i < length; ++i) kinds_in_order.push_back(random.next() % kinds.size());
  }

  TestBits random;
  std::vector<Kind> kinds;
  std::vector<std::size_t> kinds_in_order;
};

std::vector<std::unique_ptr<Node>> prepared(const wire::shm::ShmJob& job, const Sequence& sequence) {
  std::vector<std::unique_ptr<Node>> nodes(idx(job.nodes()));
  job.on_all([&](wire::shm::ShmWire& wire) {
    nodes[idx(wire.rank())] = std::make_unique<Node>(wire, sequence.kinds, sequence.kinds_in_order);
  });
  return nodes;
}

class MixedExchanges : public testing::TestWithParam<Rank> {};

// In one thread, so that the same seed gives the same interleaving: some node goes on as far as it can.
TEST_P(MixedExchanges, GiveTheRightResultsInAnyInterleaving) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const wire::shm::ShmJob job(GetParam());
    Sequence sequence(job.nodes(), seed * 1000 + idx(job.nodes()), 60);
    const auto nodes = prepared(job, sequence);
    const auto all_done = [&] {
      return std::all_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->is_done(); });
    };
    std::size_t favourite = 0;  // it gets ahead of the others
    for (int turn = 0; !all_done(); ++turn) {
      ASSERT_LT(turn, 1'000'000);
      if (turn % 50 == 0) favourite = sequence.random.next() % nodes.size();
      const std::uint64_t dice = sequence.random.next();
      Node& node = *nodes[dice % 4 == 0 ? dice / 4 % nodes.size() : favourite];
      if (!node.has_started_all() && dice / 64 % 2 == 0) {
        node.start_next();
      } else {
        node.line().poll();
      }
      node.check();
      if (HasFailure()) return;
    }
  }
}

TEST_P(MixedExchanges, GiveTheRightResultsOnThreads) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const wire::shm::ShmJob job(GetParam());
    const Sequence sequence(job.nodes(), seed * 7777 + idx(job.nodes()), 80);
    const auto nodes = prepared(job, sequence);
    job.on_all([&](wire::shm::ShmWire& wire) {
      Node& node = *nodes[idx(wire.rank())];
      TestBits own(seed + idx(wire.rank()));  // when each looks is its own affair
      try {
        for (std::size_t i = 0; i < sequence.kinds_in_order.size(); ++i) {
          if (own.next() % 3 == 0 || i % 20 == 19) node.line().wait_for_all();
          if (i % 20 == 19) wire::barrier(wire, in_time());
          node.check();
          if (!node.start_next()) {
            node.line().wait_for_all();
            node.check();
            EXPECT_TRUE(node.start_next());
          }
          if (own.next() % 3 == 0) node.line().poll();
          if (own.next() % 8 == 0) std::this_thread::yield();
        }
        node.line().wait_for_all();
        node.check();
      } catch (const Error& error) {
        ADD_FAILURE() << "rank " << wire.rank() << ": " << error.what();
      }
    });
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, MixedExchanges, testing::Values(2, 3, 4));

}  // namespace
}  // namespace trireme::exec
