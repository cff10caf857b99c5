// One node's part of the conformance tests: the same on every wire, whoever starts the nodes.
#pragma once

#include <algorithm>
#include <span>

#include "exec/exchange_test_util.h"
#include "exec/runner.h"
#include "plan/count.h"
#include "wire/windows.h"

namespace trireme {

enum class Memory { kPrivate, kWindow };

struct NodeExchanged {
  Numbers buffer;
  Counters counters;  // by how much the wire's have grown in the last exchange
};

/// Exchanges what this node brought `times` times, each time from the beginning; the last time is returned.
inline NodeExchanged exchange_on(Wire& wire, Memory memory, const PlanSpec& spec, ElementType type,
                                 Result result, const Numbers& brought, int times) {
  Window window;
  Numbers own(brought.size());
  std::span<std::byte> buffer = own;
  if (memory == Memory::kWindow) {
    window = wire.windows()->make(wire, brought.size(), in_time());
    buffer = window.bytes();
  }
  Runner runner(spec, type, wire, result);
  runner.prepare(in_time());
  Counters grown;
  for (int i = 0; i < times; ++i) {
    std::copy(brought.begin(), brought.end(), buffer.begin());
    const Counters before = wire.counters();
    runner.run(buffer, in_time());
    grown = wire.counters();
    grown -= before;
  }
  return {Numbers(buffer.begin(), buffer.end()), grown};
}

/// What the plan says that one exchange adds to a node's counters.
inline Counters tally_of(const PlanSpec& spec, Rank rank, ElementType type) {
  const NodeTally node = count(make_program(spec, rank));
  return {node.sent_messages, node.sent_elements * size_of(type), node.received_messages,
          node.received_elements * size_of(type)};
}

}  // namespace trireme
