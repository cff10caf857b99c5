// One node's part of the conformance tests: the same on every wire, whoever starts the nodes.
#pragma once

#include <algorithm>
#include <span>

#include "exec/exchange_test_util.h"
#include "exec/runner.h"
#include "plan/count.h"
#include "plan/strategies/strategies.h"
#include "wire/shm/windows.h"

namespace trireme::exec {

enum class Memory { kPrivate, kWindow };

struct NodeExchanged {
  Numbers buffer;
  wire::Counters counters;  // by how much the wire's have grown in the last exchange
};

/// Exchanges what this node brought `times` times, each time from the beginning; the last time is returned.
inline NodeExchanged exchange_on(wire::Wire& wire, Memory memory, const plan::PlanSpec& spec,
                                 ElementType type, Reduction reduction, const Numbers& brought, int times) {
  wire::shm::Window window;
  Numbers own(brought.size());
  std::span<std::byte> buffer = own;
  if (memory == Memory::kWindow) {
    window = wire.windows()->make(wire, brought.size(), in_time());
    buffer = window.bytes();
  }
  Runner runner(spec, type, wire, reduction);
  runner.prepare(in_time());
  wire::Counters grown;
  for (int i = 0; i < times; ++i) {
    std::copy(brought.begin(), brought.end(), buffer.begin());
    const wire::Counters before = wire.counters();
    runner.run(buffer, in_time());
    grown = wire.counters();
    grown -= before;
  }
  return {Numbers(buffer.begin(), buffer.end()), grown};
}

/// The counters of one exchange on a node, by the plan.
inline wire::Counters tally_of(const plan::PlanSpec& spec, Rank rank, ElementType type) {
  const plan::NodeTally node = plan::count(plan::make_program(spec, rank));
  return {node.sent_messages, node.sent_elements * size_of(type), node.received_messages,
          node.received_elements * size_of(type)};
}

}  // namespace trireme::exec
