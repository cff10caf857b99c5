// Runs direct and parameter-server through shared memory. Whoever owns a slice reads it from everybody's
// window, adds it up in one pass, and writes the sum into everybody's window: both steps of the plan at once.
//
// That is right because the owner alone reads that slice there, and nobody else writes it. A buffer that lies
// in no window goes through the nodes' stages piece by piece: piece j holds a part of every chunk, so that
// all owners are busy all the time and the order of addition stays.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exec/tick_executor.h"

namespace trireme::exec {

class SpreadExecutor final : public TickExecutor {
 public:
  [[nodiscard]] static bool fits(const plan::PlanSpec& spec);
  SpreadExecutor(const Task& task, wire::shm::Windows& windows);

  void begin(const Buffers& buffers) override;
  void leave_in_place() override;
  [[nodiscard]] std::byte* place(std::byte* own) const override { return is_in_place() ? buffer_ : own; }
  void require_place() const override {
    if (is_in_place()) require_peers_here();
  }

 private:
  // A range of the buffer that is also one range in the stage.
  struct Part {
    plan::Slice slice;
    std::int64_t staged = 0;  // its first element there; in a window the same as in the buffer
  };

  void bring_first() override { bring(0); }
  bool go_on() override;
  [[nodiscard]] wire::Counters moved() const override;

  // Calls `body` for each part of the slice that belongs to this piece.
  template <typename Body>
  void for_each_part(const plan::Slice& slice, std::int64_t piece, Body body) const;
  void bring(std::int64_t piece);
  void work();
  void add_up(const Part& part, std::int64_t first_source);
  void hand_out(const Part& part);
  void take();
  [[nodiscard]] bool is_in_place() const { return in_place_ && window_; }
  [[nodiscard]] wire::shm::Place place_of(std::int64_t piece) const;
  [[nodiscard]] std::byte* own_at(std::int64_t element) const { return buffer_ + task_.bytes(element); }

  std::optional<plan::Op> fold_;           // of the slice that this node owns, if it owns one
  plan::Slice owned_;                      // which is shared without a fold in a second half
  std::vector<Rank> targets_;              // who gets its sum
  std::vector<plan::Op> gives_;            // what this node sends to owners
  std::vector<plan::Op> gets_;             // what it gets back
  std::vector<const std::byte*> sources_;  // of the addition at hand
  std::vector<std::byte*> into_;           // and where its sum goes: this node's buffer first
  const std::int64_t piece_elements_;      // of each chunk, when staged

  bool in_place_ = false;  // the holder works in the window of the only worker, if there is one
  std::byte* buffer_ = nullptr;
  std::optional<wire::shm::Place> window_;  // where the buffer lies; nothing: it is staged
  std::int64_t pieces_ = 0;
  std::int64_t piece_ = 0;   // at hand
  bool leaving_ = false;     // waits for the others to be done with the piece, else to bring it
  std::uint64_t moved_ = 0;  // bytes so far, from each source and to each target
};

}  // namespace trireme::exec
