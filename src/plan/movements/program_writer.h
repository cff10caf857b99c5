// Writes one node's program op by op. Leaves out empty slices, which are no messages, and ops outside the
// wanted steps; allocates room.
#pragma once

#include "plan/plan.h"

namespace trireme::plan {

class ProgramWriter {
 public:
  ProgramWriter(const PlanSpec& spec, Rank node, const StepWindow& window) : spec_(spec), window_(window) {
    program_.node = node;
  }

  [[nodiscard]] const StepWindow& window() const { return window_; }

  /// Reserves space for the number of ops that the strategy will write, so that the vector does not grow.
  void reserve(std::int64_t ops) { program_.ops.reserve(idx(ops)); }

  void send(std::int32_t step, Rank to, const Slice& slice, Action action);
  void receive(std::int32_t step, Rank from, const Slice& slice, Action action, bool completes = false);

  /// The summands of the next fold, in order of addition: one that is received and put aside, or the node's
  /// own.
  void keep(std::int32_t step, Rank from, const Slice& slice, Action action = Action::kKeep);
  void own();

  struct FoldOptions {
    bool by_chunk = false;
    bool completes = false;
    Action action = Action::kAdd;  ///< kUpdate: the holder of a share then applies the update rule
  };
  /// Adds up, at the end of `step`, the summands named since the last fold.
  void fold(std::int32_t step, const Slice& slice, FoldOptions options);

  [[nodiscard]] Program take() { return std::move(program_); }

 private:
  [[nodiscard]] bool leaves_out(std::int32_t step, const Slice& slice) const {
    return slice.empty() || !window_.has(step);
  }

  const PlanSpec& spec_;
  const StepWindow window_;
  Program program_;
  std::size_t first_source_ = 0;  // of the next fold
};

}  // namespace trireme::plan
