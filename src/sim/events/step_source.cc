#include "sim/events/step_source.h"

#include <algorithm>

#include "plan/strategies/strategies.h"

namespace trireme::sim {

void StepSource::restart() {
  made_ = 0;
  window_.clear();
  sends_.clear();
  at_ = first_send_ = current_sends_end_ = 0;
}

const SimStep* StepSource::next() {
  while (at_ == window_.size()) {
    if (made_ >= steps_) return nullptr;
    fill();
  }
  const SimStep& step = window_[at_++];
  first_send_ = current_sends_end_;
  current_sends_end_ = step.sends_end;
  return &step;
}

void StepSource::fill() {
  window_.clear();
  sends_.clear();
  at_ = first_send_ = current_sends_end_ = 0;
  const plan::StepWindow window{made_, std::min(made_ + kWindow, steps_)};
  made_ = window.end;
  const plan::Program program = plan::make_program(*spec_, node_, window);
  for (const plan::Op& op : program.ops) add(op, program);
}

void StepSource::add(const plan::Op& op, const plan::Program& program) {
  if (window_.empty() || window_.back().number != op.step) {
    window_.push_back({.number = op.step, .sends_end = sends_.size()});
  }
  SimStep& step = window_.back();
  switch (op.kind) {
    case plan::OpKind::kSend:
      sends_.push_back({costs_->bytes(op.slice.count), op.peer, op.action == plan::Action::kAdd});
      step.sends_end = sends_.size();
      return;
    case plan::OpKind::kReceive:
      ++step.receives;
      return;
    case plan::OpKind::kFold:
      break;
  }
  std::int64_t others = 0;
  for (std::int32_t i = 0; i < op.source_count; ++i) {
    others += program.sources[idx(op.room + i)].room == plan::Source::kOwn ? 0 : 1;
  }
  step.folding += others * costs_->adding(costs_->bytes(op.slice.count));
  step.updates = step.updates || op.action == plan::Action::kUpdate;
}

}  // namespace trireme::sim
