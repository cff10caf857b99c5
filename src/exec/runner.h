// Runs one node's program of a plan on a wire: prepared once, run every step.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/deadline.h"
#include "base/error.h"
#include "exec/executor.h"
#include "exec/kernels/element_type.h"
#include "exec/task.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "wire/wire.h"

namespace trireme::exec {

/// Not thread-safe: one Runner belongs to one node. The wire outlives the Runner.
///
/// Several Runners may share a wire, but only one exchange is under way on it at a time.
class Runner {
 public:
  /// Resolves everything that does not change from run to run: step borders, kernels, room, and the way
  /// through the wire. Throws `Error` when the spec does not pass `check`, does not fit the wire, or
  /// asks for an average of integers. The reduction is for operations that add up.
  Runner(const plan::PlanSpec& spec, ElementType type, wire::Wire& wire,
         Reduction reduction = Reduction::kSum, const plan::StepWindow& window = {});

  /// Averages from now on are sums divided by this instead of by the number of workers; the same on all
  /// nodes.
  void divide_by(std::int64_t divisor) { task_.divisor = divisor; }

  /// Makes sure that all nodes are about to run the same, in a round of small messages that belong to no
  /// exchange; all nodes call it together. On a mismatch all throw an `Error` that says who is at what. Does
  /// nothing the second time, nor through windows, where every exchange begins with it. The first `run` does
  /// it if nobody has.
  void prepare(const Deadline& deadline);

  /// Exchanges a buffer of spec.parameters elements on every node, for operations in place (`is_in_place`).
  /// A server contributes none of its own; its buffer holds the answer of its share afterwards, and the rest
  /// of it is not touched. On a wire with windows, all nodes' buffers of a sum lie at the same place of one
  /// window, or none lies in one. Allocates and locks nothing of its own.
  const plan::Trace& run(std::span<std::byte> buffer, const Deadline& deadline) {
    return run({buffer, buffer}, deadline);
  }
  /// Does the same with any operation. What each node brings may lie anywhere, and does not change.
  ///
  /// On any failure it leaves the wire, so that all other nodes learn of it, and throws an `Error` that names
  /// rank, peer, the op in words, the elapsed time and a hint; the buffer is then half done. After a good run
  /// the wire's counters have grown by exactly this node's tally, else it throws too.
  ///
  /// The trace has times if they are recorded (`record_times`), and is overwritten by the next run. All
  /// messages of a step are taken to start and to end together.
  const plan::Trace& run(const Buffers& buffers, const Deadline& deadline);

  /// From now on the trace has times. They take longer than a small step.
  void record_times() { executor_->record_times(); }

  // `run` in parts, for a caller that has something else to do meanwhile. Each throws as `run` does.
  /// Begins without waiting, prepared or not. The caller neither reads nor writes the memory until the
  /// exchange is complete.
  void start(std::span<std::byte> buffer, const Deadline& deadline) { start({buffer, buffer}, deadline); }
  void start(const Buffers& buffers, const Deadline& deadline);
  /// Goes on without waiting. True when the exchange is complete, or none was begun.
  bool poll();
  /// The same for a caller that waits with `wire::JobWire::wait_until`, which moves messages and watches the
  /// deadline.
  bool look();
  /// What the exchange at hand waits for.
  [[nodiscard]] wire::Transfer lacks() const { return executor_->lacks(); }
  /// The deadline of the exchange at hand; nothing: there is none.
  [[nodiscard]] const std::optional<Deadline>& deadline() const { return deadline_; }
  /// Goes on until the exchange is complete.
  const plan::Trace& wait();
  /// The same with another deadline than that of `start`.
  const plan::Trace& wait(const Deadline& deadline);

  /// For the halves of parameter-server with one worker and one server: the server finds the buffer, and
  /// leaves its answer, at `place`, which is in the worker's window where the two have one. So nothing is
  /// copied there. On the worker it changes nothing.
  void leave_in_place() { executor_->leave_in_place(); }
  /// Where the buffer of the exchange at hand, or of the last one, lies on this node.
  [[nodiscard]] std::byte* place() const { return executor_->place(own_); }
  /// After reading there: throws as `run` does when its node has left meanwhile, and may have changed what
  /// was read.
  void require_place();

  [[nodiscard]] const plan::PlanSpec& spec() const { return task_.spec; }
  /// The messages of one run, by the plan.
  [[nodiscard]] const wire::Counters& tally() const { return tally_; }
  /// The messages of all runs so far, as the wire counted them.
  [[nodiscard]] const wire::Counters& counted() const { return counted_; }

 private:
  template <typename Act>
  void guarded(Act act);
  void complete_exchange();
  void check_sizes(const Buffers& buffers) const;
  void check_counters();
  [[nodiscard]] Failure complete(Failure failure) const;
  [[nodiscard]] bool is_own(OpId id) const;
  [[nodiscard]] std::string op_in_words(const Failure& failure) const;

  Task task_;
  const wire::Counters tally_;  // what one run adds to the wire's counters
  const std::int64_t brings_;   // elements
  const std::int64_t gets_;     // elements
  wire::Wire& wire_;
  std::unique_ptr<Executor> executor_;
  bool prepared_ = false;
  std::byte* own_ = nullptr;          // the buffer of this node
  std::optional<Deadline> deadline_;  // of the exchange at hand; nothing: there is none
  wire::Counters before_;             // the wire's, when it began
  wire::Counters counted_;            // in all exchanges that were completed
};

}  // namespace trireme::exec
