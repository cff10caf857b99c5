#include "plan/verifier/doubled_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace trireme::plan::verifier {
namespace {

auto what_is_sent(const Op& op) { return std::tuple(op.peer, op.slice.first, op.slice.count, op.action); }

}  // namespace

void report_doubled_messages(const Plan& plan, Problems& problems) {
  std::vector<const Op*> sends;
  for (const Program& program : plan.programs) {
    sends.clear();
    for (const Op& op : program.ops) {
      if (op.kind == OpKind::kSend) sends.push_back(&op);
    }
    std::stable_sort(sends.begin(), sends.end(),
                     [](const Op* a, const Op* b) { return what_is_sent(*a) < what_is_sent(*b); });
    for (std::size_t i = 1; i < sends.size(); ++i) {
      if (what_is_sent(*sends[i]) != what_is_sent(*sends[i - 1])) continue;
      problems.add(program.node, *sends[i],
                   fmt::format("superfluous: the same goes to rank {} in step {} already", sends[i]->peer,
                               sends[i - 1]->step + 1));
    }
  }
}

}  // namespace trireme::plan::verifier
