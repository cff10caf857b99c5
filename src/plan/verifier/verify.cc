#include "plan/verifier/verify.h"

#include <fmt/format.h>

#include <future>

#include "plan/verifier/doubled_messages.h"
#include "plan/verifier/message_ends.h"
#include "plan/verifier/progress.h"
#include "plan/verifier/symbolic_memory.h"
#include "plan/verifier/well_formed.h"

namespace trireme::plan::verifier {
namespace {

void report_stuck(const Plan& plan, const MessageEnds& ends, const Schedule& schedule, const char* when,
                  Problems& problems) {
  if (schedule.everybody_finished()) return;
  for (const Program& program : plan.programs) {
    for (std::size_t i = 0; i < program.ops.size() && !problems.full(); ++i) {
      if (!schedule.is_stuck(ends.number(program.node, i))) continue;
      const Op& op = program.ops[i];
      problems.add(program.node, op,
                   fmt::format("deadlock {}: waits forever to {} rank {}", when,
                               op.kind == OpKind::kSend ? "send to" : "receive from", op.peer));
    }
  }
}

// Runs the plan on symbols, with sends that wait for their receive. Without `memory`, only checks whether
// every node reaches the end.
void check_rendezvous(const Plan& plan, const MessageEnds& ends, SymbolicMemory* memory, Problems& problems) {
  const auto op_at = [&](Rank node, std::uint32_t number) -> const Op& {
    return plan.programs[idx(node)].ops[number - ends.first_op[idx(node)]];
  };
  Schedule schedule(plan, ends, Buffering::kRendezvous);
  schedule.run(
      [&](Rank from, std::uint32_t, Rank to, std::uint32_t receive) {
        if (memory != nullptr) memory->message(from, to, op_at(to, receive), receive);
      },
      [&](Rank node, std::uint32_t fold) {
        if (memory != nullptr) memory->fold(node, op_at(node, fold), fold);
      });
  report_stuck(plan, ends, schedule, "when sends wait for their receives", problems);
}

void check_one_message(const Plan& plan, const MessageEnds& ends, Problems& problems) {
  Schedule schedule(plan, ends, Buffering::kOneMessage);
  schedule.run([](Rank, std::uint32_t, Rank, std::uint32_t) {}, [](Rank, std::uint32_t) {});
  report_stuck(plan, ends, schedule, "with one message under way between two nodes", problems);
}

// The two schedules read the same plan and are independent, so a large plan runs them in parallel.
void check_schedules(const Plan& plan, const MessageEnds& ends, SymbolicMemory* memory, Problems& problems) {
  constexpr std::size_t kLarge = 100'000;  // ops; for fewer a thread costs more than it saves
  Problems of_one_message = problems.alike();
  if (ends.other_end.size() < kLarge) {
    check_rendezvous(plan, ends, memory, problems);
    check_one_message(plan, ends, of_one_message);
  } else {
    const auto other = std::async(std::launch::async, [&] { check_one_message(plan, ends, of_one_message); });
    check_rendezvous(plan, ends, memory, problems);
    other.wait();
  }
  problems.add(of_one_message.take());
}

bool every_message_has_both_ends(const Plan& plan, const MessageEnds& ends) {
  for (const Program& program : plan.programs) {
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      const bool is_alone = ends.other_end[ends.number(program.node, i)] == MessageEnds::kNone;
      if (program.ops[i].kind != OpKind::kFold && is_alone) return false;
    }
  }
  return true;
}

void find_problems(const Plan& plan, Problems& problems) {
  check_ranges(plan, problems);
  if (!problems.none()) return;

  const MessageEnds ends = match_ends(plan, problems);
  check_steps(plan, problems);
  if (!every_message_has_both_ends(plan, ends)) return;

  // If the ends disagree, values make no sense any more, but nodes that wait forever can still be found.
  if (!problems.none()) {
    check_schedules(plan, ends, nullptr, problems);
    return;
  }
  SymbolicMemory memory(plan, problems);
  check_schedules(plan, ends, &memory, problems);
  if (problems.none()) memory.check_results();
}

}  // namespace

std::vector<Problem> verify(const Plan& plan, std::size_t at_most) {
  Problems problems(plan.spec, at_most);
  find_problems(plan, problems);
  if (problems.none()) return {};

  // Reports a simple cause first, then its consequences.
  Problems all = problems.alike();
  report_doubled_messages(plan, all);
  all.add(problems.take());
  return all.take();
}

}  // namespace trireme::plan::verifier
