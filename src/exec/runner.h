// Runs one node's program of a plan on a wire: prepared once, run every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/error.h"
#include "exec/element_type.h"
#include "plan/plan.h"
#include "plan/trace.h"
#include "wire/wire.h"

namespace trireme {

/// What the exchange leaves in the buffer of every worker.
enum class Result {
  kSum,
  kAverage,  ///< the sum, then one division by the number of workers, by whoever completes a slice
};

/// Not thread-safe: one Runner belongs to one node. The wire outlives the Runner.
class Runner {
 public:
  /// Resolves everything that does not change from run to run: step borders, kernels, room. Throws `Error`
  /// when the spec does not pass `check`, does not fit the wire, or asks for an average of integers.
  Runner(const PlanSpec& spec, ElementType type, Wire& wire, Result result = Result::kSum);

  /// Exchanges `buffer`: spec.parameters elements on every node. A server contributes none of its own; its
  /// buffer holds the answer of its share afterwards, and the rest of it is not touched. Allocates and locks
  /// nothing of its own.
  ///
  /// On any failure it leaves the wire, so that all other nodes learn of it, and throws an `Error` that names
  /// rank, peer, the op in words, the elapsed time and a hint; the buffer is then half done. After a good run
  /// the wire's counters have grown by exactly this node's tally, else it throws too.
  ///
  /// The trace is overwritten by the next run. All messages of a step are taken to start and to end together.
  const Trace& run(std::span<std::byte> buffer, const Deadline& deadline);

 private:
  // Ops [messages, folds) of the program are the step's messages, [folds, end) its folds.
  struct Step {
    std::size_t messages = 0;
    std::size_t folds = 0;
    std::size_t end = 0;
  };

  struct RoomDeleter {
    void operator()(std::byte* room) const { ::operator delete[](room, kRoomAlignment); }
  };
  static constexpr std::align_val_t kRoomAlignment{64};

  void prepare_steps();
  void run_step(const Step& step, std::byte* buffer, Batch& batch, const Deadline& deadline);
  void post_receives(const Step& step, std::byte* buffer, Batch& batch);
  void post_sends(const Step& step, const std::byte* buffer, Batch& batch);
  void run_fold(const Op& op, std::byte* buffer);
  void fold_piece(const Op& op, const Slice& piece, std::int64_t first_source, std::byte* buffer);
  void divide_if_average(const Op& op, const Slice& slice, std::byte* buffer) const;
  void check_size(std::span<const std::byte> buffer) const;
  void check_counters(const Counters& before) const;
  [[nodiscard]] Failure complete(Failure failure, const Deadline& deadline) const;
  [[nodiscard]] std::string op_in_words(const Failure& failure) const;
  [[nodiscard]] std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * element_size_);
  }

  const PlanSpec spec_;
  const ElementType type_;
  const std::int64_t element_size_;
  const Result result_;
  const Program program_;
  const Counters tally_;  // what one run adds to the wire's counters
  const Combine add_;
  Wire& wire_;
  std::vector<Step> steps_;
  std::unique_ptr<std::byte[], RoomDeleter> room_;
  std::vector<const std::byte*> sources_;  // of the fold at hand; as long as the longest needs
  Deadline::Clock::time_point start_;      // of the run at hand
  std::size_t current_step_ = 0;           // likewise
  Trace trace_;                            // one event per op, in the order of the program
};

}  // namespace trireme
