#include "plan/count.h"

#include <algorithm>
#include <limits>

namespace trireme {
namespace {

// How many steps lie before the end of the exchange, when every message takes one unit of time and a node
// begins a step when its last one is complete. Programs are walked step by step, together.
std::int64_t longest_path(const Plan& plan) {
  struct Node {
    std::size_t next_op = 0;
    std::int64_t ready = 0;  // when it may begin its next step
  };
  std::vector<Node> nodes(plan.programs.size());
  std::vector<std::int64_t> done(plan.programs.size());
  std::int64_t longest = 0;

  const auto lowest_step = [&] {
    std::int32_t step = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& ops = plan.programs[i].ops;
      if (nodes[i].next_op < ops.size()) step = std::min(step, ops[nodes[i].next_op].step);
    }
    return step;
  };

  for (std::int32_t step = lowest_step(); step != std::numeric_limits<std::int32_t>::max();
       step = lowest_step()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) done[i] = nodes[i].ready;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& ops = plan.programs[i].ops;
      for (std::size_t& at = nodes[i].next_op; at < ops.size() && ops[at].step == step; ++at) {
        if (ops[at].kind == OpKind::kFold) continue;
        done[i] = std::max({done[i], nodes[i].ready + 1, nodes[idx(ops[at].peer)].ready + 1});
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].ready = done[i];
      longest = std::max(longest, done[i]);
    }
  }
  return longest;
}

}  // namespace

NodeTally count(const Program& program) {
  NodeTally tally;
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::kSend) {
      ++tally.sent_messages;
      tally.sent_elements += op.slice.count;
      if (tally.min_message_elements == 0) tally.min_message_elements = op.slice.count;
      tally.min_message_elements = std::min(tally.min_message_elements, op.slice.count);
      tally.max_message_elements = std::max(tally.max_message_elements, op.slice.count);
    } else if (op.kind == OpKind::kReceive) {
      ++tally.received_messages;
      tally.received_elements += op.slice.count;
    }
  }
  return tally;
}

Tally count(const Plan& plan) {
  Tally tally;
  tally.nodes.reserve(plan.programs.size());
  for (const Program& program : plan.programs) {
    const NodeTally& node = tally.nodes.emplace_back(count(program));
    tally.messages += node.sent_messages;
    tally.elements += node.sent_elements;
    if (node.sent_messages == 0) continue;
    if (tally.min_message_elements == 0) tally.min_message_elements = node.min_message_elements;
    tally.min_message_elements = std::min(tally.min_message_elements, node.min_message_elements);
    tally.max_message_elements = std::max(tally.max_message_elements, node.max_message_elements);
  }
  const auto load = [](const NodeTally& node) { return node.sent_elements + node.received_elements; };
  const auto busiest = std::max_element(tally.nodes.begin(), tally.nodes.end(),
                                        [&](const auto& a, const auto& b) { return load(a) < load(b); });
  tally.busiest = static_cast<Rank>(busiest - tally.nodes.begin());
  tally.steps = longest_path(plan);
  return tally;
}

}  // namespace trireme
