#include "exec/course.h"

#include "exec/kernels.h"

namespace trireme {

Trace empty_trace(const Program& program) {
  Trace trace;
  trace.node = program.node;
  trace.events.resize(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) trace.events[i].id = program.ops[i].id;
  return trace;
}

void divide_if_average(const Task& task, const Op& op, std::byte* data, std::int64_t count) {
  if (!op.completes || task.result != Result::kAverage) return;
  divide(task.type, data, count, task.spec.workers);
}

}  // namespace trireme
