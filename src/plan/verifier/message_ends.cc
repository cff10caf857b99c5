#include "plan/verifier/message_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace trireme::plan::verifier {
namespace {

struct SendEnd {
  OpId id;
  std::uint32_t number;
  Rank from;
};

// All sends, sorted by receiver, so that each receiver's sends can be matched separately (and in cache).
class Inboxes {
 public:
  Inboxes(const Plan& plan, const MessageEnds& ends) : begin_(plan.programs.size() + 1) {
    for_each_send(plan, [&](Rank, std::size_t, const Op& op) { ++begin_[idx(op.peer) + 1]; });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    sends_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each_send(plan, [&](Rank node, std::size_t i, const Op& op) {
      sends_[next[idx(op.peer)]++] = {op.id, ends.number(node, i), node};
    });
  }

  [[nodiscard]] std::span<SendEnd> of(Rank receiver) {
    const std::size_t begin = begin_[idx(receiver)];
    return std::span(sends_).subspan(begin, begin_[idx(receiver) + 1] - begin);
  }

 private:
  template <typename Visit>
  static void for_each_send(const Plan& plan, Visit visit) {
    for (const Program& program : plan.programs) {
      for (std::size_t i = 0; i < program.ops.size(); ++i) {
        if (program.ops[i].kind == OpKind::kSend) visit(program.node, i, program.ops[i]);
      }
    }
  }

  std::vector<std::size_t> begin_;
  std::vector<SendEnd> sends_;
};

void compare_ends(const SendEnd& send, const Op& sent, Rank to, const Op& received, Problems& problems) {
  const auto differ = [&](const char* what) {
    problems.add(to, received, fmt::format("rank {} sends this message with another {}", send.from, what));
  };
  if (sent.step != received.step) differ("step");
  if (sent.slice != received.slice) differ("slice");
  if (sent.action != received.action) differ("action");
}

const Op& op_at(const Plan& plan, const MessageEnds& ends, Rank node, std::uint32_t number) {
  return plan.programs[idx(node)].ops[number - ends.first_op[idx(node)]];
}

void match_receives(const Plan& plan, Rank node, std::span<SendEnd> sends, MessageEnds& ends,
                    Problems& problems) {
  const auto by_id = [](const SendEnd& a, const SendEnd& b) { return a.id < b.id; };
  if (!std::is_sorted(sends.begin(), sends.end(), by_id)) std::sort(sends.begin(), sends.end(), by_id);
  for (std::size_t i = 1; i < sends.size(); ++i) {
    if (sends[i].id != sends[i - 1].id) continue;
    problems.add(sends[i].from, op_at(plan, ends, sends[i].from, sends[i].number),
                 fmt::format("superfluous: sends a message to rank {} that is sent already", node));
  }

  const auto& ops = plan.programs[idx(node)].ops;
  auto expected = sends.begin();  // programs and ids have the same order, so usually the next one matches
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != OpKind::kReceive) continue;
    if (expected == sends.end() || expected->id != ops[i].id) {
      expected = std::lower_bound(sends.begin(), sends.end(), SendEnd{ops[i].id, 0, 0}, by_id);
    }
    if (expected == sends.end() || expected->id != ops[i].id) {
      problems.add(node, ops[i], fmt::format("receives from rank {} what nobody sends", ops[i].peer));
      continue;
    }
    if (ends.other_end[expected->number] != MessageEnds::kNone) {
      problems.add(node, ops[i],
                   fmt::format("superfluous: receives twice what rank {} sends once", ops[i].peer));
      continue;
    }
    if (expected->from != ops[i].peer) {
      problems.add(node, ops[i],
                   fmt::format("expects it from rank {}, but rank {} sends it", ops[i].peer, expected->from));
      continue;
    }
    ends.other_end[ends.number(node, i)] = expected->number;
    ends.other_end[expected->number] = ends.number(node, i);
    compare_ends(*expected, op_at(plan, ends, expected->from, expected->number), node, ops[i], problems);
    ++expected;
  }
  for (const SendEnd& send : sends) {
    if (ends.other_end[send.number] != MessageEnds::kNone) continue;
    problems.add(send.from, op_at(plan, ends, send.from, send.number),
                 fmt::format("sends to rank {} what it does not receive", node));
  }
}

// An id made by `op_id` encodes its step and both nodes: two ids are equal only between the same two nodes,
// which the matching finds. All ids must be compared only if a plan has other ids.
bool ids_name_their_messages(const Plan& plan) {
  const std::int32_t most_steps =
      4 * plan.spec.nodes();  // more than any strategy needs; `op_id` does not overflow
  for (const Program& program : plan.programs) {
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      if (op.kind == OpKind::kReceive) continue;  // it has the id of its send
      if (op.step > most_steps || op.id != op_id(plan.spec, op.step, program.node, op.peer)) return false;
      const bool follows_fold = i > 0 && program.ops[i - 1].kind == OpKind::kFold;
      if (op.kind == OpKind::kFold && follows_fold && program.ops[i - 1].id == op.id) return false;
    }
  }
  return true;
}

void check_ids(const Plan& plan, Problems& problems) {
  if (ids_name_their_messages(plan)) return;
  struct Use {
    OpId id;
    Rank node;
    const Op* op;
  };
  std::vector<Use> uses;
  for (const Program& program : plan.programs) {
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::kReceive) uses.push_back({op.id, program.node, &op});
    }
  }
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < uses.size(); ++i) {
    if (uses[i].id != uses[i - 1].id) continue;
    problems.add(uses[i].node, *uses[i].op, fmt::format("has the id of an op of rank {}", uses[i - 1].node));
  }
}

}  // namespace

MessageEnds match_ends(const Plan& plan, Problems& problems) {
  MessageEnds ends;
  ends.first_op.push_back(0);
  for (const Program& program : plan.programs) {
    ends.first_op.push_back(ends.first_op.back() + static_cast<std::uint32_t>(program.ops.size()));
  }
  check_ids(plan, problems);
  ends.other_end.assign(ends.first_op.back(), MessageEnds::kNone);
  Inboxes inboxes(plan, ends);
  for (const Program& program : plan.programs) {
    match_receives(plan, program.node, inboxes.of(program.node), ends, problems);
  }
  return ends;
}

}  // namespace trireme::plan::verifier
