// Runs operations of one step through shared memory: every node puts what it sends where the others see it,
// and takes what it gets from there.
//
// A large buffer that lies in a window is read where it is. Any other is copied to the node's stage in
// pieces, and read from there (a few bytes go with the tick itself). One tick per piece suffices: the two
// halves of the stage are used in turn, and a node that raises the tick of a piece has done with the one
// before. Where each of the others gets another slice, each has a slot of its own in the stage.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/placement.h"
#include "exec/tick_executor.h"

namespace trireme::exec {

class PullExecutor final : public TickExecutor {
 public:
  /// Not sums, which the other executors run.
  [[nodiscard]] static bool fits(const plan::PlanSpec& spec);
  PullExecutor(const Task& task, wire::shm::Windows& windows);

  void begin(const Buffers& buffers) override;

 private:
  struct Give {
    std::size_t op = 0;  // in the program
    Rank to = 0;
    plan::Slice slice;
  };
  struct Get {
    std::size_t op = 0;
    Rank from = 0;
    plan::Slice slice;
    std::int64_t at = 0;                // elements before it in the sender's buffer
    const std::byte* window = nullptr;  // where the sender's slice lies; null: it is staged
  };

  void bring_first() override;
  bool go_on() override;
  void enter();
  void bring(std::int64_t piece);
  void take(std::int64_t piece);
  void add_up(std::int64_t piece);
  [[nodiscard]] wire::Counters moved() const override;

  [[nodiscard]] plan::Slice part(const plan::Slice& slice, std::int64_t piece) const;
  [[nodiscard]] std::int64_t elements_up_to(const plan::Slice& slice, std::int64_t pieces) const;
  [[nodiscard]] wire::shm::Place shared(std::int64_t piece) const;
  [[nodiscard]] std::size_t slot(Rank receiver) const;
  [[nodiscard]] const std::byte* source(const Get& get, std::int64_t piece) const;

  Placement placement_;
  std::vector<Give> gives_;
  std::vector<Get> gets_;
  std::optional<std::size_t> fold_;        // adds up what this node gets
  std::vector<const std::byte*> sources_;  // of the fold at hand
  const bool has_slots_;                   // each of the others gets another slice
  const std::int64_t longest_;             // slice, in elements
  const bool few_;                         // the bytes go with the tick
  const std::size_t slot_bytes_;
  const std::int64_t piece_elements_;
  const std::int64_t pieces_;

  std::uint64_t place_ = 0;    // of its buffer in the job's file, if others read it there
  bool in_window_ = false;     // others read this node's buffer where it is
  bool needs_stages_ = false;  // it reads or brings a piece at a time
  bool closes_ = false;        // somebody waits until all that is in a window has been read
  bool leaving_ = false;       // waits until the others have read this node's window
  std::int64_t brought_ = 0;   // pieces
  std::int64_t piece_ = 0;     // the one at hand; all before have been taken
};

}  // namespace trireme::exec
