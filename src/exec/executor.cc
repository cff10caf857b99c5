#include "exec/executor.h"

namespace trireme::exec {

plan::Trace empty_trace(const plan::Program& program) {
  plan::Trace trace;
  trace.node = program.node;
  trace.events.resize(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) trace.events[i].id = program.ops[i].id;
  return trace;
}

std::int64_t divisor_of(const Task& task, const plan::Op& op) {
  return op.completes && task.reduction == Reduction::kAverage ? task.divisor : 1;
}

}  // namespace trireme::exec
