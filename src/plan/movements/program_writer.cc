#include "plan/movements/program_writer.h"

namespace trireme::plan {

void ProgramWriter::send(std::int32_t step, Rank to, const Slice& slice, Action action) {
  if (leaves_out(step, slice)) return;
  Op op;
  op.id = op_id(spec_, step, program_.node, to);
  op.slice = slice;
  op.step = step;
  op.peer = to;
  op.kind = OpKind::kSend;
  op.action = action;
  program_.ops.push_back(op);
}

void ProgramWriter::receive(std::int32_t step, Rank from, const Slice& slice, Action action, bool completes) {
  if (leaves_out(step, slice)) return;
  Op op;
  op.id = op_id(spec_, step, from, program_.node);
  op.slice = slice;
  op.step = step;
  op.peer = from;
  op.kind = OpKind::kReceive;
  op.action = action;
  op.completes = completes;
  if (goes_to_room(action)) {
    op.room = program_.room_elements;
    program_.room_elements += slice.count;
  }
  program_.ops.push_back(op);
}

void ProgramWriter::keep(std::int32_t step, Rank from, const Slice& slice, Action action) {
  if (leaves_out(step, slice)) return;
  program_.sources.push_back({from, program_.room_elements});
  receive(step, from, slice, action);
}

void ProgramWriter::own() { program_.sources.push_back({program_.node, Source::kOwn}); }

void ProgramWriter::fold(std::int32_t step, const Slice& slice, FoldOptions options) {
  if (leaves_out(step, slice)) {
    program_.sources.resize(first_source_);
    return;
  }
  Op op;
  op.id = op_id(spec_, step, program_.node, program_.node);
  op.slice = slice;
  op.room = static_cast<std::int64_t>(first_source_);
  op.step = step;
  op.peer = program_.node;
  op.source_count = static_cast<std::int32_t>(program_.sources.size() - first_source_);
  op.kind = OpKind::kFold;
  op.action = options.action;
  op.completes = options.completes;
  op.by_chunk = options.by_chunk;
  program_.ops.push_back(op);
  first_source_ = program_.sources.size();
}

}  // namespace trireme::plan
