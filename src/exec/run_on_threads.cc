#include "exec/run_on_threads.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "plan/strategies/strategies.h"
#include "wire/threads/in_process.h"

namespace trireme::exec {
namespace {

// One node, from its preparation to its outcome.
class ThreadNode {
 public:
  ThreadNode(const plan::PlanSpec& spec, ElementType type, Reduction reduction, wire::Wire& wire,
             const WrapWire& wrap)
      : wrapped_(wrap ? wrap(wire) : nullptr),
        wire_(wrapped_ ? *wrapped_ : wire),
        runner_(spec, type, wire_, reduction) {
    runner_.record_times();
  }

  void run(const Buffers& buffers, const Deadline& deadline) noexcept {
    try {
      runner_.prepare(deadline);
      set_up_ = wire_.counters();
      outcome_.trace = runner_.run(buffers, deadline);
    } catch (const Error& error) {
      outcome_.failure = error.failure();
    } catch (const std::exception& error) {
      give_up(error.what());
    }
  }

  /// For a node that has no thread to run in.
  void give_up(std::string why) {
    outcome_.failure.emplace();
    outcome_.failure->cause = Failure::Cause::kFailed;
    outcome_.failure->what = std::move(why);
    outcome_.failure->rank = wire_.rank();
    wire_.leave(*outcome_.failure);
  }

  NodeOutcome take_outcome() {
    outcome_.counters = wire_.counters();
    outcome_.counters -= set_up_;
    return std::move(outcome_);
  }

 private:
  std::unique_ptr<wire::Wire> wrapped_;
  wire::Wire& wire_;
  Runner runner_;
  wire::Counters set_up_;  // before the exchange
  NodeOutcome outcome_;
};

}  // namespace

Outcome try_on_threads(const plan::PlanSpec& spec, ElementType type,
                       std::span<const std::span<std::byte>> buffers, Reduction reduction,
                       const Deadline& deadline, const WrapWire& wrap) {
  std::vector<Buffers> memory;
  memory.reserve(buffers.size());
  for (const std::span<std::byte> buffer : buffers) memory.push_back({buffer, buffer});
  return try_on_threads(spec, type, memory, reduction, deadline, wrap);
}

Outcome try_on_threads(const plan::PlanSpec& spec, ElementType type, std::span<const Buffers> memory,
                       Reduction reduction, const Deadline& deadline, const WrapWire& wrap) {
  plan::check(spec);
  if (memory.size() != idx(spec.nodes())) {
    throw bad_input(fmt::format("{} buffers were given for {} nodes", memory.size(), spec.nodes()));
  }
  wire::threads::InProcessFabric fabric(spec.nodes());
  std::vector<std::unique_ptr<ThreadNode>> nodes;
  nodes.reserve(memory.size());
  for (Rank rank = 0; rank < spec.nodes(); ++rank) {
    nodes.push_back(std::make_unique<ThreadNode>(spec, type, reduction, fabric.wire(rank), wrap));
  }

  std::vector<std::thread> threads;
  threads.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    try {
      threads.emplace_back([&, i] { nodes[i]->run(memory[i], deadline); });
    } catch (const std::system_error& error) {
      nodes[i]->give_up(fmt::format("no thread could be started: {}", error.what()));
    }
  }
  for (std::thread& thread : threads) thread.join();

  Outcome outcome;
  for (const auto& node : nodes) outcome.nodes.push_back(node->take_outcome());
  outcome.first_failure = fabric.first_failure();
  return outcome;
}

std::vector<plan::Trace> run_on_threads(const plan::PlanSpec& spec, ElementType type,
                                        std::span<const std::span<std::byte>> buffers, Reduction reduction,
                                        const Deadline& deadline) {
  Outcome outcome = try_on_threads(spec, type, buffers, reduction, deadline);
  if (outcome.first_failure) throw Error(*std::move(outcome.first_failure));
  std::vector<plan::Trace> traces;
  traces.reserve(outcome.nodes.size());
  for (NodeOutcome& node : outcome.nodes) traces.push_back(std::move(node.trace));
  return traces;
}

}  // namespace trireme::exec
