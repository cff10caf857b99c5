#include "plan/verifier/well_formed.h"

#include <algorithm>

#include "base/error.h"
#include "plan/verifier/message_ends.h"

namespace trireme::plan::verifier {
namespace {

bool inside(const Slice& slice, std::int64_t elements) {
  return slice.first >= 0 && slice.count >= 0 && slice.first <= elements &&
         slice.count <= elements - slice.first;
}

void check_message(const PlanSpec& spec, const Program& program, const Op& op, Problems& problems) {
  if (op.peer < 0 || op.peer >= spec.nodes()) {
    problems.add(program.node, op, "the peer does not exist");
  } else if (op.peer == program.node) {
    problems.add(program.node, op, "a node's transfer to itself is no message");
  }
  if (op.completes && (op.kind == OpKind::kSend || op.action != Action::kAdd)) {
    problems.add(program.node, op, "completes a sum where none is made");
  }
  if (op.kind == OpKind::kReceive && goes_to_room(op.action) &&
      !inside({op.room, op.slice.count}, program.room_elements)) {
    problems.add(program.node, op, "there is no such room to put it aside in");
  }
}

void check_fold(const PlanSpec& spec, const Program& program, const Op& op, Problems& problems) {
  if (op.peer != program.node) problems.add(program.node, op, "adds up, but with another node as its peer");
  const auto sources = static_cast<std::int64_t>(program.sources.size());
  if (op.source_count < 1 || !inside({op.room, op.source_count}, sources)) {
    problems.add(program.node, op, "adds up sources that do not exist");
    return;
  }
  if (op.by_chunk && op.source_count != spec.workers) {
    problems.add(program.node, op,
                 "begins with another source for each chunk, but has not one for each worker");
  }
  for (std::int64_t i = op.room; i < op.room + op.source_count; ++i) {
    const Source& source = program.sources[idx(i)];
    if (source.room != Source::kOwn && !inside({source.room, op.slice.count}, program.room_elements)) {
      problems.add(program.node, op, "adds up from room that does not exist");
    }
  }
}

void check_order(const Program& program, Problems& problems) {
  for (std::size_t i = 1; i < program.ops.size(); ++i) {
    const Op& before = program.ops[i - 1];
    const Op& op = program.ops[i];
    if (op.step < before.step) problems.add(program.node, op, "comes after a later step");
    if (op.step == before.step && before.kind == OpKind::kFold && op.kind != OpKind::kFold) {
      problems.add(program.node, op, "is posted in a step whose adding up has begun");
    }
  }
}

using Slices = std::vector<std::pair<Slice, const Op*>>;

// The slices that one step of one program sends and writes.
struct StepSlices {
  Slices sent, written, room;

  void clear() { sent.clear(), written.clear(), room.clear(); }
  void add(const Op& op) {
    if (op.kind == OpKind::kSend) sent.emplace_back(op.slice, &op);
    if (op.kind != OpKind::kReceive) return;
    if (goes_to_room(op.action)) {
      room.emplace_back(Slice{op.room, op.slice.count}, &op);
    } else {
      written.emplace_back(op.slice, &op);
    }
  }
};

void sort(Slices& slices) {
  const auto before = [](const auto& a, const auto& b) { return a.first.first < b.first.first; };
  if (!std::is_sorted(slices.begin(), slices.end(), before)) std::sort(slices.begin(), slices.end(), before);
}

void check_written_once(Rank node, Slices& written, const char* text, Problems& problems) {
  sort(written);
  for (std::size_t i = 1; i < written.size(); ++i) {
    if (overlap(written[i - 1].first, written[i].first)) problems.add(node, *written[i].second, text);
  }
}

void check_not_sent(Rank node, StepSlices& step, Problems& problems) {
  if (step.written.empty() || step.sent.empty()) return;
  sort(step.sent);  // `written` is sorted already, and its slices do not overlap
  auto write = step.written.begin();
  for (const auto& [sent, op] : step.sent) {
    while (write != step.written.end() && write->first.end() <= sent.first) ++write;
    if (write == step.written.end()) return;
    if (overlap(write->first, sent)) problems.add(node, *write->second, "is written while it is being sent");
  }
}

}  // namespace

void check_ranges(const Plan& plan, Problems& problems) {
  std::size_t ops = 0;
  for (const Program& program : plan.programs) ops += program.ops.size();
  if (ops >= MessageEnds::kNone)
    throw bad_input("the plan is too large to verify: it has more than 2^32 ops");

  if (plan.programs.size() != idx(plan.spec.nodes())) {
    problems.add(0, 0, {}, "there is not one program for each node");
    return;
  }
  for (std::size_t rank = 0; rank < plan.programs.size(); ++rank) {
    const Program& program = plan.programs[rank];
    if (idx(program.node) != rank)
      problems.add(0, program.node, {}, "the program stands in another node's place");
    for (const Op& op : program.ops) {
      if (op.step < 0 || op.slice.empty() || !inside(op.slice, plan.spec.elements())) {
        problems.add(program.node, op, "there is no such step or slice");
      }
      if (op.kind == OpKind::kFold) {
        check_fold(plan.spec, program, op, problems);
      } else {
        check_message(plan.spec, program, op, problems);
      }
    }
    check_order(program, problems);
  }
}

void check_steps(const Plan& plan, Problems& problems) {
  StepSlices step;
  for (const Program& program : plan.programs) {
    for (std::size_t i = 0; i < program.ops.size();) {
      step.clear();
      const std::int32_t number = program.ops[i].step;
      for (; i < program.ops.size() && program.ops[i].step == number; ++i) step.add(program.ops[i]);
      check_written_once(program.node, step.written, "is written by two messages of one step", problems);
      check_written_once(program.node, step.room, "its room is filled by two messages of one step", problems);
      check_not_sent(program.node, step, problems);
    }
  }
}

}  // namespace trireme::plan::verifier
