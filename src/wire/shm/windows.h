// Windows: memory that all nodes of a host can see. What lies in one needs no copy: others read it and write
// it where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "base/types.h"
#include "wire/shm/entrance.h"
#include "wire/shm/neighbours.h"
#include "wire/shm/segment.h"
#include "wire/shm/ticks.h"
#include "wire/wire.h"

namespace trireme::wire::shm {

class Windows;

/// One node's memory in a window that all nodes have made together. Zero at first. The wire outlives it.
class Window {
 public:
  Window() = default;
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;
  ~Window();

  [[nodiscard]] std::span<std::byte> bytes() const { return own_; }
  /// For a node that uses only the others' memory: the system gets its own back, which is zero afterwards.
  void give_memory_back() const;

 private:
  friend class Windows;

  Windows* windows_ = nullptr;  // null: empty
  std::span<std::byte> own_;
};

/// One node's view of what the nodes of a job or of a group share. `Nodes` below are those of the group, and
/// ranks those in the group. Not thread-safe: it belongs to one node.
class Windows {
 public:
  /// Of all nodes of the job.
  explicit Windows(Neighbours& neighbours);
  /// Of a group, in the memory at this offset of the job's file (`GroupMemory`).
  Windows(Neighbours& neighbours, Members members, Rank rank, std::size_t offset);
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  /// Takes memory for the nodes of a group; one of them calls it. Returns its offset. Throws `Error`.
  [[nodiscard]] static std::size_t share(const Segment& segment, Rank nodes);

  /// Memory of this many bytes for every node; all nodes call it together and ask for the same. Throws
  /// `Error`, on all nodes, when there is not so much, with the size and the remedy; the wire is left then.
  [[nodiscard]] Window make(Wire& wire, std::size_t bytes, const Deadline& deadline);

  /// Nothing when the buffer does not lie in one window.
  [[nodiscard]] std::optional<Place> find(std::span<const std::byte> buffer) const;
  /// A range of the job's file that another node names, if it lies in a window of which this node knows.
  [[nodiscard]] const std::byte* at_offset(std::uint64_t offset, std::size_t bytes) const;

  /// A place of `half` (0 or 1) of the nodes' stages: memory for what lies in no window.
  [[nodiscard]] Place stage(int half) const;
  [[nodiscard]] static constexpr std::size_t stage_bytes() { return GroupMemory::kStageBytes / 2; }

  /// How far all nodes are.
  [[nodiscard]] Ticks& ticks() { return ticks_; }
  [[nodiscard]] Entrance& entrance() { return entrance_; }

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] Rank nodes() const { return members_.size(); }
  [[nodiscard]] const Members& members() const { return members_; }
  /// Whether a node is gone, and will do nothing more.
  [[nodiscard]] bool has_left(Rank node) const { return roster().has_left(members_.job_rank(node)); }

  /// Counts messages that went through windows.
  void count(const Counters& moved) { moved_ += moved; }
  [[nodiscard]] const Counters& moved() const { return moved_; }

  void wait(Awaited& awaited, const Deadline& deadline) {
    neighbours_.wait_beside_traffic(awaited, deadline);
  }
  void require_present(Awaited& awaited) { neighbours_.require_present(awaited); }
  [[nodiscard]] const Roster& roster() const { return neighbours_.roster(); }

 private:
  friend class Window;
  struct Made {
    std::shared_ptr<Mapping> mapping;
    std::size_t offset = 0;  // in the job's file
    std::size_t stride = 0;
    std::size_t bytes = 0;  // of each node
  };

  [[nodiscard]] Segment& segment() const { return neighbours_.segment(); }
  [[nodiscard]] Window make_together(Wire& wire, std::size_t bytes, const Deadline& deadline);
  [[nodiscard]] std::vector<Made>::iterator made_at(const std::byte* own);
  void give_back(const Made& made) const;
  void unmake(const std::byte* own);

  Neighbours& neighbours_;
  const Members members_;
  const Rank rank_;
  std::shared_ptr<Mapping> mapping_;  // of a group's own memory; null for the job
  std::size_t offset_ = 0;            // of that memory in the job's file
  const GroupMemory memory_;
  Ticks ticks_;
  Entrance entrance_;
  std::vector<Made> made_;
  Counters moved_;
};

}  // namespace trireme::wire::shm
