#include "plan/count.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace trireme::plan {
namespace {

struct Pair {
  Rank from, to;
};

// All messages, grouped by step.
struct MessagesByStep {
  std::vector<Pair> pairs;
  std::vector<std::size_t> begin;  // by step, and one more for the end

  explicit MessagesByStep(const Plan& plan) {
    for_each_send(plan, [&](Rank, const Op& op) {
      if (idx(op.step) + 2 > begin.size()) begin.resize(idx(op.step) + 2);
      ++begin[idx(op.step) + 1];
    });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next = begin;
    pairs.resize(begin.empty() ? 0 : begin.back());
    for_each_send(plan, [&](Rank from, const Op& op) { pairs[next[idx(op.step)]++] = {from, op.peer}; });
  }

 private:
  template <typename Visit>
  static void for_each_send(const Plan& plan, Visit visit) {
    for (const Program& program : plan.programs) {
      for (const Op& op : program.ops) {
        if (op.kind == OpKind::kSend) visit(program.node, op);
      }
    }
  }
};

// The duration of the exchange if every message takes one unit of time and a node begins a step when its
// previous step is complete.
std::int64_t longest_path(const Plan& plan) {
  const MessagesByStep messages(plan);
  std::vector<std::int64_t> ready(plan.programs.size());  // when a node may begin its next step
  std::vector<std::int64_t> done(plan.programs.size());   // when it has completed the current one
  for (std::size_t step = 0; step + 1 < messages.begin.size(); ++step) {
    const std::span of_step(messages.pairs.begin() + static_cast<std::ptrdiff_t>(messages.begin[step]),
                            messages.begin[step + 1] - messages.begin[step]);
    for (const auto& [from, to] : of_step) {
      const std::int64_t arrives = std::max(ready[idx(from)], ready[idx(to)]) + 1;
      done[idx(from)] = std::max(done[idx(from)], arrives);
      done[idx(to)] = std::max(done[idx(to)], arrives);
    }
    for (const auto& [from, to] : of_step) {
      ready[idx(from)] = done[idx(from)];
      ready[idx(to)] = done[idx(to)];
    }
  }
  return ready.empty() ? 0 : *std::max_element(ready.begin(), ready.end());
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

}  // namespace trireme::plan
