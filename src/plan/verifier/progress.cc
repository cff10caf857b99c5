#include "plan/verifier/progress.h"

#include <algorithm>

namespace trireme::plan::verifier {

Schedule::Schedule(const Plan& plan, const MessageEnds& ends, Buffering buffering) : buffering_(buffering) {
  transfers_.reserve(ends.other_end.size());
  nodes_.reserve(plan.programs.size());
  for (const Program& program : plan.programs) {
    const std::uint32_t first = ends.number(program.node, 0);
    nodes_.push_back({first, first, ends.number(program.node, program.ops.size()), 0});
    for (const Op& op : program.ops) {
      transfers_.push_back(
          {ends.other_end[transfers_.size()], kNone, kNone, op.peer, op.step, op.kind, State::kNotYet});
    }
  }
  if (buffering == Buffering::kOneMessage) link_channels(plan, ends);
}

bool Schedule::everybody_finished() const {
  return std::ranges::all_of(nodes_, [](const Node& node) { return node.begin == node.program_end; });
}

void Schedule::link_channels(const Plan& plan, const MessageEnds& ends) {
  std::vector<std::uint32_t> last(nodes_.size(), kNone);  // send to each peer
  for (const Program& program : plan.programs) {
    const std::uint32_t begin = ends.number(program.node, 0);
    const std::uint32_t end = ends.number(program.node, program.ops.size());
    for (std::uint32_t number = begin; number < end; ++number) {
      Transfer& transfer = transfers_[number];
      if (transfer.kind != OpKind::kSend) continue;
      std::uint32_t& before = last[idx(transfer.peer)];
      transfer.previous = before;
      if (before != kNone) transfers_[before].next = number;
      before = number;
    }
    for (std::uint32_t number = begin; number < end; ++number) last[idx(transfers_[number].peer)] = kNone;
  }
}

}  // namespace trireme::plan::verifier
