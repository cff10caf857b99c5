// Runs all-to-all through shared memory: every node adds up everything by itself, block by block.
//
// If a large buffer lies in a window, each node adds up a block straight from all windows into a small block
// of its own, and stores it when everybody has read that block. Any other buffer is copied to the node's
// stage first, and the others add it up from there (a few bytes go with the tick itself). One tick per block
// then suffices: the two halves of the stage are used in turn, and a node that raises the tick of a block has
// done with the one before.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exec/tick_executor.h"

namespace trireme::exec {

class AllToAllExecutor final : public TickExecutor {
 public:
  [[nodiscard]] static bool fits(const plan::PlanSpec& spec);
  AllToAllExecutor(const Task& task, wire::shm::Windows& windows);

  void begin(const Buffers& buffers) override;

 private:
  void bring_first() override;
  bool go_on() override;
  bool go_on_in_window();
  bool go_on_staged();
  [[nodiscard]] wire::Counters moved() const override;

  // The bytes go with the tick.
  [[nodiscard]] bool is_few() const;
  // The place where the others find a block.
  [[nodiscard]] wire::shm::Place shared_block(std::int64_t number) const;
  [[nodiscard]] plan::Slice block(std::int64_t number) const;
  void bring(std::int64_t number);
  // Adds up block `number` of the buffers at this place; `skipped` elements of them are not there.
  void add_up(std::int64_t number, const wire::shm::Place& place, std::int64_t skipped, std::byte* into);
  [[nodiscard]] std::byte* own_block(std::int64_t number) const;

  std::optional<plan::Op> fold_;  // of everything; nothing when there is nothing to do
  std::vector<const std::byte*> sources_;
  const std::int64_t block_elements_;
  const std::int64_t blocks_;
  Room room_;  // two blocks

  std::byte* buffer_ = nullptr;
  std::optional<wire::shm::Place> window_;
  bool entered_ = false;       // in a window: all are there
  std::int64_t added_ = 0;     // blocks
  std::int64_t stored_ = 0;    // in a window: blocks
  std::uint64_t brought_ = 0;  // bytes
  std::uint64_t pulled_ = 0;   // bytes from each of the others
};

}  // namespace trireme::exec
